"""The catalog against what FlyDSL publishes and what AMD's calculator prints, point by point."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from layoutcheck import catalog
from layoutcheck.atoms.check import check_source
from layoutcheck.atoms.load import Entry, fill, load
from layoutcheck.atoms.schema import Copy, Mma
from layoutcheck.notation import parse
from layoutcheck.source import read_file
from layoutcheck.verify import atom_files, verify

FILES = list(atom_files(str(Path(catalog.root()) / "atoms")))


def entries(kind: type) -> list[Entry]:
    return [e for path in FILES for e in load(read_file(path))[0] if isinstance(e.record, kind)]


MMA = entries(Mma)
TDM = [e for e in entries(Copy) if e.record.placeholder]
COPY = [e for e in entries(Copy) if not e.record.placeholder]


def points(text: str) -> list[int]:
    layout = parse(text)
    return [layout(i) for i in range(layout.size)]


def test_counts() -> None:
    report = verify((), catalog=True)
    assert not report.diagnostics
    assert not report.errors
    checked = [i for i in report.instances if not i.notes or "placeholder" not in i.notes[0]]
    assert len(checked) >= 120
    assert all(i.claims == i.certified > 0 for i in checked)
    assert len(report.instances) - len(checked) == len(TDM) == 4
    archs = [fill(e.record.arch or "", e.texts) for e in MMA if e.name.startswith("cdna3.mfma")]
    assert {a: archs.count(a) for a in set(archs)} == {"gfx942": 16, "gfx950": 4, "gfx90a": 2}


@pytest.mark.parametrize("entry", MMA, ids=lambda e: e.name)
def test_mma_is_what_flydsl_publishes(entry: Entry, published: dict[str, Any]) -> None:
    text = fill(entry.record.type or "", entry.texts)
    row = next(r for r in published["mma"] if r["atom"] == text)
    assert [int(x) for x in entry.record.mnk] == row["mnk"]
    for operand in "abc":
        assert points(getattr(entry.record, operand)) == points(row[operand.upper()])
        element = getattr(entry.record.elements, operand)
        assert entry.texts.get(element, element) == row[operand]


def test_mma_atoms_left_out_are_no_instruction(published: dict[str, Any]) -> None:
    here = {fill(e.record.type or "", e.texts) for e in MMA}
    missing = [r for r in published["mma"] if r["atom"] not in here]
    assert len(missing) == 4
    assert all(r["a"] == "f8E4M3FN" and r["b"] in ("f8E4M3FN", "f8E4M3FNUZ") for r in missing)


@pytest.mark.parametrize("entry", MMA, ids=lambda e: e.name)
def test_mma_against_the_instruction(entry: Entry, hardware: dict[str, Any]) -> None:
    if entry.record.instruction is None:
        assert entry.name.startswith("universal_fma")
        return
    arch, name = (fill(t or "", entry.texts) for t in (entry.record.arch, entry.record.instruction))
    row = next((r for r in hardware["instructions"] if (r["arch"], r["instruction"]) == (arch, name)), None)
    if arch == "gfx950":  # the calculator does not know it
        assert row is None
        return
    assert row is not None
    assert [int(x) for x in entry.record.mnk] == row["mnk"]
    relabelled = arch == "gfx1201" and re.search("16x16x16_b?f16", name) is not None
    for operand in "abc":
        assert int(getattr(entry.record.registers, operand)) == row[operand]["registers"]
        assert int(getattr(entry.record.replication, operand) or 1) == row[operand]["replication"]
        same = points(getattr(entry.record, operand)) == points(row[operand]["layout"])
        assert same == (not relabelled or operand == "c")


@pytest.mark.parametrize("entry", COPY, ids=lambda e: e.name)
def test_copy_widths_are_the_legal_ones(entry: Entry, published: dict[str, Any]) -> None:
    """Of all widths tried: those where FlyDSL's own recast keeps threads and bits, and names the same bits."""
    assert isinstance(entry.record, Copy)
    rows = [r for r in published["copy"] if r["atom"] == fill(entry.record.type or "", entry.texts)]
    base = next((r for r in rows if r["val_bits"] == 1), None)
    if base is None:  # an atomic: at the widths tried, whole elements of the one thread
        legal = {r["val_bits"] for r in rows if parse(r["src"]).size * r["val_bits"] == r["bits"]}
        assert {int(w) for w in entry.record.val_bits} == legal
        return
    legal = set()
    for row in rows:
        width = row["val_bits"]
        sound = base["bits"] % width == 0
        for side in ("src", "dst"):
            bits, recast = parse(base[side]), parse(row[side])
            sound = sound and recast.mode(0).size == bits.mode(0).size and recast.size * width == bits.size
            sound = sound and all(
                bits((t, v)) == recast((t, v // width)) * width + v % width
                for t in range(bits.mode(0).size)
                for v in range(bits.mode(1).size)
            )
            assert points(getattr(entry.record, side)) == points(base[side])
        if sound:
            legal.add(width)
    assert {int(w) for w in entry.record.val_bits} == legal


def test_every_arch_has_threads_and_a_source() -> None:
    archs = catalog.archs()
    assert {"gfx908", "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250", "sm_80", "sm_90"} <= set(archs)
    assert all(a.threads and a.source for a in archs.values())
    assert archs["gfx1250"].threads == (32,)
    assert archs["sm_90"].threads == (32, 128)
    assert (archs["gfx942"].lds_banks, archs["gfx950"].lds_banks) == (32, 64)


def test_each_file_names_its_source() -> None:
    for path in FILES:
        head = Path(path).read_text().partition("layoutcheck:")[0]
        assert "FlyDSL 0.5.0" in head, path
        assert not check_source(read_file(path), certify=False, timeout=1)[1]
