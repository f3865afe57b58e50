"""Which instruction an atom is, and its maps: by name, by architecture, shape and types, or the file's closed forms."""

from __future__ import annotations

import re
from math import prod

import msgspec

from .. import expr, inttuple, thrval
from .. import instructions as table
from ..catalog import Arch
from ..errors import InexactDivision, NotationError
from ..instructions import HwOperand, Instruction
from ..layout import Layout
from ..source import Span
from .convert import suggestion
from .entry import Entry, fill
from .matmul import Pair
from .model import Atom, Finding, Operand
from .schema import Mma

_SCALE = r"\w*scale<"
_BLOCK = r"blockSize\s*=\s*(\d+)"
SPARSE_KEPT = 2  # elements stored of each group of four


class Known(msgspec.Struct, frozen=True, eq=False):
    """What an operand's layout is held against: `points` at every flat index, `map` where they are a layout."""

    points: tuple[int, ...]
    threads: int
    map: Layout | None = None
    hardware: HwOperand | None = None


class Oracle(msgspec.Struct, frozen=True, eq=False):
    """The instruction that an atom is, or the closed forms in its file; `known` has an operand where it is settled."""

    name: str
    confidence: str
    source: str
    known: dict[str, Known]
    instruction: Instruction | None = None
    complete: bool = True

    @property
    def scale(self) -> int:
        """Consecutive k that one scale serves; 0 without scales."""
        return self.instruction.scale if self.instruction else 0

    @property
    def sparse(self) -> bool:
        """Whether A is stored sparse."""
        return self.instruction is not None and self.instruction.sparse

    def about(self) -> str:
        """`v_mfma_f32_16x16x16_f16 (confidence A: AMD matrix instruction calculator ...)`."""
        return f"{self.name} (confidence {self.confidence}: {self.source})" if self.confidence else self.name


class Malformed(msgspec.Struct, frozen=True, eq=False):
    """A formula of the file's own oracle that cannot be one, and the rule it breaks."""

    code: str
    message: str


Found = Oracle | Finding | tuple[Malformed, Span] | str | None
"""The oracle, an LC405, a formula that is none, a note why there is no oracle, or nothing to say."""


def find(atom: Atom) -> Found:
    """The oracle of an MMA atom."""
    record = atom.entry.record
    if not isinstance(record, Mma):
        return None
    if any(getattr(record.elements, o.name, None) and o.bits is None for o in atom.operands):
        return None  # an element type that is none was told already
    if record.oracle is not None:
        return _closed(atom, record)
    if atom.arch is None:
        if record.instruction:
            return f"no arch: `instruction: {record.instruction}` was not looked up"
        return None
    found = instruction_of(atom.entry, record, atom.arch)
    return _maps(atom, found) if isinstance(found, Instruction) else found


def instruction_of(entry: Entry, record: Mma, arch: Arch) -> Instruction | Finding | str | None:
    """The instruction that the fields of an atom name or determine."""
    key = arch.key
    if not table.covered(key):
        return f"no instructions of {key} in the catalog: the maps were not compared"
    mnk, blocks = _numbers(entry, record)
    if mnk is None or blocks is None:
        return None
    types = _types(entry, record)
    if record.instruction is None:
        return _determined(entry, record, arch, mnk, blocks, types)
    name = fill(record.instruction, entry.texts)
    rows = table.named(key, name)
    where = entry.place("instruction")
    if not rows:
        if not table.complete(key):
            return f"{name} is not among the known instructions of {key}: the maps were not compared"
        hint = suggestion(name, table.names(key))
        return Finding(f"{key} ({arch.name}) has no instruction '{name}'{hint}", where)
    fits = [row for row in rows if types is None or table.has_types(row, types)]
    if not fits:
        takes = " or ".join(dict.fromkeys(_signature(row.types) for row in rows))
        return Finding(f"{name} is {takes}; the elements are {_signature(types or ('', '', ''))}", where)
    if (fits[0].mnk, fits[0].blocks) != (mnk, blocks):
        return Finding(f"{name} is {fits[0].shape}; the atom is {_shape(mnk, blocks)}", where)
    if types is not None:
        return table.typed(fits[0], types)
    return fits[0] if len(fits) == 1 else f"{name} has several element types: give `elements`"


def _determined(
    entry: Entry, record: Mma, arch: Arch, mnk: tuple[int, ...], blocks: int, types: tuple[str, str, str] | None
) -> Instruction | Finding | str | None:
    of_shape = [i for i in table.of_shape(arch.key, mnk) if not i.sparse]
    fits = [i for i in of_shape if types is None or table.has_types(i, types)]
    same = [i for i in fits if i.blocks == blocks]
    text = fill(record.type, entry.texts) if record.type else None
    if text is not None and any(i.scale for i in same):
        block = re.search(_BLOCK, text)
        scaled = bool(re.search(_SCALE, text))
        same = [i for i in same if bool(i.scale) == scaled and (not block or i.scale in (0, int(block.group(1))))]
    if not same:
        if table.complete(arch.key):
            return _none(entry, arch, mnk, blocks, types, of_shape, fits)
        return f"no instruction of this shape and these types is known of {arch.key}: the maps were not compared"
    if types is None:
        return f"no element types: several instructions of {arch.key} have the shape" if len(same) > 1 else same[0]
    if len(same) > 1 and any(i.operands != same[0].operands or i.scale != same[0].scale for i in same):
        return f"{' and '.join(i.name for i in same)} fit: name one in `instruction`"
    return table.typed(same[0], types)


def _none(
    entry: Entry,
    arch: Arch,
    mnk: tuple[int, ...],
    blocks: int,
    types: tuple[str, str, str] | None,
    of_shape: list[Instruction],
    fits: list[Instruction],
) -> Finding:
    """LC405: what there is instead."""
    what = _shape(mnk, blocks) + (f" of {_signature(types)}" if types else "")
    message = f"{arch.key} ({arch.name}) has no dense {what}"
    sparse = [i for i in table.of_shape(arch.key, mnk) if i.sparse and (types is None or table.has_types(i, types))]
    if fits:
        message += f"; of these types it has {' and '.join(dict.fromkeys(i.shape for i in fits))}"
    elif of_shape:
        others = dict.fromkeys(_signature(i.types) for i in of_shape)
        message += f"; this shape it has for {', '.join(others)}"
    elif sparse:
        message += f"; {sparse[0].name} is sparse"
    elif types:
        shapes = dict.fromkeys(
            i.shape
            for name in table.names(arch.key)
            for i in table.named(arch.key, name)
            if not i.sparse and table.has_types(i, types)
        )
        message += f"; of these types it has {', '.join(shapes)}" if shapes else "; nor any of these types"
    return Finding(message, entry.place("mnk"), witness={"kind": "no-instruction", "arch": arch.key, "mnk": list(mnk)})


def _signature(types: tuple[str, str, str]) -> str:
    return f"({types[0]}, {types[1]}) -> {types[2]}"


def _shape(mnk: tuple[int, ...], blocks: int) -> str:
    return "x".join(map(str, mnk)) + (f" in {blocks} blocks" if blocks > 1 else "")


def _number(entry: Entry, text: str) -> int | None:
    try:
        value = expr.evaluate(expr.parse(fill(text, entry.texts)), entry.env)
    except NotationError:
        return None
    return value if value > 0 else None


def _numbers(entry: Entry, record: Mma) -> tuple[tuple[int, ...] | None, int | None]:
    sides = [_number(entry, text) for text in record.mnk]
    known = tuple(s for s in sides if s is not None)
    return (known if len(known) == 3 else None), _number(entry, record.blocks)


def _types(entry: Entry, record: Mma) -> tuple[str, str, str] | None:
    texts = [getattr(record.elements, name) for name in "abc"]
    if None in texts:
        return None
    a, b, c = (fill(t, entry.texts) for t in texts)
    return tuple(entry.texts.get(t, t) for t in (a, b, c))  # type: ignore[return-value]


def _maps(atom: Atom, instruction: Instruction) -> Found:
    """The maps for the atom's wave size."""
    wave = atom.wave or (atom.thr.size if atom.thr else None)
    if wave not in instruction.operands:
        return None  # LC201 speaks of the wave
    operands = instruction.operands[wave]
    known = {}
    for mine in atom.operands:
        hardware = operands["d"] if mine.name in "cd" else operands[mine.name]
        if hardware.map is None:
            continue
        layout = stored(hardware) if hardware.group > 1 else hardware.map
        known[mine.name] = Known(points_of(layout), layout.mode(0).size, layout, hardware)
    whole = len(known) == len(atom.operands)
    return Oracle(instruction.name, instruction.confidence, instruction.source, known, instruction, whole)


def stored(hardware: HwOperand) -> Layout:
    """The map of a sparse A over its stored elements, (m, 2 of each group): from groups to the two kept elements."""
    assert hardware.map is not None
    m = hardware.tile[0]
    thr, val = hardware.map.mode(0), hardware.map.mode(1)

    def wider(tree: inttuple.IntTuple) -> inttuple.IntTuple:
        return (tree if tree < m else tree * SPARSE_KEPT) if isinstance(tree, int) else tuple(map(wider, tree))

    shape = (thr.shape, (SPARSE_KEPT, val.shape))
    return Layout(shape, (wider(thr.stride), (m, wider(val.stride))))


def points_of(layout: Layout) -> tuple[int, ...]:
    """The offset at every flat index of a (thread, value) layout, thread fastest."""
    columns = []
    for mode in (thrval.threads(layout), thrval.values(layout)):
        offsets = [0]
        for extent, stride in mode.digits:
            offsets = [low + c * stride for c in range(extent) for low in offsets]
        columns.append(offsets)
    return tuple(t + v for v in columns[1] for t in columns[0])


def axes(operand: Operand, oracle: Oracle) -> tuple[tuple[str, int], ...]:
    """The coordinates of the operand's offsets; K in groups of four where A is sparse, each in its own order."""
    assert operand.tile is not None
    named = tuple(zip(operand.dimensions, operand.tile, strict=True))
    if not oracle.sparse or "k" not in operand.dimensions:
        return named
    within = SPARSE_KEPT if operand.name == "a" else table.GROUP
    (row, extent), (_, k) = named[:2]
    return ((row, extent), (f"={'kept' if operand.name == 'a' else 'in group'}", within), ("k", k // within))


def pair(operand: Operand, oracle: Oracle) -> Pair | None:
    """The operand's layout beside what the hardware has; None where the two cannot be laid side by side."""
    known = oracle.known.get(operand.name)
    if known is None or operand.map is None or operand.tile is None or operand.threads != known.threads:
        return None
    step, threads = _step(operand, known), known.threads
    if operand.map.size != len(known.points) * step:
        return None
    mine = points_of(operand.map)
    if step > 1:  # only the slots that hold a value
        mine = tuple(x for v in range(0, len(mine) // threads, step) for x in mine[v * threads : (v + 1) * threads])
    return Pair(mine, known.points, axes(operand, oracle), threads)


def _step(operand: Operand, known: Known) -> int:
    """Slots of the layout for each value of the hardware: more than 1 where its pitch is wider (16-bit C of RDNA3)."""
    if known.hardware is None or not operand.pitch or operand.map is None or operand.map.size == len(known.points):
        return 1
    wide = known.hardware.pitch // (2 if known.hardware.group > 1 else 1)
    return 1 if wide % operand.pitch else wide // operand.pitch


def _closed(atom: Atom, record: Mma) -> Found:
    """The oracle that the file gives as formulas in `lane` and `v`; its numbers must fill the operand's tile."""
    forms = record.oracle
    assert forms is not None
    known = {}
    for operand in atom.operands:
        fields = getattr(forms, "c" if operand.name == "d" else operand.name)
        if fields is None or operand.tile is None or operand.threads is None or operand.values is None:
            continue
        where = ("oracle", "c" if operand.name == "d" else operand.name)
        points = _formula(atom.entry, operand, fields)
        if isinstance(points, Malformed):
            return points, atom.entry.place(*where)
        known[operand.name] = Known(points, operand.threads, _fit(points, operand.threads))
    source = forms.source or "no source given"
    return (
        Oracle("the oracle of the file", "", source, known, None, len(known) == len(atom.operands)) if known else None
    )


MOST_POINTS = 1 << 16


def _formula(entry: Entry, operand: Operand, fields: dict[str, str]) -> tuple[int, ...] | Malformed:
    """A formula's offset at every flat index, or what is wrong with it."""
    assert operand.tile is not None
    assert operand.threads is not None
    assert operand.values is not None
    missing = [d for d in operand.dimensions if d not in fields]
    extra = [d for d in fields if d not in operand.dimensions]
    if missing or extra:
        needs, has = ", ".join(operand.dimensions), ", ".join(fields) or "nothing"
        return Malformed("LC102", f"oracle.{operand.name} needs {needs}, it has {has}")
    if operand.threads * operand.values > MOST_POINTS:
        return Malformed("LC903", f"oracle.{operand.name}: more than {MOST_POINTS} points are not compared")
    points = [0] * (operand.threads * operand.values)
    step = 1
    for dimension, extent in zip(operand.dimensions, operand.tile, strict=True):
        try:
            formula = expr.parse(fill(fields[dimension], entry.texts))
            for index in range(len(points)):
                at = {"lane": index % operand.threads, "v": index // operand.threads}
                value = expr.evaluate(formula, {**entry.env, **at})
                if not 0 <= value < extent:
                    where = f"lane {at['lane']}, v {at['v']}"
                    outside = f"oracle.{operand.name}.{dimension} is {value} at {where}: outside [0, {extent})"
                    return Malformed("LC102", outside)
                points[index] += step * value
        except NotationError as error:
            code = "LC108" if isinstance(error, InexactDivision) else "LC102"
            return Malformed(code, f"oracle.{operand.name}.{dimension}: {error}")
        step *= extent
    held = len(set(points))
    if held != prod(operand.tile):
        return Malformed("LC102", f"oracle.{operand.name} reaches {held} of {prod(operand.tile)} elements of the tile")
    return tuple(points)


def _fit(points: tuple[int, ...], threads: int) -> Layout | None:
    """The layout that has these offsets at every (thread, value), where there is one of mixed radix."""
    if points[0] != 0:
        return None
    modes = [_leaves(points[:threads]), _leaves(points[::threads])]
    shape = tuple(tuple(s for s, _ in leaves) for leaves in modes)
    stride = tuple(tuple(d for _, d in leaves) for leaves in modes)
    layout = Layout(shape, stride) if all(d >= 0 for leaves in modes for _, d in leaves) else None
    return layout if layout and points_of(layout) == points else None


def _leaves(offsets: tuple[int, ...]) -> list[tuple[int, int]]:
    """Mixed-radix leaves that give the first offsets of each digit; whether they give all is for the caller to see."""
    leaves = []
    block, size = 1, len(offsets)
    while block < size:
        stride, extent = offsets[block], 1
        while (extent + 1) * block <= size and offsets[extent * block] == extent * stride:
            extent += 1
        while size % (block * extent):
            extent -= 1
        if extent == 1:
            return [(size, 0)]
        leaves.append((extent, stride))
        block *= extent
    return leaves or [(1, 0)]
