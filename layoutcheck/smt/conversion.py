"""Conversions whose radices do not align: the digits of both sides, tied by one equality, asked of z3."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

from .solver import quiet

if TYPE_CHECKING:
    from ..conversion import Conversion, Kind, Side


def by_z3(source: Side, target: Side, subgroup: int, timeout: float) -> Conversion | None:
    """Three questions of growing cost; each side holds every element once. None when z3 runs out of time."""
    import z3

    from ..conversion import Conversion

    deadline = perf_counter() + timeout
    solver = quiet(z3.SimpleSolver())
    sides = [_side(z3, solver, name, s, subgroup) for name, s in (("x", source), ("y", target))]
    solver.add(sides[0][0] == sides[1][0])
    element, thread, value, group = range(4)
    different: list[tuple[Kind, Any]] = [
        ("none", z3.Or(sides[0][thread] != sides[1][thread], sides[0][value] != sides[1][value])),
        ("select", sides[0][thread] != sides[1][thread]),
        ("shuffle", sides[0][group] != sides[1][group]),
    ]
    witness: dict[str, Any] | None = None
    for kind, formula in different:
        solver.push()
        solver.add(formula)
        solver.set("timeout", max(1, int((deadline - perf_counter()) * 1000)))
        answer = str(solver.check())
        if answer == "unsat":
            return Conversion(kind, "z3 on the digits of both sides", witness)
        if answer != "sat":
            return None
        model = solver.model()
        number = [[model.eval(term, model_completion=True).as_long() for term in s[:3]] for s in sides]
        witness = {"element": number[0][element], "source": number[0][1:], "target": number[1][1:]}
        solver.pop()
    return Conversion("shared", "z3 on the digits of both sides", witness)


def _side(z3: Any, solver: Any, name: str, side: Side, subgroup: int) -> tuple[Any, Any, Any, Any]:
    """Element, thread, value and subgroup of one side as linear terms of its digits."""
    digits = [z3.Int(f"{name}{i}") for i in range(len(side.digits))]
    for x, d in zip(digits, side.digits, strict=True):
        solver.add(x >= 0, x < d.extent)
    zero = z3.IntVal(0)
    element = z3.Sum([zero, *(d.element * x for x, d in zip(digits, side.digits, strict=True))])
    thread = z3.Sum([zero, *(d.thread * x for x, d in zip(digits, side.digits, strict=True))])
    value = z3.Sum([zero, *(d.value * x for x, d in zip(digits, side.digits, strict=True))])
    group, lane = z3.Int(f"{name}group"), z3.Int(f"{name}lane")
    solver.add(thread == subgroup * group + lane, lane >= 0, lane < subgroup)
    return element, thread, value, group
