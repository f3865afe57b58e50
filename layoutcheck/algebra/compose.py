"""Composition: R(c) = A(B(c)), leaf by leaf, and the exact condition under which a layout does that.

Each leaf of B is cut where its multiples cross a digit of coalesced A (SEMANTICS.md section 4). A leaf whose last
multiple stays below a cut does not meet that cut, whether or not it divides it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from ..claim import at_index
from ..decide.points import values
from ..errors import Refused
from ..layout import Layout, Leaf
from .parts import UNIT, joined, like, merged, modes, plain, tree

Domain = Literal["in", "extended"]
Profile = Literal["cute", "iree"]
FEW = 1 << 14  # points of B up to which a broken rule is followed by a look at every point


class Piece(NamedTuple):
    """Part of a leaf of B: `extent` multiples of `weight`, all inside digit `digit` of coalesced A."""

    extent: int
    weight: int
    digit: int


class Broken(NamedTuple):
    """What keeps a leaf-by-leaf answer from existing: the name, the numbers, and the sentence."""

    name: str
    text: str
    numbers: dict[str, int]


def compose(a: Layout, b: Layout, *, domain: Domain = "in", profile: Profile = "cute") -> Layout:
    """R with R(c) = A(B(c)) for every coordinate c of B. Law `compose`.

    Shape: B's, each leaf refined; profile "iree" forgets B's nesting (one mode a leaf). `domain` "in" refuses when B
    leaves A's domain; "extended" lets A's outermost leaf run on (a size-1 one too). Raises Refused:
    outside-domain, stride-crosses-cut, extent-crosses-cut, carry. Source: arXiv 2603.02298; IREE PackMapAttr::compose.
    """
    plain(a, b)
    a = extend(a, b.cosize) if domain == "extended" else a
    if b.cosize > a.size:
        raise Refused(
            "outside-domain",
            f"{b} reaches {b.cosize - 1}, and {a} has only {a.size} points; the extended domain lets "
            "its outermost leaf run on",
            reaches=b.cosize - 1, points=a.size,
        )  # fmt: skip
    return _assembled(b, parts(a, b), profile)


def extend(a: Layout, reach: int) -> Layout:
    """A with its outermost leaf, raw, made long enough for `reach` points (the extended domain)."""
    leaves = list(a.digits)
    inner = a.size // leaves[-1][0]
    leaves[-1] = (max(leaves[-1][0], -(-reach // inner)), leaves[-1][1])
    if leaves[-1] == a.digits[-1]:
        return a
    placed = leaves if a.order == "colex" else leaves[::-1]
    return Layout(like(a.shape, [s for s, _ in placed]), a.stride, a.order)


def compose_modes(a: Layout, tilers: Layout | Sequence[Layout]) -> Layout:
    """Mode i of A composed with tiler i; further modes of A stay; one layout is compose. Law `compose-modes`.

    Raises Refused: rank-differs, and those of compose for each mode. Source: CuTe composition with a tiler.
    """
    if isinstance(tilers, Layout):
        return compose(a, tilers)
    if len(tilers) > a.rank:
        raise Refused("rank-differs", f"{len(tilers)} tilers for {a.rank} modes", tilers=len(tilers), modes=a.rank)
    done = [compose(mode, tiler) for mode, tiler in zip(modes(a), tilers, strict=False)]
    return joined(done + modes(a)[len(tilers) :])


def parts(a: Layout, b: Layout) -> list[list[Leaf]]:
    """For every digit of B its refined digits in R, fastest first. B stays in A's domain. Raises Refused."""
    inner = merged(a.digits)
    cut, broken = cuts(inner, b.digits)
    if broken is None:
        strides, at = [d for _, d in inner] or [0], starts(inner)
        return [[(p.extent, p.weight // at[p.digit] * strides[p.digit]) for p in pieces] for pieces in cut]
    if b.size > FEW:
        raise Refused(broken.name, broken.text, **broken.numbers)
    return _by_points(a, b, broken)


def starts(inner: Sequence[Leaf]) -> list[int]:
    """The index at which each digit of coalesced A begins to count: 1, s0, s0*s1, ..."""
    at = [1]
    for extent, _ in inner[:-1]:
        at.append(at[-1] * extent)
    return at


def cuts(inner: Sequence[Leaf], digits: Sequence[Leaf]) -> tuple[list[list[Piece]], Broken | None]:
    """The pieces of every digit of B, or what breaks the rule. `inner` is A coalesced, fastest first."""
    bounds = starts(inner)
    out: list[list[Piece]] = []
    for leaf in digits:
        pieces = _leaf(bounds, leaf)
        if isinstance(pieces, Broken):
            return [], pieces
        out.append(pieces)
    return out, _carry(bounds, out)


def _leaf(bounds: list[int], leaf: Leaf) -> list[Piece] | Broken:
    rest, weight = leaf
    if rest == 1 or weight == 0:
        return [Piece(rest, 0, 0)]
    pieces: list[Piece] = []
    for digit, (start, end) in enumerate(pairwise([*bounds, 0])):
        if end and weight >= end:
            continue
        if weight % start:
            return _stride(leaf, weight, start)
        if not end or weight * (rest - 1) < end:
            return [*pieces, Piece(rest, weight, digit)]
        if end % weight:
            return _stride(leaf, weight, end)
        count = end // weight
        if rest % count:
            text = f"leaf {leaf[0]}:{leaf[1]} crosses {end} after {count} steps, and {count} does not divide {rest}"
            return Broken("extent-crosses-cut", text, {"extent": leaf[0], "stride": leaf[1], "cut": end})
        pieces.append(Piece(count, weight, digit))
        rest, weight = rest // count, end
    return pieces


def _stride(leaf: Leaf, weight: int, cut: int) -> Broken:
    text = f"leaf {leaf[0]}:{leaf[1]} crosses {cut}, and neither of {weight} and {cut} divides the other as it must"
    return Broken("stride-crosses-cut", text, {"extent": leaf[0], "stride": leaf[1], "cut": cut})


def _carry(bounds: list[int], cut: list[list[Piece]]) -> Broken | None:
    for digit, end in enumerate(bounds[1:]):
        total = sum((p.extent - 1) * p.weight for pieces in cut for p in pieces if p.digit == digit)
        if total >= end:
            text = f"the leaves' parts below {end} add up to {total}: a carry"
            return Broken("carry", text, {"cut": end, "sum": total})
    return None


def _by_points(a: Layout, b: Layout, broken: Broken) -> list[list[Leaf]]:
    """The only refinement there can be, read off the points; or the refusal, with the first index it fails at."""
    from ..infer import Break
    from ..infer import leaves as read_off

    found: list[list[Leaf]] = []
    for extent, stride in b.digits:
        read = read_off([at_index(a.digits, k * stride) for k in range(extent)])
        if isinstance(read, Break):
            raise _refused(a, b, broken, _weight(b, len(found)) * min(read.index, extent - 1), read.expected)
        found.append(list(read) or [UNIT])
    digits = tuple(leaf for leaves in found for leaf in leaves)
    for index, leafwise in enumerate(values(digits)):
        if value_at(a, b, index) != leafwise:
            raise _refused(a, b, broken, index, leafwise)
    return found


def _weight(b: Layout, digit: int) -> int:
    weight = 1
    for extent, _ in b.digits[:digit]:
        weight *= extent
    return weight


def _refused(a: Layout, b: Layout, broken: Broken, index: int, leafwise: int | None) -> Refused:
    offset, value = at_index(b.digits, index), value_at(a, b, index)
    text = f"{broken.text}; at index {index} -> {offset} A gives {value}"
    text += f", leaf by leaf it would be {leafwise}" if leafwise is not None else ", which no refinement of B has"
    more = {"index": index, "offset": offset, "value": value}
    return Refused(broken.name, text, **broken.numbers, **more, **({} if leafwise is None else {"leafwise": leafwise}))


def value_at(a: Layout, b: Layout, index: int) -> int:
    """A(B(index)), by evaluation."""
    return at_index(a.digits, at_index(b.digits, index))


def _assembled(b: Layout, refined: list[list[Leaf]], profile: Profile) -> Layout:
    placed = refined if b.order == "colex" else refined[::-1]
    trees = [tree(digits, b.order) for digits in placed]
    if profile == "iree":
        return Layout(tuple(s for s, _ in trees), tuple(d for _, d in trees), b.order)
    return Layout(like(b.shape, [s for s, _ in trees]), like(b.shape, [d for _, d in trees]), b.order)
