"""Texts to layouts and back: plain, CuTe, `!fly.layout<>`, `!fly.composed_layout<>`, `#iree_map.pack_map<>`, ...

Plain, CuTe and Fly texts are colex, IREE's are lex. All but IREE's may start with a swizzle or an offset,
`S<3,4,3> o 0 o (8,8):(8,1)`, which FlyDSL prints inside `!fly.composed_layout<>`. Every error carries the column
(from 0) in the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

import msgspec

from . import inttuple, swizzle
from .errors import LayoutError, NotationError
from .expr import Expr, Token, evaluate, parse_at, tokens
from .inttuple import IntTuple
from .layout import Layout, Order
from .swizzle import Swizzle

Tree = Expr | tuple["Tree", ...]  # leaves not yet evaluated
Columns = int | tuple["Columns", ...]  # (column of '(', children...) for a tuple

_WRAPPER = r"\s*(?:!fly\.layout|!fly\.composed_layout|#iree_map\.pack_map|#iree_map\.pack_layout)\s*<"
_MAX_BITS = 9000  # of all extents together: a size of at most 2700 digits, which Python can print

GROUPING = "a mode may not start with a grouping parenthesis: write 4*(k/2), not (k/2)*4"


class LayoutText(msgspec.Struct, frozen=True):
    """A parsed text: trees whose leaves are expressions, their columns, and the order its notation has."""

    shape: Tree
    stride: Tree
    shape_at: Columns
    stride_at: Columns
    order: Order
    swizzle: Swizzle | None = None


class Resolved(msgspec.Struct, frozen=True):
    """A layout text with its numbers, before anything is demanded of them."""

    shape: IntTuple
    stride: IntTuple
    source: LayoutText


@lru_cache(maxsize=4096)
def read(text: str) -> LayoutText:
    """Parse one layout text. Raises NotationError with the column."""
    start = len(text) - len(text.lstrip())
    if text[start : start + 1] not in ("!", "#"):
        return _read(text, "colex")
    wrapper = re.match(_WRAPPER, text)
    if wrapper:
        inner = text[wrapper.end() :].rstrip()
        if not inner.endswith(">"):
            raise NotationError("expected '>' at the end", len(text.rstrip()))
        order: Order = "lex" if "iree_map" in wrapper.group() else "colex"
        return _read(" " * wrapper.end() + inner[:-1], order)
    known = "!fly.layout<>, !fly.composed_layout<>, #iree_map.pack_map<> or #iree_map.pack_layout<>"
    raise NotationError(f"unknown type: expected {known}", start)


def _read(text: str, order: Order) -> LayoutText:
    swizzled, start = swizzle.read(text) if order == "colex" else (None, 0)
    stream = tokens(" " * start + text[start:])
    shape, shape_at, position = _tree(stream, 0)
    colon = stream[position]
    if colon.text != ":":
        raise NotationError(f"expected ':' between shape and stride but found {_shown(colon)}", colon.column)
    stride, stride_at, position = _tree(stream, position + 1)
    if stream[position].kind != "end":
        raise NotationError(f"unexpected {_shown(stream[position])} after the stride", stream[position].column)
    return LayoutText(shape, stride, shape_at, stride_at, order, swizzled)


def _shown(token: Token) -> str:
    return "the end" if token.kind == "end" else repr(token.text)


def _tree(stream: list[Token], position: int) -> tuple[Tree, Columns, int]:
    """One nested tuple, read without recursion; the position after it."""
    open_: list[tuple[list[Tree], list[Columns]]] = []
    while True:
        token = stream[position]
        tree: Tree
        at: Columns
        if token.text == "(":
            if len(open_) == inttuple.MAX_DEPTH:
                raise NotationError(f"nested deeper than {inttuple.MAX_DEPTH} levels", token.column)
            open_.append(([], [token.column]))
            position += 1
            if stream[position].text == ")":
                raise NotationError("an empty tuple has no extent", token.column)
            continue
        tree, position = parse_at(stream, position)
        at = token.column
        while True:  # close as many tuples as end here
            if stream[position].kind == "op" and stream[position].text in ("*", "/", "//", "%", "+", "-"):
                raise NotationError(GROUPING, stream[position].column)
            if not open_:
                return tree, at, position
            children, columns = open_[-1]
            children.append(tree)
            columns.append(at)
            token = stream[position]
            if token.text not in (",", ")"):
                raise NotationError(f"expected ',' or ')' but found {_shown(token)}", token.column)
            position += 1
            if token.text == ",":
                break
            open_.pop()
            tree, at = tuple(children), tuple(columns)


def resolve(text: LayoutText, env: Mapping[str, int]) -> Resolved:
    """Evaluate every leaf under `env`. Raises NotationError or InexactDivision with the column."""
    result = Resolved(_resolve(text.shape, env), _resolve(text.stride, env), text)
    if sum(extent.bit_length() for extent in inttuple.leaves(result.shape)) > _MAX_BITS:
        raise NotationError(f"extents of more than {_MAX_BITS} bits together")
    return result


def _resolve(tree: Tree, env: Mapping[str, int]) -> IntTuple:
    return evaluate(tree, env) if isinstance(tree, Expr) else tuple(_resolve(t, env) for t in tree)


def form_errors(layout: Resolved) -> list[LayoutError]:
    """Everything that keeps a resolved text from being a layout, in the order of the text."""
    errors: list[LayoutError] = []
    _congruence(layout.shape, layout.stride, layout.source.shape_at, layout.source.stride_at, errors)
    for extent, column in _numbered(layout.shape, layout.source.shape_at):
        if extent < 1:
            errors.append(LayoutError("LC105", f"extent {extent} is not positive", column))
    for stride, column in _numbered(layout.stride, layout.source.stride_at):
        if stride < 0:
            errors.append(LayoutError("LC106", f"stride {stride} is negative", column))
    return errors


def _congruence(shape: IntTuple, stride: IntTuple, at: Columns, stride_at: Columns, errors: list[LayoutError]) -> None:
    """The outermost place where the two trees part."""
    if not isinstance(shape, int) and not isinstance(stride, int) and len(shape) == len(stride):
        assert not isinstance(at, int)
        assert not isinstance(stride_at, int)
        for part in zip(shape, stride, at[1:], stride_at[1:], strict=True):
            _congruence(*part, errors)
    elif not (isinstance(shape, int) and isinstance(stride, int)):
        message = f"shape {inttuple.text(shape)} and stride {inttuple.text(stride)} are not congruent"
        errors.append(LayoutError("LC104", message, stride_at if isinstance(stride_at, int) else stride_at[0]))  # type: ignore[arg-type]


def _numbered(tree: IntTuple, at: Columns) -> list[tuple[int, int]]:
    if isinstance(tree, int):
        return [(tree, at if isinstance(at, int) else 0)]
    assert not isinstance(at, int)
    return [pair for child, place in zip(tree, at[1:], strict=True) for pair in _numbered(child, place)]


def build(layout: Resolved) -> Layout:
    """The layout itself. Raises LayoutError for the first broken condition."""
    for error in form_errors(layout):
        raise error
    return Layout(layout.shape, layout.stride, layout.source.order, layout.source.swizzle)


def parse(text: str) -> Layout:
    """The layout a text holds. Raises NotationError (with the column) or LayoutError (with code and column)."""
    return build(resolve(read(text), {}))


def show(layout: Layout) -> str:
    """`((16,4),4):((1,64),16)` for colex; `#iree_map.pack_map<...>` for lex."""
    return str(layout) if layout.order == "colex" else f"#iree_map.pack_map<{layout}>"
