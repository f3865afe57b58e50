"""Nested tuples against their definitions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from layoutcheck import inttuple
from layoutcheck.inttuple import IntTuple

trees = st.recursive(st.integers(1, 9), lambda inner: st.lists(inner, min_size=1, max_size=3).map(tuple), max_leaves=12)


def profile(tree: IntTuple) -> str:
    """The tree's parentheses alone, read off Python's own printing."""
    return "".join(c for c in repr(tree).replace(",)", ")") if c in "(,)")


@given(trees)
def test_leaves_are_the_numbers_of_the_printed_tree(tree: IntTuple) -> None:
    numbers = [int(n) for n in repr(tree).replace("(", " ").replace(")", " ").replace(",", " ").split()]
    assert list(inttuple.leaves(tree)) == numbers
    product = 1
    for n in numbers:
        product *= n
    assert inttuple.size(tree) == product


@given(trees, trees)
def test_congruent_means_the_same_parentheses(left: IntTuple, right: IntTuple) -> None:
    assert inttuple.congruent(left, right) == (profile(left) == profile(right))


@given(trees)
def test_mirror_reverses_the_leaves_and_undoes_itself(tree: IntTuple) -> None:
    mirrored = inttuple.mirror(tree)
    assert list(inttuple.leaves(mirrored)) == list(inttuple.leaves(tree))[::-1]
    assert inttuple.mirror(mirrored) == tree
    assert inttuple.depth(mirrored) == inttuple.depth(tree)


@given(trees)
def test_text_is_the_printed_tree_without_spaces_and_trailing_commas(tree: IntTuple) -> None:
    assert inttuple.text(tree) == repr(tree).replace(" ", "").replace(",)", ")")


@pytest.mark.parametrize(
    ("tree", "depth", "modes"),
    [(4, 0, (4,)), ((4,), 1, (4,)), ((4, 2), 1, (4, 2)), (((4,), 2), 2, ((4,), 2)), ((), 1, ())],
    ids=str,
)
def test_depth_and_modes(tree: IntTuple, depth: int, modes: tuple[IntTuple, ...]) -> None:
    assert inttuple.depth(tree) == depth
    assert inttuple.modes(tree) == modes


def test_depth_of_a_tree_too_deep_for_recursion() -> None:
    tree: IntTuple = 1
    for _ in range(10_000):
        tree = (tree,)
    assert inttuple.depth(tree) == 10_000
