"""On a grid of all parameters: the derived precondition says what the engine says, and what the definition says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product
from math import prod

import pytest

from layoutcheck import formulas
from layoutcheck.atoms.families import condition_of
from layoutcheck.errors import LayoutcheckError
from layoutcheck.expr import evaluate
from layoutcheck.expr import parse as expression
from layoutcheck.symbolic import conditions, requires
from layoutcheck.symbolic.family import analyse, read
from layoutcheck.symbolic.operand import Operand, Question, free_names
from layoutcheck.symbolic.questions import check

from .families import CDNA3_A, CDNA3_C, entries, verdict
from .test_mutants import MUTANTS

ASKED: list[tuple[str, Question]] = []
for _entry in entries():
    _record = _entry.record
    _operands = list(formulas.operands_of(_record))
    _read, _ = read(_operands, free_names(_operands, condition_of(_record.family)))
    ASKED += [(_record.name, question) for question in formulas.asked(_record, _read) if question.families]


def grid(names: tuple[str, ...], most: int) -> Iterator[dict[str, int]]:
    for at in product(range(1, most + 1), repeat=len(names)):
        yield dict(zip(names, at, strict=True))


def used(question: Question) -> tuple[str, ...]:
    operands = [of.operand for of in question.families]
    return question.families[0].names if question.about else free_names(operands)


def disagreements(question: Question, most: int) -> list[dict[str, int]]:
    """Instances where the precondition and the engine part; where it is not complete, those it wrongly allows."""
    ways = question.where()
    found = []
    for env in grid(used(question), most):
        env = {**dict.fromkeys(question.families[0].names, 1), **env}
        meets, right = requires.meets(ways.precondition, env), check(question, env) is None
        if meets != right and (ways.complete or meets):
            found.append(env)
    return found


def test_there_is_something_to_ask() -> None:
    assert len(ASKED) > 100
    assert {question.name for _, question in ASKED} >= {"positive", "bijective", "k-alike", "recast", "same-bits"}


@pytest.mark.parametrize(("name", "question"), ASKED, ids=[f"{n}-{q.operand}-{q.name}" for n, q in ASKED])
def test_agrees_with_the_engine_up_to_ten(name: str, question: Question) -> None:
    assert disagreements(question, 10) == []


@pytest.mark.slow
def test_agrees_with_the_engine_up_to_64() -> None:
    """Every question of the catalog at every instance of all its parameters."""
    for name, question in ASKED:
        assert disagreements(question, 64) == [], (name, question.operand, question.name)


def right(of: Operand, env: dict[str, int]) -> bool:
    """The definition: each element of the tile held as often as declared, and nothing else."""
    from .test_mutants import layout_at

    layout = layout_at(of.layout, env)
    try:
        size = prod(evaluate(expression(e), env) for e in of.tile)
        copies = evaluate(expression(of.copies), env)
    except LayoutcheckError:
        return False
    held = Counter(layout(i) for i in range(layout.size)) if layout else Counter()
    return held == Counter(dict.fromkeys(range(size), copies))


FAMILIES = [
    CDNA3_A,
    CDNA3_C,
    Operand("c", "((n, 64/n), (4, m/4/(64/n))) : ((m, 4), (1, 4*(64/n)))", ("m", "n")),
    Operand("a", "((m, 32/m), k) : ((1, 0), m)", ("m", "k"), copies="32/m"),
    Operand("a", "((m, r), k) : ((1, 0), m)", ("m", "k"), copies="r"),
    Operand("a", "((m, r), k) : ((1, r-1), m)", ("m", "k"), copies="2"),
    Operand("c", "((16,2),m/2) : ((16,m/2),1)", ("m", "16")),
    Operand("a", "(a, b) : (c, d)", ("a", "b")),
    Operand("a", "(a, b) : (1, a+b-3)", ("a", "b")),
    Operand("a", "(a-1, b) : (1, a)", ("a", "b")),
    Operand("a", "(a, b, 2) : (1, 2*a, a)", ("2*a", "b")),
    *(Operand("a", text, ("mn", "k")) for text in MUTANTS.values() if "//" not in text),
]


@pytest.mark.parametrize("of", FAMILIES, ids=lambda of: of.layout)
def test_the_precondition_is_what_the_definition_says(of: Operand) -> None:
    """Weakest: right where it holds, and wrong where it does not."""
    found = verdict(analyse([of]), "bijective", of.name)
    names = free_names([of])
    assert found.precondition
    assert found.necessary
    for env in grid(names, 20 if len(names) < 3 else 6):
        held = found.precondition == "always" or (found.precondition != "never" and holds(found.precondition, env))
        assert held == right(of, env), env


def holds(precondition: str, env: dict[str, int]) -> bool:
    return bool(evaluate(expression(precondition), env))


def test_injective_and_covering_by_order() -> None:
    """Conditions of order: sound at every instance, and the ones they miss are listed."""
    of = Operand("a", "(m,n):(1,k)", ("m", "n"))
    found = analyse([of])
    injective, covering = verdict(found, "injective"), verdict(found, "covering")
    assert injective.precondition == "(m <= k) or (n == 1)"
    for env in grid(("m", "n", "k"), 8):
        m, n, k = (env[x] for x in "mnk")
        offsets = [i + k * j for j in range(n) for i in range(m)]
        assert holds(injective.precondition, env) == (len(set(offsets)) == len(offsets)), env
        covers = set(range(m * n)) <= set(offsets)
        if covering.precondition and holds(covering.precondition, env):
            assert covers


def test_a_union_of_ways_reads_as_requires() -> None:
    way = conditions.text(conditions.ALWAYS)
    assert (way, conditions.text(())) == ("always", "never")
