"""A layout whose extents and strides are expressions, with its normal forms and the divisions they rest on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from .. import notation
from ..errors import LayoutError, NotationError, Unsupported
from ..expr import Expr, evaluate
from ..layout import Layout, Order
from .conditions import Condition, Way
from .normal import Division, Ratio, never_negative, normal, plus, positive


class SymbolicLeaf(NamedTuple):
    """One leaf: as written, and in normal form."""

    extent_text: Expr
    stride_text: Expr
    extent: Ratio
    stride: Ratio


class SymbolicLayout(msgspec.Struct, frozen=True, eq=False):
    """Leaves fastest first; the first `threads` of them are the thread mode where the top level is a pair.

    `divisions` are all `/` and `//` of the text, innermost first: the layout is defined where those of `/` are exact.
    """

    text: str
    source: notation.LayoutText
    order: Order
    leaves: tuple[SymbolicLeaf, ...]
    threads: int
    divisions: tuple[Division, ...]

    def at(self, env: Mapping[str, int]) -> Layout:
        """The concrete layout. Raises InexactDivision, NotationError or LayoutError."""
        return notation.build(notation.resolve(self.source, env))

    @property
    def wide(self) -> tuple[SymbolicLeaf, ...]:
        """The leaves that have more than one digit for some parameters."""
        return tuple(leaf for leaf in self.leaves if leaf.extent != 1)

    @property
    def mode_leaves(self) -> tuple[tuple[SymbolicLeaf, ...], tuple[SymbolicLeaf, ...]]:
        """The leaves of the thread mode and of the value mode."""
        return self.leaves[: self.threads], self.leaves[self.threads :]


def parse(text: str, parameters: tuple[str, ...], beside: tuple[Expr, ...] = ()) -> SymbolicLayout:
    """The layout a text holds; the divisions of the expressions `beside` it are counted among its own.

    Raises NotationError, LayoutError (LC104) or Unsupported (swizzles, `%`).
    """
    source = notation.read(text)
    if source.swizzle is not None:
        raise Unsupported("a family with a swizzle is checked instance by instance, not for all parameters")
    _congruent(source.shape, source.stride)
    expressions = [(bare(s), bare(d)) for s, d in zip(_leaves(source.shape), _leaves(source.stride), strict=True)]
    divisions: dict[Expr, Division] = {}
    leaves = []
    for pair in expressions:
        values = []
        for expression in pair:
            found = normal(expression, parameters)
            values.append(found.value)
            divisions.update((d.expression, d) for d in found.divisions)
        leaves.append(SymbolicLeaf(*pair, *values))
    for expression in beside:
        divisions.update((d.expression, d) for d in normal(expression, parameters).divisions)
    threads = len(_leaves(source.shape[0])) if isinstance(source.shape, tuple) else len(leaves)
    ordered = tuple(leaves if source.order == "colex" else reversed(leaves))
    return SymbolicLayout(text, source, source.order, ordered, threads, tuple(divisions.values()))


def mentioned(text: str) -> list[str]:
    """The names that a layout text mentions, in its order."""
    source = notation.read(text)
    return [name for e in (*_leaves(source.shape), *_leaves(source.stride)) for name in in_order(e)]


def in_order(expression: Expr) -> list[str]:
    """The names that an expression mentions, from left to right."""
    if expression.op == "name":
        return [expression.name]
    return [name for arg in expression.args for name in in_order(arg)]


def defined(layout: SymbolicLayout) -> Way:
    """The conditions under which the text is a layout: divisions exact, extents >= 1, strides >= 0."""
    out = [Condition("integer", d.value) for d in layout.divisions]
    for leaf in layout.leaves:
        if not positive(leaf.extent):
            out.append(Condition("nonnegative", plus(leaf.extent, -1)))
        if not never_negative(leaf.stride):
            out.append(Condition("nonnegative", leaf.stride))
    return tuple(out)


def truncated(layout: SymbolicLayout, env: Mapping[str, int]) -> notation.Resolved:
    """The numbers that C++ computes, where `/` truncates: extents may be 0."""
    source = layout.source
    floored = msgspec.structs.replace(source, shape=_floored(source.shape), stride=_floored(source.stride))
    return notation.resolve(floored, env)


def rounds_down(layout: SymbolicLayout, env: Mapping[str, int]) -> bool:
    """Whether `//` for `/` rounds otherwise than C++ somewhere: a negative dividend or divisor."""
    sides = (_floor(side) for division in layout.divisions for side in division.expression.args)
    try:
        return any(evaluate(side, env) < 0 for side in sides)
    except NotationError:
        return True


def bare(expression: Expr) -> Expr:
    """The expression without its place in the text, so that equal ones are equal."""
    return msgspec.structs.replace(expression, column=0, args=tuple(map(bare, expression.args)))


def _congruent(shape: notation.Tree, stride: notation.Tree) -> None:
    if isinstance(shape, tuple) and isinstance(stride, tuple) and len(shape) == len(stride):
        for a, b in zip(shape, stride, strict=True):
            _congruent(a, b)
    elif isinstance(shape, tuple) or isinstance(stride, tuple):
        raise LayoutError("LC104", "shape and stride are not congruent")


def _leaves(tree: notation.Tree) -> list[Expr]:
    return [tree] if isinstance(tree, Expr) else [leaf for child in tree for leaf in _leaves(child)]


def _floored(tree: notation.Tree) -> notation.Tree:
    return _floor(tree) if isinstance(tree, Expr) else tuple(map(_floored, tree))


def _floor(expression: Expr) -> Expr:
    """The expression with `//` for `/`: the same in C++ for numbers that are not negative."""
    op = "//" if expression.op == "/" else expression.op
    return msgspec.structs.replace(expression, op=op, args=tuple(map(_floor, expression.args)))
