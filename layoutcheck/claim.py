"""The question as data, and what it means: plain evaluation of a witness against a claim.

Leaves stand fastest first (colex digits), raw: nothing is coalesced, sorted or dropped before a claim is
made. A claim is hashable: it is the memo's key and everything a certifier gets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, Literal

import msgspec

from .layout import Layout, Leaf
from .swizzle import Swizzle

Leaves = tuple[Leaf, ...]
Digits = tuple[int, ...]
Kind = Literal["injective", "fibre", "onto", "bijective", "bounded", "disjoint", "chain", "equal", "permuted", "recast"]

KINDS: dict[Kind, str] = {
    "injective": "no two coordinates have the same offset",
    "fibre": "every offset that is held is held by exactly `fibre` coordinates",
    "onto": "every offset in [0, n) is held",
    "bijective": "every offset in [0, n) is held, and there are n coordinates",
    "bounded": "every offset is below n",
    "disjoint": "no offset is held by both layouts",
    "chain": "sorted by stride, each stride is a multiple of the one before times its extent (extents above 1, "
    "strides above 0)",
    "equal": "both layouts have the same size and the same offset at every flat index",
    "permuted": "every offset is held equally often by both layouts",
    "recast": "each group of n consecutive values is n consecutive offsets, starting at a multiple of n, "
    "for every thread (leaves: values, other: threads)",
}


class Claim(msgspec.Struct, frozen=True):
    """One yes-or-no question about the function that `leaves` define. KINDS says what each kind claims.

    `swizzle` is applied to every offset of `leaves`, `other_swizzle` to every offset of `other`.
    """

    kind: Kind
    leaves: Leaves
    n: int = 0
    fibre: int = 1
    other: Leaves = ()
    swizzle: Swizzle | None = None
    other_swizzle: Swizzle | None = None

    @property
    def size(self) -> int:
        """Number of points the claim speaks of."""
        return size(self.leaves) * (size(self.other) if self.kind == "recast" else 1)

    @property
    def means(self) -> str:
        """The claim in words."""
        return KINDS[self.kind]

    @property
    def swizzles(self) -> bool:
        """Whether either side has a swizzle or an offset."""
        return self.swizzle is not None or self.other_swizzle is not None


class Collision(msgspec.Struct, frozen=True, tag=True):
    """Two different coordinates (digits of the leaves) with one offset."""

    a: Digits
    b: Digits
    value: int


class Held(msgspec.Struct, frozen=True, tag=True):
    """An offset held by `count` coordinates where `expected` are claimed; `at` lists a few of them."""

    value: int
    count: int
    expected: int
    at: tuple[Digits, ...] = ()


class Missing(msgspec.Struct, frozen=True, tag=True):
    """An offset that no coordinate has."""

    value: int


class Outside(msgspec.Struct, frozen=True, tag=True):
    """A coordinate whose offset is `limit` or more."""

    at: Digits
    value: int
    limit: int


class Differs(msgspec.Struct, frozen=True, tag=True):
    """A flat index (colex) where the left side gives `left` and the right side `right`.

    For a recast: `at` is (thread, value), `right` what n consecutive values would need there.
    """

    at: tuple[int, ...]
    left: int
    right: int


class Sizes(msgspec.Struct, frozen=True, tag=True):
    """Two numbers of points that ought to agree; for a recast, `right` ought to divide `left`."""

    left: int
    right: int


class Shared(msgspec.Struct, frozen=True, tag=True):
    """An offset that coordinate `a` of the left layout and `b` of the right one both have."""

    a: Digits
    b: Digits
    value: int


class Link(msgspec.Struct, frozen=True, tag=True):
    """Neighbours in the order of strides where the chain breaks: next's stride is no multiple of leaf's end."""

    leaf: Leaf
    next: Leaf


Witness = Collision | Held | Missing | Outside | Differs | Sizes | Shared | Link


class Answer(msgspec.Struct, frozen=True):
    """What one engine says of one claim, and why; a refusal carries its witness."""

    holds: bool
    by: str
    witness: Witness | None = None


def leaves_of(layout: Layout) -> Leaves:
    """The leaves of a layout, fastest first, as claims want them."""
    return layout.digits


def size(leaves: Leaves) -> int:
    """Number of coordinates."""
    return prod(s for s, _ in leaves)


def offset(leaves: Leaves, digits: Digits, swizzle: Swizzle | None = None) -> int:
    """The offset at a coordinate."""
    value = sum(c * d for c, (_, d) in zip(digits, leaves, strict=True))
    return swizzle(value) if swizzle else value


def at_index(leaves: Leaves, index: int, swizzle: Swizzle | None = None) -> int:
    """The offset at a flat colex index."""
    return offset(leaves, digits_of(leaves, index), swizzle)


def digits_of(leaves: Leaves, index: int) -> Digits:
    """The coordinate at a flat colex index."""
    digits = []
    for extent, _ in leaves:
        digits.append(index % extent)
        index //= extent
    return tuple(digits)


def index_of(leaves: Leaves, digits: Sequence[int]) -> int:
    """The flat colex index of a coordinate."""
    index = 0
    for (extent, _), digit in zip(reversed(leaves), reversed(digits), strict=True):
        index = index * extent + digit
    return index


def count_held(leaves: Leaves, value: int, swizzle: Swizzle | None = None, budget: int = 1 << 20) -> int | None:
    """How many coordinates have the offset `value`; None when that takes more than `budget` steps.

    A swizzle must permute: it is then its own inverse.
    """
    if swizzle:
        value = swizzle.xor(value) - swizzle.offset
    free = prod(s for s, d in leaves if d == 0)
    weighed = sorted(((s, d) for s, d in leaves if s > 1 and d > 0), key=lambda leaf: -leaf[1])
    reach = [0]  # reach[-1-i]: the most that the leaves from i on can add
    for extent, stride in reversed(weighed):
        reach.append(reach[-1] + (extent - 1) * stride)
    reach.reverse()
    ways = {value: 1}  # what is still to be added -> number of ways to have come there
    steps = 0
    for i, (extent, stride) in enumerate(weighed):
        after: dict[int, int] = {}
        for rest, number in ways.items():
            least = max(0, -(-(rest - reach[i + 1]) // stride))
            for digit in range(least, min(extent - 1, rest // stride) + 1):
                left = rest - digit * stride
                after[left] = after.get(left, 0) + number
                steps += 1
                if steps > budget:
                    return None
        ways = after
    return free * ways.get(0, 0)


def replays(claim: Claim, witness: Witness | None) -> bool:
    """Whether `witness` refutes `claim`, by plain evaluation of the definition and nothing else."""
    check = _REPLAYS.get((claim.kind, type(witness)))
    return check is not None and check(claim, witness)


def _collision(claim: Claim, w: Collision) -> bool:
    return w.a != w.b and all(_has(claim, at, w.value) for at in (w.a, w.b))


def _held(claim: Claim, w: Held) -> bool:
    counted = count_held(claim.leaves, w.value, claim.swizzle)
    sure = counted == w.count or (counted is None and len(w.at) > claim.fibre)
    return w.expected == claim.fibre != w.count > 0 and _listed(claim, w) and sure


def _held_by_both(claim: Claim, w: Held) -> bool:
    mine = count_held(claim.leaves, w.value, claim.swizzle)
    theirs = count_held(claim.other, w.value, claim.other_swizzle)
    return (mine, theirs) == (w.count, w.expected) and w.count != w.expected and _listed(claim, w)


def _listed(claim: Claim, w: Held) -> bool:
    return len(set(w.at)) == len(w.at) and all(_has(claim, at, w.value) for at in w.at)


def _missing(claim: Claim, w: Missing) -> bool:
    return 0 <= w.value < claim.n and count_held(claim.leaves, w.value, claim.swizzle) == 0


def _outside(claim: Claim, w: Outside) -> bool:
    return w.value >= w.limit == claim.n and _has(claim, w.at, w.value)


def _differs(claim: Claim, w: Differs) -> bool:
    if len(w.at) != 1 or not 0 <= w.at[0] < min(size(claim.leaves), size(claim.other)):
        return False
    left = at_index(claim.leaves, w.at[0], claim.swizzle)
    return (left, at_index(claim.other, w.at[0], claim.other_swizzle)) == (w.left, w.right) and left != w.right


def _shared(claim: Claim, w: Shared) -> bool:
    other = _inside(claim.other, w.b) and offset(claim.other, w.b, claim.other_swizzle) == w.value
    return other and _has(claim, w.a, w.value)


def _link(claim: Claim, w: Link) -> bool:
    (extent, stride), (next_extent, next_stride) = w.leaf, w.next
    real = min(extent, next_extent) > 1 and min(stride, next_stride) > 0 and stride <= next_stride
    both = list(claim.leaves)
    if not real or w.leaf not in both:
        return False
    both.remove(w.leaf)
    return w.next in both and next_stride % (stride * extent) != 0


_REPLAYS: dict[tuple[str, type], Callable[[Claim, Any], bool]] = {
    ("injective", Collision): _collision,
    ("fibre", Held): _held,
    ("permuted", Held): _held_by_both,
    ("onto", Missing): _missing,
    ("bijective", Missing): _missing,
    ("bijective", Collision): lambda claim, w: size(claim.leaves) <= claim.n and _collision(claim, w),
    ("bijective", Outside): lambda claim, w: size(claim.leaves) <= claim.n and _outside(claim, w),
    ("bijective", Sizes): lambda claim, w: (w.left, w.right) == (size(claim.leaves), claim.n) and w.left != w.right,
    ("bounded", Outside): _outside,
    ("disjoint", Shared): _shared,
    ("chain", Link): _link,
    ("equal", Differs): _differs,
    ("equal", Sizes): lambda claim, w: w.left != w.right == size(claim.other) and w.left == size(claim.leaves),
    ("recast", Differs): lambda claim, w: w.left != w.right and recast_at(claim, w.at) == (w.left, w.right),
    ("recast", Sizes): lambda claim, w: w.left == size(claim.leaves) and w.right == claim.n and w.left % w.right != 0,
}


def recast_at(claim: Claim, at: tuple[int, ...]) -> tuple[int, int] | None:
    """What the bits say at (thread, value), and what a recast to n-bit values needs there."""
    thread, value = at
    if not (0 <= thread < size(claim.other) and 0 <= value < size(claim.leaves)):
        return None
    base = at_index(claim.other, thread)
    first = base + at_index(claim.leaves, value - value % claim.n)
    if value % claim.n == 0:
        return first, first - first % claim.n
    return base + at_index(claim.leaves, value), first + value % claim.n


def _has(claim: Claim, at: Digits, value: int) -> bool:
    return _inside(claim.leaves, at) and offset(claim.leaves, at, claim.swizzle) == value


def _inside(leaves: Leaves, digits: Digits) -> bool:
    return len(digits) == len(leaves) and all(0 <= c < s for c, (s, _) in zip(digits, leaves, strict=True))
