"""Every small layout, and who holds what by the definition: digits by nested loops, nothing of the package's model."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from math import prod

from layoutcheck.layout import Layout

Leaf = tuple[int, int]
Mode = tuple[Leaf, ...]
Table = tuple[tuple[int, ...], tuple[int, ...]]
UNIT: Mode = ((1, 0),)
EXTENT = 64


def layout(modes: tuple[Mode, ...]) -> Layout:
    """Each mode a tuple of leaves."""
    return Layout(tuple(tuple(s for s, _ in m) for m in modes), tuple(tuple(d for _, d in m) for m in modes), "lex")


def shapes(size: int, rank: int, leaves: int, extents: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Extents of up to `rank` modes of up to `leaves` leaves, unit modes included, of at most `size` elements."""
    mode = [(1,)] + [m for n in range(1, leaves + 1) for m in product(extents, repeat=n) if prod(m) <= size]
    for n in range(1, rank + 1):
        for modes in product(mode, repeat=n):
            if prod(map(prod, modes)) <= size:
                yield modes


def chains(extents: tuple[int, ...], extent: int = EXTENT) -> Iterator[tuple[int, ...]]:
    """Strides for every choice of thread leaves: a chain in any order, with gaps 1 to 3, and 0 for values."""
    moving = [i for i, s in enumerate(extents) if s > 1]
    for chosen in product((False, True), repeat=len(moving)):
        threads = [i for i, thread in zip(moving, chosen, strict=True) if thread]
        for order in permutations(threads):
            for gaps in product((1, 2, 3), repeat=len(order)):
                strides, end = [0] * len(extents), 1
                for i, gap in zip(order, gaps, strict=True):
                    strides[i] = end * gap
                    end = strides[i] * extents[i]
                if end <= extent:
                    yield tuple(strides)


def all_chains(
    size: int, rank: int, leaves: int, extents: tuple[int, ...] = (2, 3, 4), extent: int = EXTENT
) -> Iterator[tuple[Mode, ...]]:
    """Every layout of the set."""
    for modes in shapes(size, rank, leaves, extents):
        flat = tuple(s for mode in modes for s in mode)
        for strides in chains(flat, extent):
            rest = iter(strides)
            yield tuple(tuple((s, next(rest)) for s in mode) for mode in modes)


def table(leaves: tuple[Leaf, ...], threads: int = EXTENT + 1) -> Table:
    """The element of each thread at index 0, and of thread 0 at each index: every element is a sum of the two."""
    parts = [0] * threads
    values = [0]
    step = prod(s for s, _ in leaves)
    for s, d in leaves:
        step //= s
        if d:
            parts = [part + t // d % s * step for t, part in enumerate(parts)]
        else:
            values = [v + c * step for v in values for c in range(s)]
    return tuple(parts), tuple(values)


def flat(modes: tuple[Mode, ...]) -> tuple[Leaf, ...]:
    return tuple(leaf for mode in modes for leaf in mode)
