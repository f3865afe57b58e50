"""Whitelisted integer expressions, as atom families and closed forms use them.

Grammar: integers, names, `+ - * // / %`, comparisons, `and`, `or`, parentheses. `/` is exact division:
where it leaves a remainder, InexactDivision is raised. Nothing is ever evaluated as Python.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping

import msgspec

from .errors import InexactDivision, NotationError, Overflow, TooLarge

MAX_TEXT = 4000  # characters of one layout or expression
MAX_DIGITS = 400  # decimal digits of one number
MAX_TOKENS = 256  # of one expression
MAX_BITS = 2000  # of any intermediate value
MAX_PARENS = 32  # nesting of grouping parentheses
NATIVE = 1 << 63  # from here on, C++ has no 64-bit integer

_TOKEN = re.compile(r"\s*(?:(_?\d+)|([A-Za-z_]\w*)|(//|<=|>=|==|!=|[-+*/%<>():,?{}=])|(\S))", re.ASCII)
_LEVELS = (("or",), ("and",), ("<", "<=", ">", ">=", "==", "!="), ("+", "-"), ("*", "/", "//", "%"))


class Token(msgspec.Struct, frozen=True):
    kind: str  # "int", "name", "op", or "end"
    text: str
    column: int


class Expr(msgspec.Struct, frozen=True):
    """A parsed expression: `op` is "int", "name", "neg" or an operator; `column` points into the text."""

    op: str
    column: int
    value: int = 0
    name: str = ""
    args: tuple[Expr, ...] = ()


def tokens(text: str) -> list[Token]:
    """The tokens of `text`, closed by an "end" token. Raises NotationError with the column."""
    if len(text) > MAX_TEXT:
        raise NotationError(f"text of {len(text)} characters, the limit is {MAX_TEXT}")
    out: list[Token] = []
    position = 0
    stripped = len(text.rstrip())
    while position < stripped:
        match = _TOKEN.match(text, position)
        assert match is not None
        number, name, op, other = match.groups()
        if other:
            raise NotationError(f"unexpected character {other!r}", match.start(4))
        if number:
            if len(number) > MAX_DIGITS:
                raise NotationError(f"a number of {len(number)} digits, the limit is {MAX_DIGITS}", match.start(1))
            out.append(Token("int", number, match.start(1)))
        elif name:
            kind = "op" if name in ("and", "or") else "name"
            out.append(Token(kind, name, match.start(2)))
        else:
            out.append(Token("op", op, match.start(3)))
        position = match.end()
    out.append(Token("end", "", stripped))
    return out


class _Parser:
    def __init__(self, stream: list[Token], position: int) -> None:
        self.stream = stream
        self.position = position
        self.start = position
        self.parens = 0

    def level(self, n: int) -> Expr:
        if n == len(_LEVELS):
            return self.unary()
        first = left = self.level(n + 1)
        while (token := self.stream[self.position]).kind == "op" and token.text in _LEVELS[n]:
            self.advance()
            right = self.level(n + 1)
            if n == 2 and left is not first:
                raise NotationError("comparisons do not chain: write `a < b and b < c`", token.column)
            left = Expr(token.text, token.column, args=(left, right))
        return left

    def unary(self) -> Expr:
        token = self.stream[self.position]
        if token.text == "-" and token.kind == "op":
            self.advance()
            return Expr("neg", token.column, args=(self.unary(),))
        return self.atom()

    def atom(self) -> Expr:
        token = self.advance()
        if token.kind == "int":
            return Expr("int", token.column, value=int(token.text.lstrip("_")))
        if token.kind == "name":
            return Expr("name", token.column, name=token.text)
        if token.text == "(":
            self.parens += 1
            if self.parens > MAX_PARENS:
                raise NotationError(f"parentheses nested deeper than {MAX_PARENS}", token.column)
            inner = self.level(0)
            closing = self.advance()
            if closing.text != ")":
                raise NotationError(f"expected ')' but found {_shown(closing)}", closing.column)
            self.parens -= 1
            return inner
        if token.text == "?":
            raise NotationError("a dynamic value '?' has no number here", token.column)
        raise NotationError(f"expected a number or a name but found {_shown(token)}", token.column)

    def advance(self) -> Token:
        token = self.stream[self.position]
        if self.position - self.start >= MAX_TOKENS:
            raise NotationError(f"expression of more than {MAX_TOKENS} tokens", token.column)
        if token.kind != "end":
            self.position += 1
        return token


def _shown(token: Token) -> str:
    return "the end" if token.kind == "end" else repr(token.text)


def parse_at(stream: list[Token], position: int) -> tuple[Expr, int]:
    """The expression that starts at `position` of a token list, and the position after it."""
    parser = _Parser(stream, position)
    return parser.level(0), parser.position


def parse(text: str) -> Expr:
    """The expression a whole text holds. Raises NotationError with the column."""
    stream = tokens(text)
    expression, position = parse_at(stream, 0)
    if stream[position].kind != "end":
        raise NotationError(f"unexpected {_shown(stream[position])}", stream[position].column)
    return expression


def names(expression: Expr) -> frozenset[str]:
    """The names an expression mentions."""
    if expression.op == "name":
        return frozenset((expression.name,))
    return frozenset().union(*map(names, expression.args))


def integers(expression: Expr) -> frozenset[int]:
    """The integers that an expression mentions."""
    own = frozenset((expression.value,)) if expression.op == "int" else frozenset()
    return own.union(*map(integers, expression.args))


def stranger(expression: Expr, known: Container[str]) -> Expr | None:
    """The first name that is not `known`."""
    if expression.op == "name" and expression.name not in known:
        return expression
    return next(filter(None, (stranger(arg, known) for arg in expression.args)), None)


def bind(expression: Expr, env: Mapping[str, int]) -> Expr:
    """The expression with the names of `env` replaced by their numbers; other names stay."""
    if expression.op == "name" and expression.name in env:
        return Expr("int", expression.column, value=env[expression.name])
    return msgspec.structs.replace(expression, args=tuple(bind(arg, env) for arg in expression.args))


def evaluate(expression: Expr, env: Mapping[str, int], *, native: bool = False) -> int:
    """The value under `env`; comparisons give 0 or 1. `native` refuses what 64-bit C++ computes otherwise.

    Raises NotationError for an unknown name, a division by zero, or a value beyond 2^2000, and
    InexactDivision where `/` leaves a remainder. With `native` also InexactDivision where `//` or `%` rounds
    down and C++ towards zero, and Overflow for a value that 64 bits do not hold.
    """
    op = expression.op
    if op == "int":
        return expression.value
    if op == "name":
        if expression.name not in env:
            known = f" (known: {', '.join(sorted(env))})" if env else ""
            raise NotationError(f"unknown name '{expression.name}'{known}", expression.column)
        return env[expression.name]
    left = evaluate(expression.args[0], env, native=native)
    if op == "neg":
        return -left
    if op == "and" and not left:
        return 0
    if op == "or" and left:
        return 1
    right = evaluate(expression.args[1], env, native=native)
    result = _apply(op, left, right, expression.column)
    if result.bit_length() > MAX_BITS:
        raise TooLarge(f"a value beyond 2^{MAX_BITS}", expression.column)
    if native:
        _as_native(op, left, right, result, expression.column)
    return result


def _as_native(op: str, left: int, right: int, result: int, column: int) -> None:
    if op in ("//", "%") and left % right and (left < 0) != (right < 0):
        truncated = _truncated(left, right)
        other = truncated if op == "//" else left - right * truncated
        raise InexactDivision(f"{left} {op} {right} is {result} here and {other} in C++, which rounds to zero", column)
    if not -NATIVE <= result < NATIVE:
        raise Overflow(f"{left} {op} {right} = {result} does not fit into 64 bits", column)
    if op == "%":  # the remainder of a quotient that overflows is undefined in C++
        _as_native("//", left, right, left // right, column)


def _apply(op: str, left: int, right: int, column: int) -> int:
    if op in ("/", "//", "%") and right == 0:
        raise NotationError(f"division by zero: {left} {op} 0", column)
    if op == "/" and left % right:
        raise InexactDivision(
            f"{left} / {right} is not exact: C++ would truncate it to {_truncated(left, right)}", column
        )
    match op:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/" | "//":
            return left // right
        case "%":
            return left % right
        case "<":
            return int(left < right)
        case "<=":
            return int(left <= right)
        case ">":
            return int(left > right)
        case ">=":
            return int(left >= right)
        case "==":
            return int(left == right)
        case "!=":
            return int(left != right)
        case _:  # and, or: the left side did not decide
            return int(bool(right))


def _truncated(left: int, right: int) -> int:
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient
