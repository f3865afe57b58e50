"""Power-of-two layouts as affine maps over GF(2), swizzles included: linear algebra on bits of a flat index.

A layout whose extents are powers of two and whose shifted strides share no bit never carries: its offset is the
XOR of one vector for each bit of the flat index. A swizzle is linear on bits. Complete on such layouts for
every kind but chain and recast; silent about all others.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

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
    digits_of,
    offset,
    size,
)
from ..swizzle import Swizzle

_BY = "GF(2)"


class Map(msgspec.Struct, frozen=True):
    """f(x) = constant ^ columns[j] for every bit j set in the flat colex index x."""

    constant: int
    columns: tuple[int, ...]


def map_of(leaves: Leaves, swizzle: Swizzle | None) -> Map | None:
    """The layout over GF(2); None when an extent is no power of two, or where bits would carry."""
    columns = []
    for extent, stride in leaves:
        if extent & (extent - 1):
            return None
        columns += [stride << j for j in range(extent.bit_length() - 1)]
    start = swizzle.offset if swizzle else 0
    used = start
    for column in columns:
        if used & column:
            return None
        used |= column
    if swizzle:
        return Map(swizzle.xor(start), tuple(swizzle.xor(column) for column in columns))
    return Map(0, tuple(columns))


class Span(msgspec.Struct):
    """A reduced basis: pivot bit -> (vector, which columns it is the XOR of); and the kernel."""

    basis: dict[int, tuple[int, int]]
    kernel: list[int]

    @classmethod
    def of(cls, columns: Iterable[int]) -> Span:
        """Gauss on the columns, in order."""
        span = cls({}, [])
        for j, column in enumerate(columns):
            vector, combination = span.reduce(column)
            combination ^= 1 << j
            if vector:
                span.basis[vector.bit_length() - 1] = (vector, combination)
            else:
                span.kernel.append(combination)
        return span

    def reduce(self, vector: int) -> tuple[int, int]:
        """What is left of `vector` modulo the span, and the columns that were used."""
        combination = 0
        for pivot in sorted(self.basis, reverse=True):
            if vector >> pivot & 1:
                vector ^= self.basis[pivot][0]
                combination ^= self.basis[pivot][1]
        return vector, combination


def decide(claim: Claim) -> Answer | None:
    """The answer, when every layout of the claim is a map over GF(2) and the kind is one of bits."""
    if claim.kind not in _KINDS:
        return None
    left = map_of(claim.leaves, claim.swizzle)
    right = map_of(claim.other, claim.other_swizzle)
    if left is None or right is None:
        return None
    match claim.kind:
        case "injective" | "fibre":
            return _fibres(claim, left)
        case "bijective" if size(claim.leaves) != claim.n:
            return Answer(False, _BY, Sizes(size(claim.leaves), claim.n))
        case "onto" | "bijective":
            return _onto(claim, left)
        case "bounded":
            return _bounded(claim, left)
        case "equal":
            return _equal(claim, left, right)
        case "disjoint":
            return _disjoint(claim, left, right)
        case _:
            return _permuted(left, right)


_KINDS = ("injective", "fibre", "onto", "bijective", "bounded", "equal", "disjoint", "permuted")


def _fibres(claim: Claim, left: Map) -> Answer:
    kernel = Span.of(left.columns).kernel
    held, expected = 1 << len(kernel), claim.fibre if claim.kind == "fibre" else 1
    if held == expected:
        return Answer(True, f"{_BY}: the kernel has {held} elements")
    zero = digits_of(claim.leaves, 0)
    if claim.kind == "fibre":
        at = (zero, digits_of(claim.leaves, kernel[0])) if kernel else (zero,)
        return Answer(False, f"{_BY}: the kernel has another size", Held(left.constant, held, expected, at))
    other = digits_of(claim.leaves, kernel[0])
    return Answer(False, f"{_BY}: a vector of the kernel", Collision(zero, other, left.constant))


def _onto(claim: Claim, left: Map) -> Answer:
    """[0, n) lies in an affine space iff 0 and every power of two below n do."""
    span = Span.of(left.columns)
    for value in (0, *(1 << j for j in range((claim.n - 1).bit_length()))):
        if span.reduce(value ^ left.constant)[0]:
            return Answer(False, f"{_BY}: outside the span", Missing(value))
    return Answer(True, f"{_BY}: 0 and every power of two are in the span")


def _bounded(claim: Claim, left: Map) -> Answer:
    value, index = left.constant, 0
    basis = Span.of(left.columns).basis
    for pivot in sorted(basis, reverse=True):
        if not value >> pivot & 1:
            value ^= basis[pivot][0]
            index ^= basis[pivot][1]
    if value < claim.n:
        return Answer(True, f"{_BY}: the largest element of the span is below the limit")
    return Answer(False, f"{_BY}: the largest element", Outside(digits_of(claim.leaves, index), value, claim.n))


def _equal(claim: Claim, left: Map, right: Map) -> Answer:
    if len(left.columns) != len(right.columns):
        return Answer(False, _BY, Sizes(size(claim.leaves), size(claim.other)))
    if left == right:
        return Answer(True, f"{_BY}: the same matrix")
    at = 0
    if left.constant == right.constant:
        at = next(1 << j for j, (a, b) in enumerate(zip(left.columns, right.columns, strict=True)) if a != b)
    values = [
        offset(leaves, digits_of(leaves, at), swizzle)
        for leaves, swizzle in ((claim.leaves, claim.swizzle), (claim.other, claim.other_swizzle))
    ]
    return Answer(False, f"{_BY}: the matrices differ", Differs((at,), *values))


def _disjoint(claim: Claim, left: Map, right: Map) -> Answer:
    joined = Span.of(left.columns + right.columns)
    rest, used = joined.reduce(left.constant ^ right.constant)
    if rest:
        return Answer(True, f"{_BY}: the affine spans do not meet")
    bits = len(left.columns)
    a = digits_of(claim.leaves, used & ((1 << bits) - 1))
    b = digits_of(claim.other, used >> bits)
    return Answer(False, f"{_BY}: the affine spans meet", Shared(a, b, offset(claim.leaves, a, claim.swizzle)))


def _permuted(left: Map, right: Map) -> Answer:
    """Both hold the elements of an affine span, each as often as the kernel is large."""
    spans = Span.of(left.columns), Span.of(right.columns)
    counts = [1 << len(span.kernel) for span in spans]
    by = f"{_BY}: the affine spans differ"
    if spans[0].reduce(left.constant ^ right.constant)[0]:
        return Answer(False, by, Held(right.constant, 0, counts[1]))
    if spans[1].reduce(left.constant ^ right.constant)[0]:
        return Answer(False, by, Held(left.constant, counts[0], 0))
    for column in left.columns:
        if spans[1].reduce(column)[0]:
            return Answer(False, by, Held(left.constant ^ column, counts[0], 0))
    for column in right.columns:
        if spans[0].reduce(column)[0]:
            return Answer(False, by, Held(right.constant ^ column, 0, counts[1]))
    if counts[0] != counts[1]:
        return Answer(False, by, Held(left.constant, counts[0], counts[1]))
    return Answer(True, f"{_BY}: the same affine span, the same kernel size")
