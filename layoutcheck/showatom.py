"""Atoms as scenes: what stands above the pictures (kind, type, state), one view for each operand, its findings."""

from __future__ import annotations

from math import prod

from .atoms import state
from .atoms.check import check_entry
from .atoms.entry import Entry, fill
from .atoms.model import Atom, Operand
from .atoms.rules_form import build
from .atoms.schema import Copy, Map
from .errors import InputError
from .report.pictures import View
from .show import Scene, pack_view, sizes, tile_view
from .verdict import Diagnostic, listed


def scene(entry: Entry, tile: tuple[int, ...] | None, wanted: str | None, *, findings: bool) -> Scene:
    """All operands of an atom, or the one that is wanted; with `findings`, counterexamples are marked in place."""
    atom, _ = build(entry)
    operands = [o for o in atom.operands if o.map is not None]
    if wanted:
        operands = [o for o in operands if o.name == wanted.lower()]
        if not operands:
            known = ", ".join(o.name for o in atom.operands)
            raise InputError(f"{entry.name} has no operand '{wanted}' (known: {known})")
    found = check_entry(entry, certify=False, timeout=1.0)[1] if findings else []
    views = tuple(_view(atom, o, tile, [d for d in found if d.operand == o.name]) for o in operands)
    tail = tuple(f"* {d.code} {'[' + d.operand.upper() + '] ' if d.operand else ''}{d.message}" for d in found)
    return Scene(tuple(_head(entry, atom)), views, ("", *tail) if tail else ())


def _head(entry: Entry, atom: Atom) -> list[str]:
    record = entry.record
    arch = f", {atom.arch.key} {atom.arch.name}" if atom.arch else ""
    member = f", {listed(entry.texts)}" if entry.domain else ""
    lines = [f"{entry.name} ({atom.kind}{arch}{member})"]
    its = atom.index_map
    if its is not None and isinstance(record, Map):
        extents = zip(its.coordinates, its.extents, strict=True)
        lines.append(f"from {', '.join(f'{name} < {n}' for name, n in extents)}")
        images = zip(record.to, its.onto, strict=True)
        lines += [f"to   {fill(text, entry.texts)} < {n}" for text, n in images]
    text = getattr(record, "type", None)
    if text:
        lines.append(f"type: {fill(text, entry.texts)}")
    if getattr(record, "placeholder", None):
        lines.append(f"the layouts are placeholders: {record.placeholder}")  # type: ignore[union-attr]
    slots = state.slots(entry)
    if slots:
        lines.append(f"state: {state.struct(entry)}")
        name = max(len(slot.field) for slot in slots)
        lines += [f"  slot {i}  {s.field:<{name}}  {s.type}  default {s.default}" for i, s in enumerate(slots)]
    return lines


def _view(atom: Atom, operand: Operand, tile: tuple[int, ...] | None, found: list[Diagnostic]) -> View:
    layout = operand.layout
    if atom.kind in ("pack_map", "pack_layout"):
        return pack_view(str(layout), layout, tile)
    threads, values = sizes(layout)
    width = _width(atom, operand) if isinstance(atom.entry.record, Copy) else 1
    size = f"{threads} threads x {values // width} values"
    marks, missing = _marks(found, width)
    title = f"{operand.name.upper()}  {layout}: {size}"
    if isinstance(atom.entry.record, Copy):
        count = max(1, -(-layout.cosize // width // threads))
        shape = tile or (threads, count)
        title = f"{operand.name}  {layout}: {size} of {width} bits in {'x'.join(map(str, shape))}"
        names = ("m", "n", "block")[: len(shape)]
        return tile_view(title, layout, shape, names, width=width, register=_packed(width), marks=marks)
    shape = tile or operand.tile or (threads, max(1, -(-layout.cosize // threads)))
    names = operand.dimensions if len(shape) == len(operand.dimensions) else ("m", "n", "block")[: len(shape)]
    title += f" in {'x'.join(map(str, shape))} ({', '.join(names)})"
    inside = tuple(offset for offset in missing if offset < prod(shape))
    register = _packed(operand.pitch or 0)
    return tile_view(title, layout, shape, names, register=register, marks=marks, wanted=inside)


def _packed(pitch: int) -> int:
    """Values in one 32-bit register; 0 when values and registers do not match up."""
    return 32 // pitch if pitch and 32 % pitch == 0 else 0


def _width(atom: Atom, operand: Operand) -> int:
    """The largest width that the copy is used at and that its bits can be read at; 1 when there is none."""
    layout = operand.layout
    threads, values = sizes(layout)
    for width in sorted({w for w, _ in atom.widths}, reverse=True):
        starts = range(0, values, width)
        if (
            values % width == 0
            and threads * values <= 1 << 16
            and all(
                (first := layout((t, v))) % width == 0 and all(layout((t, v + b)) == first + b for b in range(width))
                for t in range(threads)
                for v in starts
            )
        ):
            return width
    return 1


def _marks(found: list[Diagnostic], width: int) -> tuple[frozenset[tuple[int, int]], tuple[int, ...]]:
    """The threads and values that witnesses name, and the offsets that nobody holds."""
    marks: set[tuple[int, int]] = set()
    missing = []
    for d in found:
        witness = d.witness or {}
        places = witness.get("at", [])
        for place in places if isinstance(places, list) else [places]:
            if "thread" in place:
                marks.add((place["thread"], place.get("value", place.get("bit", 0) // width)))
        if witness.get("kind") == "missing":
            missing.append(witness["offset"])
    return frozenset(marks), tuple(missing)
