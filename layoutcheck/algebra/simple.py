"""Operations that regroup, drop or rescale leaves."""

from __future__ import annotations

from collections.abc import Sequence

from .. import inttuple
from ..errors import Refused
from ..inttuple import IntTuple
from ..layout import Layout, Leaf, Order
from .compose import compose
from .parts import flat, joined, like, merged, modes, plain, suffixes, tree


def coalesce(a: Layout) -> Layout:
    """The canonical flat layout that is the same function of the flat index; 1:0 for one point.

    Law `coalesce`; no precondition. Source: PackMapAttr::coalesce; CuTe coalesce.
    """
    plain(a)
    return flat(merged(a.digits), a.order)


def coalesce_modes(a: Layout) -> Layout:
    """Every top-level mode coalesced by itself: the form PackLayout stores. Law `coalesce-modes`."""
    plain(a)
    trees = [tree(merged(mode.digits), a.order) for mode in modes(a)]
    return Layout(tuple(s for s, _ in trees), tuple(d for _, d in trees), a.order)


def flatten(a: Layout) -> Layout:
    """All leaves side by side, none merged. Law `flatten`."""
    plain(a)
    return flat(a.digits, a.order)


def filter_(a: Layout) -> Layout:
    """Coalesced, without leaves of extent 1 or stride 0: the same set of offsets. Law `filter`."""
    plain(a)
    return flat(merged(leaf for leaf in a.digits if leaf[1] > 0), a.order)


def permute(a: Layout, order: Sequence[int]) -> Layout:
    """Mode i of the result is mode order[i] of A. Law `permute`. Raises Refused: not-a-permutation."""
    plain(a)
    if sorted(order) != list(range(a.rank)):
        text = f"{list(order)} is no permutation of the {a.rank} modes"
        raise Refused("not-a-permutation", text, permutation=list(order), modes=a.rank)
    return joined([a.mode(i) for i in order])


def project(a: Layout, drop: Sequence[bool]) -> Layout:
    """The modes whose flag is false. Law `project`. Raises Refused: flags-differ, nothing-left."""
    plain(a)
    if len(drop) != a.rank:
        raise Refused("flags-differ", f"{len(drop)} flags for {a.rank} modes", flags=len(drop), modes=a.rank)
    if all(drop):
        raise Refused("nothing-left", f"all {a.rank} modes are dropped", modes=a.rank)
    return joined([mode for mode, dropped in zip(modes(a), drop, strict=True) if not dropped])


def concat(*layouts: Layout) -> Layout:
    """The layouts as modes of one: R(c0, c1, ...) is the sum of their values. Law `concat`."""
    plain(*layouts)
    return joined(layouts)


def identity(shape: IntTuple, order: Order = "colex") -> Layout:
    """E(i) = i for every flat index of `shape`. Law `identity`. Raises Refused: extent-not-positive."""
    leaves = list(inttuple.leaves(shape))
    if min(leaves) < 1:
        raise Refused("extent-not-positive", f"extent {min(leaves)} is not positive", extent=min(leaves))
    return Layout(shape, like(shape, suffixes(leaves, order)), order)


def reshape(a: Layout, shape: IntTuple) -> Layout:
    """The same function of the flat index with top-level extents `shape`. Law `reshape`.

    Raises Refused: size-differs, and stride-crosses-cut or extent-crosses-cut where a leaf of coalesced A straddles
    a suffix product of the shape. Source: PackLayout's reshape (compose with makeIdentity).
    """
    plain(a)
    if inttuple.size(shape) != a.size:
        text = f"{inttuple.text(shape)} has {inttuple.size(shape)} points, {a} has {a.size}"
        raise Refused("size-differs", text, wanted=inttuple.size(shape), points=a.size)
    return compose(a, identity(shape, a.order))


def upcast(a: Layout, n: int) -> Layout:
    """Offsets in units of n: each group of n consecutive offsets becomes one. Law `upcast`.

    Raises Refused: not-divisible (a stride or extent does not split at n), not-consecutive (the digits below n do
    not hold each of 0..n-1 once). Source: CuTe upcast; recast of SEMANTICS.md section 2.
    """
    plain(a)
    _positive(n)
    split = [_split(leaf, n) for leaf in a.leaves]
    low = merged(sorted((leaf for _, leaf in split if leaf[0] > 1), key=lambda leaf: leaf[1]))
    if low != ([] if n == 1 else [(n, 1)]):
        text = f"the leaves below {n} are {low or 'none'}: they do not hold each of 0 to {n - 1} once"
        raise Refused("not-consecutive", text, n=n, below=[list(leaf) for leaf in low])
    shape, stride = (like(a.shape, [high[i] for high, _ in split]) for i in (0, 1))
    return Layout(shape, stride, a.order)


def _split(leaf: Leaf, n: int) -> tuple[Leaf, Leaf]:
    """The part of a leaf at and above n (in units of n), and the part below."""
    extent, stride = leaf
    if extent == 1 or stride % n == 0:
        return (extent, stride // n if extent > 1 else 0), (1, 0)
    if n % stride or (extent * stride > n and extent % (n // stride)):
        raise Refused(
            "not-divisible", f"leaf {extent}:{stride} does not split at {n}", extent=extent, stride=stride, n=n
        )
    if extent * stride <= n:
        return (1, 0), leaf
    return (extent // (n // stride), 1), (n // stride, stride)


def downcast(a: Layout, n: int) -> Layout:
    """Each offset split into n smaller ones, the new digit fastest in the leaf of stride 1. Law `downcast`.

    Raises Refused: no-unit-stride when not exactly one leaf has stride 1. Source: CuTe downcast.
    """
    plain(a)
    _positive(n)
    units = [i for i, (_, stride) in enumerate(a.leaves) if stride == 1]
    if len(units) != 1 and n > 1:
        text = f"{len(units)} leaves have stride 1, and the new digit needs exactly one"
        raise Refused("no-unit-stride", text, leaves=len(units))
    leaves = [(s * n, 1) if i in units else (s, d * n) for i, (s, d) in enumerate(a.leaves)] if n > 1 else a.leaves
    shape, stride = (like(a.shape, [leaf[i] for leaf in leaves]) for i in (0, 1))
    return Layout(shape, stride, a.order)


def _positive(n: int) -> None:
    if n < 1:
        raise Refused("extent-not-positive", f"{n} is not positive", extent=n)
