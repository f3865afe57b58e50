"""Each precondition is sufficient and necessary on every small layout: the partitions by function and by form agree.

Two layouts mean the same distribution iff they fall into one class, so comparing partitions settles all pairs at once.
The normal run looks at a part of the set, `--slow` at all of it; the counts are printed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator
from functools import cache
from itertools import permutations, product
from math import prod
from random import Random

import pytest

from layoutcheck import algebra
from layoutcheck.errors import Refused
from layoutcheck.layout import Layout
from layoutcheck.rewrites import broadcast, case, elementwise, model, shape_cast, step, transpose

from .small import UNIT, Leaf, Mode, Table, all_chains, flat, layout, shapes, table

SIZES = [pytest.param(12, id="12"), pytest.param(36, id="36", marks=pytest.mark.slow)]


def partition(pairs: Iterable[tuple[Hashable, Hashable]]) -> tuple[int, int, int]:
    """Number of members and classes of two partitions, and of classes on which they disagree."""
    forward: defaultdict[Hashable, set[Hashable]] = defaultdict(set)
    back: defaultdict[Hashable, set[Hashable]] = defaultdict(set)
    members = 0
    for left, right in pairs:
        members += 1
        forward[left].add(right)
        back[right].add(left)
    return members, len(forward), sum(len(x) > 1 for side in (forward, back) for x in side.values())


@pytest.mark.parametrize("size", SIZES)
def test_shape_cast_by_normal_form(size: int) -> None:
    def keys() -> Iterator[tuple[Hashable, Hashable]]:
        for modes in all_chains(size, 3, 3):
            yield algebra.coalesce(layout(modes)).digits, table(flat(modes))

    members, classes, wrong = partition(keys())
    print(f"\nshape_cast: {members} layouts, {members**2:.3g} pairs, {classes} classes, {wrong} disagreements")
    assert wrong == 0
    assert classes > 500


@pytest.mark.parametrize("size", SIZES)
def test_one_layout_by_modes(size: int) -> None:
    """transpose with a given destination, elementwise, select, for and fold: modes coalesced one by one."""

    def keys() -> Iterator[tuple[Hashable, Hashable]]:
        for modes in all_chains(size, 3, 3):
            sizes = tuple(prod(s for s, _ in mode) for mode in modes)
            yield algebra.coalesce_modes(layout(modes)), (sizes, table(flat(modes)))

    members, classes, wrong = partition(keys())
    print(f"\nby modes: {members} layouts, {members**2:.3g} pairs, {classes} classes, {wrong} disagreements")
    assert wrong == 0
    assert classes > 500


def test_the_predicates_are_the_partitions() -> None:
    rng, count = Random(4), Counter()
    everything = [(modes, layout(modes)) for modes in all_chains(8, 2, 2)]
    by_size: defaultdict[int, list[tuple[tuple[Mode, ...], Layout]]] = defaultdict(list)
    for modes, one in everything:
        by_size[one.size].append((modes, one))
    for _ in range(4000):
        (m, a), (n, b) = (rng.choice(by_size[rng.choice((4, 8))]) for _ in range(2))
        if a.size != b.size:
            continue
        same = table(flat(m)) == table(flat(n))
        assert (shape_cast.differs(a, b) is None) == same
        alike = same and model.sizes(a) == model.sizes(b)
        assert (elementwise.differs(a, b, "LC507", ("a", "b")) is None) == alike
        found = case.decide(shape_cast.between(a, b), certify=rng.random() < 0.1)
        assert found.status == ("proved" if same else "refuted")
        if found.witness:
            assert found.witness == first(table(flat(m)), table(flat(n)))
        count[found.status] += 1
    print(f"\n{dict(count)}")
    assert min(count.values()) > 40


def first(source: Table, destination: Table) -> dict[str, int]:
    """The smallest thread, then index, where the destination asks for another element than the source has."""
    held = [[part + v for v in values] for parts, values in (source, destination) for part in parts]
    threads = len(source[0])
    for t in range(threads):
        for k, (actual, expected) in enumerate(zip(held[t], held[threads + t], strict=False)):
            if actual != expected:
                return {"thread": t, "index": k, "expected": expected, "actual": actual}
    raise AssertionError("they are the same")


# ---------------------------------------------------------------- transpose


@pytest.mark.parametrize("size", [pytest.param(6, id="6"), pytest.param(12, id="12", marks=pytest.mark.slow)])
def test_transpose_is_always_right_when_derived(size: int) -> None:
    """What a thread's transposed part holds, against the table of the permuted layout."""
    count = 0
    for modes in all_chains(size, 3, 2):
        source = layout(modes)
        for perm in permutations(range(len(modes))) if len(modes) > 1 else ():
            permuted = tuple(modes[i] for i in perm)
            one = transpose.case(source, perm, layout(permuted))
            parts, values = table(flat(permuted))
            assert all(one.spot(0, k) == (v, v) for k, v in enumerate(values)), (modes, perm)
            assert all(one.spot(t, 0) == (parts[t], parts[t]) for t in range(0, len(parts), 5)), (modes, perm)
            count += 1
    print(f"\n{count} transposes, 0 disagreements")
    assert count > 1000


# ---------------------------------------------------------------- broadcast


@pytest.mark.parametrize(
    ("size", "leaves", "extents", "every"),
    [pytest.param(4, 2, (2,), 5, id="4"), pytest.param(12, 3, (2, 3, 4), 200, id="12", marks=pytest.mark.slow)],
)
def test_broadcast_by_its_precondition(size: int, leaves: int, extents: tuple[int, ...], every: int) -> None:
    """All pairs; one in `every` is also decided, and its witness is the first place that is wrong."""
    everything = {modes: layout(modes) for modes in all_chains(size, 3, leaves, extents, 16)}
    count = Counter()
    by_shape: defaultdict[tuple[int, ...], list[tuple[Mode, ...]]] = defaultdict(list)
    for modes in everything:
        by_shape[tuple(prod(s for s, _ in mode) for mode in modes)].append(modes)
    for small, large in product(by_shape, repeat=2):
        tail = large[len(large) - len(small) :]
        if len(small) > len(large) or any(a not in (1, b) for a, b in zip(small, tail, strict=True)):
            continue
        for a, b in product(by_shape[small], by_shape[large]):
            holds = broadcast.differs(everything[a], everything[b]) is None
            place = broadcasts(a, b)
            assert holds == (place is True), (a, b)
            if not sum(count.values()) % every:
                found = case.decide(broadcast.build(case.Given(src=everything[a], dst=everything[b])))
                assert found.status == ("proved" if holds else "refuted" if place else "refused"), (a, b)
                assert found.witness == (place if isinstance(place, dict) else None)
            stretched = any(x == 1 < y for x, y in zip(small, tail, strict=True))
            count["stretched" if stretched else "leading", holds] += 1
    print(f"\nbroadcast: {sum(count.values())} pairs, {dict(count)}, 0 disagreements")
    assert min(count.values()) > 20
    assert len(count) == 4


@cache
def parts(modes: tuple[Mode, ...]) -> list[int]:
    """The shape of one thread's part: the runs of value leaves; 1 for a mode without any."""
    out = []
    for mode in modes:
        before, own = False, []
        for s, d in mode:
            if s > 1 and d == 0:
                own = [*own[:-1], own[-1] * s] if before else [*own, s]
            before = before if s == 1 else d == 0
        out += own or [1]
    return out


@cache
def held_by(modes: tuple[Mode, ...]) -> Table:
    return table(flat(modes), 17)


def broadcasts(a: tuple[Mode, ...], b: tuple[Mode, ...]) -> bool | dict[str, int]:
    """Whether each thread, after broadcasting its part, holds what the destination asks for: thread by thread.

    Where it does not: the first place; False where its part cannot be broadcast.
    """
    small, large = parts(a), parts(b)
    pad = len(large) - len(small)
    if pad < 0 or any(x not in (1, y) for x, y in zip(small, large[pad:], strict=True)):
        return False
    shape, wide = ([prod(s for s, _ in mode) for mode in x] for x in (a, b))
    before, after = held_by(a), held_by(b)
    for t in range(17):
        for k, at in enumerate(product(*map(range, large))):
            own = 0
            for x, extent in zip(at[pad:], small, strict=True):
                own = own * extent + (x if extent > 1 else 0)
            element, wanted, weight = after[0][t] + after[1][k], 0, 1
            for i in range(1, len(shape) + 1):
                wanted += weight * (element % wide[-i] if shape[-i] > 1 else 0)
                element, weight = element // wide[-i], weight * shape[-i]
            actual = before[0][t] + before[1][own]
            if actual != wanted:
                return {"thread": t, "index": k, "expected": wanted, "actual": actual}
    return True


# ---------------------------------------------------------------- step

SOME = (0, 1, 2, 3, 4, 6)


@pytest.mark.parametrize(
    ("leaves", "strides"),
    [pytest.param(2, SOME, id="2"), pytest.param(3, SOME, id="3", marks=pytest.mark.slow),
     pytest.param(3, tuple(range(17)), id="3-all", marks=pytest.mark.slow)],
)  # fmt: skip
def test_step_needs_a_chain(leaves: int, strides: tuple[int, ...]) -> None:
    count = Counter()
    for n in range(1, leaves + 1):
        for mode in product(product((2, 3, 4), strides), repeat=n):
            one = layout((mode,))
            broken = step.precondition(one)
            split = splits(mode)
            assert (broken is None) == (split is not None), mode
            count[broken is None] += 1
            if split is not None and (len(strides) < 17 or count[True] % 10 == 0):
                period, values = split
                parts = table(mode, 2 * period + 1)
                assert [step.offset(one, t) for t in range(2 * period + 1)] == list(parts[0])
                assert [step.constant(one, k) for k in range(values)] == list(parts[1])
    print(f"\nstep: {count[True]} chains right, {count[False]} others refused")
    assert min(count.values()) > 50


def splits(mode: Mode) -> tuple[int, int] | None:
    """The period and the values, when the thread's number can be divided by the sorted strides in turn."""
    end = 1
    for d, s in sorted((d, s) for s, d in mode if d):
        if d % end:
            return None
        end = d * s
    return end, prod(s for s, d in mode if not d)


# ---------------------------------------------------------------- reshape


@pytest.mark.parametrize("size", [pytest.param(12, id="12"), pytest.param(36, id="36", marks=pytest.mark.slow)])
def test_the_cut_rule_says_which_shapes_exist(size: int) -> None:
    """Against a search: split every dimension into primes in every order, and read the strides off the function."""
    seen: dict[Table, Layout] = {}
    for modes in all_chains(size, 1 if size > 12 else 2, 3):
        seen.setdefault(table(flat(modes)), layout(modes))
    count = Counter()
    for function, one in seen.items():
        for shape in factors(one.size, 3):
            exists = any(realised(function, leaves) for leaves in refinements(shape))
            assert (shape_cast.cut(one, shape) is None) == exists, (one, shape)
            assert answers(one, shape) == exists, (one, shape)
            count[exists] += 1
    print(f"\nreshape: {count[True]} shapes exist, {count[False]} do not, 0 disagreements")
    assert min(count.values()) > 20


def answers(one: Layout, shape: tuple[int, ...]) -> bool:
    """Whether the algebra finds a layout of that shape."""
    try:
        algebra.reshape(one, shape)
    except Refused:
        return False
    return True


def factors(n: int, most: int) -> Iterator[tuple[int, ...]]:
    """All shapes of up to `most` dimensions above 1."""
    if n > 1:
        yield (n,)
    for first in range(2, n) if most > 1 else ():
        if n % first == 0:
            yield from ((first, *rest) for rest in factors(n // first, most - 1))


def refinements(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The extents of leaves, prime, in every order inside each dimension."""
    orders = [set(permutations(primes(extent))) for extent in shape]
    for choice in product(*orders):
        yield tuple(p for part in choice for p in part)


def primes(n: int) -> list[int]:
    return [p for p in range(2, n + 1) if n % p == 0 and all(p % q for q in range(2, p)) for _ in range(power(n, p))]


def power(n: int, p: int) -> int:
    return 0 if n % p else 1 + power(n // p, p)


def realised(function: Table, extents: tuple[int, ...]) -> bool:
    """Whether leaves of these extents can be given strides so that they are the function."""
    parts, values = function
    step, leaves = prod(extents), []
    for extent in extents:
        step //= extent
        stride = 0 if step in values else parts.index(step) if step in parts else None
        if stride is None:
            return False
        leaves.append((extent, stride))
    return table(tuple(leaves)) == function


def test_the_set_has_what_it_says() -> None:
    assert len(list(shapes(4, 1, 2, (2, 3, 4)))) == 5
    assert (UNIT, ((2, 0), (2, 3))) in list(all_chains(4, 2, 2))
    leaf: Leaf = (4, 1)
    assert table((leaf,), 6) == ((0, 1, 2, 3, 0, 1), (0,))
