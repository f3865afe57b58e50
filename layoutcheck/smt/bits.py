"""Queries on bit vectors: what a swizzle does, bit by bit. For layouts whose extents are powers of two."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from ..claim import Claim, Differs, Leaves, Outside, Witness, at_index, digits_of, size
from ..swizzle import Swizzle

_MOST = 64  # bits of a flat index


class BitQuery(msgspec.Struct, frozen=True):
    """One constraint (SMT-LIB text) on the bit vector `variable` of `width` bits; `read` as in Query."""

    name: str
    variable: str
    width: int
    constraint: str
    read: Callable[[int], Witness] | None = None


def involution(swizzle: Swizzle) -> BitQuery:
    """No x below 2^width with swizzle(swizzle(x)) != x; bits above are never touched."""
    width = swizzle.width
    twice = _xor(_xor("w", swizzle, width), swizzle, width)
    return BitQuery("the swizzle is no permutation", "w", width, f"(distinct {twice} w)")


def bounded(claim: Claim) -> BitQuery | None:
    """A flat index whose offset is at or above the limit."""
    if not _powers_of_two(claim.leaves):
        return None
    width = max(_width(claim.leaves, claim.swizzle), claim.n.bit_length() + 1)
    beyond = f"(bvuge {_offset(claim.leaves, claim.swizzle, width)} {_constant(claim.n, width)})"

    def read(index: int) -> Witness:
        value = at_index(claim.leaves, index, claim.swizzle)
        return Outside(digits_of(claim.leaves, index), value, claim.n)

    constraint = f"(and {_inside(claim.leaves, width)} {beyond})"
    return BitQuery("an offset at or above the limit", "u", width, constraint, read)


def differ(claim: Claim) -> BitQuery | None:
    """A flat index, its bits shared by both sides, with two offsets. Sizes are compared elsewhere."""
    left, right = claim.leaves, claim.other
    if not (_powers_of_two(left) and _powers_of_two(right)):
        return None
    width = max(_width(left, claim.swizzle), _width(right, claim.other_swizzle))
    values = _offset(left, claim.swizzle, width), _offset(right, claim.other_swizzle, width)
    constraint = f"(and {_inside(min(left, right, key=size), width)} (distinct {values[0]} {values[1]}))"

    def read(index: int) -> Witness:
        values = at_index(left, index, claim.swizzle), at_index(right, index, claim.other_swizzle)
        return Differs((index,), *values)

    return BitQuery("offsets of one index differ", "u", width, constraint, read)


def _powers_of_two(leaves: Leaves) -> bool:
    return all(s & (s - 1) == 0 for s, _ in leaves) and size(leaves).bit_length() <= _MOST


def _width(leaves: Leaves, swizzle: Swizzle | None) -> int:
    """Bits that hold the flat index and every value without a carry out."""
    top = sum((s - 1) * d for s, d in leaves) + (swizzle.offset if swizzle else 0)
    return 1 + max(top.bit_length(), size(leaves).bit_length(), swizzle.width if swizzle else 0)


def _constant(value: int, width: int) -> str:
    return f"(_ bv{value} {width})"


def _inside(leaves: Leaves, width: int) -> str:
    return f"(bvult u {_constant(size(leaves), width)})"


def _offset(leaves: Leaves, swizzle: Swizzle | None, width: int) -> str:
    text, position = _constant(swizzle.offset if swizzle else 0, width), 0
    for extent, stride in leaves:
        digit = f"(bvand (bvlshr u {_constant(position, width)}) {_constant(extent - 1, width)})"
        text = f"(bvadd {text} (bvmul {digit} {_constant(stride, width)}))"
        position += extent.bit_length() - 1
    return _xor(text, swizzle, width) if swizzle and swizzle.bits else text


def _xor(value: str, swizzle: Swizzle, width: int) -> str:
    shift = "bvlshr" if swizzle.shift >= 0 else "bvshl"
    read = f"(bvand y {_constant(swizzle.mask, width)})"
    return f"(let ((y {value})) (bvxor y ({shift} {read} {_constant(abs(swizzle.shift), width)})))"
