"""Index maps against plain enumeration of what they mean: every verdict, every witness, every engine."""

from __future__ import annotations

import itertools
from math import prod
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from layoutcheck import expr
from layoutcheck.decide import columns, maps
from layoutcheck.indexmap import (
    Beyond,
    IndexMap,
    Kind,
    MapClaim,
    MapWitness,
    NoPoint,
    SameImage,
    TooFew,
    Undefined,
    replays,
)
from layoutcheck.smt import maps as digits
from layoutcheck.smt import rawmaps

ALL: tuple[Kind, ...] = ("defined", "bounded", "injective", "onto")
NEVER = float("inf")


def index_map(to: list[str], onto: tuple[int, ...], **extents: int) -> IndexMap:
    return IndexMap(tuple(extents), tuple(extents.values()), tuple(map(expr.parse, to)), onto)


class Refused(Exception):
    pass


def native(value: int) -> int:
    if not -(2**63) <= value < 2**63:
        raise Refused
    return value


def toward_zero(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def value(e: expr.Expr, env: dict[str, int]) -> int:
    """What an expression means, written down once more: Refused where 64-bit C++ computes something else."""
    match e.op:
        case "int":
            return e.value
        case "name":
            return env[e.name]
        case "neg":
            return -value(e.args[0], env)
        case "and":
            return int(value(e.args[0], env) != 0 and value(e.args[1], env) != 0)
        case "or":
            return int(value(e.args[0], env) != 0 or value(e.args[1], env) != 0)
    a, b = (value(arg, env) for arg in e.args)
    if e.op in ("/", "//", "%"):
        if b == 0 or (e.op == "/" and a % b):
            raise Refused
        quotient = toward_zero(a, b)
        if quotient != a // b:
            raise Refused
        native(quotient)
        return a - b * quotient if e.op == "%" else quotient
    table: dict[str, Any] = {
        "+": a + b, "-": a - b, "*": a * b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b,
        "==": a == b, "!=": a != b,
    }  # fmt: skip
    return native(int(table[e.op]))


def meaning(its: IndexMap) -> dict[Kind, bool]:
    """Which claims hold; only "defined" where an image is missing."""
    images = []
    for at in itertools.product(*map(range, its.extents)):
        try:
            images.append(tuple(value(part, dict(zip(its.coordinates, at, strict=True))) for part in its.to))
        except Refused:
            return {"defined": False}
    inside = {where for where in images if all(0 <= x < n for x, n in zip(where, its.onto, strict=True))}
    return {
        "defined": True,
        "bounded": set(images) == inside,
        "injective": len(set(images)) == len(images),
        "onto": len(inside) == prod(its.onto),
    }


leaves = st.one_of(st.sampled_from("xy"), st.integers(0, 12).map(str))
texts = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "//", "%", "/", "<", ">=", "==", "and", "or"]), inner).map(
            lambda t: f"({t[0]}) {t[1]} ({t[2]})"
        ),
        inner.map(lambda t: f"-({t})"),
        st.tuples(inner, st.sampled_from(["//", "%"]), st.integers(1, 9)).map(lambda t: f"({t[0]}) {t[1]} {t[2]}"),
    ),
    max_leaves=6,
)
remaps = st.sampled_from(
    [
        "x % 4 * 3 + x // 4",
        "x // 2 + y * 6",
        "x*5 + y",
        "x // 4 % 3",
        "(x + 3*y) % 6",
        "x % 6",
        "y // 2",
        "x // 3 * 3 + y",
    ]
)


@st.composite
def index_maps(draw: st.DrawFn) -> IndexMap:
    extents = {"x": draw(st.integers(1, 14)), "y": draw(st.integers(1, 6))}
    rank = draw(st.integers(1, 2))
    to = [draw(st.one_of(texts, remaps)) for _ in range(rank)]
    return index_map(to, tuple(draw(st.integers(1, 20)) for _ in range(rank)), **extents)


@settings(max_examples=300, deadline=None)
@given(index_maps())
def test_verdicts_are_what_the_points_say(its: IndexMap) -> None:
    holds = meaning(its)
    verdicts = maps.decide(its, ALL, certify=True, timeout=20).verdicts
    assert {kind: v.status for kind, v in verdicts.items()} == {
        kind: "proved" if held else "refuted" for kind, held in holds.items()
    }
    for verdict in verdicts.values():
        assert verdict.certified
        assert verdict.status == "proved" or verdict.witness is not None


@settings(max_examples=150, deadline=None)
@given(index_maps())
def test_both_encodings_of_z3_agree_with_the_points(its: IndexMap) -> None:
    agree(its)


@pytest.mark.parametrize("op", ["//", "%", "/"])
@pytest.mark.parametrize("extent", [4, 5])
def test_the_least_number_by_minus_one(op: str, extent: int) -> None:
    """64 bits do not hold the quotient; with extent 4, no point divides by -1."""
    its = index_map([f"((0 - {2**63 - 1} - 1) {op} (x - 5)) * 0"], (1,), x=extent)
    holds = meaning(its)
    assert holds["defined"] == (extent == 4 and op != "/")
    agree(its)
    assert maps.decide(its, ALL, certify=True, timeout=20).verdicts["defined"].status == (
        "proved" if holds["defined"] else "refuted"
    )


def agree(its: IndexMap) -> None:
    """Never otherwise; they may be silent where a product or a divisor is not linear."""
    holds = meaning(its)
    for kind, held in holds.items():
        claim = MapClaim(kind, its)
        for answer in (digits.decide(claim, 2.0), rawmaps.decide(claim, 2.0)):
            if answer is not None:
                assert answer.holds == held
                assert held or answer.witness is None or replays(claim, answer.witness)


LARGE = 1 << 40
SOLVED: dict[str, tuple[IndexMap, dict[Kind, str]]] = {
    "XCDs that share evenly": (
        index_map([f"p % 8 * {LARGE // 8} + p // 8"], (LARGE,), p=LARGE), dict.fromkeys(ALL, "proved")
    ),
    "XCDs that do not": (
        index_map([f"p % 8 * {LARGE // 8} + p // 8"], (LARGE + 1,), p=LARGE + 1),
        {"defined": "proved", "bounded": "proved", "injective": "refuted"},
    ),
    "digits in another order": (
        index_map(["p // 4 % 1024", "p % 4", "p // 4096"], (1024, 4, LARGE // 4096), p=LARGE),
        dict.fromkeys(ALL, "proved"),
    ),
    "one row too many": (
        index_map(["p // 1024", "p % 1024"], (LARGE // 1024, 1024), p=LARGE + 1),
        {"defined": "proved", "bounded": "refuted", "injective": "proved"},
    ),
    "half of them": (
        index_map(["p"], (2 * LARGE,), p=LARGE),
        {"defined": "proved", "bounded": "proved", "injective": "proved", "onto": "refuted"},
    ),
    "odd ones": (index_map(["p / 2"], (LARGE,), p=LARGE), {"defined": "refuted"}),
    "beyond 64 bits": (index_map([f"p * p * {LARGE} % 7"], (7,), p=LARGE), {"defined": "refuted"}),
    "a remainder of -2^63 by -1": (
        index_map([f"(0 - {2**63 - 1} - 1) % (p - {LARGE}) * 0 + p"], (LARGE,), p=LARGE), {"defined": "refuted"}
    ),
    "below zero": (index_map(["(p - 5) % 8"], (8,), p=LARGE), {"defined": "refuted"}),
}  # fmt: skip


@pytest.mark.parametrize("name", SOLVED)
def test_too_many_points_to_list(name: str) -> None:
    its, expected = SOLVED[name]
    assert columns.survey(its, NEVER) is None
    verdicts = maps.decide(its, ALL, certify=True, timeout=20).verdicts
    assert {kind: verdicts[kind].status for kind in expected} == expected
    for kind, verdict in verdicts.items():
        assert verdict.status != "disagree"
        assert verdict.status != "proved" or verdict.certified
        assert verdict.status != "refuted" or replays(MapClaim(kind, its), verdict.witness)


def test_what_is_not_decided_is_unknown() -> None:
    its = index_map(["x*y*(x + y) % 1000003"], (1 << 40,), x=1 << 20, y=1 << 20)
    verdicts = maps.decide(its, ALL, certify=True, timeout=0.2).verdicts
    assert "unknown" in {v.status for v in verdicts.values()}
    assert "disagree" not in {v.status for v in verdicts.values()}


def test_onto_is_not_said_where_counting_cannot_say_it() -> None:
    its = index_map(["p % 8"], (8,), p=LARGE)
    assert maps.decide(its, ("defined", "onto"), certify=True, timeout=5).verdicts["onto"].status == "unknown"


LIES: list[tuple[Kind, MapWitness | None]] = [
    ("defined", Undefined((1,), 0, "", 0, "LC108")),
    ("bounded", Beyond((1,), (2,))),
    ("bounded", Beyond((9,), (9,))),
    ("injective", SameImage((1,), (1,), (2,))),
    ("injective", SameImage((0,), (1,), (0,))),
    ("injective", SameImage((0,), (9,), (0,))),
    ("onto", NoPoint((2,))),
    ("onto", NoPoint((9,))),
    ("onto", TooFew(3, 4)),
    ("onto", None),
    ("bounded", NoPoint((1,))),
]


@pytest.mark.parametrize(("kind", "lie"), LIES)
def test_a_lie_does_not_replay(kind: Kind, lie: MapWitness | None) -> None:
    assert not replays(MapClaim(kind, index_map(["2*p"], (8,), p=4)), lie)


@pytest.mark.parametrize("kind", ALL)
def test_an_engine_that_lies_is_found_out(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    """A survey that refutes nothing is refused by the second opinion."""
    wrong = {"defined": ["1 / p"], "bounded": ["p + 8"], "injective": ["p // 2"], "onto": ["p // 2"]}[kind]
    its = index_map(wrong, (4,), p=4)
    monkeypatch.setattr(columns, "survey", lambda *_: columns.Survey(distinct=4))
    verdict = maps.decide(its, (kind,), certify=True, timeout=5).verdicts[kind]
    assert verdict.status == "disagree"


def test_a_witness_that_does_not_replay_is_a_disagreement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "survey", lambda *_: columns.Survey(beyond=Beyond((1,), (7,)), distinct=4))
    its = index_map(["p"], (4,), p=4)
    assert maps.decide(its, ("bounded",), certify=True, timeout=5).verdicts["bounded"].status == "disagree"


def test_blocks_of_points_meet_where_they_should() -> None:
    """More points than one block, and a coordinate of each kind of remainder at its edge."""
    its = index_map(["x * 41 + y"], (41 * 301,), x=301, y=41)
    assert maps.decide(its, ALL, certify=False, timeout=20).distinct == 301 * 41
    short = index_map(["x * 41 + y - (x == 300 and y == 40)"], (41 * 301,), x=301, y=41)
    verdicts = maps.decide(short, ALL, certify=False, timeout=20).verdicts
    assert verdicts["injective"].witness == SameImage((300, 39), (300, 40), (301 * 41 - 2,))
    assert verdicts["onto"].witness == NoPoint((301 * 41 - 1,))


def test_a_missing_image_is_confirmed_in_time_or_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    its = index_map(["x // 2 * 2"], (64,), x=64)
    assert maps.decide(its, ("onto",), certify=False, timeout=60).verdicts["onto"].status == "refuted"
    monkeypatch.setattr(columns, "survey", lambda *_: columns.Survey(missing=NoPoint((1,)), distinct=32))
    assert maps.decide(its, ("onto",), certify=False, timeout=-1).verdicts["onto"].status == "unknown"


def test_a_missing_image_that_is_there_is_a_disagreement(monkeypatch: pytest.MonkeyPatch) -> None:
    for lie in (NoPoint((1,)), NoPoint((4,))):
        monkeypatch.setattr(columns, "survey", lambda *_, lie=lie: columns.Survey(missing=lie, distinct=4))
        its = index_map(["p"], (4,), p=4)
        assert maps.decide(its, ("onto",), certify=True, timeout=5).verdicts["onto"].status == "disagree"
