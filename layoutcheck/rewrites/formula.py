"""An offset formula in t against the layout of a step: for every thread t >= 0, or for a number of threads.

Points decide it where they are all: those threads; or one period, when the formula is periodic. With +, -, products
with constants, // and % by constants, f(t + period) = f(t) + slope * period for every t; a layout's slope is 0. z3 is
the second opinion, and the only one where there are too many points. What a value adds is theorem step's.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from time import perf_counter
from typing import NamedTuple

from .. import expr
from ..errors import NotationError
from .case import POINTS, Case, Decision, at, period

_REPLAYED = "witness replayed"
_Z3 = "z3 on quotients and remainders"


class Course(NamedTuple):
    """f(t + period) = f(t) + slope * period for every t."""

    slope: Fraction
    period: int


def course(formula: expr.Expr) -> Course | None:
    """How a formula goes on; None where it is no sum of a periodic and a linear part, as far as its form says."""
    if formula.op in ("int", "name"):
        return Course(Fraction(formula.op == "name"), 1)
    args = [course(arg) for arg in formula.args]
    known = [arg for arg in args if arg is not None]
    if len(known) < len(args):
        return None
    every, slopes = lcm(*(arg.period for arg in known)), [arg.slope for arg in known]
    if not any(slopes):
        return Course(Fraction(0), every)
    match formula.op:
        case "neg":
            return Course(-slopes[0], every)
        case "+" | "-":
            return Course(slopes[0] + (slopes[1] if formula.op == "+" else -slopes[1]), every)
        case "*" | "/" | "//" | "%":
            return _scaled(formula, slopes, every)
        case _:
            return None


def _scaled(formula: expr.Expr, slopes: list[Fraction], every: int) -> Course | None:
    """By a constant. A quotient repeats when the period moves the dividend by a multiple of the divisor."""
    if formula.op == "*":
        numbers = [_constant(arg) for arg in formula.args]
        products = [s * n for s, n in zip(slopes, reversed(numbers), strict=True) if n is not None]
        return Course(products[0], every) if products else None
    divisor = _constant(formula.args[1])
    if not divisor:
        return None
    slope = slopes[0] / divisor
    return Course(Fraction(0) if formula.op == "%" else slope, lcm(every, slope.denominator))


def _constant(formula: expr.Expr) -> int | None:
    try:
        return None if expr.names(formula) else expr.evaluate(formula, {})
    except NotationError:
        return None


def settle(case: Case, formula: expr.Expr, threads: int | None, certify: bool, timeout: float) -> Decision:
    """The formula against the layout, at `threads` threads or (None) at every t >= 0.

    Raises what evaluating the formula raises.
    """
    deadline = perf_counter() + timeout
    needed = threads or _enough(case, formula)
    found = next(filter(None, (at(case, t, 0) for t in range(min(needed or POINTS, POINTS)))), None)
    if found:
        return Decision("refuted", "every thread in turn", _REPLAYED, found)
    all_seen = needed is not None and needed <= POINTS
    by = "every thread" if threads else "every thread of a period"
    if all_seen and not certify:
        return Decision("proved", by)
    from ..smt.formula import compare

    same, thread = compare(formula, case.expected.thread, threads, deadline - perf_counter())
    witness = None if thread is None else at(case, thread, 0)
    if same is False and (all_seen or witness is None):
        return Decision("disagree", by if all_seen else _Z3, "z3", note=f"z3 says thread {thread}")
    if witness:
        return Decision("refuted", _Z3, _REPLAYED, witness, note="there may be a smaller thread")
    if all_seen:
        return Decision("proved", by, "z3" if same else None, note="" if same else "not certified: z3 has no answer")
    if same:
        return Decision("proved", _Z3, note=f"not certified: {POINTS} threads do not decide it")
    less = f"at most {POINTS} threads" if threads else "the number of threads (--threads)"
    return Decision("unknown", note=f"no thread below {POINTS} is wrong, and z3 has no answer: give {less}")


def _enough(case: Case, formula: expr.Expr) -> int | None:
    """How many threads decide for all: one period of both; a second one shows that a formula with a slope grows."""
    found = course(formula)
    if found is None:
        return None
    return lcm(found.period, period(case)) * (2 if found.slope else 1)
