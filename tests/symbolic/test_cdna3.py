"""The formula of CDNA3's A, B and C: for which sizes it is right, both ways, and what C++ makes of the others."""

from __future__ import annotations

import pytest

from layoutcheck.notation import parse
from layoutcheck.symbolic.family import analyse
from layoutcheck.symbolic.outside import outside
from layoutcheck.symbolic.verdict import Outside

from .families import CDNA3, CDNA3_A, CDNA3_C, asked, changed, verdict


def test_a_is_bijective_onto_the_tile_exactly_where_mn_divides_64_and_64_divides_mn_k() -> None:
    found = verdict(analyse([CDNA3_A], CDNA3), "bijective")
    assert found.verdict == "proved"
    assert found.precondition == CDNA3
    assert found.requires == "exact"
    assert found.sufficient
    assert "z3" in found.sufficient
    assert found.necessary
    assert "z3" in found.necessary
    assert found.unexplained == ()
    assert found.by == "running product of the sorted strides"


def test_every_question_is_proved() -> None:
    found = analyse([CDNA3_A], CDNA3)
    names = [v.question for v in found]
    assert names == ["congruent", "positive", "threads", "counts", "injective", "covering", "bijective", "all"]
    assert {v.verdict for v in found} == {"proved"}
    assert found[-1].requires == "exact"


@pytest.mark.parametrize(
    ("mn", "k", "unmet", "cpp"),
    [
        (32, 1, ("mn*k % 64 == 0",), "((32,2),0):((1,0),32)"),
        (4, 4, ("mn*k % 64 == 0",), "((4,16),0):((1,0),4)"),
        (5, 7, ("64 % mn == 0", "mn*k % 64 == 0"), "((5,12),0):((1,0),5)"),
        (32, 3, ("mn*k % 64 == 0",), "((32,2),1):((1,32),32)"),
    ],
)
def test_sizes_that_flydsl_accepts_are_named_as_outside(mn: int, k: int, unmet: tuple[str, ...], cpp: str) -> None:
    found = outside(asked(CDNA3_A), {"mn": mn, "k": k})
    assert found.witness["reason"] == "inexact-division"
    assert found.unmet == unmet
    assert found.truncation
    assert found.truncation["layout"] == cpp
    assert not found.truncation["right"]


def test_nothing_is_said_of_a_size_inside() -> None:
    assert outside(asked(CDNA3_A), {"mn": 16, "k": 1000}) == Outside({"mn": 16, "k": 1000})


def test_truncation_that_happens_to_be_right_is_said_so() -> None:
    """12 // 5 = 2 groups and 6 // 2 = 3 values: with 10 threads declared, C++ computes a bijection onto (5,6)."""
    a = changed("((mn, 12/mn), k/(12/mn)) : ((1, mn*(k/(12/mn))), mn)")
    found = outside(asked(type(a)("a", a.layout, a.tile, threads="10")), {"mn": 5, "k": 6})
    assert found.witness["reason"] == "inexact-division"
    assert found.truncation
    assert found.truncation["layout"] == "((5,2),3):((1,15),5)"
    assert found.truncation["right"]
    layout = parse(found.truncation["layout"])
    assert sorted(layout(i) for i in range(layout.size)) == list(range(30))


def test_c_needs_more_than_a() -> None:
    found = analyse([CDNA3_A, CDNA3_C], CDNA3)
    assert verdict(found, "bijective", "c").precondition == "64 % mn == 0 and mn*mn % 256 == 0"
    assert verdict(found, "bijective", "c").verdict == "refuted"
    whole = found[-1]
    assert (whole.verdict, whole.requires) == ("refuted", "too-weak")
    assert whole.precondition == "64 % mn == 0 and mn*k % 64 == 0 and mn*mn % 256 == 0"
    assert whole.witness
    assert whole.witness["parameters"] == {"mn": 8, "k": 8}
    assert whole.truncation
    assert whole.truncation["layout"] == "((8,8),(4,0)):((8,4),(1,32))"


@pytest.mark.parametrize(
    ("condition", "requires", "inside", "beyond"),
    [
        (CDNA3, "exact", None, None),
        ("mn*k % 64 == 0 and mn <= 64 and 64 % mn == 0", "exact", None, None),
        ("64 % mn == 0", "too-weak", {"mn": 1, "k": 1}, None),
        ("mn == 16 and k % 4 == 0", "too-strong", None, {"mn": 8, "k": 8}),
        ("(mn == 16 and k % 4 == 0) or (mn == 32 and k % 2 == 0)", "too-strong", None, {"mn": 8, "k": 8}),
        ("mn == 16", "too-weak", {"mn": 16, "k": 1}, {"mn": 8, "k": 8}),
        ("mn <= 32 and k <= 2 and mn*k == 64", "too-strong", None, {"mn": 8, "k": 8}),
    ],
)
def test_requires_is_compared(
    condition: str, requires: str, inside: dict[str, int] | None, beyond: dict[str, int] | None
) -> None:
    found = verdict(analyse([CDNA3_A], condition), "bijective")
    assert found.requires == requires
    assert found.verdict == ("refuted" if requires == "too-weak" else "proved")
    assert (found.witness or {}).get("parameters") == inside
    assert found.beyond == beyond


def test_without_requires_all_positive_integers_are_claimed() -> None:
    found = verdict(analyse([CDNA3_A]), "bijective")
    assert found.verdict == "refuted"
    assert found.requires is None
    assert found.witness
    assert found.witness["parameters"] == {"mn": 1, "k": 1}
