"""to_simd(to_simt x) replaced by x: both ends must mean the same distribution."""

from __future__ import annotations

from .case import Given, Problem, Rewrite
from .elementwise import alike, differs

FOLD = Rewrite(
    "fold",
    "outer, inner",
    "P(outer, t, k) = P(inner, t, k) for every thread t >= 0 and index k",
    "to_simd and to_simt have one layout and one type",
    "LC508",
)


def build(given: Given) -> Problem:
    """outer: the layout of to_simd; inner: that of to_simt."""
    assert given.outer is not None
    assert given.inner is not None
    return alike(given.outer, given.inner, differs(given.outer, given.inner, "LC508", ("outer", "inner")))
