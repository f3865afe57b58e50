"""`check conversion SRC DST`: what it takes to move a vector from one distribution to another.

A distribution is a pack layout (`#iree_map` text; lex), or a colex (thread, value) layout of offsets. Both say which
element thread t holds as its value v. "none": the same registers; "select": the same threads; "shuffle": the same
subgroups; "shared": everything else. Decided on the cells of the common refinement where the radices of both sides
align, by z3 on their digits otherwise, and at every point where threads hold replicas.
"""

from __future__ import annotations

from itertools import pairwise
from math import lcm, prod
from typing import Any, Literal, NamedTuple

from . import inttuple
from .errors import InputError, Refused, Unsupported
from .layout import Layout
from .packmap import PackLayout

Kind = Literal["none", "select", "shuffle", "shared"]
LIMIT = 1 << 18  # (thread, value) pairs looked at one by one
KINDS: dict[Kind, str] = {
    "none": "no move: every register holds the same element before and after",
    "select": "every thread already holds what it needs, in other registers",
    "shuffle": "every subgroup already holds what its threads need",
    "shared": "some element comes from another subgroup: shared memory",
}


class Digit(NamedTuple):
    """One leaf: a step adds `thread` to the thread, `value` to the register, and `element` to the element."""

    extent: int
    thread: int
    value: int
    element: int


class Side(NamedTuple):
    """A distribution. It holds each element once iff `exact`; thread t and t + period hold the same."""

    digits: tuple[Digit, ...]
    period: int
    values: int
    exact: bool


class Cell(NamedTuple):
    """`extent` elements, `low` apart, and what a step adds on the source's and on the target's side."""

    low: int
    extent: int
    source: tuple[int, int]
    target: tuple[int, int]


class Conversion(NamedTuple):
    """The answer; `witness`: an element that keeps it from being cheaper, with (thread, value) on both sides."""

    kind: Kind
    by: str
    witness: dict[str, Any] | None


def side(layout: Layout) -> Side:
    """A layout's digits. Raises Refused: not-chain; InputError for a colex layout that is no (thread, value) pair."""
    return _pack(PackLayout.of(layout)) if layout.order == "lex" else _thread_value(layout)


def _pack(layout: PackLayout) -> Side:
    period, shape = layout.period, layout.undistributed_shape
    digits, value = [], prod(layout.distributed_shape)
    for leaf in layout.leaves:
        element = leaf.data_stride * prod(shape[leaf.mode + 1 :])
        value = value if leaf.stride else value // leaf.extent
        digits.append(Digit(leaf.extent, leaf.stride, 0 if leaf.stride else value, element))
    exact = prod(d.extent for d in digits if d.thread) == period
    return Side(tuple(d for d in digits if d.extent > 1), period, prod(layout.distributed_shape), exact)


def _thread_value(layout: Layout) -> Side:
    modes = inttuple.modes(layout.shape)
    if len(modes) != 2 or layout.swizzle:
        raise InputError(f"{layout} is no (thread, value) layout")
    digits, weights = [], [1, 1]
    for part in (0, 1):
        for extent, stride in layout.mode(part).digits:
            if extent > 1:
                digits.append(Digit(extent, *((weights[0], 0) if part == 0 else (0, weights[1])), stride))
            weights[part] *= extent
    ordered = sorted(digits, key=lambda d: d.element)
    ends = [1, *(d.extent * d.element for d in ordered)]
    exact = all(d.element == end for d, end in zip(ordered, ends, strict=False))
    return Side(tuple(digits), weights[0], weights[1], exact)


def classify(source: Side, target: Side, subgroup: int, timeout: float = 10.0, engine: str | None = None) -> Conversion:
    """What the conversion takes. `engine` "cells", "z3" or "points" asks only that one.

    Raises Refused (sizes-differ, not-held: an element that no thread of the source holds), Unsupported where no
    engine answers.
    """
    count = [s.period * s.values for s in (source, target)]
    exact = source.exact and target.exact
    if exact and count[0] != count[1]:
        elements = [prod(d.extent for d in s.digits) for s in (source, target)]
        if elements[0] != elements[1]:
            text = f"the source has {elements[0]} elements, the target {elements[1]}"
            raise Refused("sizes-differ", text, source=elements[0], target=elements[1])
    plain = exact and source.period == target.period
    found = None
    if plain and engine in (None, "cells"):
        found = by_cells(source, target, subgroup)
    if found is None and plain and engine in (None, "z3"):
        from .smt.conversion import by_z3

        found = by_z3(source, target, subgroup, timeout)
    if found is None and engine in (None, "points"):
        found = by_points(source, target, subgroup)
    if found is None:
        raise Unsupported("this conversion has replicas, or unaligned radices, and too many points to look at each")
    return found


def cells(source: Side, target: Side, subgroup: int) -> list[Cell] | None:
    """The common refinement of both sides' radices, cut at the subgroup; None where they do not align."""
    digits = source.digits + target.digits
    cuts = {1} | {d.element for d in digits} | {d.element * d.extent for d in digits}
    for d in digits:
        if d.thread and d.thread < subgroup < d.thread * d.extent:
            if subgroup % d.thread or d.thread * d.extent % subgroup:
                return None
            cuts.add(d.element * (subgroup // d.thread))
    ordered = sorted(cuts)
    if any(high % low for low, high in pairwise(ordered)):
        return None
    return [Cell(low, high // low, _step(source, low), _step(target, low)) for low, high in pairwise(ordered)]


def _step(side: Side, element: int) -> tuple[int, int]:
    digit = next(d for d in side.digits if d.element <= element < d.element * d.extent)
    times = element // digit.element
    return digit.thread * times, digit.value * times


def by_cells(source: Side, target: Side, subgroup: int) -> Conversion | None:
    """From the cells: digits are independent, so both sides agree iff each cell's steps do."""
    table = cells(source, target, subgroup)
    if table is None:
        return None

    def first(key: Any) -> Cell | None:
        return next((cell for cell in table if key(cell.source) != key(cell.target)), None)

    tests: list[tuple[Kind, Any]] = [
        ("none", lambda at: at),
        ("select", lambda at: at[0]),
        ("shuffle", lambda at: at[0] // subgroup),
    ]
    breaks: Cell | None = None
    for kind, key in tests:
        failing = first(key)
        if failing is None:
            return Conversion(kind, "cells of the common refinement", _seen(breaks))
        breaks = failing
    return Conversion("shared", "cells of the common refinement", _seen(breaks))


def _seen(cell: Cell | None) -> dict[str, Any] | None:
    return cell and {"element": cell.low, "source": list(cell.source), "target": list(cell.target)}


def held(side: Side, threads: int) -> list[list[int]]:
    """The elements of every thread, in the order of its registers."""
    base = [0]
    moving = sorted((d for d in side.digits if not d.thread), key=lambda d: d.value)
    for d in moving:
        base = [v + c * d.element for c in range(d.extent) for v in base]
    starts = [sum(t // d.thread % d.extent * d.element for d in side.digits if d.thread) for t in range(threads)]
    return [[start + v for v in base] for start in starts]


def by_points(source: Side, target: Side, subgroup: int) -> Conversion | None:
    """By the definition, every thread and register of the target."""
    threads = lcm(source.period, target.period)
    if threads * max(source.values, target.values) > LIMIT:
        return None
    before, after = held(source, threads), held(target, threads)
    holders: dict[int, dict[int, int]] = {}
    for t, elements in enumerate(before):
        for v, e in enumerate(elements):
            holders.setdefault(e, {}).setdefault(t, v)
    kinds: tuple[Kind, ...] = ("none", "select", "shuffle", "shared")
    worst, witness = 0, None
    for t, elements in enumerate(after):
        for v, e in enumerate(elements):
            at = holders.get(e)
            if at is None:
                raise Refused("not-held", f"no thread of the source holds element {e}", element=e, target=[t, v])
            if v < len(before[t]) and before[t][v] == e:
                continue
            near = [s for s in at if s // subgroup == t // subgroup]
            level = 1 if t in at else 2 if near else 3
            if level > worst:
                s = t if level == 1 else (near or list(at))[0]
                worst, witness = level, {"element": e, "source": [s, at[s]], "target": [t, v]}
    return Conversion(kinds[worst], "every point", witness)
