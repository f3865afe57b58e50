"""Rewrites that are slightly wrong are refuted, each at a place that plain evaluation confirms; bugs that happened."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from itertools import permutations
from random import Random

import pytest

from layoutcheck import algebra, cli
from layoutcheck.layout import Layout
from layoutcheck.rewrites import model, shape_cast, step, transpose
from layoutcheck.rewrites.case import Case, smallest
from layoutcheck.smt.distribution import Held, Window, same

from .small import Leaf, Mode, flat, layout, table
from .test_model import random_layout


def caught(case: Case, wrong: bool) -> bool:
    """Both engines say whether the rewrite is wrong: the cuts, with a place that replays, and z3."""
    found = smallest(case)
    if found:
        t, k = found["thread"], found["index"]
        assert case.spot(t, k) == (found["expected"], found["actual"])
        assert found["expected"] != found["actual"]
    assert case.actual is not None
    assert (found is not None) == wrong
    assert same(case.expected, case.actual, 10.0) is not wrong
    return found is not None


def split(leaves: tuple[Leaf, ...], rng: Random, wrong: bool) -> tuple[Leaf, ...] | None:
    """One leaf in two; wrongly: the outer part counts as the inner one does."""
    at = [i for i, (s, d) in enumerate(leaves) if s == 4 and d > 0]
    if not at:
        return None
    i = rng.choice(at)
    outer = leaves[i][1] if wrong else 2 * leaves[i][1]
    return (*leaves[:i], (2, outer), (2, leaves[i][1]), *leaves[i + 1 :])


def swapped(leaves: tuple[Leaf, ...], rng: Random, wrong: bool) -> tuple[Leaf, ...] | None:
    """Two leaves in each other's place."""
    moving = [i for i, (s, _) in enumerate(leaves) if s > 1]
    if len(moving) < 2 or not wrong:
        return None if wrong else leaves
    i, k = rng.sample(moving, 2)
    out = list(leaves)
    out[i], out[k] = out[k], out[i]
    return tuple(out)


@pytest.mark.parametrize("change", [split, swapped])
def test_shape_cast(change: Callable[[tuple[Leaf, ...], Random, bool], tuple[Leaf, ...] | None]) -> None:
    rng, count = Random(5), Counter()
    for _ in range(400):
        leaves = flat(random_layout(rng, 2))
        for wrong in (False, True):
            other = change(leaves, rng, wrong)
            if other is None:
                continue
            problem = shape_cast.between(layout((leaves,)), layout((other,)))
            assert problem.case is not None
            really = table(leaves, 600) != table(other, 600)
            assert (problem.broken is not None) == really
            count[wrong, caught(problem.case, really)] += 1
    print(f"\n{change.__name__}: {dict(count)}")
    assert count[False, True] == 0
    assert count[True, True] > 80
    assert change is swapped or count[True, False] == 0  # two equal neighbours may be exchanged


def test_transpose_with_another_permutation() -> None:
    """Not expanded, or expanded and reversed; the identity hides both (IREE #24437)."""
    rng, count = Random(6), Counter()
    for _ in range(70):
        modes = random_layout(rng, rng.randint(2, 3))
        source = layout(modes)
        dims = sum(map(len, model.parts(source)))
        for perm in permutations(range(len(modes))):
            target = algebra.permute(source, perm)
            assert not caught(transpose.case(source, perm, target), False)
            unexpanded = (*perm, *range(len(perm), dims))
            for emitted in {unexpanded, transpose.expand(source, perm)[::-1]}:
                case = transpose.case(source, perm, target, emitted)
                wrong = any(len(set(case.spot(0, k))) > 1 for k in range(case.values[0]))
                count[perm == tuple(range(len(perm))), emitted == unexpanded, caught(case, wrong)] += 1
    print(f"\n{dict(count)}")
    assert count[True, True, True] == 0
    assert count[False, True, True] > 8
    assert count[False, False, True] > 50


def test_expanded_over_two_values_a_mode() -> None:
    source = layout((((2, 1), (2, 0), (2, 2), (2, 0)), ((2, 4), (2, 0), (2, 8), (2, 0))))
    assert transpose.expand(source, (1, 0)) == (2, 3, 0, 1)
    for emitted in ((1, 0, 2, 3), (0, 2, 1, 3), (3, 2, 1, 0)):
        assert caught(transpose.case(source, (1, 0), algebra.permute(source, (1, 0)), emitted), True)
    assert not caught(transpose.case(source, (0, 1), source, (0, 1, 2, 3)), False)
    assert caught(transpose.case(source, (0, 1), source, (0, 2, 1, 3)), True)


def test_one_permutation_in_both_directions() -> None:
    """IREE #16921: the way back took the same permutation; only rank 3 shows it, and equal extents hide the shape."""
    for shape in ((2, 3, 4), (2, 2, 2)):
        source = Layout(shape, (1, shape[0], shape[0] * shape[1]), "lex")
        there = algebra.permute(source, (1, 2, 0))
        right, again = algebra.permute(there, (2, 0, 1)), algebra.permute(there, (1, 2, 0))
        assert transpose.differs(right, source) is None
        assert transpose.differs(again, source) is not None
    assert caught(transpose.case(there, (1, 2, 0), source), True)


def step_with(leaves: tuple[Leaf, ...], weight: Callable[[int], int]) -> Case:
    """A step whose thread digits are multiplied by `weight` of a leaf instead of its data stride."""
    case = step.case(layout((leaves,)))
    emitted = tuple(Window(d, s, weight(i)) for i, (s, d) in enumerate(leaves) if d)

    def spot(t: int, k: int) -> tuple[int, int]:
        own = sum(t // w.low % w.extent * w.weight for w in emitted)
        return case.spot(t, k)[0], own + step.constant(layout((leaves,)), k)

    return case._replace(actual=Held(emitted, case.expected.value), spot=spot)


def test_step_with_another_stride() -> None:
    rng, count = Random(7), Counter()
    for _ in range(300):
        leaves = tuple(leaf for leaf in flat(random_layout(rng, 1)) if leaf[0] > 1)
        data = [model.count(leaves[i + 1 :]) for i in range(len(leaves))]
        assert not caught(step_with(leaves, data.__getitem__), False)
        for name, weights in (("missing", [1] * len(leaves)), ("thread stride", [d for _, d in leaves])):
            wrong = any(d and n != w for (_, d), n, w in zip(leaves, data, weights, strict=True))
            count[name, caught(step_with(leaves, weights.__getitem__), wrong)] += 1
    print(f"\n{dict(count)}")
    assert min(count["missing", True], count["thread stride", True]) > 80


CASES = [  # offset as it was emitted, as it should be, layout, a place, expected and actual there
    ("#19227", "t % 16", "4*(t % 16)", "((16,4)):((1,0))", "1,0", 4, 1),
    ("#16516", "t // 7 % 9 * 9 + t % 7", "t % 63", "((7,9)):((9,1))", "10,0", 10, 12),
    ("#18055", "t // 16 % 4", "4*(t // 16 % 4)", "((4,4)):((16,0))", "16,0", 4, 1),
]


@pytest.mark.parametrize(("bug", "wrong", "right", "text", "place", "expected", "actual"), CASES)
def test_offsets_that_were_wrong(
    bug: str, wrong: str, right: str, text: str, place: str, expected: int, actual: int,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    for offset, code in ((wrong, 1), (right, 0)):
        assert cli.main(["prove", "step", "--layout", text, "--offset", offset, "--at", place, "-o", "json"]) == code
        at = json.loads(capsys.readouterr().out)["results"][0]["at"]
        assert (at["expected"], at["actual"]) == (expected, actual if code else expected)


def test_a_stride_that_hides_the_bug() -> None:
    """#19227 again: where the thread stride is the data stride, using either is right."""
    assert not caught(step_with(((16, 4), (4, 0)), lambda _: 4), False)


def test_the_mutants_are_of_layouts() -> None:
    mode: Mode = ((4, 3), (2, 0))
    assert split(mode, Random(1), False) == ((2, 6), (2, 3), (2, 0))
