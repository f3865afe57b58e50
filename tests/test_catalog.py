"""The catalog against what FlyDSL publishes and what AMD's calculator prints, point by point."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from layoutcheck import catalog
from layoutcheck.atoms.check import check_source
from layoutcheck.atoms.entry import Entry, fill
from layoutcheck.atoms.load import load
from layoutcheck.atoms.schema import Copy, Mma
from layoutcheck.notation import parse
from layoutcheck.source import read_file
from layoutcheck.verify import atom_files, verify

from .conftest import DATA

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
    assert {(d.code, d.atom) for d in report.diagnostics} == {
        ("LC407", f"gfx120x.wmma.16x16x16.{t}") for t in ("f16", "bf16")
    }
    assert all(d.suppressed for d in report.diagnostics)
    assert not report.errors
    checked = [i for i in report.instances if not i.notes or "placeholder" not in i.notes[0]]
    assert len(checked) >= 205
    assert all(i.claims == i.certified > 0 for i in checked)
    assert len(report.instances) - len(checked) == len(TDM) == 4
    archs = [fill(e.record.arch or "", e.texts) for e in MMA if e.name.startswith("cdna3.mfma")]
    assert {a: archs.count(a) for a in set(archs)} == {"gfx942": 16, "gfx950": 6, "gfx90a": 2}


PUBLISHED = json.loads(gzip.decompress((DATA / "flydsl_atoms.json.gz").read_bytes()))
LOWERED = {
    row[0]: dict(zip("abc", row[3:], strict=True)) | {"thr": row[2]} for row in PUBLISHED["mma"] if row[1] == "ok"
}


def corrected(entry: Entry) -> set[str]:
    """The operands whose layouts are not FlyDSL's, as the heads of the files say."""
    types = {x: entry.texts.get(getattr(entry.record.elements, x), "") for x in "abc"}
    wide = {x for x in "ab" if types[x].startswith("f8")}
    if entry.name.startswith("cdna4.mfma_scale"):
        return wide if wide == {"a", "b"} else set()
    if entry.name.startswith("gfx1250.wmma_scale"):
        return wide
    if entry.name.startswith("gfx1250.wmma") and types["c"] in ("f16", "bf16"):
        return {"c"}
    return set()


@pytest.mark.parametrize("entry", MMA, ids=lambda e: e.name)
def test_mma_is_what_flydsl_publishes_but_for_what_the_file_says(entry: Entry) -> None:
    row = LOWERED[fill(entry.record.type or "", entry.texts)]
    assert entry.record.thr == row["thr"]
    differs = {x for x in "abc" if points(getattr(entry.record, x)) != points(row[x])}
    assert differs == corrected(entry)


def test_mma_atoms_left_out_are_no_instruction_or_not_known() -> None:
    here = {fill(e.record.type or "", e.texts) for e in MMA}
    missing = sorted(set(LOWERED) - here)
    assert not here - set(LOWERED)
    assert [m for m in missing if "(f8E4M3FN, f8E4M3FNUZ)" in m or "32x16x128" in m] == missing
    assert len(missing) == 4


GRADES = {
    "cdna3.mfma": {"exact"},
    "cdna4.mfma_scale": {"exact", "no-oracle"},
    "gfx11.wmma": {"exact"},
    "gfx120x.wmma": {"exact", "relabelled"},
    "gfx1250.wmma": {"exact"},
    "gfx1250.wmma_scale": {"exact"},
    "gfx1250.wmma_scale16": {"exact"},
}


def test_every_atom_is_graded() -> None:
    report = verify((), catalog=True)
    seen: dict[str, set[str]] = {}
    for instance in report.instances:
        family = ".".join(instance.name.split(".")[:2])
        if instance.oracle:
            seen.setdefault(family, set()).add(instance.oracle["grade"])
            assert instance.oracle["certified"]
    assert seen == GRADES


@pytest.mark.parametrize("entry", MMA, ids=lambda e: e.name)
def test_mma_against_the_instruction(entry: Entry, hardware: dict[str, Any]) -> None:
    if entry.record.instruction is None:
        assert entry.name.startswith(("universal_fma", "gfx1250.wmma.16x16x32.i4"))  # no table has them
        return
    arch, name = (fill(t or "", entry.texts) for t in (entry.record.arch, entry.record.instruction))
    row = next((r for r in hardware["instructions"] if (r["arch"], r["instruction"]) == (arch, name)), None)
    if arch in ("gfx950", "gfx1250", ""):  # the calculator does not know them
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
        assert all(d.suppressed for d in check_source(read_file(path), certify=False, timeout=1)[1])
