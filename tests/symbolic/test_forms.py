"""Closed forms in lane and v, for all parameters, and the first thread and value where a wrong one differs."""

from __future__ import annotations

import pytest

from layoutcheck.expr import evaluate
from layoutcheck.expr import parse as expression
from layoutcheck.symbolic.family import decide
from layoutcheck.symbolic.forms import form
from layoutcheck.symbolic.operand import Operand, family
from layoutcheck.symbolic.verdict import FamilyVerdict

from .families import CDNA3, CDNA3_A, CDNA3_C, report

GFX1250 = Operand("a", "((16,2),(8,k/16)):((1,128),(16,256))", ("16", "k"))
GFX11 = Operand("a", "((16,2),k):((1,0),16)", ("16", "k"))


def asked(operand: Operand, names: tuple[str, ...], closed: dict[str, str], condition: str) -> FamilyVerdict:
    of = family(operand, names)
    return decide(form(of, closed), condition)


@pytest.mark.parametrize(
    ("operand", "names", "closed", "condition"),
    [
        (CDNA3_A, ("mn", "k"), {"m": "lane % mn", "k": "(k/(64/mn))*(lane // mn) + v"}, CDNA3),
        (CDNA3_C, ("mn",), {"m": "4*(lane // mn) + v % 4 + 4*(64/mn)*(v // 4)", "n": "lane % mn"},
         "64 % mn == 0 and mn*mn % 256 == 0"),
        (Operand("a", "(k,m-1):(1,k)", ("k", "m-1")), ("k", "m"), {"m": "lane % k", "k": "v % (m-1)"}, "m > 1"),
        (GFX11, ("k",), {"m": "lane % 16", "k": "v"}, ""),
        (GFX1250, ("k",), {"m": "lane % 16", "k": "16*(v // 8) + 8*(lane // 16) + v % 8"}, "k % 16 == 0"),
        (GFX1250, ("k",), {"m": "lane - 16*(lane // 16)", "k": "2*v - v % 8 + 8*(lane // 16)"}, "k % 16 == 0"),
    ],
)  # fmt: skip
def test_proved(operand: Operand, names: tuple[str, ...], closed: dict[str, str], condition: str) -> None:
    found = asked(operand, names, closed, condition)
    assert found.verdict == "proved"
    assert found.requires == ("exact" if condition else None)
    assert found.certified
    assert found.certified.startswith("z3")


@pytest.mark.parametrize(
    ("operand", "names", "closed", "condition"),
    [
        (CDNA3_A, ("mn", "k"), {"m": "lane % mn", "k": "(64/mn)*v + lane // mn"}, CDNA3),
        (CDNA3_A, ("mn", "k"), {"m": "lane // (64/mn)", "k": "(k/(64/mn))*(lane % (64/mn)) + v"}, CDNA3),
        (GFX11, ("k",), {"m": "lane // 2", "k": "v"}, ""),
        (GFX1250, ("k",), {"m": "lane % 16", "k": "16*(v // 8) + 8*(lane // 16) + v % 4"}, "k % 16 == 0"),
        (GFX1250, ("k",), {"m": "lane % 16", "k": "16*(v // 8) + 4*(lane // 16) + v % 8"}, "k % 16 == 0"),
    ],
)
def test_wrong_forms(operand: Operand, names: tuple[str, ...], closed: dict[str, str], condition: str) -> None:
    found = asked(operand, names, closed, condition)
    assert found.verdict == "refuted"
    witness = found.witness
    assert witness
    env, place = witness["parameters"], witness["at"][0]
    at = {**env, "lane": place["thread"], "v": place["value"]}
    assert [evaluate(expression(text), at) for text in closed.values()] == witness["expected"] != witness["element"]
    layout = family(operand, names).layout.at(env)
    rows = evaluate(expression(operand.tile[0]), env)
    offset = layout((place["thread"], place["value"]))
    assert [offset % rows, offset // rows] == witness["element"]


def test_what_no_digit_can_say_is_not_decided() -> None:
    found = asked(GFX11, ("k",), {"m": "lane*lane % 16", "k": "v"}, "k >= 100000")
    assert found.verdict in ("unknown", "unsupported")
    assert found.precondition is None


@pytest.mark.parametrize("name", ["cdna3.mfma", "gfx11.wmma"])
def test_the_catalog_s_families_are_the_calculator_s_tables(name: str) -> None:
    found = [v for v in report(name).verdicts if v.question == "form"]
    assert [v.operand for v in found] == ["a", "b", "c"]
    assert {v.verdict for v in found} == {"proved"}


def test_a_form_that_leaves_its_tile_is_another_map() -> None:
    """m + 16*k is the layout's offset, with m up to 31 and k - 1 there: no element of the tile."""
    found = asked(GFX11, ("k",), {"m": "lane % 16 + 16*v", "k": "0"}, "")
    assert found.verdict == "refuted"
    assert found.witness
    assert found.witness["element"] == [0, 1]
    assert found.witness["expected"] == [16, 0]
