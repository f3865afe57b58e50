"""`show TARGET`: what a target is (an atom, a type text, a file, a layout), and the views that are drawn of it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import product
from math import prod
from typing import TYPE_CHECKING

import msgspec

from . import inttuple, notation
from .errors import InputError
from .layout import Layout, split
from .report.pictures import Point, View, as_dict, csv, grid, registers
from .report.text import printable
from .thrval import element

if TYPE_CHECKING:
    from .atoms.entry import Entry

LIMIT = 1 << 16  # points of one picture
_IREE = "#iree_map.pack_"


class Scene(msgspec.Struct, frozen=True):
    """What is drawn for one target: lines that stand above, the views, lines that stand below."""

    head: tuple[str, ...]
    views: tuple[View, ...]
    tail: tuple[str, ...] = ()


def show(
    target: str,
    *,
    tile: str | None = None,
    by: str = "tile",
    operand: str | None = None,
    output: str = "text",
    width: int = 80,
    color: bool = False,
) -> Iterator[str]:
    """The lines that show a target. Raises InputError when it is nothing that can be shown."""
    scenes = _scenes(target, _tile(tile), operand)
    if output == "json":
        import json

        rows = [
            {"about": list(s.head), "views": [as_dict(v) for v in s.views], "findings": list(s.tail)} for s in scenes
        ]
        yield json.dumps({"version": 1, "results": rows}, indent=2)
        return
    if output == "csv":
        yield from csv([view for scene in scenes for view in scene.views])
        return
    for i, scene in enumerate(scenes):
        yield from ([""] if i else [])
        yield from map(printable, scene.head)
        for view in scene.views:
            yield ""
            yield printable(view.title)
            yield from map(printable, view.notes)
            draw = registers if by == "register" else grid
            yield from draw(view, width=width, color=color)
        yield from map(printable, scene.tail)


def _tile(text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    if not re.fullmatch(r"[1-9]\d{0,8}(?:[xX,*][1-9]\d{0,8})*", text, re.ASCII):
        raise InputError(f"--tile: '{text}' is no shape such as 16x16")
    return tuple(map(int, re.split("[xX,*]", text)))


def _scenes(target: str, tile: tuple[int, ...] | None, operand: str | None) -> list[Scene]:
    from .atoms.load import load
    from .source import read_file

    if os.path.isfile(target):
        source = read_file(target)
        entries, problems = load(source)
        if not entries:
            raise InputError(f"{target}: {problems[0].message if problems else 'no atoms'}")
        return [_atom(entry, tile, operand, findings=True) for entry in entries]
    found = [_atom(entry, tile, operand, findings=False) for entry in catalog_atoms(target)]
    if found:
        return found
    if ":" not in target or re.match(r"\s*!fly(?!\.layout|\.composed_layout)", target):
        raise InputError(f"'{target}' is no layout, no file and no atom of the catalog{_near(target)}")
    return [_text(target, tile)]


def catalog_atoms(target: str) -> list[Entry]:
    """The atoms of the catalog that have this name, or this type text (wrapped in `!fly.copy_atom<>` or not)."""
    from .atoms.entry import fill

    wanted = _bare(target)
    return [
        entry
        for entry in _catalog()
        if entry.name == target
        or (wanted and _bare(fill(getattr(entry.record, "type", None) or "", entry.texts)) == wanted)
    ]


def _catalog() -> Iterator[Entry]:
    from .atoms.load import load
    from .catalog import root
    from .source import read_file
    from .verify import atom_files

    for path in atom_files(os.path.join(root(), "atoms")):
        yield from load(read_file(path))[0]


def _bare(text: str) -> str:
    """A type text without blanks and without the wrapper of an atom type; empty when it is no type text."""
    inner = "".join(text.split())
    wrapped = re.match(r"!fly\.(?:mma|copy)_atom<(!.*?>)(?:,\d+)?>$", inner)
    inner = wrapped.group(1) if wrapped else inner
    return inner if inner.startswith("!") else ""


def _near(target: str) -> str:
    from .atoms.convert import suggestion
    from .atoms.entry import fill

    entries = list(_catalog())
    if target.lstrip().startswith("!"):
        return suggestion(target, [fill(getattr(e.record, "type", None) or "", e.texts) for e in entries])
    return suggestion(target, [e.name for e in entries])


def _text(target: str, tile: tuple[int, ...] | None) -> Scene:
    layout = notation.parse(target)
    if layout.order == "lex":
        return Scene((), (pack_view(target.strip(), layout, tile),))
    modes = inttuple.modes(layout.shape)
    if len(modes) == 1:
        layout = Layout((1, layout.shape), (0, layout.stride), swizzle=layout.swizzle)
    elif len(modes) != 2:
        raise InputError(f"{target}: {len(modes)} modes; shown are a (thread, value) pair or {_IREE}layout<...>")
    size = sizes(layout)
    if tile == size and layout.cosize != prod(tile) and not layout.swizzle:  # no atom's layout of this tile
        return Scene(
            (), (pack_view(f"{_IREE}layout<{target.strip()}>", Layout(layout.shape, layout.stride, "lex"), tile),)
        )
    notes: tuple[str, ...] = ()
    if tile is None:
        tile = _default_tile(layout)
        notes = (
            f"no --tile: drawn in {tile[0]}x{tile[1]}, read as (thread, value), colex; for IREE's reading write",
            f"{_IREE}layout<{target.strip()}>",
        )
    title = f"{target.strip()}: {size[0]} threads x {size[1]} values in {'x'.join(map(str, tile))}"
    names = ("m", "n", "block")[: len(tile)] if len(tile) <= 3 else tuple(f"d{i}" for i in range(len(tile)))
    return Scene((), (tile_view(title, layout, tile, names, notes=notes),))


def sizes(layout: Layout) -> tuple[int, int]:
    """|thr| and |val|."""
    thr, val = inttuple.modes(layout.shape)
    return inttuple.size(thr), inttuple.size(val)


def _default_tile(layout: Layout) -> tuple[int, ...]:
    threads = sizes(layout)[0]
    return (threads, max(1, -(-layout.cosize // threads)))


def tile_view(
    title: str,
    layout: Layout,
    tile: tuple[int, ...],
    names: tuple[str, ...],
    *,
    width: int = 1,
    register: int = 0,
    marks: frozenset[tuple[int, int]] = frozenset(),
    wanted: tuple[int, ...] = (),
    notes: tuple[str, ...] = (),
) -> View:
    """A (thread, value) layout in a column-major tile; offsets and values in units of `width`."""
    threads, values = sizes(layout)
    values //= width
    _small(max(threads * values, prod(tile)))
    points = []
    for thread, value in product(range(threads), range(values)):
        offset = layout((thread, value * width)) // width
        points.append(Point(thread, value, element(offset, tile), offset, (thread, value) in marks))
    missing = tuple(element(offset, tile) for offset in wanted)
    rows, columns = (0, 1) if len(tile) > 1 else (0, 0)
    return View(title, tuple(points), names, tile, rows, columns, register, missing, notes)


def pack_view(title: str, layout: Layout, shape: tuple[int, ...] | None) -> View:
    """A pack layout: who owns each element, with the thread's digits as SEMANTICS.md section 4 defines them (lex)."""
    modes = [
        tuple(zip(inttuple.leaves(s), inttuple.leaves(d), strict=True))
        for s, d in zip(inttuple.modes(layout.shape), inttuple.modes(layout.stride), strict=True)
    ]
    covered = tuple(prod(s for s, _ in mode) for mode in modes)
    if shape is not None and (len(shape) != len(covered) or any(d > c for d, c in zip(shape, covered, strict=True))):
        raise InputError(f"the layout covers {'x'.join(map(str, covered))}, not {'x'.join(map(str, shape))}")
    threads = max((s * d for mode in modes for s, d in mode), default=1) or 1
    shares = tuple(prod(s for s, d in mode if d == 0) for mode in modes)
    _small(max(threads * prod(shares), prod(covered)))
    points = []
    for thread in range(threads):
        for value, at in enumerate(product(*(range(n) for n in shares))):
            element = tuple(_owned(mode, thread, local) for mode, local in zip(modes, at, strict=True))
            if shape is None or all(e < d for e, d in zip(element, shape, strict=True)):
                points.append(Point(thread, value, element))
    rank = len(covered)
    names = tuple(f"d{i}" for i in range(rank))
    title = f"{title}: {threads} threads x {prod(shares)} values in {'x'.join(map(str, covered))}"
    return View(title, tuple(points), names, shape or covered, max(rank - 2, 0), rank - 1)


def _owned(mode: tuple[tuple[int, int], ...], thread: int, local: int) -> int:
    """The position in a mode that a thread's local index stands for."""
    values = split(local, tuple(s for s, d in mode if d == 0), "lex")
    digits = iter(values)
    position = 0
    for extent, stride in mode:
        digit = next(digits) if stride == 0 else thread // stride % extent
        position = position * extent + digit
    return position


def _small(points: int) -> None:
    if points > LIMIT:
        raise InputError(f"{points} cells are too many to draw (the limit is {LIMIT})")


def _atom(entry: Entry, tile: tuple[int, ...] | None, operand: str | None, *, findings: bool) -> Scene:
    from .showatom import scene

    return scene(entry, tile, operand, findings=findings)
