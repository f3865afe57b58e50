"""One setting that every solver of the package has."""

from __future__ import annotations

from typing import Any


def quiet(solver: Any) -> Any:
    """The solver, without z3's own handler for Ctrl-C: it swallows the signal, or waits for a lock it holds."""
    solver.set("ctrl_c", False)
    return solver
