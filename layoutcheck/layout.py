"""The layout value: a shape and a stride, read in one of two orders, and its definition as a function."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from . import inttuple
from .errors import CoordinateError, LayoutError, Unsupported
from .inttuple import IntTuple
from .swizzle import Swizzle

Order = Literal["colex", "lex"]
INT64_MAX = (1 << 63) - 1
Leaf = tuple[int, int]  # (extent, stride)
Coord = int | tuple["Coord", ...]


class Layout(msgspec.Struct, frozen=True):
    """A function from coordinates to offsets: sum of digit * stride over the leaves.

    `order` says how a flat index becomes digits: "colex" (CuTe, FlyDSL: leftmost mode fastest) or
    "lex" (IREE PackMap: rightmost fastest). Extents are >= 1, strides >= 0, both trees congruent;
    anything else raises LayoutError with the code of the rule it breaks. `swizzle` is applied to the sum.
    Source: CuTe layout papers arXiv 2603.02298 and 2601.05972.
    """

    shape: IntTuple
    stride: IntTuple
    order: Order = "colex"
    swizzle: Swizzle | None = None

    def __post_init__(self) -> None:
        for tree in (self.shape, self.stride):
            if inttuple.depth(tree) > inttuple.MAX_DEPTH:
                raise LayoutError("LC103", f"nested deeper than {inttuple.MAX_DEPTH} levels")
        if not inttuple.congruent(self.shape, self.stride):
            shape, stride = inttuple.text(self.shape), inttuple.text(self.stride)
            raise LayoutError("LC104", f"shape {shape} and stride {stride} are not congruent")
        for extent, stride_ in self.leaves:
            if extent < 1:
                raise LayoutError("LC105", f"extent {extent} is not positive")
            if stride_ < 0:
                raise LayoutError("LC106", f"stride {stride_} is negative")

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        """(extent, stride) of every leaf, in the order of the text."""
        return tuple(zip(inttuple.leaves(self.shape), inttuple.leaves(self.stride), strict=True))

    @property
    def digits(self) -> tuple[Leaf, ...]:
        """(extent, stride) of every leaf, fastest first: what a flat index is divided by in turn."""
        return self.leaves if self.order == "colex" else self.leaves[::-1]

    @property
    def size(self) -> int:
        """Number of points of the domain."""
        return inttuple.size(self.shape)

    @property
    def cosize(self) -> int:
        """1 + the largest offset (before a swizzle)."""
        return 1 + sum((s - 1) * d for s, d in self.leaves)

    @property
    def rank(self) -> int:
        """Number of top-level modes."""
        return len(inttuple.modes(self.shape))

    def mode(self, i: int) -> Layout:
        """Top-level mode `i` as a layout of its own. Raises Unsupported for a swizzled layout."""
        if self.swizzle:
            raise Unsupported("a mode of a swizzled layout is no layout of its own")
        return Layout(inttuple.modes(self.shape)[i], inttuple.modes(self.stride)[i], self.order)

    def __call__(self, coord: Coord) -> int:
        """The offset at a flat index, or at a coordinate nested like the shape (or coarser).

        Raises CoordinateError when a coordinate lies outside its mode or does not fit the shape.
        """
        offset = _evaluate(self.shape, self.stride, coord, self.order)
        return self.swizzle(offset) if self.swizzle else offset

    def __str__(self) -> str:
        return f"{self.swizzle or ''}{inttuple.text(self.shape)}:{inttuple.text(self.stride)}"


def split(index: int, shape: tuple[IntTuple, ...], order: Order) -> tuple[int, ...]:
    """The flat index of every mode of `shape` at flat index `index` of the whole (mixed radix)."""
    parts = []
    for mode in shape if order == "colex" else reversed(shape):
        extent = inttuple.size(mode)
        parts.append(index % extent)
        index //= extent
    return tuple(parts if order == "colex" else reversed(parts))


def _evaluate(shape: IntTuple, stride: IntTuple, coord: Coord, order: Order) -> int:
    if isinstance(coord, int) and not 0 <= coord < inttuple.size(shape):
        raise CoordinateError(f"coordinate {coord} is outside [0, {inttuple.size(shape)})")
    if isinstance(shape, int) or isinstance(stride, int):
        if isinstance(coord, int) and isinstance(shape, int) and isinstance(stride, int):
            return coord * stride
        raise CoordinateError(f"coordinate {coord} does not fit the mode {inttuple.text(shape)}")
    at = split(coord, shape, order) if isinstance(coord, int) else coord
    if len(at) != len(shape):
        raise CoordinateError(f"coordinate {coord} does not fit the mode {inttuple.text(shape)}")
    return sum(_evaluate(s, d, c, order) for s, d, c in zip(shape, stride, at, strict=True))


def overflow(layout: Layout) -> tuple[str, dict[str, Any]] | None:
    """The first extent, stride, size or largest offset that a 64-bit integer does not hold, as a sentence and data."""
    numbers = [("extent", s) for s, _ in layout.leaves] + [("stride", d) for _, d in layout.leaves]
    for what, number in (*numbers, ("size", layout.size), ("largest offset", layout.cosize - 1)):
        if number > INT64_MAX:
            bits = number.bit_length() - 1
            shown = f"2^{bits}" if number == 1 << bits else str(number) if bits < 200 else f"above 2^{bits}"
            return f"the {what} is {shown}, beyond 2^63 - 1", {"what": what, "number": number, "limit": INT64_MAX}
    return None
