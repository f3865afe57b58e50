"""The portfolio: engines by name, memory, limits, and what it says when nobody answers."""

from __future__ import annotations

import pytest

from layoutcheck.claim import Claim, Collision
from layoutcheck.decide import search
from layoutcheck.decide.portfolio import ENGINES, decide, forget
from layoutcheck.errors import Unsupported
from layoutcheck.swizzle import Swizzle

# strides of 40 random bits: a difference vector exists only by the pigeonhole, and nobody finds it quickly
HARD = Claim("injective", tuple((16, (1 << 39) + (k * k * k * 0x9E3779B97F) % (1 << 39)) for k in range(2, 14)))


@pytest.mark.parametrize("engine", [e for e in ENGINES if e != "gf2"])
def test_a_named_engine_decides(engine: str) -> None:
    forget()
    verdict = decide(Claim("injective", ((3, 1), (8, 3))), engine=engine)
    assert verdict.status == "proved"
    assert verdict.certified
    refuted = decide(Claim("injective", ((3, 1), (8, 2))), engine=engine)
    assert refuted.status == "refuted"
    assert isinstance(refuted.witness, Collision)


def test_gf2_answers_for_powers_of_two_only() -> None:
    assert decide(Claim("injective", ((4, 1), (8, 4))), engine="gf2").status == "proved"
    assert decide(Claim("injective", ((3, 1), (8, 3))), engine="gf2").status == "unknown"


def test_an_engine_that_does_not_exist() -> None:
    with pytest.raises(Unsupported, match="theorems, gf2, search, z3, points"):
        decide(HARD, engine="oracle")


def test_out_of_time_is_unknown() -> None:
    verdict = decide(HARD, timeout=0.05)
    assert verdict.status == "unknown"
    assert verdict.witness is None


def test_what_is_unknown_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = Claim("injective", ((4, 1), (4, 3), (4, 7)))
    for name in ENGINES:
        monkeypatch.setitem(ENGINES, name, lambda *_: None)
    assert decide(claim).status == "unknown"
    monkeypatch.undo()
    assert decide(claim).status == "refuted"


def test_what_is_known_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = Claim("injective", ((5, 1), (7, 5)))
    first = decide(claim)
    for name in ENGINES:
        monkeypatch.setitem(ENGINES, name, lambda *_: None)
    assert decide(claim) == first


def test_without_a_certificate_it_says_so() -> None:
    verdict = decide(Claim("injective", ((11, 1), (7, 11))), certify=False)
    assert (verdict.status, verdict.certified) == ("proved", None)


def test_a_swizzle_that_does_not_permute_is_unsupported() -> None:
    verdict = decide(Claim("injective", ((8, 1),), swizzle=Swizzle(3, 0, 2)))
    assert verdict.status == "unsupported"
    assert "abs(shift) < bits" in verdict.note


def test_a_spent_search_is_silent() -> None:
    claim = Claim("injective", ((16, 1001), (16, 1010), (16, 1100), (16, 2003), (16, 2011)))
    assert search.decide(claim) is not None
    assert search.decide(claim, nodes=0) is None
    assert search.decide(HARD, deadline=0.0) is None


@pytest.mark.parametrize("shift", [-1, 1])
def test_sixteen_leaves_near_a_chain(shift: int) -> None:
    """Off by one at 2^60 points: a theorem's silence, the search's answer; checked by replay or by z3."""
    leaves, end = [], 1
    for _ in range(15):
        leaves.append((14, end))
        end = end * 14 + shift
    verdict = decide(Claim("injective", (*leaves, (2, end))))
    assert verdict.status in ("proved", "refuted")
    assert verdict.certified
