"""Whether a family is its closed form, `m: lane % mn, k: (k/(64/mn))*(lane // mn) + v`, for all parameters.

The lane and the value are sums over the layout's digits, so the form becomes one as well: `//` and `%` by a number
split the sum into the part that the number divides and a rest below it. Nothing is divided but coefficients.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .. import thrval
from ..errors import NotationError, Unsupported
from ..expr import Expr, evaluate
from ..expr import parse as parse_expression
from ..layout import Layout
from . import instances, proof, scripts
from .conditions import Condition, Way, simplified, united
from .instances import Env, Failure
from .layout import bare
from .normal import Division, Ratio, factored, is_integral, never_negative, normal, plus, positive, ring
from .operand import Family, Question, Ways
from .questions import given_of, start
from .scripts import Step, term

LANE, VALUE = "lane", "v"
_LISTED = 1 << 12  # (thread, value) pairs of an instance that are compared one by one
_POINTS = 12  # instances that are


class _Sum(NamedTuple):
    """constant + sum of coefficient * digit, one coefficient for each leaf."""

    constant: Ratio
    coefficients: tuple[Ratio, ...]


class _Split(NamedTuple):
    """That `total` is number * whole + rest, where rest is at least 0 and below the number."""

    total: _Sum
    number: Ratio
    whole: _Sum
    rest: _Sum


class _Reader:
    """A form's expression as a sum over digits, and the splits that this rests on."""

    def __init__(self, of: Family, given: Way) -> None:
        self.of = of
        self.one = ring(of.names)[0]
        self.integers = tuple(c.value for c in given if c.kind == "integer")[:5]
        self.splits: list[_Split] = []
        self.inside: list[Condition] = []
        self.divisions: dict[Expr, Division] = {}

    def digits(self, mode: int) -> _Sum:
        """The flat colex index of the thread mode (0) or the value mode (1)."""
        run, coefficients = self.one, []
        for i, leaf in enumerate(self.of.layout.leaves):
            mine = (i < self.of.layout.threads) == (mode == 0)
            coefficients.append(run if mine else self.one - self.one)
            run = run * leaf.extent if mine else run
        return _Sum(self.one - self.one, tuple(coefficients))

    def read(self, e: Expr) -> _Sum:
        if e.op == "name" and e.name in (LANE, VALUE):
            return self.digits(0 if e.name == LANE else 1)
        if not _moves(e):
            none, found = self.one - self.one, normal(e, self.of.names)
            self.divisions |= {division.expression: division for division in found.divisions}
            return _Sum(found.value, (none,) * len(self.of.layout.leaves))
        args = [self.read(arg) for arg in e.args]
        if e.op == "neg":
            return _scaled(args[0], -self.one)
        if e.op in ("+", "-"):
            return _added(args[0], args[1] if e.op == "+" else _scaled(args[1], -self.one))
        if e.op == "*" and not (_moves(e.args[0]) and _moves(e.args[1])):
            left, right = args if not _moves(e.args[1]) else args[::-1]
            return _scaled(left, right.constant)
        if e.op in ("//", "%", "/") and not _moves(e.args[1]):
            return self.split(args[0], args[1].constant, e.op)
        raise Unsupported(f"'{e.op}' of the lane and the value in a closed form")

    def split(self, total: _Sum, number: Ratio, op: str) -> _Sum:
        none = self.one - self.one
        if number == 0:
            raise Unsupported("a closed form divides by 0")
        if not positive(number):
            self.inside.append(Condition("nonnegative", plus(number, -1)))
        high = [c / number if self.divides(c / number) else none for c in (total.constant, *total.coefficients)]
        low = [c - h * number for c, h in zip((total.constant, *total.coefficients), high, strict=True)]
        whole, rest = _Sum(high[0], tuple(high[1:])), _Sum(low[0], tuple(low[1:]))
        if not self.below(rest, number):
            raise Unsupported("a closed form divides a lane or value by a number between its digits")
        if op == "/" and any(c != 0 for c in low):
            raise Unsupported("a closed form divides a lane or value, and not exactly")
        self.splits.append(_Split(total, number, whole, rest))
        return rest if op == "%" else whole

    def below(self, total: _Sum, number: Ratio) -> bool:
        """Whether a sum is at least 0 and below a number, for all parameters."""
        return self.natural(total) and never_negative(self.room(total, number))

    def natural(self, total: _Sum) -> bool:
        """Whether no term of a sum is negative, for any parameters."""
        return all(never_negative(c) for c in (total.constant, *total.coefficients))

    def room(self, total: _Sum, number: Ratio) -> Ratio:
        """How far the largest value of a sum without negative terms stays below number - 1."""
        reach = total.constant
        for leaf, c in zip(self.of.layout.leaves, total.coefficients, strict=True):
            reach = reach + plus(leaf.extent, -1) * c
        return plus(number - reach, -1)

    def coordinate(self, e: Expr, extent: Expr) -> _Sum:
        """A coordinate in a tile, which it may not leave."""
        total, number = self.read(e), self.of.value(extent)
        if not self.natural(total):
            raise Unsupported("a closed form whose coordinate may be negative")
        self.inside.append(Condition("nonnegative", self.room(total, number)))
        self.splits.append(_Split(total, number, _scaled(total, self.one - self.one), total))
        return total

    def divides(self, ratio: Ratio) -> bool:
        return is_integral(ratio) or factored(ratio, self.integers) is not None


def _moves(e: Expr) -> bool:
    return e.name in (LANE, VALUE) if e.op == "name" else any(map(_moves, e.args))


def _scaled(a: _Sum, by: Ratio) -> _Sum:
    return _Sum(a.constant * by, tuple(c * by for c in a.coefficients))


def _added(a: _Sum, b: _Sum) -> _Sum:
    return _Sum(a.constant + b.constant, tuple(x + y for x, y in zip(a.coefficients, b.coefficients, strict=True)))


def form(of: Family, by_dimension: Mapping[str, str]) -> Question:
    """Whether the element that each (lane, value) holds is the form's: `by_dimension` in the order of the tile."""
    expressions = tuple(bare(parse_expression(text)) for text in by_dimension.values())

    def read() -> tuple[_Reader, _Sum]:
        reader = _Reader(of, given_of(of))
        total = _Sum(reader.one - reader.one, (reader.one - reader.one,) * len(of.layout.leaves))
        weight = reader.one
        for expression, extent in zip(expressions, of.tile, strict=False):
            coordinate = reader.coordinate(expression, extent)
            total = _added(total, _scaled(coordinate, weight))
            weight = weight * of.value(extent)
        return reader, total

    def where() -> Ways:
        reader, total = read()
        pairs = zip(of.layout.leaves, total.coefficients, strict=True)
        equations = [Condition("zero", leaf.stride - c) for leaf, c in pairs if leaf.extent != 1]
        exact = [Condition("integer", division.value) for division in reader.divisions.values()]
        way = simplified((*given_of(of), *exact, *reader.inside, *equations, Condition("zero", total.constant)))
        complete = way is not None and way == simplified(given_of(of))
        return Ways(united(way) if way is not None else (), complete, "coefficients of the digits")

    def prove(way: Way) -> list[Step] | None:
        begun = start(of, way)
        reader, total = read()
        exact = None if begun is None else proof.exactly(begun[0], reader.divisions.values(), of.names)
        if begun is None or exact is None:
            return None
        known, steps = exact[0], [*begun[1], *exact[1]]
        found = [*steps, *(step for split in reader.splits for step in _shown(of, known, split))]
        for leaf, c in zip(of.layout.leaves, total.coefficients, strict=True):
            if leaf.extent == 1:
                found.append(proof.equal_numbers(known, "the extent is 1", [proof.terms(leaf, known)[0]], ["1"]))
                continue
            stride, wanted = term(leaf.stride_text, known.context.quotients), proof.as_term(known, c)
            if wanted is None:
                return None
            found.append(scripts.step("the stride is the form's", known.context, f"(distinct {stride} {wanted})"))
        return found

    def on(layouts: tuple[Layout, ...], env: Env) -> Failure | None:
        return _wrong(of, layouts[0], expressions, env)

    return Question(of.operand.name, "form", (of,), where, prove, on, ", ".join(by_dimension.values()), _POINTS)


def _shown(of: Family, known: proof.Known, split: _Split) -> list[Step]:
    """That a rest is at least 0 and below the number: with that, quotient and rest are the ones of `//` and `%`."""
    (number,) = _terms(known, (split.number,))
    total, whole, rest = (_terms(known, (s.constant, *s.coefficients)) for s in (split.total, split.whole, split.rest))
    context = known.context
    reach = [rest[0]]
    for leaf, part in zip(of.layout.leaves, rest[1:], strict=True):
        reach.append(f"(* (- {term(leaf.extent_text, context.quotients)} 1) {part})")
    return [
        *(scripts.step("a coefficient is split", context, f"(distinct {c} (+ (* {number} {h}) {low}))")
          for c, h, low in zip(total, whole, rest, strict=True) if c != "0"),
        *(scripts.step("a rest is not negative", context, f"(< {part} 0)") for part in rest if part != "0"),
        scripts.step("a rest is below", context, f"(>= {scripts.total(reach)} {number})"),
    ]  # fmt: skip


def _terms(known: proof.Known, values: tuple[Ratio, ...]) -> list[str]:
    found = [proof.as_term(known, value) for value in values]
    if None in found:
        raise Unsupported("a closed form whose coefficients are no products of known integers")
    return [text for text in found if text is not None]


def _wrong(of: Family, layout: Layout, expressions: tuple[Expr, ...], env: Env) -> Failure | None:
    if layout.size > _LISTED:
        raise Unsupported(f"an instance of more than {_LISTED} (thread, value) pairs")
    tile = tuple(instances.number(e, env) for e in of.tile)
    size = thrval.threads(layout).size
    for i in range(layout.size):
        at = {**env, LANE: i % size, VALUE: i // size}
        try:
            wanted = [evaluate(e, at) for e in expressions]
        except NotationError as error:
            return Failure("no-form", {"message": str(error)})
        held = list(thrval.element(layout(i), tile))
        outside = any(not 0 <= x < extent for x, extent in zip(wanted, tile, strict=False))
        if held != wanted or outside:
            place = {"thread": i % size, "value": i // size}
            reason = "form-outside" if outside else "differs-from-form"
            return Failure(reason, {"at": [place], "element": held, "expected": wanted})
    return None
