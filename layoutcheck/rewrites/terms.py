"""Terms of the proof language: integers, booleans and lists, written like Python expressions.

Operators `+ - * // %`, comparisons (chained too), `and or not`, `a if c else b`, and calls of the functions that
`definitions` states. Texts are parsed, never evaluated as Python.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from ..errors import NotationError

CONSTANTS = frozenset({"nil", "none", "end", "stop"})  # lists without an item, one for each sort
_BINARY = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%"}
_COMPARE = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
ARITHMETIC = frozenset(_BINARY.values())
COMPARISONS = frozenset(_COMPARE.values())
CONNECTIVES = frozenset({"and", "or", "not", "=>"})


class App(NamedTuple):
    """An operator, constructor or function applied to terms. `ite` is the conditional."""

    op: str
    args: tuple[Term, ...] = ()


Term = int | str | App  # a number, a variable, an application
TRUE, FALSE = App("true"), App("false")


def parse(text: str) -> Term:
    """The term of a text. Raises NotationError with the column."""
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError as error:
        raise NotationError(f"no term: {text!r}", (error.offset or 1) - 1) from None
    return _term(tree.body)


def _term(node: ast.expr) -> Term:
    match node:
        case ast.Constant(value=bool() as truth):
            return TRUE if truth else FALSE
        case ast.Constant(value=int() as number):
            return number
        case ast.Name(id=name):
            return App(name) if name in CONSTANTS else name
        case ast.BinOp(left=a, op=op, right=b) if type(op) in _BINARY:
            return App(_BINARY[type(op)], (_term(a), _term(b)))
        case ast.UnaryOp(op=ast.USub(), operand=a):
            return App("-", (0, _term(a)))
        case ast.UnaryOp(op=ast.Not(), operand=a):
            return App("not", (_term(a),))
        case ast.BoolOp(op=op, values=values):
            return App("and" if isinstance(op, ast.And) else "or", tuple(map(_term, values)))
        case ast.Compare(left=first, ops=ops, comparators=others) if all(type(op) in _COMPARE for op in ops):
            sides = [_term(x) for x in (first, *others)]
            names = [_COMPARE[type(op)] for op in ops]
            return conjunction(App(op, pair) for op, pair in zip(names, pairwise(sides), strict=True))
        case ast.IfExp(test=test, body=yes, orelse=no):
            return App("ite", (_term(test), _term(yes), _term(no)))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            return App(name, tuple(map(_term, args)))
    raise NotationError(f"no term: {ast.unparse(node)!r}", node.col_offset)


def call(text: str) -> tuple[str, dict[str, Term]]:
    """`name(x=term, ...)`: how a proof names a fact and what it puts for the fact's variables. Raises NotationError."""
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise NotationError(f"no instance of a fact: {text!r}", (error.offset or 1) - 1) from None
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)) or node.args:
        raise NotationError(f"no instance of a fact, name(variable=term, ...): {text!r}")
    return node.func.id, {keyword.arg or "**": _term(keyword.value) for keyword in node.keywords}


def conjunction(parts: Iterator[Term] | tuple[Term, ...]) -> Term:
    """All of them; true when there is none."""
    several = tuple(parts)
    return several[0] if len(several) == 1 else App("and", several) if several else TRUE


def implies(premises: tuple[Term, ...], conclusion: Term) -> Term:
    """The premises as antecedents of the conclusion."""
    return App("=>", (conjunction(premises), conclusion)) if premises else conclusion


def substitute(term: Term, values: Mapping[str, Term]) -> Term:
    """The term with all variables of `values` replaced at once."""
    if isinstance(term, str):
        return values.get(term, term)
    if isinstance(term, App):
        return App(term.op, tuple(substitute(x, values) for x in term.args))
    return term


def replace(term: Term, old: Term, new: Term) -> Term:
    """The term with each occurrence of the term `old` replaced."""
    if term == old:
        return new
    return App(term.op, tuple(replace(x, old, new) for x in term.args)) if isinstance(term, App) else term


def variables(term: Term) -> frozenset[str]:
    """The variables that occur."""
    if isinstance(term, App):
        return frozenset().union(*map(variables, term.args))
    return frozenset({term}) if isinstance(term, str) else frozenset()


def applied(term: Term) -> frozenset[str]:
    """Every operator, constructor and function that occurs."""
    return frozenset({term.op}).union(*map(applied, term.args)) if isinstance(term, App) else frozenset()


def show(term: Term) -> str:
    """The term as text, every operator in parentheses."""
    if not isinstance(term, App):
        return str(term)
    parts = [show(x) for x in term.args]
    if term.op == "ite":
        return f"({parts[1]} if {parts[0]} else {parts[2]})"
    if term.op in ARITHMETIC | COMPARISONS | {"and", "or", "=>"}:
        return "(" + f" {term.op} ".join(parts) + ")"
    if term in (TRUE, FALSE):
        return term.op.capitalize()
    if term.op == "not":
        return f"(not {parts[0]})"
    return f"{term.op}({', '.join(parts)})" if parts else term.op
