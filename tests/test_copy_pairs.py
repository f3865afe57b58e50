"""Every copy atom and width that FlyDSL accepts: a finding exactly where the published data says so."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from layoutcheck.atoms.check import check_source
from layoutcheck.notation import read, resolve
from layoutcheck.source import Source

ROWS = json.loads((Path(__file__).parent / "data" / "flydsl_copies.json").read_text())["copy"]
BITS = {row["atom"]: row for row in ROWS if row["val_bits"] == 1}


def table(text: str) -> list[list[int]]:
    """offset[thread][value] by definition; empty where an extent is 0."""
    resolved = resolve(read(text), {})
    columns = []
    for shape, stride in zip(resolved.shape, resolved.stride, strict=True):  # type: ignore[arg-type]
        offsets = [0]
        for s, d in zip(flat(shape), flat(stride), strict=True):
            offsets = [v + c * d for c in range(s) for v in offsets]
        columns.append(offsets)
    return [[t + v for v in columns[1]] for t in columns[0]]


def flat(tree: Any) -> list[int]:
    return [tree] if isinstance(tree, int) else [x for t in tree for x in flat(t)]


def recasts(offsets: list[list[int]], width: int) -> bool:
    return all(
        len(row) % width == 0 and row[v - v % width] % width == 0 and row[v] == row[v - v % width] + v % width
        for row in offsets
        for v in range(len(row))
    )


def wrong(row: dict[str, Any]) -> bool:
    """The condition, from the data alone."""
    width, base = row["val_bits"], BITS.get(row["atom"])
    if base:
        tables = [table(base[side]) for side in ("src", "dst", "ref")]
        empty = any(not t or not t[0] for t in tables)
        return empty or not all(recasts(t, width) for t in tables)
    tables = [table(row[side]) for side in ("src", "dst", "ref")]
    threads = int(row["thr"].split(":")[0])
    return any(len(t) != threads or len(t[0]) * width != row["bits"] for t in tables)


def in_bits(text: str, width: int) -> str:
    """A layout of values as one of bits."""
    shape, stride = (x[1:-1].split(",", 1) for x in text.split(":"))
    return f"({shape[0]},({width},{shape[1]})):({int(stride[0]) * width},(1,{int(stride[1]) * width}))"


def said(row: dict[str, Any]) -> set[str]:
    width, base = row["val_bits"], BITS.get(row["atom"])
    sides = {s: base[s] if base else in_bits(row[s], width) for s in ("src", "dst", "ref")}
    lines = [f"  {side}: '{text}'" for side, text in sides.items()]
    bits = row["bits"] or 1
    head = ["layoutcheck: 1", "atoms:", "- name: x", "  kind: copy", f"  type: '{row['atom']}'"]
    if row["bits"] == 0:  # the schema wants a positive number
        head.pop()
    text = "\n".join([*head, f"  bits: {bits}", f"  thr: '{row['thr']}'", *lines, f"  val_bits: [{width}]"])
    return {d.code for d in check_source(Source("pair", text), certify=False, timeout=5)[1]}


def pairs() -> Iterator[Any]:
    for row in ROWS:
        yield pytest.param(row, id=f"{row['atom']}@{row['val_bits']}")


@pytest.mark.parametrize("row", list(pairs()))
def test_a_finding_iff_the_data_says_so(row: dict[str, Any]) -> None:
    if "tdm" in row["atom"]:
        assert said(row) == {"LC903"}
    else:
        assert bool(said(row)) == wrong(row)


def test_all_pairs_are_here() -> None:
    assert len(ROWS) == 492
    assert 0 < sum(wrong(r) for r in ROWS if "tdm" not in r["atom"]) < 452
