"""IREE's MMA intrinsics, graded against the catalog: none that the vendor documents is wrong."""

from __future__ import annotations

import json
from collections import Counter
from itertools import product
from typing import Any

import pytest

from layoutcheck import instructions
from layoutcheck.atoms import matmul
from layoutcheck.atoms.matmul import Pair
from layoutcheck.instructions import Instruction

from .conftest import DATA

TABLE: dict[str, Any] = json.loads((DATA / "iree_mma_layouts.json").read_text())["mma"]
ARCHS = ("gfx942", "gfx90a", "gfx908", "gfx1100", "gfx1201", "gfx950", "gfx1250")  # vendor data first


def points(side: dict[str, Any], lanes: int, transpose: bool) -> list[list[tuple[int, ...]]]:
    """coordinates[lane][value] by the formula of the data's README, dimension by dimension, outer then element."""
    outer, thread, strides, element = (side[k] for k in ("outer", "thread", "tstrides", "element"))
    rows = []
    for lane in range(lanes):
        row = []
        for at in product(*(range(x) for both in zip(outer, element, strict=True) for x in both)):
            o, e = at[::2], at[1::2]
            own = [
                (o[d] * thread[d] + (lane // strides[d] % thread[d] if strides[d] else 0)) * element[d] + e[d]
                for d in range(len(outer))
            ]
            row.append(tuple([*own[:-2], own[-1], own[-2]] if transpose else own))
        rows.append(row)
    return rows


def shape(name: str, entry: dict[str, Any]) -> tuple[tuple[int, int, int], int]:
    """M, N, K and blocks; a blocked intrinsic's `mnk` starts with its blocks and lacks K."""
    lhs, rhs = entry["lhs"], entry["rhs"]
    sizes = [
        [o * t * e for o, t, e in zip(side["outer"], side["thread"], side["element"], strict=True)]
        for side in (lhs, rhs)
    ]
    blocks = sizes[0][0] if len(sizes[0]) == 3 else 1
    return (sizes[0][-2], sizes[1][-1], sizes[0][-1]), blocks


def candidates(name: str, entry: dict[str, Any]) -> list[Instruction]:
    mnk, blocks = shape(name, entry)
    return [
        row
        for arch in ARCHS
        for row in instructions.of_shape(arch, mnk)
        if not row.sparse
        and row.blocks == blocks
        and instructions.has_types(row, tuple(entry["abc"]))
        and kind(name, arch)
    ]


def kind(name: str, arch: str) -> bool:
    """Which architectures an intrinsic is for: IREE names RDNA3's WMMAR3, RDNA4's WMMAR4, gfx1250's WMMA."""
    prefix = name.partition("_")[0]
    archs = {"WMMAR3": ("gfx1100",), "WMMAR4": ("gfx1201",), "WMMA": ("gfx1250",)}
    return arch in archs.get(prefix, ("gfx942", "gfx90a", "gfx908", "gfx950"))


def pair(side: dict[str, Any], row: Instruction, wave: int, name: str) -> Pair | None:
    """IREE's operand beside the instruction's; the two RDNA3 lane halves read the same registers."""
    hardware = row.operands[wave]["d" if name == "c" else name]
    if hardware.map is None:
        return None
    mine = points(side, wave, transpose=name == "b")
    m, n, k = row.mnk
    first, second, names = {"a": (m, k, "mk"), "b": (n, k, "nk"), "c": (m, n, "mn")}[name]
    extents = [(names[0], first), (names[1], second)] + ([("block", row.blocks)] if row.blocks > 1 else [])
    values = hardware.map.mode(1).size
    assert len(mine[0]) == values
    left = []
    right = []
    for v in range(values):
        for t in range(hardware.map.mode(0).size):
            *block, x, y = mine[t][v]
            left.append(x + first * (y + second * (block[0] if block else 0)))
            right.append(hardware.map((t, v)))
    return Pair(tuple(left), tuple(right), tuple(extents), hardware.map.mode(0).size)


def grade(name: str) -> tuple[str, str]:
    """(grade, confidence) of one intrinsic."""
    entry = TABLE[name]
    rows = candidates(name, entry) if entry else []  # IREE gives none of NV_WMMA
    if not rows:
        return "no-oracle", ""
    row = rows[0]
    wave = min(row.operands)
    sides = zip("abc", ("lhs", "rhs", "acc"), strict=True)
    pairs = {x: p for x, key in sides if (p := pair(entry[key], row, wave, x))}
    if len(pairs) < 3:
        return "no-oracle", row.confidence
    return matmul.grade(pairs).grade, row.confidence


@pytest.mark.parametrize("name", TABLE)
def test_no_intrinsic_with_vendor_data_is_wrong(name: str) -> None:
    said, confidence = grade(name)
    assert said in ("exact", "relabelled") if confidence else name.startswith(("NV_", "MFMA_F32", "MFMA_F64"))


def test_all_98_are_graded(capsys: pytest.CaptureFixture[str]) -> None:
    counts = Counter(grade(name) for name in TABLE)
    with capsys.disabled():
        print("\nIREE:", {f"{g} {c}".strip(): n for (g, c), n in counts.items()})
    assert sum(counts.values()) == 98
    assert sum(n for (_, c), n in counts.items() if c == "A") >= 45
    assert not any(g == "wrong" for g, _ in counts)


def test_a_wrong_one_would_be_seen() -> None:
    entry = TABLE["WMMAR3_F32_16x16x16_F16"]
    row = candidates("WMMAR3_F32_16x16x16_F16", entry)[0]
    acc = entry["acc"] | {"outer": [1, 1], "element": [8, 1]}  # RDNA4's rows
    sides = {"a": entry["lhs"], "b": entry["rhs"], "c": acc}
    pairs = {x: p for x, side in sides.items() if (p := pair(side, row, 32, x))}
    assert matmul.grade(pairs).grade == "wrong"
