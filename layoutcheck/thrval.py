"""ThrVal and ThrBit layouts: a pair (thread, value) mapped, colex, to an offset in a column-major tile."""

from __future__ import annotations

from . import inttuple
from .claim import Claim, Digits, Leaves, index_of, leaves_of
from .layout import Layout


def is_pair(layout: Layout) -> bool:
    """Whether the top level is the pair (thread, value)."""
    return not isinstance(layout.shape, int) and layout.rank == 2


def threads(layout: Layout) -> Layout:
    """The thread mode."""
    return layout.mode(0)


def values(layout: Layout) -> Layout:
    """The value mode; the colex value index is the register slot."""
    return layout.mode(1)


def thread_value(layout: Layout, digits: Digits) -> tuple[int, int]:
    """The thread and the value (flat, colex) that digits of the layout's leaves stand for."""
    thr, val = leaves_of(threads(layout)), leaves_of(values(layout))
    return index_of(thr, digits[: len(thr)]), index_of(val, digits[len(thr) :])


def element(offset: int, tile: tuple[int, ...]) -> tuple[int, ...]:
    """The coordinate of an offset in a column-major tile; the last extent is open."""
    at = []
    for extent in tile[:-1]:
        at.append(offset % extent)
        offset //= extent
    return (*at, offset)


def recast_claim(layout: Layout, width: int) -> Claim:
    """The claim that a bit layout can be read as a layout of `width`-bit values (SEMANTICS.md section 2)."""
    return Claim("recast", leaves_of(values(layout)), n=width, other=leaves_of(threads(layout)))


def free_size(leaves: Leaves) -> int:
    """Product of the extents whose stride is 0: how often offset 0 is held."""
    return inttuple.size(tuple(s for s, d in leaves if d == 0) or 1)
