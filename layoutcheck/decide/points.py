"""Every point, by the definition: the opinion that needs no theorem. Complete below its limit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from time import perf_counter

from ..claim import (
    Answer,
    Claim,
    Collision,
    Differs,
    Held,
    Leaves,
    Link,
    Missing,
    Outside,
    Shared,
    Sizes,
    Witness,
    digits_of,
    size,
)
from ..swizzle import Swizzle

LIMIT = 1 << 20
_BLOCK = 1 << 14  # points evaluated between two looks at the clock
_BY = "every point"
_FOREVER = float("inf")


class _Late(Exception):
    pass


def blocks(leaves: Leaves, swizzle: Swizzle | None, deadline: float) -> Iterator[list[int]]:
    """The offset at every flat colex index, in order, in blocks of equal length."""
    split, inner = 0, 1
    while split < len(leaves) and inner * leaves[split][0] <= _BLOCK:
        inner *= leaves[split][0]
        split += 1
    block = [0]
    for extent, stride in leaves[:split]:
        block = [v + c * stride for c in range(extent) for v in block]
    outer = leaves[split:]
    for index in range(size(outer)):
        if perf_counter() > deadline:
            raise _Late
        base = sum(c * d for c, (_, d) in zip(digits_of(outer, index), outer, strict=True))
        if swizzle:
            yield [swizzle(base + v) for v in block]
        else:
            yield [base + v for v in block]


def values(leaves: Leaves, swizzle: Swizzle | None = None, deadline: float = _FOREVER) -> list[int]:
    """The offset at every flat colex index, in order."""
    return [v for block in blocks(leaves, swizzle, deadline) for v in block]


def decide(claim: Claim, *, limit: int = LIMIT, deadline: float = _FOREVER) -> Answer | None:
    """The answer, unless the claim speaks of more than `limit` points or `deadline` (of perf_counter) passes."""
    witness: Witness | None
    if claim.kind == "chain":
        witness = _chain(claim.leaves)
        return Answer(witness is None, "every pair of leaves", witness)
    if max(claim.size, size(claim.other)) > limit or (claim.kind in ("onto", "bijective") and claim.n > limit):
        return None
    try:
        witness = _refute(claim, deadline)
    except _Late:
        return None
    return Answer(witness is None, _BY, witness)


def _refute(claim: Claim, deadline: float) -> Witness | None:
    leaves, n = claim.leaves, claim.n
    parts = blocks(leaves, claim.swizzle, deadline)  # looked at block by block: each looks at the clock
    match claim.kind:
        case "injective":
            return None if len(_held(parts)) == claim.size else _repeated(leaves, _again(claim, deadline))
        case "fibre":
            counts: Counter[int] = Counter()
            for part in parts:
                counts.update(part)
            if set(counts.values()) == {claim.fibre}:
                return None
            return _fibres(leaves, counts, _again(claim, deadline), claim.fibre)
        case "bijective" if claim.size != n:
            return Sizes(claim.size, n)
        case "onto" | "bijective":
            held = _held(parts)
            missing = next((v for v in range(n) if v not in held), None)
            return None if missing is None else Missing(missing)
    offsets = _again(claim, deadline)
    match claim.kind:
        case "bounded":
            at = next((i for i, v in enumerate(offsets) if v >= n), None)
            return None if at is None else Outside(digits_of(leaves, at), offsets[at], n)
    others = values(claim.other, claim.other_swizzle, deadline)
    match claim.kind:
        case "equal":
            return _differs(offsets, others)
        case "permuted":
            mine, theirs = Counter(offsets), Counter(others)
            value = min((v for v in mine | theirs if mine[v] != theirs[v]), default=None)
            return None if value is None else Held(value, mine[value], theirs[value])
        case "disjoint":
            both = set(offsets) & set(others)
            if not both:
                return None
            value = min(both)
            a, b = digits_of(leaves, offsets.index(value)), digits_of(claim.other, others.index(value))
            return Shared(a, b, value)
        case _:
            return _recast(offsets, others, n)


def _held(parts: Iterator[list[int]]) -> set[int]:
    held: set[int] = set()
    for part in parts:
        held.update(part)
    return held


def _again(claim: Claim, deadline: float) -> list[int]:
    return values(claim.leaves, claim.swizzle, deadline)


def _repeated(leaves: Leaves, offsets: list[int]) -> Collision | None:
    first: dict[int, int] = {}
    for index, value in enumerate(offsets):
        if value in first:
            return Collision(digits_of(leaves, first[value]), digits_of(leaves, index), value)
        first[value] = index
    return None


def _fibres(leaves: Leaves, counts: Counter[int], offsets: list[int], fibre: int) -> Held | None:
    for value, count in counts.items():
        if count != fibre:
            at = [i for i, v in enumerate(offsets) if v == value][:4]
            return Held(value, count, fibre, tuple(digits_of(leaves, i) for i in at))
    return None


def _differs(offsets: list[int], others: list[int]) -> Differs | Sizes | None:
    if len(offsets) != len(others):
        return Sizes(len(offsets), len(others))
    for index, (left, right) in enumerate(zip(offsets, others, strict=True)):
        if left != right:
            return Differs((index,), left, right)
    return None


def _recast(offsets: list[int], threads: list[int], width: int) -> Differs | Sizes | None:
    if len(offsets) % width:
        return Sizes(len(offsets), width)
    for thread, base in enumerate(threads):
        for index, value in enumerate(offsets):
            first = base + offsets[index - index % width]
            needed = first + index % width if index % width else first - first % width
            if base + value != needed:
                return Differs((thread, index), base + value, needed)
    return None


def _chain(leaves: Leaves) -> Link | None:
    """Every two leaves with digits and a stride: the smaller one ends where the larger one can start."""
    real = sorted((leaf for leaf in leaves if leaf[0] > 1 and leaf[1] > 0), key=lambda leaf: leaf[1])
    for k, (extent, stride) in enumerate(real):
        for after in real[k + 1 :]:
            if after[1] % (extent * stride):
                return Link((extent, stride), after)
    return None
