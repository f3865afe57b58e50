"""An opinion on a claim from z3, on the raw leaves; shares no code with the theorems but Claim and Layout.

One solver serves all linear queries, with push and pop and pooled variables: a fresh one costs 4 ms a query.
"""

from __future__ import annotations

from functools import lru_cache
from time import perf_counter
from typing import Any

from ..claim import Answer, Claim, Witness, replays
from .bits import BitQuery
from .queries import Atom, Query, queries
from .solver import quiet

_BY = "z3"
_MARGIN = 0.01  # seconds that z3 may take to notice its time limit


class _OutOfTime(Exception):
    pass


def certify(claim: Claim, timeout: float) -> Answer | None:
    """What z3 says of `claim` within `timeout` seconds; None when it runs out of time or cannot say.

    A refusal carries the witness that z3's model gives, where the query has one.
    """
    plan = queries(claim)
    if plan is None:
        return None
    _solver()  # loading z3 is not the claim's time
    deadline = perf_counter() + timeout
    try:
        for query in plan:
            answer = _bits(query, deadline) if isinstance(query, BitQuery) else _linear(query, deadline)
            if answer is not None:
                return Answer(False, _BY, answer[0]) if answer[0] or claim.kind != "permuted" else None
    except _OutOfTime:
        return None
    return Answer(True, _BY)


def decide(claim: Claim, *, deadline: float) -> Answer | None:
    """z3 as the engine that decides: a refusal without a witness that replays is no answer."""
    answer = certify(claim, deadline - perf_counter())
    if answer is None or answer.holds or replays(claim, answer.witness):
        return answer
    return None


@lru_cache(maxsize=1)
def _solver() -> tuple[Any, Any]:
    import z3

    solver = quiet(z3.SimpleSolver())
    solver.push()
    solver.add(z3.Int("first") > 0, z3.Int("first") < 0)
    solver.check()  # the first query sets z3 up: not the time of the claim that happens to come first
    solver.pop()
    return z3, solver


@lru_cache(maxsize=4096)
def _variable(name: str) -> Any:
    return _solver()[0].Int(name)


@lru_cache(maxsize=1 << 13)
def _bounds(name: str, low: int, high: int) -> tuple[Any, Any]:
    x = _variable(name)
    return x >= low, x <= high


@lru_cache(maxsize=1 << 13)
def _term(coefficient: int, name: str) -> Any:
    return coefficient * _variable(name)


@lru_cache(maxsize=1 << 10)
def _clause(clause: tuple[Atom, ...]) -> Any:
    atoms = [_atom(atom) for atom in clause]
    return atoms[0] if len(atoms) == 1 else _solver()[0].Or(atoms)


def _check(solver: Any, deadline: float) -> Any:
    """The model when satisfiable, None when not; raises _OutOfTime otherwise."""
    left = deadline - perf_counter() - _MARGIN
    if left <= 0:
        raise _OutOfTime
    solver.set("timeout", max(1, int(left * 1000)))
    result = str(solver.check())
    if result == "unsat":
        return None
    if result == "sat":
        return solver.model()
    raise _OutOfTime


def _linear(query: Query, deadline: float) -> tuple[Witness | None] | None:
    """None when unsatisfiable, else the witness in a 1-tuple."""
    if not query.bounds:
        met = all(any(_holds(atom) for atom in clause) for clause in query.clauses)
        return (query.read({}) if query.read else None,) if met else None
    _, solver = _solver()
    solver.push()
    try:
        for bounds in query.bounds:
            solver.add(*_bounds(*bounds))
        for clause in query.clauses:
            solver.add(_clause(clause))
        model = _check(solver, deadline)
        if model is None:
            return None
        if query.read is None:
            return (None,)
        values = {name: model.eval(_variable(name), model_completion=True).as_long() for name, _, _ in query.bounds}
        return (query.read(values),)
    finally:
        solver.pop()


def _holds(atom: Atom) -> bool:
    c = atom.constant
    return {"=": c == 0, "distinct": c != 0, "<": c < 0, ">=": c >= 0}[atom.op]


def _atom(atom: Atom) -> Any:
    z3, _ = _solver()
    total = z3.Sum([_term(c, v) for c, v in atom.terms])
    if atom.constant or not atom.terms:
        total = total + atom.constant
    match atom.op:
        case "=":
            return total == 0
        case "distinct":
            return total != 0
        case "<":
            return total < 0
        case _:
            return total >= 0


def _bits(query: BitQuery, deadline: float) -> tuple[Witness | None] | None:
    z3, _ = _solver()
    variable = z3.BitVec(query.variable, query.width)
    solver = quiet(z3.Solver())
    solver.add(z3.parse_smt2_string(f"(assert {query.constraint})", decls={query.variable: variable}))
    model = _check(solver, deadline)
    if model is None:
        return None
    return (query.read(model.eval(variable, model_completion=True).as_long()) if query.read else None,)


def unsatisfiable(plan: list[Query], timeout: float) -> bool | None:
    """Whether z3 finds none of the queries satisfiable; None when it runs out of time."""
    _solver()
    deadline = perf_counter() + timeout
    try:
        return all(_linear(query, deadline) is None for query in plan)
    except _OutOfTime:
        return None
