"""cvc5 reads every exported script and says what the definition says. cvc5 is not optional here."""

from __future__ import annotations

from collections import Counter
from random import Random

import cvc5
import pytest

from layoutcheck.claim import Claim
from layoutcheck.smt.smtlib import script
from layoutcheck.swizzle import Swizzle

from ..decide.random_claims import claims
from ..reference import holds


def ask(text: str) -> str:
    """What cvc5 answers to the script's check-sat."""
    solver = cvc5.Solver()
    solver.setOption("tlimit-per", "20000")
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "claim.smt2")
    symbols = parser.getSymbolManager()
    answers = []
    while not (command := parser.nextCommand()).isNull():
        answers.append(command.invoke(solver, symbols).strip())
    return " ".join(answer for answer in answers if answer)


def test_cvc5_confirms_hundreds_of_queries() -> None:
    rng = Random(5)
    asked: Counter[tuple[str, str]] = Counter()
    while sum(asked.values()) < 400:
        for claim in claims(rng, 1024):
            text = script(claim)
            if text is None:
                continue
            answer = ask(text)
            asked[claim.kind, answer] += 1
            if holds(claim):
                # a sufficient query may be satisfiable for a claim that holds; it says so itself
                assert answer == "unsat" or "; sufficient" in text, (claim, answer, text)
            else:
                assert answer == "sat", (claim, answer, text)
    for kind in ("injective", "fibre", "onto", "bounded", "bijective", "chain", "equal", "disjoint"):
        assert asked[kind, "unsat"], f"no {kind} claim that holds was asked"
        assert asked[kind, "sat"], f"no {kind} claim that fails was asked"
    assert asked["permuted", "unsat"]


CHAIN60 = tuple((16, 16**k) for k in range(15))


@pytest.mark.parametrize(
    "claim",
    [
        Claim("injective", CHAIN60),
        Claim("onto", CHAIN60, n=1 << 60),
        Claim("bijective", CHAIN60, n=1 << 60),
        Claim("bounded", CHAIN60, n=1 << 60),
        Claim("chain", CHAIN60),
        Claim("equal", CHAIN60, other=tuple((4, 4**k) for k in range(30))),
        Claim("equal", CHAIN60, other=CHAIN60, swizzle=Swizzle(3, 4, 3), other_swizzle=Swizzle(3, 4, 3)),
        Claim("permuted", CHAIN60, other=CHAIN60[::-1]),
        Claim("bounded", CHAIN60, n=1 << 60, swizzle=Swizzle(3, 4, 3)),
        Claim("injective", CHAIN60, swizzle=Swizzle(3, 4, -3, 7)),
    ],
    ids=lambda claim: claim.kind,
)
def test_large_claims_close(claim: Claim) -> None:
    text = script(claim)
    assert text is not None
    assert ask(text) == "unsat"


def test_a_recast_is_not_exported() -> None:
    assert script(Claim("recast", ((4, 1),), n=2, other=((8, 4),))) is None


def test_a_swizzle_that_does_not_permute_is_not_exported() -> None:
    assert script(Claim("injective", ((4, 1),), swizzle=Swizzle(2, 0, 1))) is None
