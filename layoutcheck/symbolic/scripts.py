"""SMT-LIB 2 scripts about a family: `unsat` proves one step. Built from the expressions as written.

An exact division a/b is an integer q with b*q = a: no script divides a digit, none has a quantifier. Lemmas of
integer arithmetic that a solver is slow to find are added as implications, each valid by itself:
* a product of two positive numbers bounds both; a product that is 0 has a factor 0;
* mixed radix (MIXED_RADIX, a script of its own): a digit's share of the offset.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from ..errors import Unsupported
from ..expr import Expr

_OPERATORS = {"==": "=", "!=": "distinct", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


class Step(msgspec.Struct, frozen=True):
    """One thing to prove, and the script that proves it when it is unsatisfiable."""

    name: str
    script: str


class Context(msgspec.Struct, frozen=True):
    """What a script may assume: declarations and assertions, and a symbol for the quotient of each division."""

    lines: tuple[str, ...]
    quotients: Mapping[Expr, str]


def start(parameters: Iterable[str]) -> Context:
    """Positive integers, nothing else."""
    names = [symbol(p) for p in parameters]
    lines = [line for p in names for line in (f"(declare-const {p} Int)", f"(assert (>= {p} 1))")]
    return Context(tuple(lines), {})


def symbol(parameter: str) -> str:
    """A parameter's symbol: its name may be a word of SMT-LIB, and quoting does not help `true`. No name has a `!`."""
    return f"{parameter}!"


def assuming(context: Context, *assertions: str) -> Context:
    """The context with more assertions."""
    return msgspec.structs.replace(context, lines=(*context.lines, *(f"(assert {a})" for a in assertions)))


def quotient(context: Context, division: Expr, name: str) -> Context:
    """The context with `name` for the quotient of `division`, which is exact: a / b, a // b, or a % b == 0."""
    key = division.args[0] if divides(division) else division
    numerator, denominator = (term(arg, context.quotients) for arg in key.args)
    exact = f"(= {numerator} (* {denominator} {name}))"
    positive = f"(=> (and (>= {denominator} 1) (>= {numerator} 1)) (>= {name} 1))"
    lines = (*context.lines, f"(declare-const {name} Int)", f"(assert {exact})", f"(assert {positive})")
    known = context.quotients if divides(division) else {**context.quotients, key: name}
    return Context(lines, known)


def euclidean(context: Context, division: Expr, quotient: str, rest: str) -> Context:
    """The context with symbols for what a // b and a % b are where a is not negative and b is positive."""
    left, right = (term(arg, context.quotients) for arg in division.args)
    lines = (
        f"(declare-const {quotient} Int)", f"(declare-const {rest} Int)",
        f"(assert (= {left} (+ (* {right} {quotient}) {rest})))",
        f"(assert (<= 0 {rest} (- {right} 1)))", f"(assert (>= {quotient} 0))",
    )  # fmt: skip
    symbols = {
        msgspec.structs.replace(division, op="//"): quotient,
        msgspec.structs.replace(division, op="%"): rest,
    }
    return Context((*context.lines, *lines), {**context.quotients, **symbols})


def conjuncts(expression: Expr) -> list[Expr]:
    """The parts of a conjunction."""
    return [e for arg in expression.args for e in conjuncts(arg)] if expression.op == "and" else [expression]


def divides(atom: Expr) -> bool:
    """Whether an atom is `a % b == 0`."""
    return atom.op == "==" and atom.args[0].op == "%" and (atom.args[1].op, atom.args[1].value) == ("int", 0)


def comparison(atom: Expr, quotients: Mapping[Expr, str]) -> str:
    """One comparison as a formula. Raises Unsupported for anything else."""
    if atom.op not in _OPERATORS:
        raise Unsupported(f"'{atom.op}' where a comparison is expected")
    return f"({_OPERATORS[atom.op]} {' '.join(term(arg, quotients) for arg in atom.args)})"


def term(expression: Expr, quotients: Mapping[Expr, str]) -> str:
    """An expression as an integer term. Raises Unsupported for a division without a symbol, and for `%`."""
    if expression in quotients:
        return quotients[expression]
    op = expression.op
    if op == "int":
        return str(expression.value)
    if op == "name":
        return symbol(expression.name)
    if op == "neg":
        return f"(- {term(expression.args[0], quotients)})"
    if op not in ("+", "-", "*"):
        raise Unsupported(f"'{op}' has no symbol here")
    return f"({op} {' '.join(term(arg, quotients) for arg in expression.args)})"


def step(name: str, context: Context, *goal: str) -> Step:
    """A script that is unsatisfiable when the context excludes `goal` (the negation of what is to be proved)."""
    lines = [f"; {name}", "(set-logic QF_NIA)", *context.lines, *(f"(assert {g})" for g in goal), "(check-sat)", ""]
    return Step(name, "\n".join(lines))


def product(factors: Iterable[str]) -> str:
    """A product of terms; 1 when there are none."""
    terms = list(factors)
    return "1" if not terms else terms[0] if len(terms) == 1 else f"(* {' '.join(terms)})"


def total(terms: Iterable[str]) -> str:
    """A sum of terms; 0 when there are none."""
    parts = list(terms)
    return "0" if not parts else parts[0] if len(parts) == 1 else f"(+ {' '.join(parts)})"


def no_zero_product(factor: str, value: str) -> str:
    """The lemma that factor * value = 0 with factor >= 1 makes value 0."""
    return f"(=> (and (>= {factor} 1) (= (* {factor} {value}) 0)) (= {value} 0))"


def _lemma(name: str, symbols: str, *goal: str) -> Step:
    return step(name, Context(tuple(f"(declare-const {x} Int)" for x in symbols.split()), {}), *goal)


_DIGIT = ("(>= stride 1)", "(< (- extent) digit extent)", "(< (- stride) below stride)")

MIXED_RADIX = (  # a leaf's share of the difference of two offsets, above leaves that move it by less than a stride
    _lemma(
        "mixed radix: a digit that differs is not made up for by the leaves below",
        "digit extent stride below",
        *_DIGIT,
        "(= (+ (* digit stride) below) 0)",
        "(distinct digit 0)",
    ),
    _lemma(
        "mixed radix: together they move the offset by less than the leaf's end",
        "digit extent stride below",
        *_DIGIT,
        "(not (< (- (* extent stride)) (+ (* digit stride) below) (* extent stride)))",
    ),
)

SPLIT = _lemma(  # a digit of extent * more, as a digit below extent and one below more
    "mixed radix: the digits of both sides' common refinement are those of each side",
    "digit extent more low high",
    "(>= extent 1)",
    "(<= 0 low (- extent 1))",
    "(<= 0 high (- more 1))",
    "(<= 0 digit (- (* extent more) 1))",
    "(= (+ low (* extent high)) digit)",
    "(not (<= 0 (+ low (* extent high)) (- (* extent more) 1)))",
)

INTERVALS = _lemma(
    "no gap: offsets up to reach, and a stride of at most one more, hold all up to reach + (extent - 1) * stride",
    "offset quotient rest reach extent stride",
    "(>= stride 1)",
    "(<= stride (+ reach 1))",
    "(<= 0 offset (+ reach (* (- extent 1) stride)))",
    "(= offset (+ (* stride quotient) rest))",
    "(<= 0 rest)",
    "(< rest stride)",
    "(not (or (and (<= 0 quotient (- extent 1)) (<= rest reach)) (<= 0 (- offset (* (- extent 1) stride)) reach)))",
)
