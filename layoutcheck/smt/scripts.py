"""SMT-LIB 2 scripts, asked of z3 and of cvc5: the same text, two solvers that share no code."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal

from .solver import quiet

Answer = Literal["unsat", "sat", "unknown"]


def z3(text: str, seconds: float) -> Answer:
    """What z3 says to the script's one check-sat; "unknown" also when it runs out of time."""
    import z3 as module

    solver = quiet(module.Solver())
    solver.set("timeout", max(1, int(seconds * 1000)))
    solver.from_string(text.replace("(check-sat)", ""))
    return _answer(str(solver.check()))


def cvc5(text: str, seconds: float) -> Answer | None:
    """What cvc5 says; None when it is not installed, or older than 1.2."""
    module = _cvc5()
    if module is None:
        return None
    solver = module.Solver()
    solver.setOption("tlimit-per", str(max(1, int(seconds * 1000))))
    parser = module.InputParser(solver)
    parser.setStringInput(module.InputLanguage.SMT_LIB_2_6, text, "script.smt2")
    symbols, said = parser.getSymbolManager(), ""
    while not (command := parser.nextCommand()).isNull():
        said = command.invoke(solver, symbols).strip() or said
    return _answer(said)


def _answer(said: str) -> Answer:
    return "unsat" if said == "unsat" else "sat" if said == "sat" else "unknown"


@lru_cache(maxsize=1)
def _cvc5() -> Any:
    try:
        import cvc5 as module
    except ImportError:
        return None
    return module if hasattr(module, "InputParser") else None  # an older one cannot read scripts
