"""z3 on scripts: the steps of a proof, all unsatisfiable or no certificate; and values that satisfy a condition."""

from __future__ import annotations

from collections.abc import Iterable
from time import perf_counter
from typing import Any

from ..smt.solver import quiet
from .scripts import Step


def failing(steps: Iterable[Step], deadline: float) -> Step | None:
    """The first step that z3 does not find unsatisfiable before `deadline` (of perf_counter); None where there is
    none."""
    return next((step for step in steps if _ask(step.script, deadline) != "unsat"), None)


def load() -> None:
    """Import z3 before the time of a question begins."""
    import z3  # noqa: F401


def values(script: str, deadline: float) -> dict[str, int] | None:
    """Numbers that satisfy a script, by symbol; {} where it is unsatisfiable, None where z3 does not say."""
    answer, solver = _solved(script, deadline)
    if answer == "sat":
        model = solver.model()
        return {
            str(symbol): model[symbol].as_long() for symbol in model if symbol.range().is_int() and not symbol.arity()
        }
    return {} if answer == "unsat" else None


_known: dict[str, str] = {}


def _solved(script: str, deadline: float) -> tuple[str, Any]:
    import z3

    solver = quiet(z3.SimpleSolver())
    left = int((deadline - perf_counter()) * 1000)
    if left <= 0:
        return "unknown", solver
    solver.set("timeout", left)
    try:
        solver.add(z3.parse_smt2_string(script))
        return str(solver.check()), solver
    except z3.Z3Exception:
        return "unknown", solver


def _ask(script: str, deadline: float) -> str:
    key = script.partition("\n")[2]  # without the name
    if key not in _known:
        answer, _ = _solved(key, deadline)
        if answer == "unknown":
            return answer
        if len(_known) >= 1 << 12:
            _known.clear()
        _known[key] = answer
    return _known[key]


def forget() -> None:
    """Drop every remembered answer."""
    _known.clear()
