"""Injectivity by a pruned search for a difference vector: nonzero d, |d_i| < extent_i, sum d_i * stride_i = 0.

Digits are chosen from the largest stride down. What is left must stay within reach of the smaller leaves and be a
multiple of the gcd of their strides; a remainder that was seen at a level, up to its sign, is not searched again.
Where that takes more than a few steps and the leaves are small, all differences of one half meet those of the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd, prod
from time import perf_counter

from ..claim import Answer, Claim, Collision, Leaves, offset

NODES = 400_000  # remainders visited before the search gives up
_GLANCE = 64  # remainders visited before the halves are tried
_MOST = 1 << 19  # differences of both halves together
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
    found = _Search(claim.leaves, min(nodes, _GLANCE), deadline).run()
    if found is None and nodes > _GLANCE:
        found = _meet(claim.leaves)
        if found is None:
            found = _Search(claim.leaves, nodes, deadline).run()
    if found is None:
        return None
    return _refuted(claim, found) if found else Answer(True, f"{_BY}: no difference vector")


def _refuted(claim: Claim, difference: dict[int, int]) -> Answer:
    common = gcd(*difference.values())
    d = [difference.get(i, 0) // common for i in range(len(claim.leaves))]
    a, b = tuple(max(x, 0) for x in d), tuple(max(-x, 0) for x in d)
    return Answer(False, f"{_BY}: a difference vector", Collision(a, b, offset(claim.leaves, a, claim.swizzle)))


def _meet(leaves: Leaves) -> dict[int, int] | None:
    """As _Search.run: two halves of the leaves collide iff a nonzero difference of one is one of the other.

    Differences are symmetric, so their signs need no care. None when there would be too many of them.
    """
    kept = sorted((i for i, (s, _) in enumerate(leaves) if s > 1), key=lambda i: leaves[i][0])
    halves = (kept[::2], kept[1::2])
    if sum(prod(2 * leaves[i][0] - 1 for i in half) for half in halves) > _MOST:
        return None
    sums = [_differences(leaves, half) for half in halves]
    for half, differences in zip(halves, sums, strict=True):
        zero = len(differences) // 2  # all digits 0
        if differences.count(0) > 1:
            return _digits_at(leaves, half, next(k for k, v in enumerate(differences) if v == 0 and k != zero))
    common = set(sums[0]).intersection(sums[1])
    if len(common) == 1:
        return {}
    value = max(common)
    left, right = (differences.index(v) for differences, v in zip(sums, (value, -value), strict=True))
    return _digits_at(leaves, halves[0], left) | _digits_at(leaves, halves[1], right)


def _differences(leaves: Leaves, half: list[int]) -> list[int]:
    sums = [0]
    for i in half:
        extent, stride = leaves[i]
        sums = [v + c * stride for c in range(1 - extent, extent) for v in sums]
    return sums


def _digits_at(leaves: Leaves, half: list[int], index: int) -> dict[int, int]:
    """The nonzero digits of the difference at `index` of _differences."""
    digits = {}
    for i in half:
        index, digit = divmod(index, 2 * leaves[i][0] - 1)
        if digit != leaves[i][0] - 1:
            digits[i] = digit + 1 - leaves[i][0]
    return digits


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
