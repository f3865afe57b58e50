"""The question as data, and what it means: plain evaluation of a witness against a claim.

Leaves stand fastest first (colex digits), raw: nothing is coalesced, sorted or dropped before a claim is
made. A claim is hashable: it is the memo's key and everything a certifier gets.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Literal

import msgspec

from .layout import Layout, Leaf

Leaves = tuple[Leaf, ...]
Digits = tuple[int, ...]
Kind = Literal["injective", "fibre", "onto", "bounded", "equal", "permuted", "recast"]

KINDS: dict[Kind, str] = {
    "injective": "no two coordinates have the same offset",
    "fibre": "every offset that is held is held by exactly `fibre` coordinates",
    "onto": "every offset in [0, n) is held",
    "bounded": "every offset is below n",
    "equal": "both layouts have the same size and the same offset at every flat index",
    "permuted": "every offset is held equally often by both layouts",
    "recast": "each group of n consecutive values is n consecutive offsets, starting at a multiple of n, "
    "for every thread (leaves: values, other: threads)",
}


class Claim(msgspec.Struct, frozen=True):
    """One yes-or-no question about the function that `leaves` define. KINDS says what each kind claims."""

    kind: Kind
    leaves: Leaves
    n: int = 0
    fibre: int = 1
    other: Leaves = ()

    @property
    def size(self) -> int:
        """Number of points the claim speaks of."""
        return size(self.leaves) * (size(self.other) if self.kind == "recast" else 1)


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


Witness = Collision | Held | Missing | Outside | Differs | Sizes


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


def offset(leaves: Leaves, digits: Digits) -> int:
    """The offset at a coordinate."""
    return sum(c * d for c, (_, d) in zip(digits, leaves, strict=True))


def at_index(leaves: Leaves, index: int) -> int:
    """The offset at a flat colex index."""
    return offset(leaves, digits_of(leaves, index))


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


def count_held(leaves: Leaves, value: int, budget: int = 1 << 20) -> int | None:
    """How many coordinates have the offset `value`; None when that takes more than `budget` steps."""
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
    leaves, kind = claim.leaves, claim.kind
    match witness:
        case Collision(a, b, value):
            in_domain = _inside(leaves, a) and _inside(leaves, b)
            same = offset(leaves, a) == offset(leaves, b) == value
            return kind == "injective" and a != b and in_domain and same
        case Held(value, count, expected, at):
            listed = len(set(at)) == len(at) and all(_inside(leaves, c) and offset(leaves, c) == value for c in at)
            if kind == "permuted":
                held = (count_held(leaves, value), count_held(claim.other, value))
                return held == (count, expected) and count != expected and listed
            counted = count_held(leaves, value)
            sure = counted == count or (counted is None and len(at) > claim.fibre)
            return kind == "fibre" and expected == claim.fibre != count > 0 and listed and sure
        case Missing(value):
            return kind == "onto" and 0 <= value < claim.n and count_held(leaves, value) == 0
        case Outside(at, value, limit):
            high = _inside(leaves, at) and offset(leaves, at) == value >= limit == claim.n
            return kind == "bounded" and high
        case Differs(at, left, right) if kind == "equal":
            values = at_index(leaves, at[0]), at_index(claim.other, at[0])
            inside = 0 <= at[0] < min(size(leaves), size(claim.other))
            return len(at) == 1 and inside and values == (left, right) and left != right
        case Differs(at, left, right) if kind == "recast":
            return left != right and recast_at(claim, at) == (left, right)
        case Sizes(left, right) if kind == "recast":
            return left == size(leaves) and right == claim.n and left % right != 0
        case Sizes(left, right):
            return kind == "equal" and (left, right) == (size(leaves), size(claim.other)) and left != right
    return False


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


def _inside(leaves: Leaves, digits: Digits) -> bool:
    return len(digits) == len(leaves) and all(0 <= c < s for c, (s, _) in zip(digits, leaves, strict=True))
