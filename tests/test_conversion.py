"""`check conversion` against brute force, engine by engine; rounds against their lower bound."""

from __future__ import annotations

import json
from collections import Counter
from itertools import product
from math import lcm, prod
from random import Random

import pytest

from layoutcheck import cli
from layoutcheck.conversion import by_cells, by_points, classify, side
from layoutcheck.convert import iree_answer
from layoutcheck.layout import Layout
from layoutcheck.rounds import colour, rounds
from layoutcheck.smt.conversion import by_z3

Leaves = tuple[tuple[int, int], ...]
MFMA_C, MFMA_A = "((16,4),4):((16,4),1)", "((16,4),4):((1,64),16)"


def pack(leaves: Leaves) -> Layout:
    return Layout((tuple(s for s, _ in leaves),), (tuple(d for _, d in leaves),), "lex")


def chains(extents: tuple[int, ...], rng: Random, gaps: bool) -> Leaves:
    """Random thread leaves, their strides a chain, with or without gaps; the others values."""
    strides, stride = [0] * len(extents), 1
    for i in rng.sample(range(len(extents)), rng.randint(0, len(extents))):
        stride *= rng.choice((1, 1, 2)) if gaps else 1
        strides[i] = stride
        stride *= extents[i]
    return tuple(zip(extents, strides, strict=True))


def period(leaves: Leaves) -> int:
    return max([1, *(s * d for s, d in leaves)])


def registers(leaves: Leaves, threads: int) -> list[list[int]]:
    """The definition: what each thread holds, register by register."""
    out = []
    for t in range(threads):
        mine = []
        for values in product(*(range(s if d == 0 else 1) for s, d in leaves)):
            element = 0
            for (s, d), v in zip(leaves, values, strict=True):
                element = element * s + (v if d == 0 else t // d % s)
            mine.append(element)
        out.append(mine)
    return out


def brute(a: Leaves, b: Leaves, subgroup: int) -> str:
    threads = lcm(period(a), period(b))
    before, after = registers(a, threads), registers(b, threads)
    if before == after:
        return "none"
    if all(set(after[t]) <= set(before[t]) for t in range(threads)):
        return "select"
    for t in range(threads):
        group = range(t // subgroup * subgroup, min(t // subgroup * subgroup + subgroup, threads))
        if not set(after[t]) <= {e for s in group for e in before[s]}:
            return "shared"
    return "shuffle"


def pairs(number: int, seed: int) -> None:
    rng, count = Random(seed), Counter()
    shapes: dict[int, list[tuple[int, ...]]] = {}
    for n in (1, 2, 3, 4):
        for extents in product((2, 3, 4), repeat=n):
            if prod(extents) <= 24:
                shapes.setdefault(prod(extents), []).append(extents)
    sizes = [size for size in shapes if len(shapes[size]) > 1]
    for i in range(number):
        choices = shapes[rng.choice(sizes)]
        gaps = rng.random() < 0.2
        a, b = (chains(rng.choice(choices), rng, gaps) for _ in range(2))
        subgroup = rng.choice((1, 2, 3, 4, 8))
        source, target = side(pack(a)), side(pack(b))
        expected = brute(a, b, subgroup)
        plain = source.exact and target.exact and source.period == target.period
        found = by_cells(source, target, subgroup) if plain else None
        if found is None:
            found = by_points(source, target, subgroup)
            assert found is not None
            if plain and count["z3"] < number // 100:
                count["z3"] += 1
                asked = by_z3(source, target, subgroup, 10.0)
                assert asked is not None
                assert asked.kind == expected
        assert found.kind == expected, (a, b, subgroup)
        assert (found.witness is None) == (expected == "none")
        if found.witness is not None:
            (t, v), (u, w), e = found.witness["source"], found.witness["target"], found.witness["element"]
            threads = lcm(period(a), period(b))
            assert registers(a, threads)[t][v] == registers(b, threads)[u][w] == e
        if not iree_answer(pack(a), pack(b)):
            assert expected == "none"
        elif expected != "shared":
            count["IREE asks for shared memory, not needed"] += 1
        if i % 50 == 0 and expected == "shuffle":
            schedule = rounds(source, target, subgroup)
            assert schedule is not None
            assert schedule.rounds >= schedule.lower_bound
            assert not plain or schedule.rounds == schedule.lower_bound
        count[expected] += 1
        count[found.by] += 1
    print(f"\n{number} pairs: {dict(sorted(count.items()))}")
    assert min(count[k] for k in ("none", "select", "shuffle", "shared", "z3")) > 0


def test_pairs_against_brute_force() -> None:
    pairs(6000, 1)


@pytest.mark.slow
def test_many_pairs_against_brute_force() -> None:
    pairs(100_000, 2)


def test_mfma_c_to_a_takes_as_many_rounds_as_the_lower_bound(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", "conversion", MFMA_C, MFMA_A, "-o", "json"]) == 0
    result = json.loads(capsys.readouterr().out)["results"][0]
    assert (result["kind"], result["rounds"], result["lower_bound"]) == ("shuffle", 4, 4)
    assert result["certified"] == "every point"


def test_a_schedule_moves_every_edge_once_and_no_lane_twice_a_round() -> None:
    rng = Random(5)
    for _ in range(50):
        edges = [(rng.randrange(8), rng.randrange(8)) for _ in range(rng.randrange(40))]
        schedule = colour(edges)
        assert Counter(edge for round_ in schedule for edge in round_) == Counter(edges)
        for round_ in schedule:
            assert len({s for s, _ in round_}) == len({t for _, t in round_}) == len(round_)
        degrees = [*Counter(s for s, _ in edges).values(), *Counter(t for _, t in edges).values()]
        assert len(schedule) == max(degrees, default=0)


def test_large_layouts_need_no_points() -> None:
    a, b = pack(((1 << 20, 1), (1 << 20, 0))), pack(((1 << 20, 0), (1 << 20, 1)))
    assert classify(side(a), side(b), 64).kind == "shared"
    assert classify(side(a), side(a), 64).kind == "none"


@pytest.mark.parametrize(
    ("args", "code", "name"),
    [
        ([MFMA_C], 2, None),
        ([MFMA_C, "#iree_map.pack_layout<(4):(1)>"], 2, None),
        ([MFMA_C, "((16,4),8):((1,128),16)"], 1, "sizes-differ"),
        (["(4,2):(2,1)", "(4,2):(2,8)"], 1, "not-held"),
        (["#iree_map.pack_layout<((4,8)):((1,1))>"] * 2, 1, "not-chain"),
        (["#iree_map.pack_layout<(4):(1)>", "#iree_map.pack_layout<(8):(1)>"], 1, "sizes-differ"),
    ],
)
def test_what_is_no_conversion(args: list[str], code: int, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", "conversion", *args, "-o", "json"]) == code
    if name:
        assert json.loads(capsys.readouterr().out)["results"][0]["refused"] == name
