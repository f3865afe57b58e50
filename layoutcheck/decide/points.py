"""Every point, by the definition: the opinion that needs no theorem. Complete below its limit."""

from __future__ import annotations

from collections import Counter

from ..claim import Answer, Claim, Collision, Differs, Held, Leaves, Missing, Outside, Sizes, digits_of, size

LIMIT = 1 << 20
_BY = "every point"


def values(leaves: Leaves) -> list[int]:
    """The offset at every flat colex index, in order."""
    offsets = [0]
    for extent, stride in leaves:
        offsets = [v + c * stride for c in range(extent) for v in offsets]
    return offsets


def decide(claim: Claim, limit: int = LIMIT) -> Answer | None:
    """The answer, unless the claim speaks of more than `limit` points."""
    if max(claim.size, size(claim.other)) > limit or (claim.kind == "onto" and claim.n > limit):
        return None
    witness = _refute(claim)
    return Answer(witness is None, _BY, witness)


def _refute(claim: Claim) -> Collision | Held | Missing | Outside | Differs | Sizes | None:
    leaves, n = claim.leaves, claim.n
    offsets = values(leaves)
    match claim.kind:
        case "injective":
            first: dict[int, int] = {}
            for index, value in enumerate(offsets):
                if value in first:
                    return Collision(digits_of(leaves, first[value]), digits_of(leaves, index), value)
                first[value] = index
        case "fibre":
            for value, count in Counter(offsets).items():
                if count != claim.fibre:
                    at = [i for i, v in enumerate(offsets) if v == value][:4]
                    return Held(value, count, claim.fibre, tuple(digits_of(leaves, i) for i in at))
        case "onto":
            held = set(offsets)
            missing = next((v for v in range(n) if v not in held), None)
            return None if missing is None else Missing(missing)
        case "bounded":
            at_ = next((i for i, v in enumerate(offsets) if v >= n), None)
            return None if at_ is None else Outside(digits_of(leaves, at_), offsets[at_], n)
        case "equal":
            others = values(claim.other)
            if len(offsets) != len(others):
                return Sizes(len(offsets), len(others))
            for index, (left, right) in enumerate(zip(offsets, others, strict=True)):
                if left != right:
                    return Differs((index,), left, right)
        case "permuted":
            mine, theirs = Counter(offsets), Counter(values(claim.other))
            for value in sorted(mine | theirs):
                if mine[value] != theirs[value]:
                    return Held(value, mine[value], theirs[value])
        case "recast":
            return _recast(offsets, values(claim.other), n)
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
