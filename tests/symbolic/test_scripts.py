"""The exported proofs: cvc5 says of every step what z3 says, wrong steps are satisfiable, and hints prove nothing."""

from __future__ import annotations

import ast
from pathlib import Path
from time import perf_counter

import pytest

import layoutcheck
from layoutcheck.symbolic import certify, proof, scripts
from layoutcheck.symbolic.family import analyse, decide
from layoutcheck.symbolic.operand import Operand, family
from layoutcheck.symbolic.scripts import Step

from ..smt.test_smtlib import ask
from .families import CDNA3, CDNA3_A, reports
from .test_laws import NAMES, row_major, same


def steps() -> dict[str, Step]:
    found = [s for r in reports() for v in r.verdicts for s in v.steps]
    for rank in range(2, 7):
        found += same(row_major(rank), f"{'*'.join(NAMES[:rank])}:1", NAMES[:rank]).steps
    found += same("((t,m/t),(u,n/u)):((1,t),(m,m*u))", "(m,n):(1,m)", "mntu", "m % t == 0 and n % u == 0").steps
    return {s.script.partition("\n")[2]: s for s in found}


def test_cvc5_confirms_every_step_of_the_catalog_and_the_laws() -> None:
    every = steps()
    assert len(every) > 100
    open_ = [(s.name, answer) for s in every.values() if (answer := ask(s.script)) != "unsat"]
    assert open_ == []


def test_no_step_divides_or_quantifies() -> None:
    for text in steps():
        assert not {"div", "mod", "forall", "exists"} & set(text.replace("(", " ").replace(")", " ").split())


def test_a_wrong_hint_is_satisfiable() -> None:
    """The leaves by stride in another order, and a quotient that is not one."""
    of = family(CDNA3_A, ("mn", "k"))
    known = proof.exact(proof.nothing(of.names), of.layout, of.names)
    begun = proof.well_defined(known, of.layout, of.names)
    assert begun
    first, second, third = of.layout.leaves
    size = [proof.term(of.size, begun[0].context.quotients)]
    assert certify.failing(proof.compact(begun[0], [first, third, second], size), perf_counter() + 10) is None
    wrong = proof.compact(begun[0], [first, second, third], size)
    failing = certify.failing(wrong, perf_counter() + 10)
    assert failing
    assert ask(failing.script) == "sat"
    gone = proof.equal_numbers(begun[0], "not equal", ["mn!"], ["k!"])
    assert certify.failing([gone], perf_counter() + 10) == gone
    assert ask(gone.script) == "sat"


def test_a_proof_whose_scripts_are_not_confirmed_is_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certify, "failing", lambda steps, deadline: next(iter(steps), None))
    found = {v.question: v.verdict for v in analyse([CDNA3_A], CDNA3)}
    assert "proved" not in {found[q] for q in ("injective", "covering", "bijective", "all")}


def test_a_wrong_precondition_is_a_disagreement(monkeypatch: pytest.MonkeyPatch) -> None:
    from layoutcheck.symbolic import compact

    monkeypatch.setattr(compact, "ways", lambda leaves, n, copies, given: ((),))
    of = family(Operand("a", "(m,n):(1,m+1)", ("m", "n")), ("m", "n"))
    from layoutcheck.symbolic.questions import questions

    question = next(q for q in questions(of) if q.name == "bijective")
    assert decide(question).verdict == "disagree"


def test_lemmas_are_valid_and_needed_scripts_of_their_own() -> None:
    for lemma in (*scripts.MIXED_RADIX, scripts.INTERVALS, scripts.SPLIT):
        assert certify.failing([lemma], perf_counter() + 10) is None
        assert ask(lemma.script) == "unsat"


def test_scripts_know_no_normal_form() -> None:
    """The certificate shares the expressions with the theorem, and nothing that computes with them."""
    folder = Path(layoutcheck.__file__).parent / "symbolic"
    for name, allowed in (("scripts", {"errors", "expr"}), ("certify", {"smt.solver", "scripts"})):
        tree = ast.parse((folder / f"{name}.py").read_text())
        found = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level}
        assert found <= allowed
        assert "sympy" not in (folder / f"{name}.py").read_text()
