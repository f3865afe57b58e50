"""What the operations share: digits fastest first, and trees rebuilt from them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..errors import Refused, Unsupported
from ..inttuple import IntTuple
from ..layout import Layout, Leaf, Order

UNIT: Leaf = (1, 0)


def plain(*layouts: Layout) -> None:
    """Raise Unsupported for a swizzled layout, Refused (`orders-differ`) where two orders meet."""
    for layout in layouts:
        if layout.swizzle:
            raise Unsupported("the algebra does not take swizzled layouts")
        if layout.order != layouts[0].order:
            raise Refused(
                "orders-differ", f"one layout is {layouts[0].order}, another {layout.order}",
                orders=[layouts[0].order, layout.order],
            )  # fmt: skip


def merged(digits: Iterable[Leaf]) -> list[Leaf]:
    """Coalesced digits, fastest first: extent 1 dropped, neighbours with d' = s*d merged."""
    out: list[Leaf] = []
    for extent, stride in digits:
        if extent == 1:
            continue
        if out and out[-1][0] * out[-1][1] == stride:
            out[-1] = (out[-1][0] * extent, out[-1][1])
        else:
            out.append((extent, stride))
    return out


def tree(digits: Sequence[Leaf], order: Order) -> tuple[IntTuple, IntTuple]:
    """(shape, stride) of one mode: an integer for one digit, else a tuple in the order of the text."""
    if len(digits) <= 1:
        return digits[0] if digits else UNIT
    placed = digits if order == "colex" else digits[::-1]
    return tuple(s for s, _ in placed), tuple(d for _, d in placed)


def flat(digits: Sequence[Leaf], order: Order) -> Layout:
    """A layout from digits, fastest first; an integer for one digit in colex (CuTe), a 1-tuple in lex (IREE)."""
    shape, stride = tree(digits, order)
    if order == "lex" and isinstance(shape, int):
        return Layout((shape,), (stride,), order)
    return Layout(shape, stride, order)


def joined(layouts: Sequence[Layout]) -> Layout:
    """The layouts as modes of one, in the order of the text."""
    return Layout(tuple(x.shape for x in layouts), tuple(x.stride for x in layouts), layouts[0].order)


def modes(layout: Layout) -> list[Layout]:
    return [layout.mode(i) for i in range(layout.rank)]


def ends(digits: Iterable[Leaf]) -> list[Leaf]:
    """Digits that move (extent above 1, stride above 0), by stride."""
    return sorted((leaf for leaf in digits if leaf[0] > 1 and leaf[1] > 0), key=lambda leaf: (leaf[1], leaf[0]))


def suffixes(shape: Sequence[int], order: Order) -> tuple[int, ...]:
    """The strides that make flat `shape` the identity."""
    weight, out = 1, []
    for extent in shape if order == "colex" else reversed(shape):
        out.append(weight)
        weight *= extent
    return tuple(out if order == "colex" else reversed(out))


def like(shape: IntTuple, leaves: Iterable[IntTuple]) -> IntTuple:
    """The tree of `shape` with its leaves replaced, left to right."""
    take = iter(leaves)

    def build(tree: IntTuple) -> IntTuple:
        return next(take) if isinstance(tree, int) else tuple(build(child) for child in tree)

    return build(shape)
