"""The certifier of distributions against brute force: on aligned and unaligned radices, chains and others."""

from __future__ import annotations

from collections import Counter
from math import lcm
from random import Random

from layoutcheck.smt import distribution
from layoutcheck.smt.distribution import Held, Window, Windows, plan, same


def leaves(rng: Random, chain: bool) -> list[tuple[int, int]]:
    """(extent, low) of up to three leaves."""
    out, end = [], 1
    for _ in range(rng.randint(1, 3)):
        extent = rng.choice((2, 3, 4, 6))
        low = end * rng.choice((1, 1, 2, 3)) if chain else rng.randint(1, 8)
        out.append((extent, low))
        end = low * extent
    rng.shuffle(out)
    return out


def windows(parts: list[tuple[int, int]]) -> Windows:
    """The weights of a layout: what stands to the right."""
    out, weight = [], 1
    for extent, low in reversed(parts):
        out.append(Window(low, extent, weight))
        weight *= extent
    return tuple(out)


def refined(rng: Random, parts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same function: some leaves in two."""
    out: list[tuple[int, int]] = []
    for extent, low in parts:
        inner = rng.choice([f for f in range(1, extent + 1) if extent % f == 0])
        out += [(extent // inner, low * inner), (inner, low)]
    return out


def value(side: Windows, x: int) -> int:
    return sum(w.weight * (x // w.low % w.extent) for w in side)


def brute(left: Windows, right: Windows) -> bool:
    period = lcm(*(w.low * w.extent for w in left + right))
    return all(value(left, x) == value(right, x) for x in range(period))


def test_against_every_point() -> None:
    rng, count = Random(3), Counter()
    for i in range(700):
        chain = rng.random() < 0.6
        parts = leaves(rng, chain)
        other = refined(rng, parts)
        if i % 3 == 0:
            k = rng.randrange(len(other))
            other[k] = (other[k][0], other[k][1] + rng.randint(0, 2))
        left, right = windows(refined(rng, parts)), windows(other)
        axis = [Held(left, ()), Held(right, ())] if i % 2 else [Held((), left), Held((), right)]
        equal = brute(left, right)
        if not chain and not equal and i % 9:
            continue  # z3 is slow to find a point where nothing divides
        assert same(axis[0], axis[1], 20.0) == equal, (left, right)
        count[chain, equal] += 1
    print(f"\n{dict(count)}")
    assert len(count) == 4
    assert min(count.values()) > 5


def test_radices_that_do_not_align_are_one_question_a_digit() -> None:
    left, right = windows([(35, 6), (2, 3), (3, 1)]), windows([(35, 6), (3, 2), (2, 1)])
    assert len(plan(left, left)) == 1
    assert len(plan(left, right)) == 2  # below 6, and the leaf of 35
    assert same(Held(left, ()), Held(right, ()), 10.0)
    assert not same(Held(left, ()), Held(windows([(35, 6), (3, 1), (2, 3)]), ()), 10.0)


def test_no_chain_is_taken_apart_by_what_is_added() -> None:
    left, right = windows([(1024, 3), (1024, 5)]), windows([(32, 96), (32, 3), (32, 160), (32, 5)])
    assert [len(query.bounds) for query in plan(left, right)] == [
        3,
        3,
    ]  # cells up to 5, 160, 5120 and up to 3, 96, 3072
    assert same(Held(left, ()), Held(right, ()), 10.0)


def test_time_runs_out_without_an_answer() -> None:
    big = Held(windows([(1 << 20, 3), (1 << 20, 5)]), ())
    assert same(big, big, 0.0) is None


def test_nothing_to_compare() -> None:
    assert distribution.plan((), ()) == distribution.plan((Window(1, 1, 5),), (Window(3, 4, 0),))
    assert same(Held((), ()), Held((), ()), 1.0)
    assert not same(Held((Window(1, 2, 1),), ()), Held((), ()), 1.0)
