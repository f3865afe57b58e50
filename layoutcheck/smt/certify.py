"""A second opinion on a claim, from z3 on the raw, uncoalesced leaves.

Encodings (SEMANTICS.md section 1 and DESIGN.md): difference vectors for injectivity, one level a query for
coverage, one variable a cell of the common refinement for equality. Never div or mod on a flat index,
never quantifiers. One solver serves all queries, with push and pop and pooled variables.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any

from ..claim import Answer, Claim, Collision, Leaves, offset

_BY = "z3"


class _OutOfTime(Exception):
    pass


def certify(claim: Claim, timeout: float) -> Answer | None:
    """What z3 says of `claim` within `timeout` seconds; None when it runs out of time or cannot say."""
    try:
        holds = _holds(claim, timeout)
    except _OutOfTime:
        return None
    return None if holds is None else Answer(holds, _BY)


def find_collision(leaves: Leaves, timeout: float) -> Answer | None:
    """Decide injectivity; a refusal carries the collision that z3's model gives."""
    try:
        difference = _difference(leaves, timeout)
    except _OutOfTime:
        return None
    if difference is None:
        return Answer(True, _BY)
    a = tuple(max(d, 0) for d in difference)
    b = tuple(max(-d, 0) for d in difference)
    return Answer(False, _BY, Collision(a, b, offset(leaves, a)))


def _holds(claim: Claim, timeout: float) -> bool | None:
    leaves, n = claim.leaves, claim.n
    match claim.kind:
        case "injective":
            return _difference(leaves, timeout) is None
        case "fibre":
            free = prod(s for s, d in leaves if d == 0)
            return free == claim.fibre and _difference(tuple(x for x in leaves if x[1]), timeout) is None
        case "bounded":
            return _bounded(leaves, n, timeout)
        case "onto":
            return _onto(leaves, n, timeout)
        case "equal":
            return _equal(leaves, claim.other, timeout)
        case "permuted":
            return _both_compact(leaves, claim.other, timeout)
        case _:
            return None


@lru_cache(maxsize=1)
def _solver() -> tuple[Any, Any]:
    import z3

    return z3, z3.SimpleSolver()


@lru_cache(maxsize=4096)
def _variable(name: str) -> Any:
    return _solver()[0].Int(name)


def _unsatisfiable(constraints: list[Any], timeout: float) -> Any:
    """None when unsat, the model when sat; raises _OutOfTime otherwise."""
    z3, solver = _solver()
    solver.push()
    try:
        solver.set("timeout", max(1, int(timeout * 1000)))
        solver.add(constraints)
        result = solver.check()
        if result == z3.unsat:
            return None
        if result == z3.sat:
            return solver.model()
        raise _OutOfTime
    finally:
        solver.pop()


def _sum(terms: list[Any]) -> Any:
    return _solver()[0].Sum(terms) if terms else _solver()[0].IntVal(0)


def _difference(leaves: Leaves, timeout: float) -> tuple[int, ...] | None:
    """A nonzero d with |d_i| < extent_i and sum d_i * stride_i = 0, if there is one."""
    z3, _ = _solver()
    d = [_variable(f"d{i}") for i in range(len(leaves))]
    box = [c for x, (s, _) in zip(d, leaves, strict=True) for c in (x > -s, x < s)]
    zero = _sum([x * stride for x, (_, stride) in zip(d, leaves, strict=True)]) == 0
    model = _unsatisfiable([*box, zero, z3.Or([x != 0 for x in d])], timeout)
    return None if model is None else tuple(model.eval(x, model_completion=True).as_long() for x in d)


def _digits(prefix: str, leaves: Leaves) -> tuple[list[Any], list[Any]]:
    c = [_variable(f"{prefix}{i}") for i in range(len(leaves))]
    return c, [b for x, (s, _) in zip(c, leaves, strict=True) for b in (x >= 0, x < s)]


def _bounded(leaves: Leaves, n: int, timeout: float) -> bool:
    c, box = _digits("c", leaves)
    value = _sum([x * d for x, (_, d) in zip(c, leaves, strict=True)])
    return _unsatisfiable([*box, value >= n], timeout) is None


def _onto(leaves: Leaves, n: int, timeout: float) -> bool:
    """Level by level, largest stride last: whatever is left after a greedy digit is in reach of the rest.

    A refusal is only as good as its level: the caller replays a witness, this opinion needs none.
    """
    z3, _ = _solver()
    reach = 0
    for extent, stride in sorted((x for x in leaves if x[0] > 1 and x[1] > 0), key=lambda leaf: leaf[1]):
        if reach + 1 >= n:
            return True
        rest, digit = _variable("rest"), _variable("digit")
        top = reach + (extent - 1) * stride
        left = rest - digit * stride
        greedy = z3.Or(z3.And(digit < extent - 1, left < stride), digit == extent - 1)
        level = [rest >= 0, rest <= top, digit >= 0, left >= 0, greedy, left > reach]
        if _unsatisfiable(level, timeout) is not None:
            return False
        reach = top
    return reach + 1 >= n


def _both_compact(left: Leaves, right: Leaves, timeout: float) -> bool | None:
    """Two injective layouts that both fill [0, size) hold the same offsets; silent about any others."""
    if prod(s for s, _ in left) != prod(s for s, _ in right):
        return False
    if any(1 + sum((s - 1) * d for s, d in leaves) != prod(s for s, _ in leaves) for leaves in (left, right)):
        return None
    return True if all(_difference(leaves, timeout) is None for leaves in (left, right)) else None


def _equal(left: Leaves, right: Leaves, timeout: float) -> bool | None:
    """Cut both radix systems where both have a cut; inside a window both count one local index.

    Peeling (Euclid): below a common cut q both sides are < q, so equal flat indices have equal lower parts.
    """
    if prod(s for s, _ in left) != prod(s for s, _ in right):
        return False
    for a, b in zip(_windows(left, right), _windows(right, left), strict=True):
        x, box_x = _digits("x", a)
        y, box_y = _digits("y", b)
        same = _sum([v * w for v, w in zip(x, _weights(a), strict=True)]) == _sum(
            [v * w for v, w in zip(y, _weights(b), strict=True)]
        )
        value_a = _sum([v * d for v, (_, d) in zip(x, a, strict=True)])
        value_b = _sum([v * d for v, (_, d) in zip(y, b, strict=True)])
        if _unsatisfiable([*box_x, *box_y, same, value_a != value_b], timeout) is not None:
            return False
    return True


def _weights(leaves: Leaves) -> list[int]:
    return [prod(s for s, _ in leaves[:i]) for i in range(len(leaves))]


def _windows(leaves: Leaves, other: Leaves) -> list[Leaves]:
    """`leaves` cut at every running product that both sides have."""
    kept = tuple(leaf for leaf in leaves if leaf[0] > 1)
    others = {prod(s for s, _ in other[:i]) for i in range(1, len(other) + 1)}
    windows: list[list[tuple[int, int]]] = [[]]
    running = 1
    for leaf in kept:
        running *= leaf[0]
        windows[-1].append(leaf)
        if running in others:
            windows.append([])
    return [tuple(w) for w in windows if w]
