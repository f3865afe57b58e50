"""Texts that are none, or that are not analysed: one clear message, never a traceback."""

from __future__ import annotations

import pytest

from layoutcheck.errors import LayoutcheckError, NotationError
from layoutcheck.symbolic.family import analyse
from layoutcheck.symbolic.operand import Operand


@pytest.mark.parametrize(
    ("text", "verdict", "message"),
    [
        ("(m,n):1", "refuted", "not congruent"),
        ("(m,n):(1,m,2)", "refuted", "not congruent"),
        ("(m,n%2):(1,m)", "unsupported", "'%' in the layout of a family"),
        ("(m,n<2):(1,m)", "unsupported", "'<' in the layout of a family"),
        ("(m,n/(m-1)):(1,m)", "unsupported", "a divisor that is not positive for all parameters"),
        ("(m,n/0):(1,m)", "unsupported", "a divisor that is not positive for all parameters"),
        ("(m,n/(m-m)):(1,m)", "unsupported", "a divisor that is not positive for all parameters"),
        ("S<2,0,3> o 0 o (m,n):(1,m)", "unsupported", "a family with a swizzle"),
    ],
)
def test_not_analysed(text: str, verdict: str, message: str) -> None:
    found, together = analyse([Operand("a", text, ("m", "n"))])
    assert found.verdict == together.verdict == verdict
    assert message in found.note


@pytest.mark.parametrize(
    "text", ["", "(", "(m,n)", "(m,n):(1,?)", "(m,n):(1,m))", "((m/2)*3,n):(1,m)", "9" * 5000 + ":1"]
)
def test_no_layout(text: str) -> None:
    with pytest.raises(LayoutcheckError):
        analyse([Operand("a", text, ("m", "n"))])


@pytest.mark.parametrize("condition", ["m %", "m == == 1", "m < n < 3", "m ? 1", "(" * 40 + "m" + ")" * 40, "9" * 500])
def test_no_condition(condition: str) -> None:
    with pytest.raises(NotationError):
        analyse([Operand("a", "(m,n):(1,m)", ("m", "n"))], condition)


def test_too_many_parameters() -> None:
    names = "abcdefg"
    found, together = analyse([Operand("a", f"({','.join(names)}):({','.join('1' * 7)})", tuple(names))])
    assert found.verdict == together.verdict == "unsupported"
    assert "7 parameters" in found.note


@pytest.mark.parametrize(
    "condition",
    ["m == 0", "m < 0", "m == -1", "1 % (m - m) == 0", "m / 0 == 1", "64 % m == 0 or n == 3", "m", "1", "0"],
)
def test_odd_conditions_give_a_verdict(condition: str) -> None:
    found = analyse([Operand("a", "(m,n):(1,m)", ("m", "n"))], condition)
    assert {v.verdict for v in found} <= {"proved", "unknown"}
    assert {v.verdict for v in analyse([Operand("a", "(m,n):(1,m+1)", ("m", "n"))], condition)} <= {
        "proved", "unknown", "refuted"
    }  # fmt: skip


def test_zero_negative_and_huge_numbers() -> None:
    for text in ("(m,0):(1,m)", "(m-5,n):(1,m)", "(m,n):(1,0-m)", f"(m,n):(1,{'9' * 390}*m)", f"(m,{2**70}):(1,m)"):
        found = analyse([Operand("a", text, ("m", "n"))])
        assert found[-1].verdict in ("refuted", "unknown")
        assert not any(v.verdict == "disagree" for v in found)


def test_polynomials_that_explode_are_unsupported() -> None:
    text = "*".join(["(a+b+c+d+e+f)"] * 12)
    found, together = analyse([Operand("a", f"(a,b):(1,1*{text})", ("a", "b", "c", "d", "e", "f"))])
    assert found.verdict == together.verdict == "unsupported"
    assert "terms" in found.note
