"""What the theorems speak of is what the Python side computes, and every recursion ends."""

from __future__ import annotations

from itertools import product
from math import prod
from random import Random

import pytest

from layoutcheck import algebra
from layoutcheck.layout import Layout
from layoutcheck.packmap import PackLayout, PackMap
from layoutcheck.rewrites.definitions import (
    CONSTRUCTORS,
    FUNCTIONS,
    OPAQUE,
    Equation,
    equations,
    match,
    sort_of,
    unfold,
)
from layoutcheck.rewrites.terms import App, Term, parse, variables

from .evaluate import apply, leaves, value


def lex(pairs: list[tuple[int, int]]) -> Layout:
    return Layout(tuple(s for s, _ in pairs), tuple(d for _, d in pairs), "lex")


def lists(most: int) -> list[list[tuple[int, int]]]:
    leaf = list(product((1, 2, 3), (0, 1, 2, 4)))
    return [list(x) for n in range(1, most + 1) for x in product(leaf, repeat=n)]


def test_positions_are_those_of_pack_layouts() -> None:
    asked = 0
    for pairs in Random(1).sample(lists(3), 250):
        pack = PackLayout.of(lex(pairs))
        counts = [prod(s for s, d in [pair] if d == 0) for pair in pairs]
        assert apply("V", (leaves(pairs),)) == prod(counts) == prod(pack.distributed_shape)
        assert apply("N", (leaves(pairs),)) == prod(s for s, _ in pairs)
        for thread, index in product((0, 1, 2, 5, 8, 63, 1000), range(prod(counts))):
            at = pack.own(thread, index)
            flat = 0
            for extent, coordinate in zip(pack.undistributed_shape, at, strict=True):
                flat = flat * extent + coordinate
            assert apply("P", (leaves(pairs), thread, index)) == flat, (pairs, thread, index)
            asked += 1
    assert asked > 2000


def test_values_of_the_pack_map() -> None:
    for pairs in Random(2).sample(lists(3), 150):
        pack_map = PackMap(lex(pairs))
        for index in range(pack_map.size + 2):
            assert apply("E", (leaves(pairs), index)) == pack_map.evaluate(index)


def test_coalesce_is_the_algebras() -> None:
    for pairs in lists(3):
        mine = []
        rest = apply("coal", (leaves(pairs),))
        while rest:
            extent, stride, rest = rest
            mine.append((extent, stride))
        theirs = list(algebra.coalesce(lex(pairs)).leaves)
        single = len(mine) == 1 and mine[0][0] == 1  # one point: its stride says nothing
        assert mine == theirs or (single and [s for s, _ in theirs] == [1]), pairs


def test_identity_is_the_algebras() -> None:
    for shape in product((1, 2, 3), repeat=3):
        ours = apply("ident", ((shape[0], (shape[1], (shape[2], ()))),))
        assert ours == leaves(list(algebra.identity(shape, "lex").leaves))


def test_a_step_is_what_the_c_emits() -> None:
    """linearize_index is Horner's scheme, delinearize_index divides from the innermost basis entry outwards."""
    pairs = [(4, 8), (2, 0), (8, 1)]
    for thread in range(70):
        digits = [thread // 8 % 4, 0, thread // 1 % 8]
        assert apply("horner", (leaves(pairs), 0, thread)) == (digits[0] * 2 + digits[1]) * 8 + digits[2]
        cells = (1, 8, 0, 0, (2, 4, 0, 0, ()))
        assert apply("delinearize", (cells, thread)) == (thread % 8, (thread // 16 % 4, ()))
        assert apply("digits_at", (cells, 1, thread)) == (thread % 8, (thread // 16 % 4, ()))


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - OPAQUE))
def test_every_form_has_one_equation_and_recursion_is_on_a_part(name: str) -> None:
    sorts, sort = FUNCTIONS[name]
    for left, right in equations()[name]:
        fields = [x for arg in left.args for x in ([arg] if isinstance(arg, str) else arg.args)]  # type: ignore[union-attr]
        assert len(set(fields)) == len(fields)
        assert variables(right) <= set(fields)
        known = {x: s for x, s in zip(left.args, sorts, strict=True) if isinstance(x, str)}
        for pattern in left.args:
            if isinstance(pattern, App):
                known |= dict(zip(map(str, pattern.args), CONSTRUCTORS[pattern.op][1], strict=True))
        assert sort_of(right, known) == sort
    for arguments in product(*(forms(s, i) for i, s in enumerate(sorts))):
        assert sum(match(e.left, App(name, arguments), {}) for e in equations()[name]) == 1, arguments
    assert any(all(smaller(e, i) for e in equations()[name]) for i in range(len(sorts)))
    later = set(list(equations())[list(equations()).index(name) + 1 :])
    assert all(not calls(e.right, name) for x in named(name) & later for e in equations()[x]), "no mutual recursion"


def forms(sort: str, place: int) -> list[Term]:
    found: list[Term] = [
        App(name, tuple(f"v{place}{i}" for i in range(len(fields))))
        for name, (of, fields) in CONSTRUCTORS.items()
        if of == sort
    ]
    return found or [f"v{place}"]


def smaller(equation: Equation, place: int) -> bool:
    """Every call of the function in its own equation has, at this place, a field of the pattern there."""
    pattern = equation.left.args[place]
    parts = pattern.args if isinstance(pattern, App) else ()
    return all(inner.args[place] in parts for inner in calls(equation.right, equation.left.op))


def named(name: str) -> set[str]:
    return {f for e in equations()[name] for f in equations() if calls(e.right, f)}


def calls(term: Term, name: str) -> list[App]:
    if not isinstance(term, App):
        return []
    return [term] * (term.op == name) + [x for arg in term.args for x in calls(arg, name)]


def test_unfolding_keeps_the_value() -> None:
    for text in ("N(leaf(3, 0, leaf(2, 5, l)))", "P(coal(leaf(2, 0, nil)), 5, 1)", "V(app(leaf(4, 0, nil), l))"):
        term = parse(text)
        assert value(unfold(term), {"l": leaves([(3, 0), (2, 1)])}) == value(term, {"l": leaves([(3, 0), (2, 1)])})
        assert unfold(term) != term
