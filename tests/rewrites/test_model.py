"""The model against the definition: positions, a thread's part, what is emitted, and the windows of each rewrite."""

from __future__ import annotations

from itertools import permutations
from math import prod
from random import Random

from layoutcheck import algebra
from layoutcheck.layout import Layout
from layoutcheck.packmap import PackLayout
from layoutcheck.rewrites import broadcast, model, shape_cast, step, transpose
from layoutcheck.rewrites.case import Case
from layoutcheck.smt.distribution import Held, Windows

from .small import Mode, flat, layout, table


def random_layout(rng: Random, rank: int, *, chain: bool = True) -> tuple[Mode, ...]:
    """Up to three leaves a mode, extents 1 to 5; thread strides a chain with gaps, or any."""
    extents = [[rng.choice((1, 2, 2, 3, 4, 5)) for _ in range(rng.randint(1, 3))] for _ in range(rank)]
    strides = [[0] * len(mode) for mode in extents]
    places = [(i, k) for i in range(rank) for k in range(len(extents[i])) if rng.random() < 0.5]
    rng.shuffle(places)
    end = rng.choice((1, 1, 2))
    for i, k in places:
        strides[i][k] = end if chain else rng.randint(1, 12)
        end *= extents[i][k] * rng.choice((1, 1, 2, 3))
    return tuple(tuple(zip(s, d, strict=True)) for s, d in zip(extents, strides, strict=True))


def test_position_is_the_definition_and_agrees_with_own() -> None:
    rng = Random(1)
    for _ in range(400):
        modes = random_layout(rng, rng.randint(1, 3), chain=rng.random() < 0.7)
        one, pack = layout(modes), PackLayout.of(layout(modes))
        parts, values = table(flat(modes), 40)
        assert prod(pack.distributed_shape) == len(values)
        assert model.sizes(one) == pack.undistributed_shape
        shape, _ = model.distributed(one)
        assert shape == pack.distributed_shape
        for t in (0, 1, 7, 39):
            for k in {0, len(values) // 2, len(values) - 1}:
                held = model.position(flat(modes), t, k)
                assert held == parts[t] + values[k]
                assert held == model.flat(pack.own(t, k), model.sizes(one))


def summed(windows: Windows, x: int) -> int:
    return sum(w.weight * (x // w.low % w.extent) for w in windows)


def both_ways(case: Case, rng: Random) -> None:
    """The windows that z3 is given are what plain evaluation says."""
    assert isinstance(case.actual, Held)
    for _ in range(6):
        t, k = rng.randrange(300), rng.randrange(min(case.values))
        expected, actual = (summed(side.thread, t) + summed(side.value, k) for side in (case.expected, case.actual))
        assert case.spot(t, k) == (expected, actual)


def test_windows_are_what_plain_evaluation_says() -> None:
    rng, checked = Random(2), 0
    for _ in range(300):
        a = random_layout(rng, rng.randint(1, 3), chain=rng.random() < 0.7)
        source = layout(a)
        both_ways(step.case(source), rng)
        for perm in permutations(range(len(a))):
            both_ways(transpose.case(source, perm, algebra.permute(source, perm)), rng)
        shuffled = rng.sample(flat(a), len(flat(a)))
        cast = shape_cast.between(source, layout((tuple(shuffled),))).case
        assert cast is not None
        both_ways(cast, rng)
        narrow = tuple(mode if rng.random() < 0.5 else ((1, 0),) for mode in a[rng.randrange(len(a)) :])
        built = broadcast.build(_given(layout(narrow), source))
        if built.case is not None:
            both_ways(built.case, rng)
            checked += 1
    assert checked > 100


def _given(src: Layout, dst: Layout) -> broadcast.Given:
    return broadcast.Given(src=src, dst=dst)


def test_step_as_it_is_emitted() -> None:
    """Facts of IREE's test: the constants, the basis, and which result is a leaf's digit."""
    contiguous, strided, several = (layout((leaves,)) for leaves in (
        ((32, 1), (4, 0)), ((4, 0), (8, 1)), ((4, 0), (2, 1), (4, 0)),
    ))  # fmt: skip
    assert [step.constant(contiguous, k) for k in range(4)] == [0, 1, 2, 3]
    assert [step.constant(strided, k) for k in range(4)] == [0, 8, 16, 24]
    assert [step.constant(several, k) for k in range(16)] == [8 * i + j for i in range(4) for j in range(4)]
    assert step.basis(contiguous) == step.Basis((32,), {0: 1})
    gap = layout((((2, 8), (4, 0), (2, 1), (4, 0)),))
    assert step.basis(gap) == step.Basis((2, 4, 2), {0: 1, 2: 3})
    assert step.delinearize(29, (2, 4, 2)) == (1, 1, 2, 1)  # the outermost result is unbounded
    assert [step.offset(gap, t) for t in (0, 1, 2, 8, 9, 16)] == [0, 4, 0, 32, 36, 0]


def test_the_permutation_is_expanded_over_value_leaves() -> None:
    several = layout((((2, 1), (2, 0), (2, 2), (2, 0), (2, 4), (2, 0)), ((4, 8), (8, 0))))
    assert transpose.expand(several, (1, 0)) == (3, 0, 1, 2)
    assert transpose.expand(several, (0, 1)) == (0, 1, 2, 3)
    unit = layout((((4, 1),), ((2, 0), (2, 0)), ((1, 0),)))  # a mode without values is a dimension of 1
    assert model.parts(unit) == ((1,), (4,), (1,))
    assert transpose.expand(unit, (2, 0, 1)) == (2, 0, 1)
