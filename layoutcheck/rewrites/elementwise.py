"""Elementwise operations and arith.select: each thread combines its own elements, index by index."""

from __future__ import annotations

from .. import algebra
from ..layout import Layout
from . import model, shape_cast
from .case import Broken, Given, Problem, Rewrite

ELEMENTWISE = Rewrite(
    "elementwise",
    "layouts",
    "P(each operand, t, k) = P(the result, t, k) for every thread t >= 0 and index k",
    "one layout on all operands and the result",
    "LC507",
    (2, 64),
)
SELECT = Rewrite(
    "select",
    "layouts",
    "P(condition, t, k) = P(each value, t, k) = P(the result, t, k) for every thread t >= 0 and index k",
    "one layout on the condition, both values and the result",
    "LC507",
    (2, 64),
)


def build(given: Given) -> Problem:
    """The layouts of everything that takes part; the first that differs from the first one is looked at."""
    first = given.layouts[0]
    for i, layout in enumerate(given.layouts[1:], 1):
        broken = differs(first, layout, "LC507", ("layout 0", f"layout {i}"))
        if broken:
            return alike(first, layout, broken)
    pairs = [alike(first, layout, None).case for layout in given.layouts[1:]]
    return Problem(None, pairs[0], more=tuple(case for case in pairs[1:] if case))


def differs(first: Layout, other: Layout, code: str, names: tuple[str, str]) -> Broken | None:
    """The precondition: one layout, as it is stored."""
    stored = [algebra.coalesce_modes(layout) for layout in (first, other)]
    if stored[0] == stored[1]:
        return None
    text = f"{names[0]} is {stored[0]}, {names[1]} is {stored[1]}"
    return Broken(code, text, dict(zip(names, map(str, stored), strict=True)))


def alike(first: Layout, other: Layout, broken: Broken | None) -> Problem:
    """`other`, whose elements meet those of `first` at the same thread and index."""
    if model.sizes(first) != model.sizes(other):
        return Problem(broken)
    return Problem(broken, shape_cast.between(other, first).case)
