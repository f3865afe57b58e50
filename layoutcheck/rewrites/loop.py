"""scf.for with a vector argument: what goes round the loop stays where it is."""

from __future__ import annotations

from . import elementwise
from .case import Given, Problem, Rewrite

LOOP = Rewrite(
    "for",
    "layouts",
    "P(init, t, k) = P(argument, t, k) = P(yield, t, k) = P(result, t, k) for every thread t >= 0 and index k",
    "one layout on init, argument, yield and result",
    "LC507",
    (2, 64),
)


def build(given: Given) -> Problem:
    """The layouts of init, argument, yield and result."""
    return elementwise.build(given)
