"""What the rules see: an atom as a list of operands, each with the facts that are known about it."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from .. import thrval
from ..catalog import Arch
from ..claim import Claim, Digits, leaves_of
from ..layout import Layout
from ..source import Span
from ..verdict import Verdict
from .entry import Entry

if TYPE_CHECKING:
    from ..indexmap import IndexMap

DIMENSIONS = {"a": ("m", "k"), "b": ("n", "k"), "c": ("m", "n"), "d": ("m", "n")}


class Fragment(msgspec.Struct, frozen=True, eq=False):
    """A register memref of an operand: its layout, and the widths its elements may have (a copy's `val_bits`)."""

    layout: Layout
    span: Span
    widths: tuple[int, ...] = ()


class Extents(msgspec.Struct, frozen=True, eq=False):
    """The shape that a pack map is for, of a vector or a tensor (None: a dimension that is not known)."""

    kind: str
    dims: tuple[int | None, ...]
    span: Span


class Operand(msgspec.Struct, frozen=True, eq=False):
    """One operand of an MMA atom, or one side of a copy atom: both kinds reduce to this.

    `map` is (thread, value) -> offset, colex; `threads` and `values` are |thr| and |val|, known even where
    the map is not; `tile` are the extents of the column-major tile (with the
    block outermost), None for a copy. `bits` is the element width, `pitch` the bits from one value to
    the next, `registers` 32-bit registers a lane, `lanes` the threads that hold the operand; `intrinsic` are the
    bits of the operand type that the lowering casts the values to.
    """

    name: str
    span: Span
    facts: frozenset[str] = frozenset()
    map: Layout | None = None
    threads: int | None = None
    values: int | None = None
    tile: tuple[int, ...] | None = None
    dimensions: tuple[str, ...] = ("bit",)
    bits: int | None = None
    pitch: int | None = None
    registers: int | None = None
    lanes: int | None = None
    replication: int = 1
    width: int | None = None
    fragment: Fragment | None = None
    intrinsic: int | None = None
    intrinsic_span: Span | None = None

    @property
    def layout(self) -> Layout:
        """The map, for rules that need it."""
        assert self.map is not None
        return self.map

    @property
    def product(self) -> int:
        """|thr| * |val|."""
        return self.layout.size

    @property
    def tile_size(self) -> int:
        """Number of elements of the tile."""
        return prod(self.tile or ())

    def element(self, offset: int) -> dict[str, int]:
        """The element at an offset: {"m": 3, "k": 1}, or {"bit": 17} for a copy."""
        return dict(zip(self.dimensions, thrval.element(offset, self.tile or (0,)), strict=True))


class Atom(msgspec.Struct, frozen=True, eq=False):
    """An atom ready to be asked about: `widths` are a copy's value widths with their places, `shapes` those that a
    pack map has to fit."""

    entry: Entry
    kind: str
    operands: tuple[Operand, ...]
    thr: Layout | None = None
    arch: Arch | None = None
    wave: int | None = None
    widths: tuple[tuple[int, Span], ...] = ()
    shapes: tuple[Extents, ...] = ()
    index_map: IndexMap | None = None
    facts: frozenset[str] = frozenset()

    def operand(self, name: str) -> Operand | None:
        """The operand of that name, if the atom has it."""
        return next((o for o in self.operands if o.name == name), None)


class Finding(NamedTuple):
    """A rule that is broken: what a diagnostic needs beside the code."""

    message: str
    span: Span
    lines: tuple[str, ...] = ()
    witness: dict[str, Any] | None = None
    verdict: Verdict | None = None


def injective_claim(operand: Operand) -> Claim:
    """No element is held more often than declared."""
    leaves = leaves_of(operand.layout)
    if operand.replication == 1:
        return Claim("injective", leaves)
    return Claim("fibre", leaves, fibre=operand.replication)


def place_of(operand: Operand, digits: Digits) -> dict[str, int]:
    """{"thread": t, "value": v} of a witness."""
    thread, value = thrval.thread_value(operand.layout, digits)
    return {"thread": thread, "value": value}


def worked(operand: Operand, digits: Digits) -> str:
    """`thread 16, value 0: 0*1 + 1*16 + 0*16 = 16`, so that anyone can recompute it."""
    place = place_of(operand, digits)
    leaves = leaves_of(operand.layout)
    terms = " + ".join(f"{c}*{d}" for c, (_, d) in zip(digits, leaves, strict=True))
    total = sum(c * d for c, (_, d) in zip(digits, leaves, strict=True))
    return f"thread {place['thread']}, value {place['value']}: {terms} = {total}"


def named(element: dict[str, int]) -> str:
    """`(m 3, k 1)`."""
    return "(" + ", ".join(f"{name} {at}" for name, at in element.items()) + ")"
