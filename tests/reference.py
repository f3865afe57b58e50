"""The definition, evaluated at every point: the reference that every engine is compared with.

Written from the definition of a layout alone (SEMANTICS.md section 1); imports no engine.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import product

from layoutcheck.claim import Claim
from layoutcheck.swizzle import Swizzle


@lru_cache(maxsize=8)  # the claims of a test share their layouts
def offsets(leaves: tuple[tuple[int, int], ...], swizzle: Swizzle | None = None) -> list[int]:
    """The offset at every coordinate, the first leaf fastest. Not to be changed by who gets it."""
    out = []
    for coordinate in product(*(range(s) for s, _ in reversed(leaves))):
        value = sum(c * d for c, (_, d) in zip(reversed(coordinate), leaves, strict=True))
        out.append(swizzled(value, swizzle) if swizzle else value)
    return out


def swizzled(value: int, swizzle: Swizzle) -> int:
    """CuTe's Swizzle<B, M, S>, bit by bit."""
    value += swizzle.offset
    result = value
    for k in range(swizzle.bits):
        source = swizzle.base + max(swizzle.shift, 0) + k
        target = source - swizzle.shift
        if value >> source & 1:
            result ^= 1 << target
    return result


def holds(claim: Claim) -> bool:
    """Whether the claim is true, by looking at every point."""
    mine = offsets(claim.leaves, claim.swizzle)
    match claim.kind:
        case "injective":
            return max(Counter(mine).values()) == 1
        case "fibre":
            return set(Counter(mine).values()) == {claim.fibre}
        case "onto":
            return set(range(claim.n)) <= set(mine)
        case "bijective":
            return sorted(mine) == list(range(claim.n))
        case "bounded":
            return max(mine) < claim.n
        case "chain":
            real = sorted((d, s) for s, d in claim.leaves if s > 1 and d > 0)
            return all(real[i + 1][0] % (real[i][0] * real[i][1]) == 0 for i in range(len(real) - 1))
    theirs = offsets(claim.other, claim.other_swizzle)
    match claim.kind:
        case "disjoint":
            return not set(mine) & set(theirs)
        case "equal":
            return mine == theirs
        case "permuted":
            return sorted(mine) == sorted(theirs)
        case _:
            return _recasts(mine, theirs, claim.n)


def _recasts(values: list[int], threads: list[int], width: int) -> bool:
    if len(values) % width:
        return False
    for thread in threads:
        for j in range(0, len(values), width):
            group = [thread + v for v in values[j : j + width]]
            if group[0] % width or group != list(range(group[0], group[0] + width)):
                return False
    return True
