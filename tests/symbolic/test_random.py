"""Random families and conditions: every verdict against the definition, evaluated at every point of every instance."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import prod
from random import Random

import pytest

from layoutcheck.errors import LayoutcheckError
from layoutcheck.expr import evaluate
from layoutcheck.expr import parse as expression
from layoutcheck.symbolic.family import analyse
from layoutcheck.symbolic.operand import Operand

from .test_mutants import layout_at

EXTENTS = ["a", "b", "2", "4", "8/a", "a/2", "b/a", "a*b", "3", "1", "16/b", "a-1", "8//a", "a*b/4"]
STRIDES = ["1", "a", "b", "a*b", "2", "2*a", "a/2", "8/a", "0", "b/a", "a+1", "b*(8/a)", "a-1"]
CONDITIONS = [
    "", "8 % a == 0", "a == 2", "b % a == 0", "a % 2 == 0 and b % a == 0", "a <= b", "8 % a == 0 and b % (8/a) == 0",
    "a == 4 or b == 2", "a*b == 16", "a < 4 and b < 6", "16 % b == 0 and a % 2 == 0", "a*b % 4 == 0",
]  # fmt: skip
GRID = [{"a": a, "b": b} for a, b in product(range(1, 9), repeat=2)]
_MOST = 2000  # points of an instance


def compact(rng: Random) -> Operand:
    """A chain in a random order of the leaves, sometimes with one stride changed, and its tile."""
    extents = [rng.choice(EXTENTS[:10]) for _ in range(rng.randint(2, 4))]
    strides, run = {}, "1"
    for i in rng.sample(range(len(extents)), len(extents)):
        strides[i] = run
        run = f"{run}*({extents[i]})"
    if rng.random() < 0.3:
        strides[rng.randrange(len(extents))] = rng.choice(STRIDES)
    cut = rng.randint(1, len(extents) - 1)
    texts = [", ".join(part) for side in (extents, [strides[i] for i in range(len(extents))])
             for part in (side[:cut], side[cut:])]  # fmt: skip
    layout = f"(({texts[0]}),({texts[1]})):(({texts[2]}),({texts[3]}))"
    return Operand("a", layout, (run, "1") if rng.random() < 0.7 else ("a", "b"), copies=rng.choice("1112"))


def arbitrary(rng: Random) -> Operand:
    texts = [", ".join(rng.choice(pool) for _ in range(2)) for pool in (EXTENTS, EXTENTS, STRIDES, STRIDES)]
    tile = rng.choice([("a*b", "1"), ("a-1", "b"), ("b-a", "a"), ("a*b/4", "2")])
    copies = rng.choice(["1", "1", "a", "b-1"])
    return Operand("a", f"(({texts[0]}),({texts[1]})):(({texts[2]}),({texts[3]}))", tile, copies=copies)


def facts(of: Operand, env: dict[str, int]) -> dict[str, bool] | None:
    """What the definition says of one instance; {} where it is no layout, None where it has too many points."""
    layout = layout_at(of.layout, env)
    try:
        n, copies = prod(evaluate(expression(e), env) for e in of.tile), evaluate(expression(of.copies), env)
    except LayoutcheckError:
        return {}
    if layout is None or copies < 1 or any(evaluate(expression(e), env) < 1 for e in of.tile):
        return {}
    if layout.size > _MOST or n > _MOST:
        return None
    held = Counter(layout(i) for i in range(layout.size))
    return {
        "positive": True,
        "counts": layout.size == n * copies,
        "injective": set(held.values()) == {copies},
        "covering": set(range(n)) <= set(held),
        "bijective": held == Counter(dict.fromkeys(range(n), copies)),
    }


def holds(text: str, env: dict[str, int]) -> bool:
    if text in ("", "always", "never"):
        return text != "never"
    try:
        return bool(evaluate(expression(text), env))
    except LayoutcheckError:
        return False


def check(of: Operand, condition: str) -> Counter[str]:
    known = [(env, found) for env in GRID if (found := facts(of, env)) is not None]
    seen: Counter[str] = Counter()
    for v in analyse([of], condition, parameters=("a", "b")):
        if v.question in ("congruent", "all"):
            continue
        seen[v.verdict] += 1
        assert v.verdict != "disagree", (of, condition, v)
        for env, found in known:
            right, inside = found.get(v.question, False), holds(condition, env)
            assert right or not (inside and v.verdict == "proved"), (of, condition, v.question, env)
            assert not (right and not inside and v.requires == "exact"), (of, condition, v.question, env)
            if v.precondition is not None:
                met = holds(v.precondition, env)
                assert right or not met, (of, v.question, v.precondition, env)
                assert met or not (right and v.necessary), (of, v.question, v.precondition, v.necessary, env)
        if v.witness:
            at = v.witness["parameters"]
            assert holds(condition, at)
            assert not (facts(of, at) or {}).get(v.question, False), (of, condition, v.question, at)
    return seen


@pytest.mark.parametrize("seed", range(4))
def test_every_verdict_agrees_with_the_definition(seed: int) -> None:
    rng = Random(seed)
    seen: Counter[str] = Counter()
    for _ in range(8):
        of = compact(rng) if rng.random() < 0.7 else arbitrary(rng)
        seen += check(of, rng.choice(CONDITIONS))
    assert seen["proved"]
    assert seen["refuted"]


@pytest.mark.slow
def test_many_random_families() -> None:
    rng = Random(99)
    for _ in range(150):
        check(compact(rng) if rng.random() < 0.7 else arbitrary(rng), rng.choice(CONDITIONS))
