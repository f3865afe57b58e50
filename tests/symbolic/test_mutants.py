"""Families that are almost right: refuted by the smallest parameters, with a thread and a value that replay."""

from __future__ import annotations

from collections import Counter
from itertools import count

import pytest

from layoutcheck.errors import LayoutcheckError
from layoutcheck.expr import evaluate
from layoutcheck.expr import parse as expression
from layoutcheck.layout import Layout
from layoutcheck.notation import build, read, resolve
from layoutcheck.symbolic.family import analyse

from .families import CDNA3, changed, verdict

MUTANTS = {
    "value stride off by one": "((mn, 64/mn), k/(64/mn)) : ((1, mn*(k/(64/mn))), mn+1)",
    "group stride off by one": "((mn, 64/mn), k/(64/mn)) : ((1, mn*(k/(64/mn))+1), mn)",
    "row stride off by one": "((mn, 64/mn), k/(64/mn)) : ((2, mn*(k/(64/mn))), mn)",
    "thread modes swapped in the stride": "((mn, 64/mn), k/(64/mn)) : ((mn*(k/(64/mn)), 1), mn)",
    "thread modes swapped in the shape": "((64/mn, mn), k/(64/mn)) : ((1, mn*(k/(64/mn))), mn)",
    "truncated division in a stride": "((mn, 64/mn), k/(64/mn)) : ((1, k//64*mn*mn), mn)",
    "truncated division of the groups": "((mn, 64/mn), k/(64/mn)) : ((1, mn*(k/(64/mn))), 64//(mn+1))",
}


def layout_at(text: str, env: dict[str, int]) -> Layout | None:
    try:
        return build(resolve(read(text), env))
    except LayoutcheckError:
        return None


def right(text: str, env: dict[str, int]) -> bool:
    """The definition: every element of the (mn, k) tile held once, by plain evaluation."""
    layout = layout_at(text, env)
    held = Counter(layout(i) for i in range(layout.size)) if layout else Counter()
    return held == Counter(range(env["mn"] * env["k"]))


def smallest_wrong(text: str) -> dict[str, int]:
    for total in count(2):
        for mn in range(1, total):
            env = {"mn": mn, "k": total - mn}
            if evaluate(expression(CDNA3), env) and not right(text, env):
                return env
    raise AssertionError


@pytest.mark.parametrize("text", MUTANTS.values(), ids=MUTANTS)
def test_refuted_by_the_smallest_parameters_and_a_thread_and_value(text: str) -> None:
    found = verdict(analyse([changed(text)], CDNA3), "bijective")
    assert found.verdict == "refuted"
    assert found.requires == "too-weak"
    witness = found.witness
    assert witness
    env = witness["parameters"]
    assert env == smallest_wrong(text)
    layout = layout_at(text, env)
    assert layout
    places = [(p["thread"], p["value"]) for p in witness.get("at") or [witness["before"]]]
    offsets = [layout(place) for place in places]
    m, k = witness["element"]
    assert witness["offset"] == m + env["mn"] * k
    match witness["reason"]:
        case "held-twice":
            assert len(set(places)) == 2
            assert set(offsets) == {witness["offset"]}
        case "outside":
            assert offsets == [witness["offset"]]
            assert witness["offset"] >= witness["limit"] == env["mn"] * env["k"]
        case "missing":
            assert offsets == [witness["offset"] - 1]
            assert witness["offset"] not in {layout(i) for i in range(layout.size)}
        case other:
            pytest.fail(other)


def test_a_truncated_division_is_right_where_it_is_exact() -> None:
    text = "((mn, 64//mn), k//(64//mn)) : ((1, mn*(k//(64//mn))), mn)"
    found = analyse([changed(text)], CDNA3)
    assert {v.verdict for v in found} == {"proved"}
    whole = verdict(found, "bijective")
    assert whole.necessary is None  # 64 threads are another question, so others hold their (mn, k) as well
    assert whole.unexplained
    assert all(right(text, env) for env in whole.unexplained)


def test_a_truncated_division_is_refuted_where_it_truncates() -> None:
    text = "((mn, 64//mn), k//(64//mn)) : ((1, mn*(k//(64//mn))), mn)"
    found = verdict(analyse([changed(text)], "64 % mn == 0 and mn*k >= 64"), "bijective")
    assert found.verdict == "refuted"
    assert found.witness
    env = found.witness["parameters"]
    assert env == {"mn": 8, "k": 9}
    assert found.witness["reason"] == "missing"
    assert found.witness["element"] == [0, 8]
    layout = layout_at(text, env)
    assert layout
    assert 64 not in {layout(i) for i in range(layout.size)}
    assert layout((found.witness["before"]["thread"], found.witness["before"]["value"])) == 63
