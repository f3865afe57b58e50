"""Divides and products: a layout seen tile by tile, and a layout replicated.

The first mode of a result is the tile (or A itself), the rest counts tiles, in both orders, as IREE and CuTe print
it. A tiler is a layout, or one layout for each mode of A.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import Refused
from ..layout import Layout
from .compose import compose
from .inverse import complement, gaps
from .parts import UNIT, ends, flat, joined, merged, modes, plain

Tiler = Layout | Sequence[Layout]


def logical_divide(a: Layout, tiler: Tiler) -> Layout:
    """(A o t, A o rest), rest the complement of the tiler in [0, size A). Law `logical-divide`.

    By mode: every mode divided, ((t0, rest0), (t1, rest1), ...). Raises Refused: trivial, not-chain, not-dividing,
    rank-differs, and compose's. Source: PackMapAttr::logicalDivide; CuTe logical_divide.
    """
    if isinstance(tiler, Layout):
        return compose(a, joined([tiler, _rest(a, tiler)]))
    return joined([joined(pair) for pair in _pairs(a, tiler)] + modes(a)[len(tiler) :])


def zipped_divide(a: Layout, tiler: Tiler) -> Layout:
    """((t0, t1, ...), (rest0, rest1, ...)); with one tiler, logical_divide. Law `zipped-divide`."""
    if isinstance(tiler, Layout):
        return logical_divide(a, tiler)
    tiles, rests = _tiles(a, tiler)
    return joined([joined(tiles), joined(rests)])


def tiled_divide(a: Layout, tiler: Tiler) -> Layout:
    """((t0, t1, ...), rest0, rest1, ...); with one tiler, (t, modes of rest...). Law `tiled-divide`."""
    if isinstance(tiler, Layout):
        tile, rest = modes(logical_divide(a, tiler))
        return joined([tile, *modes(rest)])
    tiles, rests = _tiles(a, tiler)
    return joined([joined(tiles), *rests])


def flat_divide(a: Layout, tiler: Tiler) -> Layout:
    """(t0, t1, ..., rest0, rest1, ...); with one tiler, the modes of both. Law `flat-divide`."""
    if isinstance(tiler, Layout):
        tile, rest = modes(logical_divide(a, tiler))
        return joined([*modes(tile), *modes(rest)])
    tiles, rests = _tiles(a, tiler)
    return joined([*tiles, *rests])


def logical_product(a: Layout, tiler: Layout) -> Layout:
    """(A, rest o tiler): a copy of A for each point of the tiler, no two overlapping. Law `logical-product`.

    rest is A's complement, long enough for the tiler's cosize (not its size). Raises Refused: trivial, repeats,
    not-chain, and compose's. Source: PackMapAttr::logicalProduct; CuTe logical_product.
    """
    return joined([a, copies(a, tiler)])


def tiled_product(a: Layout, tiler: Layout) -> Layout:
    """(A, modes of rest o tiler...). Law `tiled-product`."""
    return joined([a, *modes(copies(a, tiler))])


def zipped_product(a: Layout, tiler: Layout) -> Layout:
    """logical_product, as CuTe's zipped_product of one layout. Law `zipped-product`."""
    return logical_product(a, tiler)


def blocked_product(a: Layout, tiler: Layout) -> Layout:
    """Mode i is (A_i, copies_i): each copy stays a block. Law `blocked-product`. Source: CuTe blocked_product.

    Ranks are made equal with modes of extent 1 first.
    """
    return joined([joined(pair) for pair in _zipped(a, tiler)])


def raked_product(a: Layout, tiler: Layout) -> Layout:
    """Mode i is (copies_i, A_i): the copies are interleaved. Law `raked-product`. Source: CuTe raked_product."""
    return joined([joined(pair[::-1]) for pair in _zipped(a, tiler)])


def copies(a: Layout, tiler: Layout) -> Layout:
    """Where the copies of A begin: complement of A, long enough, composed with the tiler."""
    plain(a, tiler)
    complement(a)  # trivial, repeats and not-chain are refused here
    end = max(extent * stride for extent, stride in ends(a.digits))
    room = -(-a.size * tiler.cosize // end) * end
    return compose(complement(a, room), tiler)


def _rest(a: Layout, tiler: Layout) -> Layout:
    plain(a, tiler)
    if not ends(tiler.digits):
        raise Refused("trivial", f"the tiler {tiler} holds only offset 0", points=tiler.size)
    return flat(merged(gaps(tiler, a.size)), a.order)


def _pairs(a: Layout, tilers: Sequence[Layout]) -> list[list[Layout]]:
    if len(tilers) > a.rank:
        raise Refused("rank-differs", f"{len(tilers)} tilers for {a.rank} modes", tilers=len(tilers), modes=a.rank)
    return [modes(logical_divide(mode, tiler)) for mode, tiler in zip(modes(a), tilers, strict=False)]


def _tiles(a: Layout, tilers: Sequence[Layout]) -> tuple[list[Layout], list[Layout]]:
    pairs = _pairs(a, tilers)
    return [tile for tile, _ in pairs], [rest for _, rest in pairs] + modes(a)[len(tilers) :]


def _zipped(a: Layout, tiler: Layout) -> list[list[Layout]]:
    sides = [modes(a), modes(copies(a, tiler))]
    one = Layout(*UNIT, a.order)
    rank = max(map(len, sides))
    padded = [side + [one] * (rank - len(side)) for side in sides]
    return [list(pair) for pair in zip(*padded, strict=True)]
