"""The laws, on exhaustive small layouts: each holds where its precondition says, and nothing else is refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise, product
from random import Random

import pytest

from layoutcheck import algebra
from layoutcheck.errors import LayoutcheckError, Refused
from layoutcheck.inttuple import mirror
from layoutcheck.laws import LAWS
from layoutcheck.layout import Layout
from layoutcheck.notation import parse
from layoutcheck.operations import RUN

Digits = tuple[tuple[int, int], ...]


@lru_cache(maxsize=1 << 16)
def at_all(digits: Digits) -> tuple[int, ...]:
    """The definition: every flat index divided by the extents, fastest first."""
    out = [0]
    for s, d in digits:
        out = [v + c * d for c in range(s) for v in out]
    return tuple(out)


def values(layout: Layout) -> tuple[int, ...]:
    leaves = layout.leaves
    return at_all(leaves if layout.order == "colex" else leaves[::-1])


def flat(leaves: Digits) -> Layout:
    return Layout(tuple(s for s, _ in leaves), tuple(d for _, d in leaves))


def maps(most: int, sizes: int, strides: int) -> Iterator[Layout]:
    leaves = list(product(range(1, sizes + 1), range(strides + 1)))
    for count in range(1, most + 1):
        for chosen in product(leaves, repeat=count):
            yield flat(chosen)


@cache
def factorisations(n: int) -> tuple[tuple[int, ...], ...]:
    if n == 1:
        return ((),)
    return tuple((f, *rest) for f in range(2, n + 1) if n % f == 0 for rest in factorisations(n // f))


def is_layout(offsets: tuple[int, ...]) -> bool:
    """Whether some layout has these offsets: every ordered factorisation tried, its strides forced."""
    for extents in factorisations(len(offsets)):
        weight, digits = 1, []
        for extent in extents:
            digits.append((extent, offsets[weight]))
            weight *= extent
        if at_all(tuple(digits)) == offsets:
            return True
    return False


def is_refinement(b: Layout, offsets: tuple[int, ...]) -> bool:
    """Whether a layout over B's leaves (each refined) has these offsets: mode by mode, then their sum."""
    total, weight = [0], 1
    for extent, _ in b.leaves:
        part = tuple(offsets[weight * c] for c in range(extent))
        if not is_layout(part):
            return False
        total = [v + p for p in part for v in total]
        weight *= extent
    return tuple(total) == offsets


def attempt(operation: str, *args: object, **how: object) -> Layout | str:
    """The result, or the name of the refusal, which its law must list."""
    try:
        return RUN[operation](*args, **how)
    except Refused as error:
        refused = error
    assert refused.name in LAWS[operation].refusals
    assert refused.numbers
    return refused.name


def check_unary(a: Layout, count: Counter[str]) -> None:
    f = values(a)
    assert values(algebra.coalesce(a)) == values(algebra.flatten(a)) == values(algebra.coalesce_modes(a)) == f
    assert set(values(algebra.filter_(a))) == set(f)
    r = algebra.right_inverse(a)
    assert [f[x] for x in values(r)] == list(range(r.size))
    left = attempt("left-inverse", a)
    count["left-inverse", isinstance(left, Layout)] += 1
    if isinstance(left, Layout):
        g = values(left)
        assert [g[v] for v in f] == list(range(a.size))
    else:
        assert left == "strides-not-nested" or len(set(f)) < len(f)
    for n in (2, 4):
        up, down = attempt("upcast", a, n), attempt("downcast", a, n)
        count["upcast", isinstance(up, Layout)] += 1
        if isinstance(up, Layout):
            assert sorted(n * v + b for v in values(up) for b in range(n)) == sorted(f)
        if isinstance(down, Layout):
            assert sorted(values(down)) == sorted(n * v + b for v in f for b in range(n))


def tiles(f: tuple[int, ...], n: int) -> list[int] | None:
    """Where copies of the offsets `f` must begin to hold each of [0, n) once: the least free place, each time."""
    free, starts = set(range(n)), []
    while free:
        start = min(free)
        copy = {start + v for v in f}
        if len(copy) < len(f) or not copy <= free:
            return None
        free -= copy
        starts.append(start)
    return starts


def check_complement(a: Layout, n: int, count: Counter[str]) -> None:
    f = values(a)
    found = attempt("complement", a, n)
    count["complement", isinstance(found, Layout)] += 1
    if isinstance(found, Layout):
        assert sorted(v + w for v in f for w in values(found)) == list(range(n))
    elif found != "trivial":
        starts = tiles(f, n)
        assert starts is None or not is_layout(tuple(starts))
    else:
        assert set(f) == {0}


def check_reshape(a: Layout, count: Counter[str]) -> None:
    f = values(a)
    for shape in factorisations(a.size)[:12]:
        if not shape:
            continue
        found = attempt("reshape", a, shape)
        count["reshape", isinstance(found, Layout)] += 1
        possible = is_refinement(flat(tuple((s, 0) for s in shape)), f)
        assert possible == isinstance(found, Layout)
        cuts = [1]
        for s, _ in algebra.coalesce(a).leaves:
            cuts.append(cuts[-1] * s)
        q, rule = 1, True
        for s in shape[:-1]:
            q *= s
            rule &= any(q % low == 0 and high % q == 0 for low, high in pairwise(cuts))
        assert possible == rule
        if isinstance(found, Layout):
            assert values(found) == f


def check_binary(a: Layout, b: Layout, count: Counter[str]) -> None:
    f, g = values(a), values(b)
    r = attempt("compose", a, b)
    count["compose", isinstance(r, Layout)] += 1
    if r == "outside-domain":
        assert max(g) >= a.size
    else:
        expected = tuple(f[v] for v in g)
        assert isinstance(r, Layout) == is_refinement(b, expected), (a, b, r)
        if isinstance(r, Layout):
            assert values(r) == expected
    divided = attempt("logical-divide", a, b)
    count["logical-divide", isinstance(divided, Layout)] += 1
    if isinstance(divided, Layout):
        assert values(divided.mode(0)) == tuple(f[v] for v in g)
        assert set(values(divided)) == set(f)
        if len(set(g)) == len(g):
            assert sorted(values(divided)) == sorted(f)
    multiplied = attempt("logical-product", a, b)
    count["logical-product", isinstance(multiplied, Layout)] += 1
    if isinstance(multiplied, Layout):
        assert values(multiplied.mode(0)) == f
        assert multiplied.size == a.size * b.size
        if len(set(g)) == len(g):
            assert len(set(values(multiplied))) == multiplied.size


def report(title: str, number: int, count: Counter[str]) -> None:
    shown = ", ".join(f"{op} {'answered' if ok else 'refused'} {n}" for (op, ok), n in sorted(count.items()))
    print(f"\n{title}: {number} layouts; {shown}")


def unary(step: int) -> None:
    count: Counter[str] = Counter()
    canonical: dict[tuple[int, ...], Layout] = {}
    number = 0
    for a in list(maps(3, 4, 8))[::step]:
        number += 1
        check_unary(a, count)
        assert canonical.setdefault(values(a), algebra.coalesce(a)) == algebra.coalesce(a)
        ends = [s * d for s, d in a.leaves if s > 1]
        for n in {max(ends, default=1), 2 * max(ends, default=1), a.size, 12} - {0}:
            check_complement(a, n, count)
        check_reshape(a, count)
    assert len(set(canonical.values())) == len(canonical)
    report("unary laws", number, count)


def test_unary_laws_on_a_sample() -> None:
    unary(29)


@pytest.mark.slow
def test_unary_laws_on_all_small_maps() -> None:
    unary(1)


def binary(step: int) -> None:
    count: Counter[str] = Counter()
    small = list(maps(2, 4, 4))
    pairs = [(a, b) for a in small for b in small][::step]
    for a, b in pairs:
        check_binary(a, b, count)
    report("binary laws", len(pairs), count)


def test_binary_laws_on_a_sample() -> None:
    binary(37)


@pytest.mark.slow
def test_binary_laws_on_all_small_pairs() -> None:
    binary(1)


def test_binary_laws_on_larger_layouts() -> None:
    rng, count = Random(6), Counter()

    def larger(most: int) -> Layout:
        digits, stride = [], rng.choice((1, 1, 2, 3))
        for _ in range(rng.randint(1, most)):
            digits.append((rng.choice((2, 3, 4, 6, 8)), stride))
            stride *= rng.choice((1, 2, 3, digits[-1][0], digits[-1][0], digits[-1][0] * 2))
        rng.shuffle(digits)
        return flat(tuple(digits))

    for _ in range(1500):
        check_binary(larger(4), larger(2), count)
    report("larger layouts", 1500, count)
    assert min(count.values()) > 50


def mirrored(layout: Layout) -> Layout:
    return Layout(mirror(layout.shape), mirror(layout.stride), "lex")


def test_both_orders_are_mirror_images() -> None:
    """Divides and products keep (tile, rest) in the order of the text, so only the others mirror as a whole."""
    rng = Random(3)
    small = list(maps(2, 4, 4))
    for _ in range(3000):
        a, b = rng.choice(small), rng.choice(small)
        for name, args in (("compose", (a, b)), ("left-inverse", (a,)), ("right-inverse", (a,)), ("complement", (a,))):
            here, there = attempt(name, *args), attempt(name, *map(mirrored, args))
            assert here == there if isinstance(here, str) else values(here) == values(there), (name, args)


@pytest.mark.parametrize(
    ("name", "args", "result"),
    [
        ("compose", ("(4,2,8):(3,12,97)", "3:3"), "3:9"),
        ("compose", ("(3,6,2,8):(100,7,1000,5)", "16:9"), "(2,2,4):(21,1000,5)"),
        ("compose", ("(3,2):(1,0)", "(2,2):(2,3)"), "(2,2):(2,0)"),
        ("logical-product", ("2:1", "3:2"), "(2,3):(1,4)"),
        ("blocked-product", ("(2,5):(5,1)", "(3,4):(1,3)"), "((2,3),(5,4)):((5,10),(1,30))"),
        ("raked-product", ("(2,5):(5,1)", "(3,4):(1,3)"), "((3,2),(4,5)):((10,5),(30,1))"),
        ("logical-divide", ("(4,2,3):(2,1,8)", "4:2"), "((2,2),(2,3)):((4,1),(2,8))"),
        ("upcast", ("(32,8):(8,1)", 4), "(32,2):(2,1)"),
        ("downcast", ("(32,8):(8,1)", 4), "(32,32):(32,1)"),
    ],
)
def test_known_results(name: str, args: tuple[object, ...], result: str | None) -> None:
    found = attempt(name, *(parse(x) if isinstance(x, str) else x for x in args))
    assert (str(found) if isinstance(found, Layout) else None) == result


def test_relaxed_rule_in_lex() -> None:
    a, b = (Layout(s, d, "lex") for s, d in (((2, 3), (0, 1)), ((2, 2), (3, 2))))
    assert algebra.compose(a, b) == Layout((2, 2), (0, 2), "lex")


@pytest.mark.parametrize("name", ["zipped-divide", "tiled-divide", "flat-divide", "logical-divide"])
def test_divides_by_mode(name: str) -> None:
    a, tiler = parse("(8,(3,4),5):(60,(1,15),3)"), [parse("4:2"), parse("(3,2):(1,3)")]
    places = {  # of t0, rest0, t1, rest1 and the mode without a tiler
        "logical-divide": [(0, 0), (0, 1), (1, 0), (1, 1), (2,)],
        "zipped-divide": [(0, 0), (1, 0), (0, 1), (1, 1), (1, 2)],
        "tiled-divide": [(0, 0), (1,), (0, 1), (2,), (3,)],
        "flat-divide": [(0,), (2,), (1,), (3,), (4,)],
    }[name]
    parts = []
    for place in places:
        part = RUN[name](a, tiler)
        for i in place:
            part = part.mode(i)
        parts.append(part)
    for i, t in enumerate(tiler):
        f, tile, rest = values(a.mode(i)), values(parts[2 * i]), values(parts[2 * i + 1])
        assert tile == tuple(f[v] for v in values(t))
        assert sorted(v + w for v in tile for w in rest) == sorted(f)
    assert parts[4] == a.mode(2)


def test_every_law_has_a_function_and_refuses_only_by_listed_names() -> None:
    assert set(RUN) == set(LAWS)
    for law in LAWS.values():
        assert law.statement
        assert law.precondition
        assert law.source
        assert law.refusals or law.precondition == "none" or law.exact


def test_bad_arguments_are_refused_by_name() -> None:
    a = parse("(2,3):(3,1)")
    cases = [
        (algebra.permute, (a, [0, 0]), "not-a-permutation"),
        (algebra.project, (a, [True]), "flags-differ"),
        (algebra.project, (a, [True, True]), "nothing-left"),
        (algebra.identity, ((2, 0),), "extent-not-positive"),
        (algebra.reshape, (a, (5,)), "size-differs"),
        (algebra.compose, (a, Layout(2, 1, "lex")), "orders-differ"),
        (algebra.compose_modes, (a, [a, a, a]), "rank-differs"),
        (algebra.logical_divide, (a, [a, a, a]), "rank-differs"),
        (algebra.upcast, (a, 0), "extent-not-positive"),
        (algebra.downcast, (a.mode(0), 2), "no-unit-stride"),
    ]
    for function, args, name in cases:
        with pytest.raises(Refused) as refused:
            function(*args)
        assert refused.value.name == name
    with pytest.raises(LayoutcheckError):
        algebra.coalesce(parse("S<1,0,1> o 0 o 8:1"))
