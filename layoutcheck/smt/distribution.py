"""Two distributions agree at every thread and index: z3 on the raw windows of both, without div or mod.

A window is weight * ((x div low) mod extent), with x the thread's number or an index into its registers; a
distribution is a sum of windows. Its cuts are the ends low and low * extent of its windows. Where the cuts of both
sides divide in turn, every window is linear in the digits of their common refinement: one variable a cell. Otherwise
each side has digits of its own below one equality, in one query for each pair of neighbouring common cuts: one digit
of the shared part is peeled a query. A side whose own cuts do not divide in turn is taken apart by what its windows
add: those that reach into each other's steps stay together, the others are questions of their own; what is left gets
quotient, digit and remainder of every window. Exact: both sides are 0 at 0, so a sum over threads and indices agrees
iff each part does.
"""

from __future__ import annotations

from itertools import pairwise
from math import lcm
from typing import NamedTuple

from .certify import unsatisfiable
from .queries import Atom, Query, Terms


class Window(NamedTuple):
    """weight * ((x div low) mod extent)."""

    low: int
    extent: int
    weight: int


Windows = tuple[Window, ...]


class Held(NamedTuple):
    """Which element thread t has at index k: the sum of its windows of t and of k."""

    thread: Windows
    value: Windows


def same(left: Held, right: Held, timeout: float) -> bool | None:
    """Whether both give the same element for every t >= 0 and every index; None when z3 runs out of time."""
    return unsatisfiable([*plan(left.thread, right.thread), *plan(left.value, right.value)], timeout)


def plan(left: Windows, right: Windows) -> list[Query]:
    """Queries that are all unsatisfiable only if the two sums are the same function of x >= 0; for leaves of one normal
    form, and wherever the cuts of each side divide in turn, also if they are.
    """
    left, right = (tuple(w for w in side if w.extent > 1 and w.weight) for side in (left, right))
    period = lcm(*(w.low * w.extent for w in left + right))
    cuts = [sorted({1, period, *(c for w in side for c in (w.low, w.low * w.extent))}) for side in (left, right)]
    both = sorted({*cuts[0], *cuts[1]})
    if _divide(both):
        return [_query((left, right), [both], 1)]
    if not all(map(_divide, cuts)):
        groups = _groups(left, right)
        return [_apart(left, right, period)] if len(groups) == 1 else [q for group in groups for q in plan(*group)]
    common = sorted(set(cuts[0]) & set(cuts[1]))
    return [_query((left, right), _inside(cuts, low, high), low) for low, high in pairwise(common)]


def _groups(left: Windows, right: Windows) -> list[tuple[Windows, Windows]]:
    """Windows by what they add: multiples of a weight up to an end, where no window of either side reaches across.

    Sums that agree group by group agree; raw leaves of one normal form do so group by group.
    """
    groups: list[list[tuple[Window, int]]] = []
    end = 0
    for w, side in sorted([(w, 0) for w in left] + [(w, 1) for w in right], key=_weight):
        if w.weight >= end:
            groups.append([])
        groups[-1].append((w, side))
        end = max(end, w.weight * w.extent)
    return [(_of(group, 0), _of(group, 1)) for group in groups]


def _weight(item: tuple[Window, int]) -> int:
    return item[0].weight


def _of(group: list[tuple[Window, int]], side: int) -> Windows:
    return tuple(w for w, mine in group if mine == side)


def _divide(cuts: list[int]) -> bool:
    return all(high % low == 0 for low, high in pairwise(cuts))


def _inside(cuts: list[list[int]], low: int, high: int) -> list[list[int]]:
    """The cuts of a part: shared where they divide in turn, else each side's own."""
    own = [[c for c in side if low <= c <= high] for side in cuts]
    shared = sorted({*own[0], *own[1]})
    return [shared] if _divide(shared) else own


def _query(sides: tuple[Windows, Windows], cuts: list[list[int]], low: int) -> Query:
    """Digits on which the sides differ, over one list of cuts or over one a side (then their numbers are equal)."""
    bounds: list[tuple[str, int, int]] = []
    number: Terms = ()
    differ: Terms = ()
    for i, side in enumerate(sides):
        sign = 1 - 2 * i
        cells = list(pairwise(cuts[min(i, len(cuts) - 1)]))
        names = [f"{'xy'[i if len(cuts) > 1 else 0]}{j}" for j in range(len(cells))]
        if i < len(cuts):
            bounds += [(name, 0, high // at - 1) for name, (at, high) in zip(names, cells, strict=True)]
        number += tuple((sign * (at // low), name) for name, (at, _) in zip(names, cells, strict=True))
        differ += tuple((sign * _step(side, at), name) for name, (at, _) in zip(names, cells, strict=True))
    equal = ((Atom("=", number),),) if len(cuts) > 1 else ()
    return Query("a digit is read differently", tuple(bounds), (*equal, (Atom("distinct", differ),)))


def _step(side: Windows, at: int) -> int:
    """What one step of the digit that begins at `at` adds to the sum."""
    return sum(w.weight * (at // w.low) for w in side if w.low <= at < w.low * w.extent)


def _apart(left: Windows, right: Windows, period: int) -> Query:
    """x = low*extent*q + low*c + r for every window, all with one x."""
    bounds = [("x", 0, period - 1)]
    ties: list[tuple[Atom, ...]] = []
    differ: Terms = ()
    for i, w in enumerate(left + right):
        end = w.low * w.extent
        bounds += [(f"q{i}", 0, period // end - 1), (f"c{i}", 0, w.extent - 1), (f"r{i}", 0, w.low - 1)]
        ties.append((Atom("=", ((end, f"q{i}"), (w.low, f"c{i}"), (1, f"r{i}"), (-1, "x"))),))
        differ += ((w.weight if i < len(left) else -w.weight, f"c{i}"),)
    return Query("a window is read differently", tuple(bounds), (*ties, (Atom("distinct", differ),)))
