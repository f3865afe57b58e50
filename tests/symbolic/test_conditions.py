"""Conditions and what implies what, at random, against plain evaluation at every point of a grid."""

from __future__ import annotations

from collections import Counter
from itertools import product
from random import Random
from time import perf_counter

import pytest

from layoutcheck.expr import parse as expression
from layoutcheck.symbolic import models, requires
from layoutcheck.symbolic.conditions import Precondition, Way, simplified, text, united
from layoutcheck.symbolic.instances import holds

from .test_zero import condition

NAMES = ("m", "k")
GRID = [{"m": m, "k": k} for m, k in product(range(1, 13), repeat=2)]
SIDES = ["m", "k", "2*m", "m*k", "k*k", "m+k", "k-2", "m*m-3*m+2", "3", "4", "7", "8", "12"]
DIVISIONS = [
    "k//2", "k % 3", "m % k", "12 % m", "12 // (k-3)", "(k-5) % 3", "k//2*2 - k",
    "(k//2*2 - k) % 4", "5 // (k//3*3 - k + 1)",
    "12 % (m-3)", "m/2", "(k/2) % 3", "-k % 4", "k // m // 2",
]  # fmt: skip


def plain(rng: Random) -> str:
    """A divisibility, an equation or an inequality."""
    if rng.random() < 0.25:
        return f"{rng.choice(['m', 'k', '12', 'm*k', '8'])} % {rng.choice(['2', '4', 'm', 'k'])} == 0"
    if rng.random() < 0.35:
        return f"{rng.randint(1, 9)} <= {rng.choice(NAMES)}"
    return f"{rng.choice(SIDES)} {rng.choice(['==', '<=', '<='])} {rng.choice(SIDES)}"


def any_condition(rng: Random, depth: int = 2) -> str:
    if depth and rng.random() < 0.6:
        joined = f" {rng.choice(['and', 'or'])} ".join(any_condition(rng, depth - 1) for _ in range(2))
        return f"({joined})"
    pool = DIVISIONS if rng.random() < 0.5 else SIDES
    return f"{rng.choice(pool)} {rng.choice(['==', '!=', '<', '<=', '>', '>='])} {rng.choice(SIDES)}"


def met(precondition: Precondition, env: dict[str, int]) -> bool:
    return any(all(holds(expression(str(c)), env) for c in way) for way in precondition)


def way_of(rng: Random) -> Way:
    return tuple(condition(plain(rng)) for _ in range(rng.randint(1, 4)))


@pytest.mark.parametrize("seed", range(6))
def test_simplified_is_the_same_condition(seed: int) -> None:
    rng = Random(seed)
    for _ in range(60):
        way = way_of(rng)
        found = simplified(way)
        for env in GRID:
            assert met((way,), env) == (found is not None and met((found,), env)), (text((way,)), found, env)


@pytest.mark.parametrize("seed", range(3))
def test_united_is_the_union(seed: int) -> None:
    rng = Random(seed)
    for _ in range(40):
        ways = [found for _ in range(3) if (found := simplified(way_of(rng))) is not None]
        for env in GRID:
            assert met(tuple(ways), env) == met(united(*ways), env), ([text((way,)) for way in ways], env)


@pytest.mark.parametrize("seed", range(6))
def test_what_implies_what(seed: int) -> None:
    """What is shown holds at every point: `requires` inside the precondition, the precondition inside `requires`, and
    nothing inside a `requires` that is said to be met by nothing."""
    rng, seen = Random(seed), Counter[str]()
    for _ in range(25):
        source = any_condition(rng)
        needed = requires.read(source, NAMES)
        ways = united(*(found for _ in range(2) if (found := simplified(way_of(rng))) is not None))
        inside = [env for env in GRID if holds(expression(source), env)]
        if requires.implied(needed, ways, perf_counter() + 2) is not None:
            seen["implied"] += 1
            assert all(met(ways, env) for env in inside), (source, text(ways))
        if requires.implying(needed, ways, perf_counter() + 2) is not None:
            seen["implying"] += 1
            assert all(holds(expression(source), env) for env in GRID if met(ways, env)), (source, text(ways))
        found = models.found(needed)
        seen[str(found if found is None else len(found))] += 1
        assert found != () or not inside, source
        assert not found or holds(expression(source), found[0])
    assert seen["1"]
