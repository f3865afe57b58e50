"""The catalog of instructions against the data it was taken from: every instruction, operand, wave and point."""

from __future__ import annotations

import gzip
import json
import re
from typing import Any

import pytest

from layoutcheck import catalog, instructions
from layoutcheck.instructions import Instruction
from layoutcheck.notation import parse

from .conftest import DATA

VENDOR: dict[str, Any] = json.loads(gzip.decompress((DATA / "mma_hw.json.gz").read_bytes()))
SECONDARY: list[dict[str, Any]] = json.loads((DATA / "mma_secondary.json").read_text())["entries"]
ARCHS = {
    "cdna1": ["gfx908"],
    "cdna2": ["gfx90a"],
    "cdna3": ["gfx940", "gfx941", "gfx942"],
    "rdna3": ["gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151"],
    "rdna4": ["gfx1200", "gfx1201"],
}
TYPES = {
    "fp16": "f16", "bf16": "bf16", "fp32": "f32", "xf32": "xf32", "fp64": "f64", "int8": "i8", "int32": "i32",
    "amd_fp8": "f8E4M3FNUZ", "amd_bf8": "f8E5M2FNUZ", "fp8": "f8E4M3FN", "bf8": "f8E5M2", "iu8": "i8", "iu4": "i4",
}  # fmt: skip


def test_all_instructions_are_there_and_no_other() -> None:
    assert len(VENDOR["instructions"]) == 121
    for key, archs in ARCHS.items():
        expected = [row["inst"] for row in VENDOR["instructions"] if row["arch"] == key]
        for arch in archs:
            assert instructions.names(arch) == expected
            assert instructions.complete(arch)


@pytest.mark.parametrize("row", VENDOR["instructions"], ids=lambda r: f"{r['arch']}-{r['inst']}")
def test_every_point_is_the_vendors(row: dict[str, Any]) -> None:
    for arch in ARCHS[row["arch"]]:
        (mine,) = instructions.named(arch, row["inst"])
        assert (mine.mnk, mine.blocks) == ((row["m"], row["n"], row["k"]), row["blocks"])
        assert mine.types == tuple(TYPES[row[f"{x}_type"]] for x in ("a", "b", "cd"))
        assert (mine.sparse, mine.confidence, mine.scale) == (row["sparse"], "A", 0)
        assert set(mine.operands) == {int(wave) for wave in row["wave"]}
    for wave, operands in row["wave"].items():
        assert set(mine.operands[int(wave)]) == set(operands)
        for name, facts in operands.items():
            own = mine.operands[int(wave)][name]
            table = VENDOR["maps"][facts["map"]]
            assert own.map is not None
            assert [[own.map((t, v)) for v in range(own.values or 0)] for t in range(own.lanes or 0)] == table
            numbers = ("lanes", "values", "bits", "pitch", "group", "replication")
            assert [getattr(own, n) for n in numbers] == [facts[n] for n in numbers]
            assert own.registers == facts["regs"]


def found(entry: dict[str, Any]) -> list[Instruction]:
    """The catalog's instructions that an entry of the secondary data speaks of."""
    widths = {"8": "8", "6": "6", "4": "4"}
    texts = re.findall(r"\d+-bit|[a-z]+\d+", entry["ab_types"])
    wanted = {t.partition("-")[0] if "-bit" in t else t for t in texts}
    scaled = "scale" in entry["inst"]
    rows = []
    for mine in instructions.of_shape(entry["arch"], (entry["m"], entry["n"], entry["k"])):
        types = {t for own in mine.types[:2] for t in instructions.expand(own)}
        bits = {re.sub(r"\D*(\d+).*", r"\1", t) for t in types}
        if bool(mine.scale) == scaled and (types <= wanted or bits <= wanted & set(widths)):
            rows.append(mine)
    return rows


@pytest.mark.parametrize("entry", SECONDARY, ids=lambda e: f"{e['arch']}-{e['inst']}-{e['ab_types']}")
def test_every_point_is_the_secondary_datas(entry: dict[str, Any]) -> None:
    rows = found(entry)
    assert rows
    for mine in rows:
        assert mine.operands.keys() == {entry["wave"]}
        assert mine.confidence in re.findall(r"[ABC][-+]?", entry["confidence"].replace("C-", "C"))
        for name, text in (("a", "A"), ("b", "B"), ("d", "C"), ("c", "C")):
            own = mine.operands[entry["wave"]][name].map
            assert own is not None
            assert all(own(i) == parse(entry[text])(i) for i in range(own.size))
            assert own.size == parse(entry[text]).size


def test_what_no_source_settles_is_left_open() -> None:
    mixed = [i for n in instructions.names("gfx950") for i in instructions.named("gfx950", n) if not i.known]
    assert mixed
    for mine in mixed:
        assert mine.operands[64]["a"].map is None
        assert mine.operands[64]["b"].map is None
        assert {re.sub(r"\D*(\d).*", r"\1", instructions.expand(t)[0]) == "8" for t in mine.types[:2]} == {True, False}


def test_each_map_stands_once_and_is_used() -> None:
    table = instructions.maps()
    assert len(set(table.values())) == len(table)
    used = {
        str(o.map)
        for arch in instructions.FILES
        for n in instructions.names(arch)
        for i in instructions.named(arch, n)
        for operands in i.operands.values()
        for o in operands.values()
    }
    assert used - {"None"} == set(table.values())
    assert len({facts["map"] for r in VENDOR["instructions"] for w in r["wave"].values() for facts in w.values()}) == 35


def test_every_amd_arch_of_the_catalog_is_covered() -> None:
    assert {key for key in catalog.archs() if key.startswith("gfx")} == set(instructions.FILES)
    assert not instructions.complete("gfx950")
    assert not instructions.covered("sm_90")
