"""A pack layout as rewrites see it: raw leaves, who holds what by the definition, and the shape of one thread's part.

Everything is lexicographic (rightmost fastest). Nothing here coalesces; neighbouring value leaves of a mode are one
distributed dimension, as in the form that IREE stores. Source: SEMANTICS.md sections 4 and 5; IREE
MapDistributionUtils.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from math import prod
from typing import NamedTuple

from ..layout import Layout, Leaf
from ..smt.distribution import Held, Window

Leaves = tuple[Leaf, ...]


def modes(layout: Layout) -> tuple[Leaves, ...]:
    """The raw leaves of every mode, in the order of the text."""
    return tuple(layout.mode(i).leaves for i in range(layout.rank))


def count(leaves: Sequence[Leaf]) -> int:
    """N: the elements."""
    return prod(s for s, _ in leaves)


def values(leaves: Sequence[Leaf]) -> int:
    """V: the elements of one thread."""
    return prod(s for s, d in leaves if d == 0)


def position(leaves: Sequence[Leaf], thread: int, index: int) -> int:
    """P: the flat element that `thread` (any, from 0) holds at flat distributed index `index`. The definition."""
    total = 0
    for i, (s, d) in enumerate(leaves):
        rest = leaves[i + 1 :]
        digit = index // values(rest) % s if d == 0 else thread // d % s
        total += count(rest) * digit
    return total


def sizes(layout: Layout) -> tuple[int, ...]:
    """The extents of the vector: the size of every mode."""
    return tuple(map(count, modes(layout)))


class Place(NamedTuple):
    """A leaf of extent above 1: it counts threads, or `step`s of distributed dimension `dim`, `weight` elements apart.

    `weight` is in elements of its mode.
    """

    extent: int
    stride: int
    mode: int
    weight: int
    dim: int = -1
    step: int = 1


def parts(layout: Layout) -> tuple[tuple[int, ...], ...]:
    """The distributed extents of each mode: neighbouring value leaves are one; 1 for a mode without values."""
    return tuple(_part(leaves) for leaves in modes(layout))


def _part(leaves: Leaves) -> tuple[int, ...]:
    runs = groupby((leaf for leaf in leaves if leaf[0] > 1), key=lambda leaf: leaf[1] == 0)
    return tuple(count(list(run)) for value, run in runs if value) or (1,)


def distributed(layout: Layout) -> tuple[tuple[int, ...], tuple[Place, ...]]:
    """The extents of one thread's part, and what every leaf counts."""
    places: list[Place] = []
    first = 0
    for mode, (leaves, part) in enumerate(zip(modes(layout), parts(layout), strict=True)):
        dim, before = first - 1, 1
        for i, (extent, stride) in enumerate(leaves):
            if extent > 1:
                dim += stride == 0 and before != 0
                places.append(Place(extent, stride, mode, count(leaves[i + 1 :]), -1 if stride else dim))
                before = stride
        first += len(part)
    return tuple(extent for part in parts(layout) for extent in part), tuple(_steps(places))


def _steps(places: Sequence[Place]) -> list[Place]:
    """The places of values with the steps of their dimension: what the later ones of the dimension count."""
    out = []
    for i, place in enumerate(places):
        if place.stride == 0:
            later = [p.extent for p in places[i + 1 :] if p.stride == 0 and p.dim == place.dim]
            place = place._replace(step=prod(later))
        out.append(place)
    return out


def held(leaves: Sequence[Leaf]) -> Held:
    """P as windows."""
    thread = tuple(Window(d, s, count(leaves[i + 1 :])) for i, (s, d) in enumerate(leaves) if d > 0)
    value = tuple(
        Window(values(leaves[i + 1 :]), s, count(leaves[i + 1 :])) for i, (s, d) in enumerate(leaves) if d == 0
    )
    return Held(thread, value)


def digits(index: int, shape: Sequence[int]) -> tuple[int, ...]:
    """The coordinate of a flat index."""
    out = []
    for extent in reversed(shape):
        index, digit = divmod(index, extent)
        out.append(digit)
    return tuple(reversed(out))


def flat(at: Sequence[int], shape: Sequence[int]) -> int:
    """The flat index of a coordinate: affine.linearize_index."""
    index = 0
    for digit, extent in zip(at, shape, strict=True):
        index = index * extent + digit
    return index


def suffix(shape: Sequence[int], i: int) -> int:
    """The flat distance of two neighbours in dimension i."""
    return prod(shape[i + 1 :])
