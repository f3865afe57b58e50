"""Complete criteria on sorted or coalesced leaves (SEMANTICS.md section 1): microseconds at any size.

Each function answers one kind of claim, or returns None where its theorem says nothing. Throughout,
r_i is the largest offset that the leaves before leaf i (sorted by stride) can reach together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from math import gcd, prod

from ..claim import (
    Answer,
    Claim,
    Collision,
    Differs,
    Digits,
    Held,
    Leaves,
    Link,
    Missing,
    Outside,
    Shared,
    Sizes,
    count_held,
    offset,
    size,
)
from . import unswizzle

_LISTED = 4  # coordinates that a witness lists at most


def decide(claim: Claim) -> Answer | None:
    """The answer of the theorem for this kind of claim, if it reaches this one."""
    return unswizzle.decide(claim, _plain) if claim.swizzles else _plain(claim, 0, 0)


def _plain(claim: Claim, left: int, right: int) -> Answer | None:
    """The theorem on the leaves alone; `left` and `right` stand in front where the claim is one of disjointness."""
    return disjoint(claim, left, right) if claim.kind == "disjoint" else _THEOREMS[claim.kind](claim)


def injective(claim: Claim) -> Answer | None:
    """Sorted strides that each exceed all before together; otherwise a pair, or a digit carried."""
    leaves = claim.leaves
    for i, (extent, stride) in enumerate(leaves):
        if stride == 0 and extent > 1:
            return _collision(leaves, {}, {i: 1}, "a stride of 0 repeats an offset")
    order = sorted((i for i, (s, _) in enumerate(leaves) if s > 1), key=lambda i: leaves[i][1])
    reach = 0
    for position, i in enumerate(order):
        extent, stride = leaves[i]
        if stride <= reach:
            return _overlap(leaves, order, position)
        reach += (extent - 1) * stride
    return Answer(True, "each stride exceeds the reach of the smaller ones")


def _overlap(leaves: Leaves, order: list[int], position: int) -> Answer | None:
    """Leaf `order[position]` does not exceed its predecessors: find two digits, or a chain, that collide.

    For two leaves the first is exact: they meet first at the least common multiple of their strides.
    """
    for p in range(len(order)):
        for q in range(p):
            i, j = order[p], order[q]
            common = gcd(leaves[i][1], leaves[j][1])
            step_i, step_j = leaves[j][1] // common, leaves[i][1] // common
            if leaves[i][0] > step_i and leaves[j][0] > step_j:
                return _collision(
                    leaves, {i: step_i}, {j: step_j}, "two leaves meet at a common multiple of their strides"
                )
    if len(order) == 2:
        return Answer(True, "two leaves that would meet only beyond their extents")
    lower = order[:position]
    strides = [leaves[i][1] for i in order[: position + 1]]
    if any(high % low for low, high in pairwise(strides)):
        return None
    rest, carried = strides[-1], {}
    for i in reversed(lower):  # each stride divides the next: greedy digits reach the stride exactly
        carried[i] = min(leaves[i][0] - 1, rest // leaves[i][1])
        rest -= carried[i] * leaves[i][1]
    return _collision(leaves, {order[position]: 1}, carried, "smaller leaves carry into a stride they divide")


def _collision(leaves: Leaves, a: dict[int, int], b: dict[int, int], by: str) -> Answer:
    left, right = _digits(leaves, a), _digits(leaves, b)
    return Answer(False, by, Collision(left, right, offset(leaves, left)))


def _digits(leaves: Leaves, at: dict[int, int]) -> Digits:
    return tuple(at.get(i, 0) for i in range(len(leaves)))


def fibre(claim: Claim) -> Answer | None:
    """Offset 0 is held once for each choice of the stride-0 digits; the rest must be injective."""
    leaves, expected = claim.leaves, claim.fibre
    free = prod(s for s, d in leaves if d == 0)
    if free != expected:
        at = tuple(_free_digits(leaves, k) for k in range(min(free, _LISTED)))
        return Answer(False, "offset 0 has only the stride-0 digits free", Held(0, free, expected, at))
    rest = injective(Claim("injective", tuple(leaf if leaf[1] else (1, 0) for leaf in leaves)))
    if rest is None or rest.holds:
        return rest and Answer(True, f"stride-0 extents multiply to {expected}; {rest.by}")
    assert isinstance(rest.witness, Collision)
    count = count_held(leaves, rest.witness.value)
    if count is None:
        return None
    return Answer(False, rest.by, Held(rest.witness.value, count, expected, (rest.witness.a, rest.witness.b)))


def _free_digits(leaves: Leaves, k: int) -> Digits:
    digits = []
    for extent, stride in leaves:
        digits.append(0 if stride else k % extent)
        k = k if stride else k // extent
    return tuple(digits)


def onto(claim: Claim) -> Answer:
    """No gap: each stride is at most one more than the reach of the smaller ones, until n is reached."""
    reach = 0
    for extent, stride in sorted(((s, d) for s, d in claim.leaves if s > 1 and d > 0), key=lambda leaf: leaf[1]):
        if reach + 1 >= claim.n or stride > reach + 1:
            break
        reach += (extent - 1) * stride
    if reach + 1 < claim.n:
        return Answer(False, "smaller strides reach no further and the next one is beyond", Missing(reach + 1))
    return Answer(True, "sorted strides leave no gap")


def bijective(claim: Claim) -> Answer:
    """n coordinates that hold each of n offsets hold each once."""
    if size(claim.leaves) != claim.n:
        return Answer(False, "there are more or fewer coordinates than offsets", Sizes(size(claim.leaves), claim.n))
    return onto(claim)


def disjoint(claim: Claim, left: int = 0, right: int = 0) -> Answer | None:
    """Ranges apart, or residues apart modulo the gcd of all strides; a chain of strides leaves nothing else open.

    `left` and `right` are added to every offset of the two sides. Without them both sides hold 0.
    """
    mine, theirs = claim.leaves, claim.other
    tops = [base + sum((s - 1) * d for s, d in leaves) for base, leaves in ((left, mine), (right, theirs))]
    if left > tops[1] or right > tops[0]:
        return Answer(True, "all offsets of one lie below those of the other")
    joined = mine + theirs  # right digits count down from their last: the sum is then left - right + tops[1]
    common = gcd(*(d for s, d in joined if s > 1))
    target = tops[1] - left
    if common and (right - left) % common:
        return Answer(True, "the offsets differ modulo the gcd of all strides")
    digits = _chain_sum(joined, target)
    if digits is None:
        return None
    if not digits:
        return Answer(True, "strides that divide each other leave a gap where the two would meet")
    b = tuple(s - 1 - c for c, (s, _) in zip(digits[len(mine) :], theirs, strict=True))
    value = left + offset(mine, digits[: len(mine)])
    return Answer(False, "both hold this offset", Shared(digits[: len(mine)], b, value))


def _chain_sum(leaves: Leaves, target: int) -> Digits | None:
    """Digits whose offset is `target`: () when there are none, None when greedy digits do not settle it.

    Where every stride divides the next, the largest possible digits from the top are as good as any.
    """
    order = sorted((i for i, (s, d) in enumerate(leaves) if s > 1 and d > 0), key=lambda i: -leaves[i][1])
    strides = [leaves[i][1] for i in order]
    digits, rest = [0] * len(leaves), target
    for i in order:
        digits[i] = min(leaves[i][0] - 1, rest // leaves[i][1])
        rest -= digits[i] * leaves[i][1]
    if rest == 0:
        return tuple(digits)
    return None if any(high % low for high, low in pairwise(strides)) else ()


def chain(claim: Claim) -> Answer:
    """Neighbours in the order of strides: each stride a multiple of the one before times its extent."""
    order = sorted((leaf for leaf in claim.leaves if leaf[0] > 1 and leaf[1] > 0), key=lambda leaf: leaf[1])
    for leaf, after in pairwise(order):
        if after[1] % (leaf[0] * leaf[1]):
            return Answer(False, "a stride is no multiple of the end of the leaf before", Link(leaf, after))
    return Answer(True, "each stride is a multiple of the end of the leaf before")


def bounded(claim: Claim) -> Answer:
    """The largest offset is the sum of (extent - 1) * stride."""
    at = [s - 1 for s, _ in claim.leaves]
    value = offset(claim.leaves, tuple(at))
    if value < claim.n:
        return Answer(True, "the largest offset is below the limit")
    for i, (_, stride) in enumerate(claim.leaves):  # a small witness: give up what is not needed
        spare = at[i] if stride == 0 else min(at[i], (value - claim.n) // stride)
        at[i] -= spare
        value -= spare * stride
    return Answer(False, "the largest offset is not below the limit", Outside(tuple(at), value, claim.n))


def coalesce(leaves: Leaves) -> Leaves:
    """The canonical form of a function of the flat index: no extent 1, no neighbours that continue each other."""
    out: list[tuple[int, int]] = []
    for extent, stride in leaves:
        if extent == 1:
            continue
        if out and stride == out[-1][0] * out[-1][1]:
            out[-1] = (out[-1][0] * extent, out[-1][1])
        else:
            out.append((extent, stride))
    return tuple(out)


def equal(claim: Claim) -> Answer:
    """Two layouts are one function of the flat index iff they coalesce to the same leaves."""
    sizes = size(claim.leaves), size(claim.other)
    if sizes[0] != sizes[1]:
        return Answer(False, "the sizes differ", Sizes(*sizes))
    left, right = coalesce(claim.leaves), coalesce(claim.other)
    if left == right:
        return Answer(True, "both coalesce to the same leaves")
    index = 1
    for (s, d), (t, e) in zip(left, right, strict=False):
        if d != e or s != t:
            index *= 1 if d != e else min(s, t)
            break
        index *= s
    return Answer(False, "the coalesced leaves part here", Differs((index,), _at(left, index), _at(right, index)))


def _at(leaves: Leaves, index: int) -> int:
    value = 0
    for extent, stride in leaves:
        value += index % extent * stride
        index //= extent
    return value


def permuted(claim: Claim) -> Answer | None:
    """The offsets' generating function is a product of (1 - x^(s*d)) / (1 - x^d), and the polynomials
    1 - x^a are multiplicatively independent, so the multisets agree iff what is left after cancelling does.
    """
    free = [prod(s for s, d in leaves if d == 0) for leaves in (claim.leaves, claim.other)]
    exponents: Counter[int] = Counter()
    for sign, leaves in ((1, claim.leaves), (-1, claim.other)):
        for s, d in leaves:
            if d and s > 1:
                exponents[s * d] += sign
                exponents[d] -= sign
    left_over = sorted(a for a, e in exponents.items() if e)
    if free[0] == free[1] and not left_over:
        return Answer(True, "the generating functions cancel")
    value = left_over[0] if free[0] == free[1] else 0
    counts = [count_held(leaves, value) for leaves in (claim.leaves, claim.other)]
    if counts[0] is None or counts[1] is None:
        return None
    return Answer(False, "the generating functions part at this power", Held(value, counts[0], counts[1]))


def recast(claim: Claim) -> Answer:
    """The first coalesced value leaf must be contiguous and hold whole groups, every other stride be a multiple."""
    width, values = claim.n, coalesce(claim.leaves)
    if size(claim.leaves) % width:
        return Answer(False, "the width does not divide the number of values", Sizes(size(claim.leaves), width))
    if width == 1:
        return Answer(True, "a width of 1 changes nothing")
    run = values[0] if values else (1, 1)
    if run[1] != 1 or run[0] % width:
        at = 1 if run[1] != 1 else run[0]
        return Answer(False, "a group runs across a stride", _recast_differs(claim, 0, at))
    strides = run[0]
    for extent, stride in values[1:]:
        if stride % width:
            return Answer(False, "a group starts off its width", _recast_differs(claim, 0, strides))
        strides *= extent
    threads = 1
    for extent, stride in claim.other:
        if extent > 1 and stride % width:
            return Answer(False, "a thread starts off the width", _recast_differs(claim, threads, 0))
        threads *= extent
    return Answer(True, "groups are contiguous and every other stride is a multiple of the width")


def _recast_differs(claim: Claim, thread: int, value: int) -> Differs:
    base, width = _at(claim.other, thread), claim.n
    here = base + _at(claim.leaves, value)
    first = base + _at(claim.leaves, value - value % width)
    needed = first + value % width if value % width else first - first % width
    return Differs((thread, value), here, needed)


_THEOREMS: dict[str, Callable[[Claim], Answer | None]] = {
    "injective": injective,
    "fibre": fibre,
    "onto": onto,
    "bijective": bijective,
    "bounded": bounded,
    "disjoint": disjoint,
    "chain": chain,
    "equal": equal,
    "permuted": permuted,
    "recast": recast,
}
