"""Index maps by z3 as they are written, with z3's own div and mod: slower than digits, and shares nothing with them."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from ..expr import NATIVE, Expr
from ..indexmap import IndexMap, MapAnswer, MapClaim
from .solver import quiet

_BY = "z3 on the expressions as written"


class _NotNative(Exception):
    """A divisor that is no positive constant: z3's div then rounds otherwise."""


def decide(claim: MapClaim, timeout: float) -> MapAnswer | None:
    """Whether the claim holds, without a witness; None for "onto", for a divisor that is no positive constant, or
    when time runs out."""
    if claim.kind == "onto":
        return None
    deadline = perf_counter() + timeout
    import z3

    solver = quiet(z3.SimpleSolver())
    try:
        solver.add(*_wrong(z3, claim))
    except _NotNative:
        return None
    left = deadline - perf_counter()
    if left <= 0:
        return None
    solver.set("timeout", max(1, int(left * 1000)))
    answer = str(solver.check())
    return MapAnswer(answer == "unsat", _BY) if answer in ("sat", "unsat") else None


def _wrong(z3: Any, claim: MapClaim) -> list[Any]:
    """What holds at a counterexample."""
    its = claim.map
    at, images, undefined = _point(z3, "a", its)
    domain = [z3.And(x >= 0, x < n) for x, n in zip(at, its.extents, strict=True)]
    match claim.kind:
        case "defined":
            return [*domain, z3.Or(undefined)]
        case "bounded":
            return [*domain, z3.Or([z3.Or(x < 0, x >= n) for x, n in zip(images, its.onto, strict=True)])]
    other, others, _ = _point(z3, "b", its)
    domain += [z3.And(x >= 0, x < n) for x, n in zip(other, its.extents, strict=True)]
    differ = z3.Or([x != y for x, y in zip(at, other, strict=True)])
    return [*domain, differ, *(x == y for x, y in zip(images, others, strict=True))]


def _point(z3: Any, prefix: str, its: IndexMap) -> tuple[list[Any], list[Any], list[Any]]:
    """The coordinates of a point, its image, and the conditions under which it has none."""
    at = [z3.Int(f"{prefix}{i}") for i in range(len(its.extents))]
    undefined: list[Any] = []
    env = dict(zip(its.coordinates, at, strict=True))
    return at, [_term(z3, part, env, z3.BoolVal(True), undefined) for part in its.to], undefined


def _term(z3: Any, e: Expr, env: dict[str, Any], path: Any, undefined: list[Any]) -> Any:
    """An expression; `path` is where it is evaluated at all."""
    if e.op == "int":
        return z3.IntVal(e.value)
    if e.op == "name":
        return env[e.name]
    left = _term(z3, e.args[0], env, path, undefined)
    if e.op == "neg":
        return -left
    if e.op in ("and", "or"):
        goes_on = left != 0 if e.op == "and" else left == 0
        right = _term(z3, e.args[1], env, z3.And(path, goes_on), undefined) != 0
        return z3.If(z3.And(left != 0, right) if e.op == "and" else z3.Or(left != 0, right), 1, 0)
    right = _term(z3, e.args[1], env, path, undefined)
    if e.op in ("/", "//", "%"):
        right = z3.simplify(right)
        if not z3.is_int_value(right) or right.as_long() <= 0:
            raise _NotNative
        inexact = left % right != 0
        undefined.append(z3.And(path, inexact if e.op == "/" else z3.And(inexact, left < 0)))
    value = applied(z3, e.op, left, right)
    undefined.append(z3.And(path, z3.Or(value < -NATIVE, value >= NATIVE)))
    return value


def applied(z3: Any, op: str, left: Any, right: Any) -> Any:
    """An operator of the grammar on z3's integers; `/` and `//` are the same, of a positive divisor."""
    match op:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/" | "//":
            return left / right  # of z3's integers: rounds down, for a positive divisor
        case "%":
            return left % right
    holds = {
        "<": left < right, "<=": left <= right, ">": left > right,
        ">=": left >= right, "==": left == right, "!=": left != right,
    }[op]  # fmt: skip
    return z3.If(holds, z3.IntVal(1), z3.IntVal(0))
