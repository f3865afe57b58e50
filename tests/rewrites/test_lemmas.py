"""The lemmas: true of numbers, closed by z3 and by cvc5, and the files say what the code says."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from layoutcheck.errors import NotationError
from layoutcheck.rewrites.chains import load, uses
from layoutcheck.rewrites.export import lemma_files
from layoutcheck.rewrites.goals import instance, lemma_goal, script
from layoutcheck.rewrites.lemmas import LEMMAS, Lemma
from layoutcheck.rewrites.statements import STATEMENTS
from layoutcheck.rewrites.terms import parse, substitute, variables
from layoutcheck.smt import scripts

from .evaluate import value

FILES = Path(__file__).parents[2] / "proofs" / "lemmas"


@pytest.mark.parametrize("name", LEMMAS)
def test_both_solvers_close_it(name: str) -> None:
    text = script(lemma_goal(LEMMAS[name]))
    assert scripts.z3(text, 20) == "unsat"
    assert scripts.cvc5(text, 20) == "unsat"


@pytest.mark.parametrize("name", LEMMAS)
def test_it_holds_on_numbers(name: str) -> None:
    lemma, rng = LEMMAS[name], Random(name)
    held = 0
    for _ in range(6000):
        top = rng.choice([2, 4, 12])
        env = {x: rng.randrange(-1, top) for x in sorted(variables(lemma.formula))}
        try:
            premise, conclusion = (value(x, env) for x in lemma.goal)
        except ZeroDivisionError:
            continue
        assert conclusion or not premise, env
        held += bool(premise)
        if held == 200:
            break
    assert held >= 20, "the premises are hardly ever met"


def test_the_files_are_what_the_code_states() -> None:
    stated = dict(lemma_files())
    assert {path.name: path.read_text() for path in FILES.glob("*.smt2")} == stated


def test_every_lemma_is_used() -> None:
    used = {name for chain in load().values() for name in uses(chain.step)}
    used |= {text.partition("(")[0] for lemma in LEMMAS.values() for text in lemma.by}
    assert set(LEMMAS) <= used
    assert not set(LEMMAS) & set(STATEMENTS)


def test_only_division_knows_what_div_is() -> None:
    native = [name for name, text in lemma_files() if "(div " in text or "(mod " in text]
    assert native == ["division.smt2"]


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("euclid", {"premises": ("0 <= y <= m", "0 <= v < m", "x * m + y == u * m + v")}),
        ("bound", {"conclusion": "0 <= c * n + p < s * n - 1"}),
        ("div_of_div", {"conclusion": "t // d // w == t // (d + w)"}),
        ("split_digit", {"conclusion": "t % (s * a) == (t // s) % a * s + t % a"}),
        ("merge_thread", {"premises": ("x == c * a + b", "d == e")}),
        ("decode_cell", {"premises": ("0 <= q <= g", "0 <= c < s")}),
        ("divmod", {"by": LEMMAS["divmod"].by[1:]}),
        ("encode", {"by": LEMMAS["encode"].by[:2]}),
    ],
)
def test_a_wrong_lemma_does_not_close(name: str, changed: dict[str, Any]) -> None:
    fields = {field: getattr(LEMMAS[name], field) for field in Lemma.__struct_fields__} | changed
    text = script(lemma_goal(Lemma(**fields)))
    assert scripts.z3(text, 1) != "unsat"
    assert scripts.cvc5(text, 1) != "unsat"


def test_an_instance_is_the_lemma_with_its_variables_replaced() -> None:
    fact = instance("product(x=s, y=N(r))", LEMMAS, {"r": "Leaves"})
    assert fact.formula == substitute(LEMMAS["product"].formula, {"x": "s", "y": parse("N(r)")})


@pytest.mark.parametrize(
    "text",
    [
        "no_such(x=1)",
        "product(x=1)",
        "product(x=1, y=2, z=3)",
        "product(x=r, y=1)",
        "product(1, 2)",
        "1 == 1",
        "x",
        "(",
    ],
)
def test_what_is_no_instance_is_refused(text: str) -> None:
    with pytest.raises(NotationError):
        instance(text, LEMMAS, {"r": "Leaves"})


def test_a_lemma_may_use_only_those_before() -> None:
    with pytest.raises(NotationError, match="no lemma that stands before"):
        instance("divmod(x=1, y=1, m=2)", {"division": LEMMAS["division"]}, {})
