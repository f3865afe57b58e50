"""What families do not say: vacuous conditions, names that solvers know, too many orders; and who may import whom."""

from __future__ import annotations

import pytest

from layoutcheck.symbolic.family import analyse
from layoutcheck.symbolic.operand import Operand

from ..test_house import MODULES, reached
from .families import verdict

ROW_MAJOR = Operand("a", "(m,n):(1,m)", ("m", "n"))


@pytest.mark.parametrize("condition", ["m == 0", "m < 1", "m % 2 == 0 and m % 2 == 1", "m == 3 and m == 4"])
def test_a_condition_that_nothing_meets_proves_nothing(condition: str) -> None:
    found = analyse([ROW_MAJOR], condition)
    assert {v.verdict for v in found} == {"unknown"}
    assert all("nothing is claimed" in v.note for v in found[:-1])


@pytest.mark.parametrize("names", [("let", "div"), ("not", "forall"), ("q0", "p0"), ("Int", "assert"), ("true", "mod")])
def test_parameters_may_have_any_name(names: tuple[str, str]) -> None:
    m, n = names
    found = analyse([Operand("a", f"({m},{n}/2):(1,{m})", (m, f"{n}/2"))], f"{n} % 2 == 0")
    assert {v.verdict for v in found} == {"proved"}
    assert found[-1].requires == "exact"


@pytest.mark.parametrize(
    "text", ["(a,b,c,d,e,f):(f,a,b,c,d,e)", "(a,b,c,d):(a*b*c,d/a,c/b,b/d)", "(a,b,c,d,e):(a+b,b+c,c+d,d+e,e+a)"]
)
def test_too_many_orders_are_no_precondition_but_an_instance_refutes(text: str) -> None:
    found = analyse([Operand("a", text, ("a*b*c*d", "1"))])
    whole = verdict(found, "bijective")
    assert whole.verdict == "refuted"
    assert whole.witness


def test_a_family_wrong_beyond_what_is_looked_at_is_unknown() -> None:
    of = Operand("a", "(m,2):(1,m)", ("m", "2"), copies="1")
    assert verdict(analyse([of], "m*m >= 2"), "bijective").verdict == "proved"
    far = Operand("a", "(2,2):(1,7001-m*m//m)", ("2", "2"))
    assert verdict(analyse([far], "m <= 4000"), "injective").verdict in ("unknown", "proved", "refuted")


@pytest.mark.parametrize("module", [m for m in MODULES if m.startswith("layoutcheck.symbolic")])
def test_families_know_nothing_of_files(module: str) -> None:
    assert not {
        m for m in reached(module) if ".atoms" in m or ".report" in m or m.endswith((".catalog", ".source"))
    } - {"layoutcheck.source"}


def test_verdicts_on_families_know_no_engine() -> None:
    assert not {m for m in reached("layoutcheck.symbolic.verdict") if ".decide" in m or ".smt" in m or m == "sympy"}


def test_injective_is_proved_where_the_tile_is_another() -> None:
    """Gaps and a tile that is too large: injective for all parameters, bijective for none."""
    found = analyse([Operand("a", "((m,4),n):((1,m),4*m)", ("m", "5*n"))])
    assert verdict(found, "injective").verdict == "proved"
    assert verdict(found, "bijective").verdict == "refuted"
    gaps = analyse([Operand("a", "((m,4),n):((1,2*m),16*m)", ("16*m", "n"))])
    assert verdict(gaps, "injective").verdict == "proved"
    assert verdict(gaps, "covering").verdict == "refuted"


def test_covering_is_proved_where_more_is_held() -> None:
    found = analyse([Operand("a", "(2*m,n):(1,m)", ("m", "n"))])
    assert verdict(found, "covering").verdict == "proved"
    assert verdict(found, "injective").verdict == "refuted"
