"""Proofs by induction: every goal closes in both solvers, and a tampered chain is refused or stays open."""

from __future__ import annotations

from random import Random

import pytest

from layoutcheck.errors import NotationError
from layoutcheck.files import shipped
from layoutcheck.rewrites.chains import load, read
from layoutcheck.rewrites.goals import script
from layoutcheck.rewrites.induction import goals
from layoutcheck.rewrites.statements import STATEMENTS
from layoutcheck.rewrites.terms import parse, variables
from layoutcheck.smt import scripts
from layoutcheck.source import Source, YamlError, read_file

from .evaluate import apply, random_value, value

TEXT = read_file(f"{shipped('proofs')}/chains.yaml").text


@pytest.mark.parametrize("name", STATEMENTS)
def test_both_solvers_close_every_goal(name: str) -> None:
    found = goals(name, load())
    assert found
    for goal in found:
        text = script(goal)
        assert scripts.z3(text, 20) == "unsat", goal.name
        assert scripts.cvc5(text, 20) == "unsat", goal.name


@pytest.mark.parametrize("name", STATEMENTS)
def test_the_statement_holds_on_numbers_and_is_not_vacuous(name: str) -> None:
    statement, rng = STATEMENTS[name], Random(name)

    def sort(variable: str) -> str:
        return statement.sorts.get(variable, "Int")

    held = 0
    for _ in range(3000):
        names = sorted(variables(statement.formula))
        env = {x: random_value(sort(x), rng) for x in names}
        if rng.random() < 0.5:  # premises that ask for equality
            env = {x: env[min(y for y in names if sort(y) == sort(x))] for x in names}
            if name == "transpose_given":
                env["b"] = apply("permute", (env["p"], env["z"]))
        if not all(value(parse(text), env) for text in statement.premises):
            continue
        for text in statement.conclusions:
            assert value(parse(text), env), (text, env)
        held += 1
        if held == 200:
            break
    assert held >= 20


def test_the_file_proves_the_statements_in_their_order() -> None:
    assert list(load()) == list(STATEMENTS)


def tampered(old: str, new: str) -> Source:
    assert TEXT.count(old) >= 1
    return Source("chains.yaml", TEXT.replace(old, new, 1))


def closes(name: str, source: Source) -> bool:
    return all(scripts.z3(script(goal), 2) == "unsat" for goal in goals(name, read(source)))


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("size", '"ih()", "product', '"product'),
        ("appended", "div_of_div(t=k, d=V(b), w=V(r))", "div_of_div(t=k, d=V(b), w=V(b))"),
        ("appended", "    - size(l=b)\n", ""),
        ("inside", "    - ih()\n    - size(l=r)\n    - division", "    - size(l=r)\n    - division"),
        ("wrapped", "    - ih(k=k % (s * V(r)))\n", ""),
        ("split_leaf", "- merge_digit(t=t, s=s, a=a, e=e)", "- merge_digit(t=t, s=a, a=s, e=e)"),
        ("coalesce", "split_leaf(l=q, s=s, a=a, e=e, t=t, k=k)", "split_leaf(l=q, s=s, a=a, e=e, t=k, k=t)"),
        ("shape_cast", "- coalesce(l=b, t=t, k=k)\n", ""),
        ("transpose", "coordinate(z=z, t=t, i=i)", "coordinate(z=z, t=t, i=i + 1)"),
        ("broadcast", "[ih(n=n - 1)]", "[ih(n=n)]"),
        ("linearize", "ih(a=a * s + (0 if d == 0 else (t // d) % s))", "ih(a=a * s)"),
        (
            "decode",
            '"decode_cell(q=q, g=g, c=c, s=s, h=thread(r, h))"',
            '"decode_cell(q=c, g=g, c=q, s=s, h=thread(r, h))"',
        ),
        ("totality", "    - encode(t=t, g=g, s=s)\n", ""),
    ],
)
def test_a_wrong_or_missing_instance_leaves_a_goal_open(name: str, old: str, new: str) -> None:
    assert not closes(name, tampered(old, new))


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("size", "product(x=s, y=N(r))", "produkt(x=s, y=N(r))", "no lemma"),
        ("size", "product(x=s, y=N(r))", "product(x=s)", "says what x, y are"),
        ("size", "product(x=s, y=N(r))", "product(x=s, y=r)", "sort"),
        ("size", "product(x=s, y=N(r))", "s * N(r) >= 1", "no instance"),
        ("size", "ih()", "ih(l=nil)", "ih gives values to"),
        ("size", "    nil: []\n", "", "one case each"),
        ("size", "    nil: []\n", "    nil: []\n    stop: []\n", "one case each"),
        ("size", "leaf(s, d, r)", "leaf(s, s, r)", "names that stand for nothing yet"),
        ("size", "leaf(s, d, r)", "leaf(s, d, l)", "names that stand for nothing yet"),
        ("size", "  induction: l\n", "  induction: n\n", "by induction over a list"),
        ("size", "  induction: l\n", "", "cases of nothing"),
        (
            "appended_size",
            "append_size(w=N(app(r, b)), n=N(r), m=N(b), s=s)",
            "appended_size(a=r, b=b)",
            "not proved before",
        ),
        (
            "appended_size",
            "append_size(w=N(app(r, b)), n=N(r), m=N(b), s=s)",
            "shape_cast(a=a, b=b, t=0, k=0)",
            "not proved",
        ),
        ("shape_cast", "- coalesce(l=b, t=t, k=k)", "- ih()", "no induction hypothesis"),
        ("split_leaf", "    True:\n", "    Perhaps:\n", "one case each for True, False"),
        ("split_leaf", "  split: e == 0\n", "  split: e\n", "one case each"),
    ],
)
def test_what_is_no_fact_is_refused(name: str, old: str, new: str, message: str) -> None:
    with pytest.raises(NotationError, match=message):
        goals(name, read(tampered(old, new)))


def test_a_split_of_a_number_proves_nothing() -> None:
    source = Source("x", "size:\n  split: l\n  cases: {}\n")
    with pytest.raises(NotationError, match="one case each"):
        goals("size", read(source))
    source = Source("x", "step:\n  split: t\n  cases: {}\n")
    with pytest.raises(NotationError, match="one case each"):
        goals("step", read(source))


@pytest.mark.parametrize("text", ["", "- size", "size: x", "size: {used: []}", "size: []\nsize: []\n"])
def test_a_file_that_holds_no_chains_is_refused(text: str) -> None:
    with pytest.raises((NotationError, YamlError)):
        read(Source("x", text))


def test_premises_stay_antecedents() -> None:
    goal = goals("shape_cast", load())[0]
    fact = next(fact for fact in goal.facts if fact.why.startswith("coalesce(l=a"))
    assert getattr(fact.formula, "op", "") == "=>"


def test_no_goal_has_an_assertion_but_facts() -> None:
    for name in STATEMENTS:
        for goal in goals(name, load()):
            kinds = {"premise", "case"}
            assert all(fact.why in kinds or fact.why.endswith(")") for fact in goal.facts)
            assert script(goal).count("(assert ") == len(goal.facts) + 1
