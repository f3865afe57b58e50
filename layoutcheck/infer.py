"""From a function back to a layout: the leaves that a list of offsets has, or the index where none can have them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import msgspec

from . import inttuple
from .claim import Leaves
from .decide.points import values as evaluate
from .inttuple import IntTuple
from .layout import Layout, Order


class Break(msgspec.Struct, frozen=True):
    """Where no layout can follow: the offsets up to `index` leave `expected` (None: nothing) as the only choice."""

    index: int
    expected: int | None
    actual: int
    why: str


def leaves(offsets: Sequence[int]) -> Leaves | Break:
    """The coalesced leaves, fastest first, of the one layout with these offsets at 0, 1, 2, ...

    A layout's coalesced form is unique, so its leaves can be read off: the first stride is f(1), the first
    extent is where multiples of it end, and so on. Every point is then compared.
    """
    if offsets[0] != 0:
        return Break(0, 0, offsets[0], "a layout has offset 0 at index 0")
    out: list[tuple[int, int]] = []
    weight = 1
    while weight < len(offsets):
        stride, count = offsets[weight], len(offsets) // weight
        extent = 2
        while extent < count and offsets[extent * weight] == extent * stride:
            extent += 1
        if len(offsets) % (weight * extent):
            at = extent * weight
            why = f"stride {stride} ends at index {at}, and {at} does not divide {len(offsets)}"
            return _first(tuple(out), offsets) or Break(at, None, offsets[min(at, len(offsets) - 1)], why)
        out.append((extent, stride))
        weight *= extent
    return _first(tuple(out), offsets) or tuple(out)


def _first(found: Leaves, offsets: Sequence[int]) -> Break | None:
    """The first offset that differs from the leaves found so far, as far as they go."""
    for index, (expected, actual) in enumerate(zip(evaluate(found), offsets, strict=False)):
        if expected != actual:
            return Break(index, expected, actual, "the strides of smaller indices leave one choice")
    return None


def thread_value(offsets: Sequence[int], threads: int) -> Layout | Break:
    """The (thread, value) layout with `offsets[thread + threads * value]`; each mode coalesced, colex."""
    thread, value = leaves(offsets[:threads]), leaves([v - offsets[0] for v in offsets[::threads]])
    if isinstance(thread, Break):
        return thread
    if isinstance(value, Break):
        return Break(value.index * threads, value.expected, value.actual, value.why)
    found = _first(thread + value, offsets)
    return found or Layout((_tree(thread, 0), _tree(value, 0)), (_tree(thread, 1), _tree(value, 1)))


def _tree(leaves: Leaves, part: int) -> IntTuple:
    if not leaves:
        return 1 - part  # extent 1, stride 0
    return leaves[0][part] if len(leaves) == 1 else tuple(leaf[part] for leaf in leaves)


def strides(shape: IntTuple, order: Order, at: Callable[[int], int]) -> Layout:
    """The only layout of this shape that can have offset `at(x)` at flat index x: a leaf's stride is its offset at 1.

    Whether it has that offset elsewhere remains to be asked. Extents of 1 get stride 0.
    """
    extents = list(inttuple.leaves(shape))
    found = []
    for i, extent in enumerate(extents):
        weight = prod(extents[:i] if order == "colex" else extents[i + 1 :])
        found.append(at(weight) if extent > 1 else 0)
    return Layout(shape, _shaped(shape, iter(found).__next__), order)


def _shaped(shape: IntTuple, take: Callable[[], int]) -> IntTuple:
    return take() if isinstance(shape, int) else tuple(_shaped(child, take) for child in shape)
