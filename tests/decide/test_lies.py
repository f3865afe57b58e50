"""A theorem that lies is caught: by its certificate when it says yes, by the replay when it says no."""

from __future__ import annotations

import pytest

from layoutcheck.claim import (
    Answer,
    Claim,
    Collision,
    Differs,
    Held,
    Kind,
    Link,
    Missing,
    Outside,
    Shared,
    Sizes,
    Witness,
)
from layoutcheck.decide import gf2, points, portfolio, search, theorems
from layoutcheck.swizzle import Swizzle

BIG = ((1 << 20, 1), (1 << 20, 1 << 20))

FALSE: list[Claim] = [
    Claim("injective", ((4, 1), (8, 1))),
    Claim("injective", ((4, 1), (8, 3), (2, 7))),
    Claim("injective", (*BIG, (2, (1 << 40) - 1))),
    Claim("fibre", ((4, 1), (8, 0)), fibre=4),
    Claim("fibre", ((4, 1), (8, 2), (2, 0)), fibre=2),
    Claim("onto", ((4, 1), (8, 5)), n=36),
    Claim("onto", (*BIG, (2, (1 << 40) + 1)), n=1 << 41),
    Claim("bijective", ((4, 1), (8, 5)), n=32),
    Claim("bijective", ((4, 1), (8, 4)), n=33),
    Claim("bounded", ((4, 1), (8, 4)), n=31),
    Claim("bounded", BIG, n=(1 << 40) - 1),
    Claim("disjoint", ((4, 2),), other=((4, 3),), other_swizzle=Swizzle(0, 0, 0, 3)),
    Claim("chain", ((2, 1), (2, 3))),
    Claim("equal", ((4, 1), (8, 4)), other=((8, 1), (4, 9))),
    Claim("equal", BIG, other=((1 << 40, 2),)),
    Claim("permuted", ((4, 1), (8, 4)), other=((8, 1), (4, 9))),
    Claim("recast", ((4, 2),), n=2, other=((8, 8),)),
    Claim("recast", ((2, 1), (4, 1)), n=2, other=((8, 8),)),
]

TRUE: list[tuple[Claim, Witness]] = [
    (Claim("injective", ((4, 1), (8, 4))), Collision((1, 0), (0, 1), 1)),
    (Claim("injective", ((4, 1), (8, 4))), Collision((1, 0), (1, 0), 1)),
    (Claim("injective", ((4, 1), (8, 4))), Collision((4, 0), (0, 1), 4)),
    (Claim("fibre", ((4, 1), (8, 0)), fibre=8), Held(0, 4, 8, ((0, 0),))),
    (Claim("fibre", ((4, 1), (8, 0)), fibre=8), Held(9, 0, 8)),
    (Claim("onto", ((4, 1), (8, 4)), n=32), Missing(5)),
    (Claim("onto", ((4, 1), (8, 4)), n=32), Missing(32)),
    (Claim("bijective", ((4, 1), (8, 4)), n=32), Sizes(32, 33)),
    (Claim("bijective", ((4, 1), (8, 4)), n=32), Missing(32)),
    (Claim("bounded", ((4, 1), (8, 4)), n=32), Outside((3, 8), 35, 32)),
    (Claim("bounded", ((4, 1), (8, 4)), n=32), Outside((3, 7), 31, 31)),
    (Claim("disjoint", ((4, 2),), other=((4, 2),), other_swizzle=Swizzle(0, 0, 0, 1)), Shared((1,), (1,), 2)),
    (Claim("chain", ((2, 1), (2, 2))), Link((2, 1), (2, 3))),
    (Claim("chain", ((2, 1), (2, 2))), Link((2, 2), (2, 1))),
    (Claim("equal", ((4, 1), (8, 4)), other=((32, 1),)), Differs((5,), 5, 6)),
    (Claim("equal", ((4, 1), (8, 4)), other=((32, 1),)), Differs((32,), 32, 33)),
    (Claim("equal", ((4, 1), (8, 4)), other=((32, 1),)), Sizes(32, 31)),
    (Claim("permuted", ((4, 1), (8, 4)), other=((8, 4), (4, 1))), Held(3, 1, 2)),
    (Claim("recast", ((4, 1),), n=2, other=((8, 4),)), Differs((0, 1), 1, 2)),
]


@pytest.fixture(autouse=True)
def _forget() -> None:
    portfolio.forget()


def _lie(monkeypatch: pytest.MonkeyPatch, kind: Kind, answer: Answer) -> None:
    monkeypatch.setitem(theorems._THEOREMS, kind, lambda *_: answer)
    monkeypatch.setattr(theorems, "disjoint", lambda *_: answer)


@pytest.mark.parametrize("claim", FALSE, ids=lambda c: f"{c.kind} {c.leaves}")
def test_a_false_proof_is_caught(monkeypatch: pytest.MonkeyPatch, claim: Claim) -> None:
    assert portfolio.decide(claim).status == "refuted"
    portfolio.forget()
    _lie(monkeypatch, claim.kind, Answer(True, "a lie"))
    verdict = portfolio.decide(claim)
    assert verdict.status == "disagree"
    assert verdict.certified in ("z3", "every point")


def test_every_kind_is_lied_about() -> None:
    assert {claim.kind for claim in FALSE} == {claim.kind for claim, _ in TRUE} == set(theorems._THEOREMS)


@pytest.mark.parametrize(("claim", "witness"), TRUE, ids=str)
def test_a_false_refutation_is_caught(monkeypatch: pytest.MonkeyPatch, claim: Claim, witness: Witness) -> None:
    assert portfolio.decide(claim).status == "proved"
    portfolio.forget()
    _lie(monkeypatch, claim.kind, Answer(False, "a lie", witness))
    assert portfolio.decide(claim).status == "disagree"


@pytest.mark.parametrize("engine", [search, gf2, points], ids=["search", "gf2", "points"])
def test_other_engines_are_checked_too(monkeypatch: pytest.MonkeyPatch, engine: object) -> None:
    name = {search: "search", gf2: "gf2", points: "points"}[engine]  # type: ignore[index]
    monkeypatch.setattr(engine, "decide", lambda *_, **__: Answer(True, "a lie"))
    verdict = portfolio.decide(Claim("injective", ((4, 1), (8, 1))), engine=name)
    assert verdict.status == "disagree"


def test_a_swizzle_is_no_hiding_place(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = Claim("injective", ((4, 1), (8, 1)), swizzle=Swizzle(2, 1, 2))
    _lie(monkeypatch, "injective", Answer(True, "a lie"))
    assert portfolio.decide(claim).status == "disagree"
