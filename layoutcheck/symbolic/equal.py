"""Two families as one function: the common refinement of their radices, and the strides of its cells.

Where the running products of both sides divide each other, one digit for each cell of the refinement gives the digits
of both, and the sides agree iff every cell of extent > 1 has one stride on both.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from ..claim import Claim, Differs, leaves_of
from ..errors import Unsupported
from ..expr import Expr
from ..expr import parse as parse_expression
from ..layout import Layout
from . import instances, proof, scripts
from .conditions import Condition, Precondition, Way, simplified, united
from .instances import Env, Failure
from .layout import bare
from .normal import Ratio, factored, integers, is_integral, normal, plus, poly_text
from .operand import Family, Question, Ways
from .questions import given_of, start
from .scripts import Step, term

_LISTED = 1 << 14  # points of an instance that are compared one by one

Leaf = tuple[Expr, Expr]  # extent and stride


class Cell(NamedTuple):
    """A digit of the common refinement, and what a step of it adds on both sides."""

    extent: Expr
    left: Expr
    right: Expr


class Refined(NamedTuple):
    """The cells, and the divisions that cut them: extent = part * rest."""

    cells: tuple[Cell, ...]
    cuts: tuple[tuple[Expr, Expr, Expr], ...]


def refine(left: Sequence[Leaf], right: Sequence[Leaf], names: tuple[str, ...], known: Way) -> Refined:
    """The common refinement, fastest first; where the radices do not divide each other for all parameters, that of the
    parameters that make them equal. Raises Unsupported where the sizes differ."""
    whole = tuple(c.value for c in known if c.kind == "integer")[:5]
    sides = [[leaf for leaf in side if _value(leaf[0], names) != 1] for side in (left, right)]
    cells, cuts = [], []
    while sides[0] and sides[1]:
        (s, d), (t, e) = sides[0][0], sides[1][0]
        ratio = _value(t, names) / _value(s, names)
        if ratio == 1:
            cells.append(Cell(s, d, e))
            sides = [side[1:] for side in sides]
            continue
        larger = 1 if divides(ratio, whole) else 0
        if not larger and not divides(1 / ratio, whole):  # only where both extents are the same number
            cells.append(Cell(s, d, e))
            cuts.append((t, s, Expr("int", 0, value=1)))
            sides = [side[1:] for side in sides]
            continue
        (small, step_), (large, stride) = ((s, d), (t, e)) if larger else ((t, e), (s, d))
        rest = quotient(large, small, names)
        cuts.append((large, small, rest))
        cells.append(Cell(small, *((step_, stride) if larger else (stride, step_))))
        sides[1 - larger] = sides[1 - larger][1:]
        sides[larger] = [(rest, Expr("*", 0, args=(stride, small))), *sides[larger][1:]]
    if sides[0] or sides[1]:
        raise Unsupported("the sizes of both sides differ")
    return Refined(tuple(cells), tuple(cuts))


def _value(expression: Expr, names: tuple[str, ...]) -> Ratio:
    return normal(expression, names).value


def divides(ratio: Ratio, known: tuple[Ratio, ...]) -> bool:
    return is_integral(ratio) or factored(ratio, known) is not None


def quotient(large: Expr, small: Expr, names: tuple[str, ...]) -> Expr:
    """large / small, without a division where it is a polynomial."""
    ratio = _value(large, names) / _value(small, names)
    if is_integral(ratio):
        return bare(parse_expression(poly_text(integers(ratio)[0])))
    return Expr("/", 0, args=(large, small))


def ways(refined: Refined, names: tuple[str, ...], given: Way) -> Precondition:
    """Each cell has one stride on both sides, or extent 1."""
    choices: list[tuple[Condition, ...]] = []
    given = (*given, *same_radix(refined, names))
    for cell in refined.cells:
        difference = _value(cell.left, names) - _value(cell.right, names)
        if difference != 0:
            extent = _value(cell.extent, names)
            choices.append((Condition("zero", difference), Condition("zero", plus(extent, -1))))
    if len(choices) > 8:
        raise Unsupported("too many cells differ")
    found = (simplified((*given, *choice)) for choice in product(*choices))
    return united(*(way for way in found if way is not None))


def same_radix(refined: Refined, names: tuple[str, ...]) -> Way:
    """The equations that the refinement rests on."""
    pairs = [(large, small) for large, small, rest in refined.cuts if (rest.op, rest.value) == ("int", 1)]
    return tuple(Condition("zero", _value(large, names) - _value(small, names)) for large, small in pairs)


def prove_cells(refined: Refined, known: proof.Known, names: tuple[str, ...]) -> list[Step] | None:
    steps: list[Step] = [scripts.SPLIT] if refined.cuts else []
    for large, small, rest in refined.cuts:
        if rest.op == "/":
            found = proof.divisible(known, "the radices divide", large, small, names)
            if found is None:
                return None
            steps.append(found)
            known = proof.divided(known, rest, names)
        quotients = known.context.quotients
        both = [term(small, quotients), term(rest, quotients)]
        steps.append(proof.equal_numbers(known, "a leaf is cut in two", [term(large, quotients)], both))
    for cell in refined.cells:
        extent, left, right = (term(e, known.context.quotients) for e in cell)
        moved = f"(distinct (* (- {extent} 1) (- {left} {right})) 0)"
        if _value(cell.left, names) == _value(cell.right, names):
            moved = f"(distinct {left} {right})"
        steps.append(scripts.step("a cell has one stride on both sides", known.context, moved))
    return steps


def equal(left: Family, right: Family) -> Question:
    """Whether both layouts have the same size and the same offset at every flat index, each in its own order."""
    names = left.names

    def sizes() -> Way:
        one = _value(left.copies, names) / _value(left.copies, names)
        both = [one, one]
        for i, side in enumerate((left, right)):
            for leaf in side.layout.leaves:
                both[i] = both[i] * leaf.extent
        return (Condition("zero", both[0] - both[1]),) if both[0] != both[1] else ()

    def refined() -> Refined:
        given = given_of(left, right)
        sides = [[(x.extent_text, x.stride_text) for x in side.layout.leaves] for side in (left, right)]
        return refine(sides[0], sides[1], names, given)

    def where() -> Ways:
        if sizes():
            raise Unsupported("the sizes of both sides differ in normal form")
        given = given_of(left, right)
        complete = not same_radix(refined(), names)
        return Ways(ways(refined(), names, given), complete, "strides of the common refinement")

    def prove(way: Way) -> list[Step] | None:
        begun = both(left, right, way)
        rest = None if begun is None else prove_cells(refined(), begun[0], names)
        return None if begun is None or rest is None else [*begun[1], *rest]

    def on(layouts: tuple[Layout, ...], env: Env) -> Failure | None:
        witness = instances.ask(Claim("equal", leaves_of(layouts[0]), other=leaves_of(layouts[1])))
        if witness is None:
            return None
        if isinstance(witness, Differs):
            return Failure("differs", {"index": witness.at[0], "left": witness.left, "right": witness.right})
        return Failure("sizes", {"witness": str(witness)})

    return Question(left.operand.name, "equal", (left, right), where, prove, on)


def both(left: Family, right: Family, way: Way) -> tuple[proof.Known, list[Step]] | None:
    first = start(left, way)
    second = None if first is None else proof.well_defined(first[0], right.layout, right.names)
    return None if first is None or second is None else (second[0], [*first[1], *second[1]])
