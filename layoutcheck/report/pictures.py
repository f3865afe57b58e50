"""Layouts as pictures: a grid of the reference tile, or of the registers, paged by width. Data in, lines out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from math import prod

import msgspec

_HUES = (39, 208, 41, 170, 220, 75, 203, 150)  # of the 256 terminal colours; neighbouring threads differ
_MARK = "*"
NOBODY = "-"


class Point(msgspec.Struct, frozen=True):
    """One thread's one value, and the element it is; `offset` in the tile (None where there is no such number)."""

    thread: int
    value: int
    element: tuple[int, ...]
    offset: int | None = None
    marked: bool = False


class View(msgspec.Struct, frozen=True):
    """One layout ready to be drawn.

    `rows` and `columns` are the dimensions that a page shows; the others are paged over. `register` are the values
    in one 32-bit register, 0 where registers and values do not match up. `wanted` are elements that ought to be held.
    """

    title: str
    points: tuple[Point, ...]
    dimensions: tuple[str, ...]
    extents: tuple[int, ...]
    rows: int
    columns: int
    register: int = 0
    wanted: tuple[tuple[int, ...], ...] = ()
    notes: tuple[str, ...] = ()


def grid(view: View, *, width: int = 80, color: bool = False) -> Iterator[str]:
    """The tile: each cell names the threads and values that hold the element, `t0,16v3`; `-` is nobody."""
    held: dict[tuple[int, ...], list[Point]] = {}
    for point in view.points:
        held.setdefault(point.element, []).append(point)
    paged = [d for d in range(len(view.extents)) if d not in (view.rows, view.columns)]
    inside = tuple(range(extent) for extent in view.extents)
    cells = {at: _holders(held.pop(at, [])) for at in product(*inside)}
    marked = {p.element for p in view.points if p.marked} | set(view.wanted)
    hue = {p.element: p.thread for p in reversed(view.points)}
    down, across = view.rows, view.columns
    for page in product(*(range(view.extents[d]) for d in paged)):
        if paged:
            yield "  ".join(f"{view.dimensions[d]} {i}" for d, i in zip(paged, page, strict=True))

        def at(row: int, column: int, page: tuple[int, ...] = page) -> tuple[int, ...]:
            place = dict(zip(paged, page, strict=True)) | {across: column}
            if down != across:
                place |= {down: row}
            return tuple(place[d] for d in range(len(view.extents)))

        height = view.extents[down] if down != across else 1
        rows = [[at(r, c) for c in range(view.extents[across])] for r in range(height)]
        corner = f"{view.dimensions[down]}\\{view.dimensions[across]}" if down != across else view.dimensions[across]
        yield from _table(
            corner,
            [str(r) if down != across else "" for r in range(height)],
            [str(c) for c in range(view.extents[across])],
            [[cells[e] + (_MARK if e in marked else "") for e in row] for row in rows],
            [[hue.get(e) for e in row] for row in rows],
            width,
            color,
        )
    for element, points in held.items():
        yield f"outside the tile: {_holders(points)} at ({', '.join(map(str, element))})"


def registers(view: View, *, width: int = 80, color: bool = False) -> Iterator[str]:
    """The register file: a row for each lane, a column for each register (or value), the element in each cell."""
    lanes = 1 + max(p.thread for p in view.points)
    values = 1 + max(p.value for p in view.points)
    cells = [["" for _ in range(values)] for _ in range(lanes)]
    for p in view.points:
        cells[p.thread][p.value] = ",".join(map(str, p.element)) + (_MARK if p.marked else "")
    per = view.register
    names = [f"v{i}" for i in range(values)]
    if per:
        names = [f"r{i // per}" if per == 1 else f"r{i // per}.{i % per}" for i in range(values)]
    yield f"cells: ({', '.join(view.dimensions)})"
    hues = [[lane] * values for lane in range(lanes)]
    labels = [str(i) for i in range(lanes)]
    yield from _table("lane", labels, names, cells, hues, width, color, together=max(per, 1))


def _table(
    corner: str,
    labels: Sequence[str],
    names: Sequence[str],
    cells: Sequence[Sequence[str]],
    hues: Sequence[Sequence[int | None]],
    width: int,
    color: bool,
    together: int = 1,
) -> Iterator[str]:
    """Rows and columns under a heading, as many columns at a time as fit (and a multiple of `together`)."""
    first = max(map(len, (corner, *labels)))
    wide = max(len(text) for row in (names, *cells) for text in row)
    fit = max(1, (width - first - 1) // (wide + 1))
    if fit < len(names):
        fit = max(fit - fit % together, 1)
    for start in range(0, len(names), fit):
        part = range(start, min(start + fit, len(names)))
        if start:
            yield ""
        yield f"{corner:>{first}} |" + " ".join(f"{names[c]:>{wide}}" for c in part)
        yield "-" * (first + 1) + "+" + "-" * ((wide + 1) * len(part) - 1)
        for label, row, tints in zip(labels, cells, hues, strict=True):
            shown = (_tinted(f"{row[c]:>{wide}}", tints[c], row[c].endswith(_MARK), color) for c in part)
            yield f"{label:>{first}} |" + " ".join(shown)


def _tinted(text: str, hue: int | None, marked: bool, color: bool) -> str:
    if not color or hue is None:
        return text
    return f"\x1b[{'7;' if marked else ''}38;5;{_HUES[hue % len(_HUES)]}m{text}\x1b[0m"


def _holders(points: Sequence[Point]) -> str:
    """`t0v3`; `t0,16v3` when several threads hold it as the same value; `-` when nobody does."""
    by_value: dict[int, list[int]] = {}
    for point in points:
        by_value.setdefault(point.value, []).append(point.thread)
    return " ".join(f"t{_numbers(threads)}v{value}" for value, threads in by_value.items()) or NOBODY


def _numbers(threads: Sequence[int]) -> str:
    """`0,16`; five and more in equal steps as `0-127` or `0-112/16`."""
    steps = {b - a for a, b in pairwise(threads)}
    if len(threads) < 5 or len(steps) != 1:
        return ",".join(map(str, threads))
    step = steps.pop()
    return f"{threads[0]}-{threads[-1]}" + (f"/{step}" if step != 1 else "")


def csv(views: Sequence[View]) -> Iterator[str]:
    """One line for each thread and value of each view, under a heading."""
    import csv as standard
    import io

    names = sorted({d for view in views for d in view.dimensions}, key=lambda d: ("mnk".find(d) % 9, d))
    out = io.StringIO()
    write = standard.writer(out, lineterminator="\n").writerow
    write(["view", "thread", "value", "offset", *names])
    for view in views:
        for p in view.points:
            element = dict(zip(view.dimensions, p.element, strict=True))
            write(
                [
                    view.title,
                    p.thread,
                    p.value,
                    "" if p.offset is None else p.offset,
                    *(element.get(n, "") for n in names),
                ]
            )
    return iter(out.getvalue().splitlines())


def as_dict(view: View) -> dict[str, object]:
    """One view as data, for the JSON report."""
    return {
        "title": view.title,
        "dimensions": list(view.dimensions),
        "extents": list(view.extents),
        "size": prod(view.extents),
        "notes": list(view.notes),
        "cells": [
            {
                "thread": p.thread,
                "value": p.value,
                "offset": p.offset,
                "element": dict(zip(view.dimensions, p.element, strict=True)),
                "marked": p.marked,
            }
            for p in view.points
        ],
    }
