"""Nested tuples of integers: the trees that shapes and strides are made of."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

IntTuple = int | tuple["IntTuple", ...]

MAX_DEPTH = 64  # nesting accepted anywhere; recursion below never meets a deeper tree


def leaves(tree: IntTuple) -> Iterator[int]:
    """The integers of `tree`, left to right."""
    if isinstance(tree, int):
        yield tree
    else:
        for child in tree:
            yield from leaves(child)


def modes(tree: IntTuple) -> tuple[IntTuple, ...]:
    """The top-level children; an integer is its own only mode."""
    return (tree,) if isinstance(tree, int) else tree


def congruent(left: IntTuple, right: IntTuple) -> bool:
    """Whether both trees have the same profile (CuTe: congruent)."""
    if isinstance(left, int) or isinstance(right, int):
        return isinstance(left, int) and isinstance(right, int)
    return len(left) == len(right) and all(map(congruent, left, right))


def depth(tree: IntTuple) -> int:
    """Nesting depth: 0 for an integer. Iterative, so that any tree can be measured."""
    level: list[IntTuple] = [tree]
    deep = 0
    while True:
        level = [c for t in level if not isinstance(t, int) for c in (t or (0,))]
        if not level:
            return deep
        deep += 1


def size(tree: IntTuple) -> int:
    """Product of the leaves."""
    return tree if isinstance(tree, int) else prod(leaves(tree))


def mirror(tree: IntTuple) -> IntTuple:
    """Every tuple reversed: turns colex into lex and back (SEMANTICS.md section 1)."""
    return tree if isinstance(tree, int) else tuple(mirror(c) for c in reversed(tree))


def text(tree: IntTuple) -> str:
    """`(16,4)`; a 1-tuple prints as `(4)`, as IREE prints it."""
    if isinstance(tree, int):
        return str(tree)
    return "(" + ",".join(map(text, tree)) + ")"
