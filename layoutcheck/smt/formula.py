"""A formula in t against a sum of windows of t, for every t >= 0 or below a bound: z3, one quotient and remainder for
each division by a constant.

Linear wherever no two terms with t are multiplied. A difference is also where `/` leaves a remainder.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import expr
from ..errors import NotationError
from .certify import _solver
from .distribution import Windows
from .rawmaps import applied
from .solver import quiet


class Found(NamedTuple):
    """Whether both are equal everywhere (None: z3 does not know), and a t where z3 says that they are not."""

    same: bool | None
    at: int | None = None


def compare(formula: expr.Expr, windows: Windows, below: int | None, timeout: float) -> Found:
    """What z3 says of formula(t) = sum of windows(t), for every t >= 0 (and < `below`)."""
    if timeout <= 0:
        return Found(None)
    z3, _ = _solver()
    terms = _Terms(z3)
    try:
        left = terms.of(formula)
    except NotationError:
        return Found(None)
    right = z3.Sum([w.weight * terms.divide(terms.divide(terms.t, w.low)[0], w.extent)[1] for w in windows])
    solver = quiet(z3.Solver())
    solver.set("timeout", max(1, int(timeout * 1000)))
    solver.add(*terms.ties, terms.t >= 0, z3.Or(left != right, *(r != 0 for r in terms.exact)))
    if below is not None:
        solver.add(terms.t < below)
    said = str(solver.check())
    if said == "sat":
        return Found(False, solver.model().eval(terms.t, model_completion=True).as_long())
    return Found(True if said == "unsat" else None)


class _Terms:
    """z3's terms of a formula, what ties quotients and remainders to them, and the remainders that have to be 0."""

    def __init__(self, z3: Any) -> None:
        self.z3 = z3
        self.t = z3.Int("t")
        self.ties: list[Any] = []
        self.exact: list[Any] = []
        self.seen: dict[tuple[int, int], tuple[Any, Any, Any]] = {}  # by the dividend, which the entry keeps alive

    def of(self, e: expr.Expr) -> Any:
        """Raises NotationError for a division by a term with t, or by 0."""
        if not expr.names(e):
            return self.z3.IntVal(expr.evaluate(e, {}))
        if e.op == "name":
            return self.t
        if e.op in ("/", "//", "%"):
            quotient, remainder = self.divide(self.of(e.args[0]), _divisor(e.args[1]))
            if e.op == "/":
                self.exact.append(remainder)
            return remainder if e.op == "%" else quotient
        return self.apply(e.op, [self.of(x) for x in e.args])

    def apply(self, op: str, args: list[Any]) -> Any:
        if op == "neg":
            return -args[0]
        left, right = args
        if op not in ("and", "or"):
            return applied(self.z3, op, left, right)
        truth = (self.z3.And if op == "and" else self.z3.Or)(left != 0, right != 0)
        return self.z3.If(truth, self.z3.IntVal(1), self.z3.IntVal(0))

    def divide(self, x: Any, by: int) -> tuple[Any, Any]:
        """Quotient and remainder, rounded down; the remainder has the sign of `by`."""
        key = x.get_id(), by
        if key not in self.seen:
            q, r = (self.z3.Int(f"{name}{len(self.seen)}") for name in "qr")
            self.ties += [x == by * q + r, *((r >= 0, r < by) if by > 0 else (r <= 0, r > by))]
            self.seen[key] = x, q, r
        return self.seen[key][1:]


def _divisor(e: expr.Expr) -> int:
    if expr.names(e):
        raise NotationError("no constant divisor", e.column)
    by = expr.evaluate(e, {})
    if by == 0:
        raise NotationError("division by zero", e.column)
    return by
