"""Random claims for the tests: layouts of every kind that real atoms and real mistakes look like."""

from __future__ import annotations

from math import prod
from random import Random

from layoutcheck.claim import Claim, Kind, Leaves
from layoutcheck.swizzle import Swizzle

UNSWIZZLED: tuple[Kind, ...] = ("chain", "recast")


def leaves(rng: Random, most_leaves: int = 8, most_points: int = 4096) -> Leaves:
    """2 leaves or more, at most `most_points` points; compact, padded, off by one, or anything."""
    count = rng.randint(2, most_leaves)
    extents: list[int] = []
    for _ in range(count):
        room = most_points // prod(extents)
        extents.append(min(room, rng.choice((1, 2, 2, 2, 3, 4, 4, 5, 8, 16))))
    style = rng.choice(("compact", "padded", "off by one", "small", "powers", "any"))
    order = rng.sample(range(count), count)
    strides, end = [0] * count, 1
    for i in order:
        if style == "compact":
            strides[i] = end
        elif style == "padded":
            end += rng.randint(0, 2)
            strides[i] = end
        elif style == "off by one":
            strides[i] = max(0, end - rng.randint(0, 1))
        elif style == "small":
            strides[i] = rng.randint(0, 9)
        elif style == "powers":
            strides[i] = rng.choice((0, 1, 2, 4, 8, 16, 32, 64))
        else:
            strides[i] = rng.randint(0, 4 * end)
        end = max(end, strides[i] * extents[i])
    return tuple(zip(extents, strides, strict=True))


def other(rng: Random, mine: Leaves) -> Leaves:
    """A second layout: split, merged, shuffled or slightly wrong; sometimes unrelated."""
    style = rng.choice(("split", "merge", "shuffle", "wrong", "unrelated"))
    out = list(mine)
    if style == "split":
        out = [part for leaf in mine for part in _split(rng, *leaf)]
    elif style == "merge":
        out = []
        for s, d in mine:
            if out and d == out[-1][0] * out[-1][1]:
                out[-1] = (out[-1][0] * s, out[-1][1])
            else:
                out.append((s, d))
    elif style == "shuffle":
        rng.shuffle(out)
    elif style == "wrong":
        at = rng.randrange(len(out))
        out[at] = (out[at][0], max(0, out[at][1] + rng.choice((-1, 1))))
    else:
        return leaves(rng, most_points=prod(s for s, _ in mine) or 1)
    return tuple(out)


def _split(rng: Random, s: int, d: int) -> list[tuple[int, int]]:
    factors = [f for f in range(1, s + 1) if s % f == 0]
    f = rng.choice(factors)
    return [(f, d), (s // f, d * f)]


def swizzle(rng: Random) -> Swizzle | None:
    """None, an offset, or a swizzle that permutes; small enough to touch small layouts."""
    if rng.random() < 0.6:
        return None
    bits = rng.randint(0, 3)
    shift = rng.choice((-1, 1)) * rng.randint(bits, bits + 2)
    return Swizzle(bits, rng.randint(0, 3), shift, rng.choice((0, 0, 0, 1, 8, 64)))


def claims(rng: Random, most_points: int = 4096) -> list[Claim]:
    """One claim of each kind about one random layout, with and without a swizzle."""
    mine = leaves(rng, most_points=most_points)
    theirs = other(rng, mine)
    points = prod(s for s, _ in mine)
    top = sum((s - 1) * d for s, d in mine)
    n = rng.choice((points, points, top + 1, max(1, top), max(1, points - 1), points + 1, 1, 16, 64))
    held = n if n <= 1 << 16 else points  # coverage of [0, n) is looked at value by value
    free = prod(s for s, d in mine if d == 0)
    left, right = swizzle(rng), swizzle(rng)
    if rng.random() < 0.5:
        right = left
    out = [
        Claim("injective", mine, swizzle=left),
        Claim("fibre", mine, fibre=rng.choice((1, 2, free)), swizzle=left),
        Claim("onto", mine, n=held, swizzle=left),
        Claim("bijective", mine, n=held, swizzle=left),
        Claim("bounded", mine, n=n, swizzle=left),
        Claim("chain", mine),
        Claim("recast", mine, n=rng.choice((1, 2, 3, 4, 8)), other=leaves(rng, 3, 16)),
    ]
    pairs: tuple[Kind, ...] = ("equal", "permuted", "disjoint")
    out += [Claim(kind, mine, other=theirs, swizzle=left, other_swizzle=right) for kind in pairs]
    return out
