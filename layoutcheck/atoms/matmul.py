"""Is it the right map? Layouts against an instruction's own, up to a relabelling that a product does not notice.

SEMANTICS: A, B and C are right iff there are permutations pM, pN, pK with L_A = (pM(i), pK(k)), L_B = (pN(j), pK(k)),
L_C = (pM(i), pN(j)) at every (thread, value), the same ones everywhere, where (i, k), (j, k), (i, j) is what the
hardware has there. Whether they exist is decided by a table of every point: the smallest point of each coordinate fixes
its image, every other point must agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Literal

import msgspec

Grade = Literal["exact", "relabelled", "transposed", "wrong"]
Points = tuple[int, ...]  # the offset at every flat index, thread fastest
Permutation = tuple[int, ...]
SCALE_BLOCKS = (32, 16)


class Pair(msgspec.Struct, frozen=True):
    """One operand: what its layout says and what the hardware has, at every flat index (thread fastest).

    `axes` are the coordinates of an offset, fastest first, as (name, extent): (("m", 16), ("k", 4)). The permutation of
    an axis is shared by all operands that name it; an axis whose name starts with "=" may not be permuted.
    """

    layout: Points
    hardware: Points
    axes: tuple[tuple[str, int], ...]
    threads: int

    def coordinates(self, offset: int) -> tuple[int, ...]:
        """An offset's coordinates; the last one is open."""
        at = []
        for _, extent in self.axes[:-1]:
            at.append(offset % extent)
            offset //= extent
        return (*at, offset)


class Place(msgspec.Struct, frozen=True):
    """A point of an operand, with what the layout says and what the hardware has there, as offsets."""

    operand: str
    thread: int
    value: int
    layout: int
    hardware: int


class Conflict(msgspec.Struct, frozen=True):
    """Why no permutation of an axis exists: two points where it would need two images, or one image twice.

    `others` is empty when the one point already lies outside, or where the axis may not be permuted.
    """

    axis: str
    places: tuple[Place, ...]
    images: tuple[tuple[int, int], ...]  # (hardware coordinate, layout coordinate) of each place


class Result(msgspec.Struct, frozen=True):
    """The verdict on a set of operands. `permutations` are those that differ from the identity, by axis."""

    grade: Grade
    permutations: dict[str, Permutation] = {}
    conflict: Conflict | None = None
    differs: dict[str, tuple[Place, int]] = {}  # smallest differing point of each operand, and how many there are
    own: dict[str, dict[str, Permutation] | None] = {}  # each operand's permutations by itself, None when it has none


def grade(pairs: Mapping[str, Pair]) -> Result:
    """Compare operands (by name: "a", "b", "c", perhaps "d") with the hardware's, all together."""
    differs = {name: found for name, pair in pairs.items() if (found := difference(name, pair))}
    if not differs:
        return Result("exact")
    relabelling = permutations(pairs)
    if not isinstance(relabelling, Conflict):
        return Result("relabelled", moved(relabelling), None, differs)
    own = {}
    for name, pair in pairs.items():
        mine = permutations({name: pair})
        own[name] = None if isinstance(mine, Conflict) else mine
    exchanged = transposed(pairs)
    other = permutations(exchanged) if exchanged else relabelling
    if not isinstance(other, Conflict):
        return Result("transposed", moved(other), relabelling, differs, own)
    return Result("wrong", {}, relabelling, differs, own)


def moved(found: Mapping[str, Permutation]) -> dict[str, Permutation]:
    """The permutations that are not the identity."""
    return {axis: p for axis, p in found.items() if p != tuple(range(len(p)))}


def difference(name: str, pair: Pair) -> tuple[Place, int] | None:
    """The smallest point, thread before value, where layout and hardware differ, and how many there are."""
    count, first = 0, None
    for index, (left, right) in enumerate(zip(pair.layout, pair.hardware, strict=True)):
        if left != right:
            count += 1
            at = (index % pair.threads, index // pair.threads)
            first = min(first, (at, left, right)) if first else (at, left, right)
    if first is None:
        return None
    (thread, value), left, right = first
    return Place(name, thread, value, left, right), count


def permutations(pairs: Mapping[str, Pair]) -> dict[str, Permutation] | Conflict:
    """The one permutation of every axis that turns the hardware's maps into the layouts, or why there is none."""
    images: dict[str, dict[int, tuple[int, Place]]] = {}
    sources: dict[str, dict[int, tuple[int, Place]]] = {}
    extents: dict[str, int] = {}
    for name, pair in pairs.items():
        for depth, (axis, extent) in enumerate(pair.axes):
            conflict = _axis(name, pair, depth, images.setdefault(axis, {}), sources.setdefault(axis, {}))
            if conflict:
                return conflict
            extents[axis] = extent
    return {axis: tuple(images[axis][i][0] for i in range(extent)) for axis, extent in extents.items()}


def _axis(
    name: str, pair: Pair, depth: int, images: dict[int, tuple[int, Place]], sources: dict[int, tuple[int, Place]]
) -> Conflict | None:
    """Enter one operand's points into one axis' table, thread by thread."""
    axis, extent = pair.axes[depth]
    step = prod(e for _, e in pair.axes[:depth])
    last = depth == len(pair.axes) - 1
    for index, (left, right) in enumerate(zip(pair.layout, pair.hardware, strict=True)):
        image, source = left // step, right // step
        if not last:
            image, source = image % extent, source % extent
        known = images.get(source)
        if known is not None and known[0] == image:
            continue
        place = Place(name, index % pair.threads, index // pair.threads, left, right)
        if known is not None:
            return Conflict(axis, (known[1], place), ((source, known[0]), (source, image)))
        if image >= extent or (axis.startswith("=") and image != source):
            return Conflict(axis, (place,), ((source, image),))
        if image in sources:
            return Conflict(axis, (sources[image][1], place), ((sources[image][0], image), (source, image)))
        images[source] = (image, place)
        sources[image] = (source, place)
    return None


def transposed(pairs: Mapping[str, Pair]) -> dict[str, Pair] | None:
    """The same layouts against the hardware with A and B exchanged and C transposed, as B^T A^T wants; None where
    the shape does not allow it."""
    a, b = pairs.get("a"), pairs.get("b")
    if a is None or b is None or "c" not in pairs:
        return None
    if [e for _, e in a.axes] != [e for _, e in b.axes] or (a.threads, len(a.layout)) != (b.threads, len(b.layout)):
        return None
    exchanged = {
        "a": msgspec.structs.replace(a, hardware=b.hardware),
        "b": msgspec.structs.replace(b, hardware=a.hardware),
    }
    for name in ("c", "d"):
        if name in pairs:
            pair = pairs[name]
            (_, m), (_, n) = pair.axes[:2]
            turned = tuple(x // (m * n) * (m * n) + x // m % n + n * (x % m) for x in pair.hardware)
            exchanged[name] = msgspec.structs.replace(pair, hardware=turned)
    return exchanged


def cycles(permutation: Permutation) -> list[list[int]]:
    """The cycles of a permutation longer than one, each from its smallest element, in order."""
    seen: set[int] = set()
    found = []
    for start in range(len(permutation)):
        cycle = []
        at = start
        while at not in seen:
            seen.add(at)
            cycle.append(at)
            at = permutation[at]
        if len(cycle) > 1:
            found.append(cycle)
    return found


def blocks_kept(permutation: Permutation, block: int) -> bool:
    """Whether every aligned block of so many k goes to one aligned block (the last one may be short)."""
    blocks = range(0, len(permutation), block)
    return all(len({p // block for p in permutation[start : start + block]}) == 1 for start in blocks)


def blocks_stay(permutation: Permutation, block: int) -> bool:
    """Whether every k stays in its aligned block, so that it keeps the scale that its lane supplies."""
    return all(p // block == k // block for k, p in enumerate(permutation))
