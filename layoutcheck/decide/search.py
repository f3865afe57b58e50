"""Injectivity by a pruned search for a difference vector: nonzero d, |d_i| < extent_i, sum d_i * stride_i = 0.

Digits are chosen from the largest stride down. What is left must stay within reach of the smaller leaves and be a
multiple of the gcd of their strides; a remainder that was seen at a level, up to its sign, is not searched again.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd
from time import perf_counter

from ..claim import Answer, Claim, Collision, Leaves, offset

NODES = 400_000  # remainders visited before the search gives up
_BY = "difference search"
_PATIENCE = 1024  # nodes between two looks at the clock


def decide(claim: Claim, *, nodes: int = NODES, deadline: float = float("inf")) -> Answer | None:
    """The answer on injectivity, unless `nodes` are spent or `deadline` (of perf_counter) has passed.

    A swizzle that permutes changes nothing but the value of a collision.
    """
    if claim.kind != "injective":
        return None
    for i, (extent, stride) in enumerate(claim.leaves):
        if extent > 1 and stride == 0:
            return _refuted(claim, {i: 1})
    found = _Search(claim.leaves, nodes, deadline).run()
    if found is None:
        return None
    return _refuted(claim, found) if found else Answer(True, f"{_BY}: no difference vector")


def _refuted(claim: Claim, difference: dict[int, int]) -> Answer:
    common = gcd(*difference.values())
    d = [difference.get(i, 0) // common for i in range(len(claim.leaves))]
    a, b = tuple(max(x, 0) for x in d), tuple(max(-x, 0) for x in d)
    return Answer(False, f"{_BY}: a difference vector", Collision(a, b, offset(claim.leaves, a, claim.swizzle)))


class _Search:
    def __init__(self, leaves: Leaves, nodes: int, deadline: float) -> None:
        kept = [i for i, (s, _) in enumerate(leaves) if s > 1]
        self.order = sorted(kept, key=lambda i: (-leaves[i][1], i))
        self.extents = [leaves[i][0] for i in self.order]
        self.strides = [leaves[i][1] for i in self.order]
        self.nodes, self.deadline = nodes, deadline
        count = len(self.order)
        self.reach = [0] * (count + 1)  # reach[k]: what the leaves from k on can add at most
        self.common = [0] * (count + 1)  # common[k]: gcd of their strides
        for k in reversed(range(count)):
            self.reach[k] = self.reach[k + 1] + (self.extents[k] - 1) * self.strides[k]
            self.common[k] = gcd(self.common[k + 1], self.strides[k])
        self.seen: list[set[int]] = [set() for _ in range(count + 1)]

    def run(self) -> dict[int, int] | None:
        """Leaf -> difference; {} when there is no difference vector, None when the search gave up."""
        count = len(self.order)
        for top in range(count):  # the first nonzero digit stands at `top`; by symmetry it is positive
            digits = [0] * count
            levels = [self._digits(top, 0, least=1)]
            rests = [0]
            while levels:
                level = top + len(levels) - 1
                digit = next(levels[-1], None)
                if digit is None:
                    levels.pop()
                    rests.pop()
                    digits[level] = 0
                    continue
                digits[level] = digit
                rest = rests[-1] + digit * self.strides[level]
                if rest == 0:
                    return {self.order[k]: d for k, d in enumerate(digits) if d}
                if abs(rest) in self.seen[level + 1]:
                    continue
                if self._spent():
                    return None
                self.seen[level + 1].add(abs(rest))
                levels.append(self._digits(level + 1, rest))
                rests.append(rest)
        return {}

    def _digits(self, level: int, rest: int, least: int | None = None) -> Iterator[int]:
        """Digits at `level` that leave something the smaller leaves can take away."""
        if level == len(self.order):
            return
        stride, most, reach = self.strides[level], self.extents[level] - 1, self.reach[level + 1]
        low = max(-most if least is None else least, -((reach + rest) // stride))
        high = min(most, (reach - rest) // stride)
        common = self.common[level + 1]
        step = common // gcd(common, stride) if common else 1
        if not common:  # the last leaf: it must take everything away
            if rest % stride == 0 and low <= -rest // stride <= high:
                yield -rest // stride
            return
        if rest % gcd(common, stride):
            return
        residue = -(rest // gcd(common, stride)) * pow(stride // gcd(common, stride), -1, step) % step
        first = low + (residue - low) % step
        yield from range(first, high + 1, step)

    def _spent(self) -> bool:
        self.nodes -= 1
        return self.nodes < 0 or (self.nodes % _PATIENCE == 0 and perf_counter() > self.deadline)
