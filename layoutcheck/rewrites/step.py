"""vector.step: every thread computes its elements' numbers from its own, as buildThreadOffsets emits it.

affine.delinearize_index splits the thread's number by the sorted thread strides, with one result more than the basis
has entries: the outermost is unbounded, so threads beyond the layout are replicas. affine.linearize_index puts the
digits of each mode together; values add a constant. Source: IREE MapDistributionUtils.cpp.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

from .. import expr
from ..errors import InputError, NotationError
from ..layout import Layout
from ..packmap import PackLayout
from ..smt.distribution import Held, Window
from . import model
from .case import Broken, Case, Given, Problem, Rewrite
from .formula import settle

STEP = Rewrite(
    "step",
    "layouts, [threads], [offset]",
    "offset(t) + constant(k) = P(layout, t, k) for every thread t >= 0 and index k",
    "one dimension, and the thread leaves form a chain: sorted, each stride is a multiple of the one before times its "
    "extent; with a number of threads, the layout names no other",
    "LC502",
    (1, 1),
)


class Basis(NamedTuple):
    """The entries, outermost first, and for each thread leaf of the text the result that is its digit."""

    entries: tuple[int, ...]
    results: dict[int, int]


def build(given: Given) -> Problem:
    """The layout; how many threads there are; an offset formula in t, to be held against the layout."""
    (layout,) = given.layouts
    broken = precondition(layout, given.threads)
    if broken:
        return Problem(broken, case(layout) if broken.code == "LC502" else None, emits=False)
    if given.offset is not None:
        return _claimed(layout, given.offset, _parsed(given.offset, given.env), given.threads)
    period = PackLayout.of(layout).period
    replicas = given.threads is not None and given.threads > period
    return Problem(None, case(layout), note=f"threads beyond {period - 1} hold replicas" if replicas else "")


def precondition(layout: Layout, threads: int | None = None) -> Broken | None:
    """One dimension and a chain; and, with a number of threads, that each thread the layout names is there."""
    if layout.rank != 1:
        return Broken("LC306", f"vector.step has one dimension, the layout {layout.rank} modes", {"modes": layout.rank})
    pack = PackLayout.of(layout)
    link = pack.broken_link
    if link:
        (s, d), (s2, d2) = link
        text = f"thread leaf {s2}:{d2} follows {s}:{d}, and {d2} is no multiple of {s}*{d} = {s * d}"
        return Broken("LC502", text, {"leaf": [s, d], "next": [s2, d2], "end": s * d})
    if threads is not None and threads < layout.cosize:
        text = f"the layout names {layout.cosize} threads, there are {threads}"
        return Broken("LC307", text, {"needs": layout.cosize, "threads": threads})
    return None


def basis(layout: Layout) -> Basis:
    """What the emitted delinearize_index divides by: gaps between the thread leaves, and their extents.

    Without a chain there is none; then gaps are rounded down, which shows where the split goes wrong.
    """
    leaves = sorted((d, s, i) for i, (s, d) in enumerate(layout.leaves) if d > 0 and s > 1)
    entries: list[int] = []  # innermost first
    at: dict[int, int] = {}
    end = 1
    for stride, extent, i in leaves:
        gap = max(1, stride // end)
        entries += [gap] if gap > 1 else []
        at[i] = len(entries)
        entries.append(extent)
        end *= gap * extent
    return Basis(tuple(reversed(entries)), {i: len(entries) - place for i, place in at.items()})


def delinearize(index: int, entries: tuple[int, ...]) -> tuple[int, ...]:
    """affine.delinearize_index without an outer bound: one result more than entries."""
    outer = index
    results: list[int] = []
    for entry in reversed(entries):
        outer, digit = divmod(outer, entry)
        results.append(digit)
    return (outer, *reversed(results))


def offset(layout: Layout, thread: int) -> int:
    """The flat element at which a thread begins: buildThreadOffsets, its modes put together."""
    split = basis(layout)
    results = delinearize(thread, split.entries)
    coordinates, leaf = [], 0
    for leaves in model.modes(layout):
        own = [results[split.results[leaf + i]] if leaf + i in split.results else 0 for i in range(len(leaves))]
        coordinates.append(model.flat(own, [s for s, _ in leaves]))
        leaf += len(leaves)
    return model.flat(coordinates, model.sizes(layout))


def constant(layout: Layout, index: int) -> int:
    """The constant that is added for a value: its digits times their data strides."""
    rest, total = index, 0
    for i, (s, d) in reversed(list(enumerate(layout.leaves))):
        if d == 0:
            rest, digit = divmod(rest, s)
            total += digit * model.count(layout.leaves[i + 1 :])
    return total


def case(layout: Layout) -> Case:
    """The obligation against the emitted code."""
    split, leaves = basis(layout), layout.leaves
    held = model.held(leaves)

    def spot(thread: int, index: int) -> tuple[int, int]:
        return model.position(leaves, thread, index), offset(layout, thread) + constant(layout, index)

    emitted = tuple(
        Window(model.suffix(split.entries, result - 1), leaves[i][0], model.count(leaves[i + 1 :]))
        for i, result in split.results.items()
    )
    values = model.values(leaves)
    return Case(held, Held(emitted, held.value), (values, values), spot, True)


def _claimed(layout: Layout, text: str, formula: expr.Expr, threads: int | None) -> Problem:
    """An offset formula against the layout. Raises InputError for one that cannot be evaluated."""
    leaves, values = layout.leaves, model.values(layout.leaves)

    def spot(thread: int, index: int) -> tuple[int, int]:
        return model.position(leaves, thread, index), _value(text, formula, thread) + constant(layout, index)

    broken = Broken("LC506", f"the offset {text} is not the layout's", {"offset": text})
    case = Case(model.held(leaves), None, (values, values), spot, False)
    note = f"claimed for threads 0 to {threads - 1}" if threads else "claimed for every thread t >= 0"
    return Problem(broken, case, note=note, settle=partial(settle, case, formula, threads))


def _parsed(text: str, env: Mapping[str, int]) -> expr.Expr:
    """The formula in t alone: other names are numbers of `env`."""
    try:
        formula = expr.bind(expr.parse(text), {name: number for name, number in env.items() if name != "t"})
        other = expr.stranger(formula, ("t",))
        if other:
            raise NotationError(f"unknown name '{other.name}' (known: {', '.join(sorted({*env, 't'}))})", other.column)
        return formula
    except NotationError as error:
        raise InputError(f"offset {text[:80]!r}, column {error.column + 1}: {error}") from None


def _value(text: str, formula: expr.Expr, thread: int) -> int:
    try:
        return int(expr.evaluate(formula, {"t": thread}))
    except NotationError as error:
        raise InputError(f"offset {text[:80]!r} at thread {thread}: {error}") from None
