"""Claims about swizzled layouts, led back to claims about their leaves.

A swizzle permutes every aligned block of 2^width offsets (SEMANTICS.md section 1), so it comes off both sides of a
comparison, and off a limit at a block's end.
"""

from __future__ import annotations

from collections.abc import Callable

from ..claim import (
    Answer,
    Claim,
    Collision,
    Differs,
    Held,
    Leaves,
    Missing,
    Outside,
    Shared,
    Sizes,
    Witness,
    offset,
    size,
)
from ..swizzle import Swizzle

Theorem = Callable[[Claim, int, int], Answer | None]  # the claim, and what stands in front of either side


def decide(claim: Claim, theorem: Theorem) -> Answer | None:
    """The answer that `theorem` gives to the claim without its swizzles; None where they do not come off."""
    left, right = _active(claim.leaves, claim.swizzle), _active(claim.other, claim.other_swizzle)
    plain = Claim(claim.kind, claim.leaves, claim.n, claim.fibre, claim.other)
    start = left.offset
    if claim.kind in ("onto", "bijective", "bounded"):
        if claim.n % (1 << left.width):
            return None
        if claim.kind == "bounded":
            plain = Claim(claim.kind, claim.leaves, max(0, claim.n - start))
        elif start:
            sizes = claim.kind == "bijective" and size(claim.leaves) != claim.n
            witness = Sizes(size(claim.leaves), claim.n) if sizes else Missing(0)
            return Answer(False, "the offset in front leaves 0 out", witness)
    elif claim.kind in ("equal", "permuted", "disjoint"):
        same = (left.bits, left.base, left.shift) == (right.bits, right.base, right.shift)
        if not same:
            return None
        if claim.kind == "disjoint":
            return _revalued(claim, left, theorem(plain, start, right.offset))
        if start != right.offset:
            return _offsets_differ(claim)
    elif claim.kind == "recast":
        return None
    return _revalued(claim, left, theorem(plain, 0, 0))


def _active(leaves: Leaves, swizzle: Swizzle | None) -> Swizzle:
    """The swizzle, or only its offset where no offset of the layout has a bit that it reads."""
    if swizzle is None:
        return Swizzle(0, 0, 0)
    top = swizzle.offset + sum((s - 1) * d for s, d in leaves)
    return swizzle if top >> (swizzle.base + max(swizzle.shift, 0)) else Swizzle(0, 0, 0, swizzle.offset)


def _offsets_differ(claim: Claim) -> Answer | None:
    """Same swizzle, another offset in front: index 0 differs, since a swizzle is injective."""
    if claim.kind == "permuted":
        return None
    sizes = size(claim.leaves), size(claim.other)
    if sizes[0] != sizes[1]:
        return Answer(False, "the sizes differ", Sizes(*sizes))
    first = [s(0) if s else 0 for s in (claim.swizzle, claim.other_swizzle)]
    return Answer(False, "the offsets in front differ", Differs((0,), *first))


def _revalued(claim: Claim, swizzle: Swizzle, answer: Answer | None) -> Answer | None:
    """The answer to the claim without swizzle, its witness as the swizzle shows it."""
    if answer is None or (answer.holds and not swizzle.bits):
        return answer
    by = f"{answer.by}; a swizzle is a permutation" if swizzle.bits else answer.by
    return Answer(answer.holds, by, _shown(claim, swizzle, answer.witness))


def _shown(claim: Claim, swizzle: Swizzle, witness: Witness | None) -> Witness | None:
    match witness:
        case Collision(a, b, value):
            return Collision(a, b, swizzle(value))
        case Shared(a, b, _):
            return Shared(a, b, offset(claim.leaves, a, claim.swizzle))
        case Held(value, count, expected, at):
            return Held(swizzle(value), count, expected, at)
        case Missing(value):
            return Missing(swizzle(value))
        case Outside(at, value, _):
            return Outside(at, swizzle(value), claim.n)
        case Differs(at, left, right):
            return Differs(at, swizzle(left), swizzle(right))
        case _:
            return witness
