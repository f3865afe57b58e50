"""Layouts against tables and closed forms: equality, inference, and the strides that realise a target."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Any

import msgspec

from . import claim as c
from . import infer as _infer
from . import inttuple, notation, tables
from .claim import Claim, leaves_of
from .decide import portfolio
from .errors import InputError
from .layout import Layout
from .questions import How, Text, as_layout, validate
from .result import Result
from .verdict import Status


def equals(
    question: str, this: Layout, table: tables.Table, tile: Text | None, texts: tuple[str, ...], how: How
) -> Result:
    start = perf_counter()
    validate(None, how)
    sizes = thread_value(this), (table.threads, table.values)
    if sizes[0] != sizes[1]:
        witness: dict[str, Any] = {"sizes": [list(sizes[0]), list(sizes[1])]}
        return Result(question, "refuted", "sizes", "witness replayed", witness, perf_counter() - start, layouts=texts)
    grid = tile_layout(tile, table)
    note = f"coordinates ({', '.join(table.names)}) in the tile {grid}"
    goal = tables.offsets(table, grid)
    limit = start + how.get("timeout", portfolio.TIMEOUT)
    for index, right in enumerate(goal):
        if index % 4096 == 0 and perf_counter() > limit:
            return Result(question, "unknown", layouts=texts, note="no engine decided within the time limit")
        thread, value = index % table.threads, index // table.threads
        left = this((thread, value))
        if left != right:
            at = dict(zip(table.names, table.rows[index], strict=True))
            witness = {"thread": thread, "value": value, "left": left, "right": right, "coordinates": at}
            return Result(question, "refuted", "every point", "witness replayed", witness, perf_counter() - start, None,
                          None, texts, (this.order,), note)  # fmt: skip
    certified = _inferred(this, goal, table, how) if how.get("certify", True) else None
    status: Status = "disagree" if certified == "" else "proved"
    return Result(question, status, "every point", certified or None, None, perf_counter() - start, None, None, texts,
                  (this.order,), note)  # fmt: skip


def _inferred(this: Layout, goal: list[int], table: tables.Table, how: How) -> str | None:
    """A second opinion: the layout read off the table, compared as layouts; "" when it is against."""
    if this.swizzle or this.order == "lex":
        return None
    found = _infer.thread_value(goal, table.threads)
    if not isinstance(found, Layout):
        return ""
    verdict = portfolio.decide(Claim("equal", leaves_of(this), other=leaves_of(found)), certify=True)
    return {"proved": "the layout read off the table", "unknown": None}.get(verdict.status, "")


def solved(result: Result, shape: str, target: str, start: float) -> Result:
    seconds = perf_counter() - start
    return msgspec.structs.replace(result, layouts=(shape, target), seconds=seconds)


def solve_table(shape: str, tree: Any, target: tables.Table | Path, tile: Text | None, start: float) -> Result:
    read = tables.read(target) if isinstance(target, Path) else target
    table = tables.tabulate(read) if isinstance(read, tables.Form) else read
    goal = tables.offsets(table, tile_layout(tile, table))
    name = str(target) if isinstance(target, Path) else "table"
    if inttuple.size(tree) != len(goal):
        witness: dict[str, Any] = {"sizes": [inttuple.size(tree), len(goal)]}
        return solved(Result("solve", "refuted", "sizes", "witness replayed", witness), shape, name, start)
    found = _infer.strides(tree, "colex", goal.__getitem__)
    at = next((x for x, v in enumerate(goal) if found(x) != v), None)
    if at is None:
        by = "strides read off unit coordinates"
        return solved(Result("solve", "proved", by, "every point", value=str(found)), shape, name, start)
    witness = {"index": at, "left": found(at), "right": goal[at]}
    by = "unit coordinates force every stride"
    return solved(Result("solve", "refuted", by, "witness replayed", witness, order=("colex",)), shape, name, start)


def thread_value(layout: Layout) -> tuple[int, int]:
    modes = inttuple.modes(layout.shape)
    if len(modes) != 2:
        raise InputError(f"{layout} has {len(modes)} modes: expected (thread, value)")
    return inttuple.size(modes[0]), inttuple.size(modes[1])


def tile_layout(tile: Text | None, table: tables.Table) -> Layout:
    if tile is None:
        return tables.tile_of(table)
    if isinstance(tile, str) and ":" not in tile:
        shape = shape_of(tile)
        extents = tuple(inttuple.size(mode) for mode in inttuple.modes(shape))
        return Layout(extents, tuple(c.size(tuple((e, 0) for e in extents[:i])) for i in range(len(extents))))
    return as_layout(tile)


def shape_of(text: str) -> inttuple.IntTuple:
    """A shape's text, read as the layout that has stride 0 everywhere."""
    tree = notation.resolve(notation.read(f"{text}:0"), {}).shape
    for extent in inttuple.leaves(tree):
        if extent < 1:
            raise InputError(f"extent {extent} is not positive")
    return tree
