"""z3 on the steps of a proof: all unsatisfiable, or no certificate."""

from __future__ import annotations

from collections.abc import Iterable
from time import perf_counter

from ..smt.solver import quiet
from .scripts import Step


def failing(steps: Iterable[Step], timeout: float) -> Step | None:
    """The first step that z3 does not find unsatisfiable within `timeout` seconds for all; None when there is none."""
    deadline = perf_counter() + timeout
    return next((s for s in steps if _ask(s.script, max(1, int((deadline - perf_counter()) * 1000))) != "unsat"), None)


_known: dict[str, str] = {}


def _ask(script: str, milliseconds: int) -> str:
    import z3

    key = script.partition("\n")[2]  # without the name
    if key not in _known:
        solver = quiet(z3.SimpleSolver())
        solver.set("timeout", milliseconds)
        try:
            solver.add(z3.parse_smt2_string(key))
            answer = str(solver.check())
        except z3.Z3Exception:
            return "unknown"
        if answer == "unknown":
            return answer
        if len(_known) >= 1 << 12:
            _known.clear()
        _known[key] = answer
    return _known[key]


def forget() -> None:
    """Drop every remembered answer."""
    _known.clear()
