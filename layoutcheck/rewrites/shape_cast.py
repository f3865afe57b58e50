"""vector.shape_cast and reshape: one thread's part keeps its flat order, so both layouts must be one function."""

from __future__ import annotations

from itertools import accumulate
from operator import mul

from .. import algebra
from ..errors import Disagreement, Refused
from ..inttuple import IntTuple
from ..layout import Layout
from . import model
from .case import Broken, Case, Given, Problem, Rewrite, chains

SHAPE_CAST = Rewrite(
    "shape_cast",
    "src, dst | to",
    "P(dst, t, k) = P(src, t, k) for every thread t >= 0 and index k",
    "coalesce(src) = coalesce(dst)",
    "LC501",
)
RESHAPE = Rewrite(
    "reshape",
    "src, to",
    "the layout of the new shape is the same function of the flat element",
    "every suffix product q of the shape is ds*n for a leaf (s, d) of coalesce(src) with data stride ds, n divides s",
    "LC503",
)


def build(given: Given) -> Problem:
    """src and dst, or src and the shape that dst is derived for."""
    assert given.src is not None
    if given.to is None:
        assert given.dst is not None
        return between(given.src, given.dst)
    broken = cut(given.src, given.to)
    if broken:
        return Problem(broken)
    try:
        shape: IntTuple = given.to
        derived = algebra.coalesce_modes(algebra.reshape(given.src, shape))
    except Refused as refused:
        raise Disagreement(f"the cut rule accepts {given.to}, the algebra refuses: {refused}") from None
    return between(given.src, derived)._replace(value=derived)


def between(src: Layout, dst: Layout) -> Problem:
    """Whether dst holds what src holds, at the same flat index."""
    before, after = src.leaves, dst.leaves
    if model.count(before) != model.count(after):
        text = f"the source has {model.count(before)} elements, the destination {model.count(after)}"
        numbers = {"source": model.count(before), "destination": model.count(after)}
        return Problem(Broken("LC501", text, numbers))

    def spot(thread: int, index: int) -> tuple[int, int]:
        return model.position(after, thread, index), model.position(before, thread, index)

    held = model.values(after), model.values(before)
    case = Case(model.held(after), model.held(before), held, spot, chains(src, dst))
    return Problem(differs(src, dst), case)


def differs(src: Layout, dst: Layout) -> Broken | None:
    """The precondition: one normal form."""
    forms = algebra.coalesce(src), algebra.coalesce(dst)
    if forms[0].digits == forms[1].digits:
        return None
    text = f"the normal forms differ: {forms[0]} and {forms[1]}"
    return Broken("LC501", text, {"source": str(forms[0]), "destination": str(forms[1])})


def cut(src: Layout, shape: tuple[int, ...]) -> Broken | None:
    """The cut rule: no leaf of the coalesced source straddles a suffix product of the shape."""
    total = model.count(src.leaves)
    products = list(accumulate(reversed(shape), mul))
    if products[-1] != total:
        text = f"{'x'.join(map(str, shape))} has {products[-1]} elements, the source {total}"
        return Broken("LC503", text, {"shape": products[-1], "source": total})
    leaves = algebra.coalesce(src).leaves
    steps = [model.count(leaves[i + 1 :]) for i in range(len(leaves))]
    for q in products:
        if not any(q % n == 0 and n * s % q == 0 for (s, _), n in zip(leaves, steps, strict=True)):
            (s, d), n = next((x, n) for x, n in zip(leaves, steps, strict=True) if n < q < n * x[0])
            why = f"{q} is no multiple of {n}" if q % n else f"{n * s} is no multiple of {q}"
            text = f"a dimension ends after {q} elements, inside leaf {s}:{d} which counts from {n} to {n * s}: {why}"
            return Broken("LC503", text, {"cut": q, "leaf": [s, d], "step": n})
    return None
