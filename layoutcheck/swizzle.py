"""The XOR swizzle of CuTe and FlyDSL, and the constant offset that stands in front of it."""

from __future__ import annotations

import re

import msgspec

from .errors import NotationError

MAX_BIT = 1024  # highest bit a swizzle may name
_DIGITS = 400  # of an offset, as of any number (expr.MAX_DIGITS)
_PREFIX = r"\s*Sw?<\s*([^<>,]*?)\s*,\s*([^<>,]*?)\s*,\s*([^<>,]*?)\s*>\s*o\b(?:\s*_?(\d+)\s*o\b)?"
_OFFSET = r"\s*_?(\d+)\s*o\b"
_NUMBER = r"_?-?\d{1,5}"


class Swizzle(msgspec.Struct, frozen=True):
    """x -> y ^ ((y & mask) >> shift), with y = x + offset and mask = `bits` ones from bit base + max(shift, 0).

    A negative shift moves the bits up. `permutes` says whether it is a permutation (abs(shift) >= bits, the
    condition CuTe asserts); it is then its own inverse but for the offset. Source: CuTe's `Swizzle<B, M, S>`.
    """

    bits: int
    base: int
    shift: int
    offset: int = 0

    @property
    def permutes(self) -> bool:
        """Whether source and target bits are disjoint."""
        return abs(self.shift) >= self.bits

    @property
    def width(self) -> int:
        """Bits above this one are never read or changed: every aligned block of 2^width maps to itself."""
        return self.base + self.bits + abs(self.shift) if self.bits else 0

    @property
    def mask(self) -> int:
        """The bits that are read."""
        return ((1 << self.bits) - 1) << (self.base + max(self.shift, 0))

    def xor(self, value: int) -> int:
        """The swizzle alone, without the offset."""
        read = value & self.mask
        return value ^ (read >> self.shift if self.shift >= 0 else read << -self.shift)

    def __call__(self, value: int) -> int:
        return self.xor(value + self.offset)

    def __str__(self) -> str:
        xor = f"S<{self.bits},{self.base},{self.shift}> o " if self.bits else ""
        return f"{xor}{self.offset} o "


def read(text: str) -> tuple[Swizzle | None, int]:
    """The swizzle (and offset) that a layout text starts with, and the column after it.

    Reads `S<3,4,3> o 16 o `, CuTe's `Sw<3,4,3> o _0 o `, and a bare offset `16 o `. Raises NotationError.
    """
    if "o" not in text:  # the usual case, before any pattern is compiled
        return None, 0
    found = re.match(_PREFIX, text)
    if not found:
        bare = re.match(_OFFSET, text)
        return (Swizzle(0, 0, 0, _offset(bare[1], bare.start(1))), bare.end()) if bare else (None, 0)
    bits, base, shift = (_number(found, i) for i in (1, 2, 3))
    if bits < 0 or base < 0:
        raise NotationError(f"S<{bits},{base},{shift}>: bits and base are at least 0", found.start(1))
    if base + bits + abs(shift) > MAX_BIT:
        raise NotationError(f"a swizzle beyond bit {MAX_BIT}", found.start(1))
    return Swizzle(bits, base, shift, _offset(found[4] or "0", found.start(4))), found.end()


def _number(found: re.Match[str], group: int) -> int:
    if not re.fullmatch(_NUMBER, found[group]):
        raise NotationError(f"expected a number of at most 5 digits but found {found[group]!r}", found.start(group))
    return int(found[group].lstrip("_"))


def _offset(digits: str, column: int) -> int:
    if len(digits) > _DIGITS:
        raise NotationError(f"a number of {len(digits)} digits, the limit is {_DIGITS}", column)
    return int(digits)
