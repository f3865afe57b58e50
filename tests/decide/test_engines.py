"""Every engine that answers agrees with plain evaluation at every point, and so does every verdict."""

from __future__ import annotations

from itertools import product
from math import prod
from random import Random, SystemRandom
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from layoutcheck.claim import Claim, replays
from layoutcheck.decide.portfolio import ENGINES, decide, forget
from layoutcheck.swizzle import Swizzle

from ..reference import holds
from .random_claims import claims

QUICK = ("theorems", "gf2", "search", "points")


def agree(claim: Claim, engines: tuple[str, ...] = tuple(ENGINES)) -> set[str]:
    """Ask every engine; the names of those that answered."""
    truth, answered = holds(claim), set()
    for name in engines:
        answer = ENGINES[name](claim, perf_counter() + 20)
        if answer is None:
            continue
        answered.add(name)
        assert answer.holds == truth, (name, claim, answer)
        assert answer.holds or replays(claim, answer.witness), (name, claim, answer)
    assert "points" in answered
    return answered


def agrees(claim: Claim) -> None:
    """Ask the portfolio: a verdict, and the right one."""
    verdict = decide(claim)
    assert verdict.status == ("proved" if holds(claim) else "refuted"), verdict


def small(count: int, extents: range, strides: range) -> list[tuple[tuple[int, int], ...]]:
    return list(product(product(extents, strides), repeat=count))


@pytest.mark.parametrize("leaves", small(2, range(1, 5), range(7)), ids=str)
def test_two_leaves_exhaustively(leaves: tuple[tuple[int, int], ...]) -> None:
    for kind in ("injective", "chain"):
        assert {"theorems", "z3"} <= agree(Claim(kind, leaves)), "both are complete on two leaves"
    for fibre in (1, 2, 4):
        agree(Claim("fibre", leaves, fibre=fibre), QUICK)
    for n in (1, 3, prod(s for s, _ in leaves), 9):
        for kind in ("onto", "bounded", "bijective"):
            assert "theorems" in agree(Claim(kind, leaves, n=n), QUICK)


def test_three_leaves_exhaustively() -> None:
    for leaves in small(3, range(1, 4), range(5)):
        n = prod(s for s, _ in leaves)
        agree(Claim("injective", leaves), QUICK)
        agree(Claim("chain", leaves), QUICK)
        for kind in ("onto", "bijective", "bounded"):
            assert "theorems" in agree(Claim(kind, leaves, n=n), QUICK)


def test_pairs_exhaustively() -> None:
    sides = small(2, range(1, 4), range(4))
    for left, right in product(sides, sides[::3]):
        assert "theorems" in agree(Claim("equal", left, other=right), QUICK)
        assert "theorems" in agree(Claim("permuted", left, other=right), QUICK)
        agree(Claim("recast", left, n=2, other=right), QUICK)


def test_offsets_apart_exhaustively() -> None:
    """Disjointness is only in question when an offset stands in front."""
    sides = small(2, range(1, 4), range(4))
    for left, right in product(sides[::2], sides[::5]):
        for start in (1, 2, 5):
            claim = Claim("disjoint", left, other=right, other_swizzle=Swizzle(0, 0, 0, start))
            agree(claim, QUICK)


def test_swizzles_exhaustively() -> None:
    for bits, base, shift, start in product(range(3), range(2), (-3, -2, 2, 3), (0, 1, 8)):
        swizzle = Swizzle(bits, base, shift, start)
        for leaves in (((4, 1), (4, 4)), ((3, 1), (4, 3)), ((2, 8), (2, 0)), ((16, 2),), ((4, 4), (4, 5))):
            for n in (8, 16, 64):
                agree(Claim("onto", leaves, n=n, swizzle=swizzle), QUICK)
                agree(Claim("bounded", leaves, n=n, swizzle=swizzle))
            agree(Claim("injective", leaves, swizzle=swizzle))
            agree(Claim("equal", leaves, other=leaves[::-1], swizzle=swizzle))
            agree(Claim("permuted", leaves, other=leaves[::-1], swizzle=swizzle), QUICK)


def test_random_layouts() -> None:
    rng = Random(20)
    answered: dict[str, int] = {}
    for _ in range(150):
        for claim in claims(rng, 512):
            for name in agree(claim):
                answered[name] = answered.get(name, 0) + 1
            agrees(claim)
    assert set(answered) == set(ENGINES), "an engine that never answers is not tested"


@pytest.mark.slow
def test_twenty_thousand_random_layouts() -> None:
    seed = SystemRandom().randrange(1 << 32)
    print(f"seed {seed}")
    rng = Random(seed)
    for number in range(20_000):
        for claim in claims(rng, 4096):
            agree(claim, tuple(ENGINES) if number % 20 == 0 else QUICK)
            if number % 20 == 0:
                agrees(claim)
        if number % 1000 == 0:
            forget()


_LEAVES = st.lists(st.tuples(st.integers(1, 8), st.integers(0, 70)), min_size=1, max_size=4).map(tuple)


@given(_LEAVES, st.integers(1, 300))
def test_made_layouts(leaves: tuple[tuple[int, int], ...], n: int) -> None:
    for kind in ("injective", "onto", "bounded", "bijective", "chain"):
        agree(Claim(kind, leaves, n=n), QUICK)


@given(_LEAVES, _LEAVES)
def test_made_pairs(left: tuple[tuple[int, int], ...], right: tuple[tuple[int, int], ...]) -> None:
    agree(Claim("equal", left, other=right), QUICK)
    agree(Claim("permuted", left, other=right), QUICK)
    agree(Claim("equal", left, other=left[::-1]), QUICK)
    agree(Claim("permuted", left, other=left[::-1]), QUICK)
