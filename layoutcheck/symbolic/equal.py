"""Two families as one function: the common refinement of their radices, and the strides of its cells.

Where the running products of both sides divide each other, one digit for each cell of the refinement gives the digits
of both, and the sides agree iff every cell of extent > 1 has one stride on both.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import product
from typing import NamedTuple

from .. import thrval
from ..claim import Claim, Differs, Leaves, leaves_of
from ..errors import Disagreement, LayoutcheckError, Unsupported
from ..expr import Expr
from ..expr import parse as parse_expression
from ..layout import Layout
from . import instances, proof, scripts
from .conditions import Condition, Precondition, Way, joined, simplified, united
from .instances import Env, Failure
from .layout import bare, defined
from .normal import Ratio, factored, integers, is_integral, never_negative, normal, plus, poly_text
from .questions import Family, Question, Ways, needed, prove_whole, start, whole
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
        larger = 1 if _divides(ratio, whole) else 0
        if not larger and not _divides(1 / ratio, whole):  # only where both extents are the same number
            cells.append(Cell(s, d, e))
            cuts.append((t, s, Expr("int", 0, value=1)))
            sides = [side[1:] for side in sides]
            continue
        (small, step_), (large, stride) = ((s, d), (t, e)) if larger else ((t, e), (s, d))
        rest = _quotient(large, small, names)
        cuts.append((large, small, rest))
        cells.append(Cell(small, *((step_, stride) if larger else (stride, step_))))
        sides[1 - larger] = sides[1 - larger][1:]
        sides[larger] = [(rest, Expr("*", 0, args=(stride, small))), *sides[larger][1:]]
    if sides[0] or sides[1]:
        raise Unsupported("the sizes of both sides differ")
    return Refined(tuple(cells), tuple(cuts))


def _value(expression: Expr, names: tuple[str, ...]) -> Ratio:
    return normal(expression, names).value


def _divides(ratio: Ratio, known: tuple[Ratio, ...]) -> bool:
    return is_integral(ratio) or factored(ratio, known) is not None


def _quotient(large: Expr, small: Expr, names: tuple[str, ...]) -> Expr:
    """large / small, without a division where it is a polynomial."""
    ratio = _value(large, names) / _value(small, names)
    if is_integral(ratio):
        return bare(parse_expression(poly_text(integers(ratio)[0])))
    return Expr("/", 0, args=(large, small))


def _ways(refined: Refined, names: tuple[str, ...], given: Way) -> Precondition:
    """Each cell has one stride on both sides, or extent 1."""
    choices: list[tuple[Condition, ...]] = []
    given = (*given, *_same_radix(refined, names))
    for cell in refined.cells:
        difference = _value(cell.left, names) - _value(cell.right, names)
        if difference != 0:
            extent = _value(cell.extent, names)
            choices.append((Condition("zero", difference), Condition("zero", plus(extent, -1))))
    if len(choices) > 8:
        raise Unsupported("too many cells differ")
    found = (simplified((*given, *choice)) for choice in product(*choices))
    return united(*(way for way in found if way is not None))


def _same_radix(refined: Refined, names: tuple[str, ...]) -> Way:
    """The equations that the refinement rests on."""
    pairs = [(large, small) for large, small, rest in refined.cuts if (rest.op, rest.value) == ("int", 1)]
    return tuple(Condition("zero", _value(large, names) - _value(small, names)) for large, small in pairs)


def _prove(refined: Refined, known: proof.Known, names: tuple[str, ...]) -> list[Step] | None:
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
        given = (*defined(left.layout), *defined(right.layout))
        sides = [[(x.extent_text, x.stride_text) for x in side.layout.leaves] for side in (left, right)]
        return refine(sides[0], sides[1], names, given)

    def where() -> Ways:
        if sizes():
            raise Unsupported("the sizes of both sides differ in normal form")
        given = (*defined(left.layout), *defined(right.layout))
        complete = not _same_radix(refined(), names)
        return Ways(_ways(refined(), names, given), complete, "strides of the common refinement")

    def prove(way: Way) -> list[Step] | None:
        begun = _both(left, right, way)
        rest = None if begun is None else _prove(refined(), begun[0], names)
        return None if begun is None or rest is None else [*begun[1], *rest]

    def check(env: Env) -> Failure | None:
        layouts = [instances.built(side.layout, env) for side in (left, right)]
        for layout in layouts:
            if isinstance(layout, Failure):
                return layout
        mine, other = (leaves_of(layout) for layout in layouts)  # type: ignore[arg-type]
        witness = instances.ask(Claim("equal", mine, other=other))
        if witness is None:
            return None
        if isinstance(witness, Differs):
            return Failure("differs", {"index": witness.at[0], "left": witness.left, "right": witness.right})
        return Failure("sizes", {"witness": str(witness)})

    def both_needed(way: Way) -> list[Step] | None:
        return needed((left, right), way)

    return Question(left.operand.name, "equal", where, prove, both_needed, check, lambda layout, env: None, (right,))


def _both(left: Family, right: Family, way: Way) -> tuple[proof.Known, list[Step]] | None:
    first = start(left, way)
    second = None if first is None else proof.well_defined(first[0], right.layout, right.names)
    return None if first is None or second is None else (second[0], [*first[1], *second[1]])


def k_alike(a: Family, b: Family) -> Question:
    """Whether A and B hold the same k in every (thread, value): their offsets divided by their tile's first extent."""
    names = a.names

    def parts() -> tuple[Refined, list[tuple[Expr, Expr]], Way]:
        divisions: list[tuple[Expr, Expr]] = []
        given = (*defined(a.layout), *defined(b.layout))
        sides = []
        for of in (a, b):
            leaves, cuts = _k_leaves(of, given)
            sides.append(leaves)
            divisions += cuts
        return refine(sides[0], sides[1], names, given), divisions, given

    def where() -> Ways:
        refined, _, given = parts()
        complete = not _same_radix(refined, names)
        return Ways(_ways(refined, names, given), complete, "strides of k on the common refinement")

    def prove(way: Way) -> list[Step] | None:
        begun = _both(a, b, way)
        if begun is None:
            return None
        refined, divisions, given = parts()
        known, steps = begun
        for stride, extent in divisions:
            found = proof.divisible(known, "a step in k", stride, extent, names)
            if found is None:
                return None
            steps.append(found)
            known = proof.divided(known, Expr("/", 0, args=(stride, extent)), names)
        for of in (a, b):
            inner = [leaf for leaf in of.layout.leaves if not _is_k(leaf.stride, of, given)]
            steps.append(proof.bounded(known, inner, [term(of.tile[0], known.context.quotients)]))
        rest = _prove(refined, known, names)
        return None if rest is None else [*steps, *rest]

    def check(env: Env) -> Failure | None:
        try:
            tops = [instances.number(of.tile[0], env) for of in (a, b)]
        except LayoutcheckError as error:
            return Failure("no-number", {"message": str(error)})
        layouts = [instances.built(of.layout, env) for of in (a, b)]
        for layout in layouts:
            if isinstance(layout, Failure):
                return layout
        return _k_differs(layouts[0], layouts[1], tops)  # type: ignore[arg-type]

    return Question("", "k-alike", where, prove, partial(needed, (a, b)), check, lambda layout, env: None, (b,))


def _is_k(stride: Ratio, of: Family, known: Way) -> bool:
    whole = tuple(c.value for c in known if c.kind == "integer")[:5]
    return bool(stride != 0) and _divides(stride / of.value(of.tile[0]), whole)


def _k_leaves(of: Family, given: Way) -> tuple[list[Leaf], list[tuple[Expr, Expr]]]:
    """The leaves with their step in k, and the divisions that these are. Raises Unsupported where the other leaves may
    leave the first dimension."""
    first = of.tile[0]
    leaves: list[Leaf] = []
    divisions = []
    reach = of.value(first) * 0
    for leaf in of.layout.leaves:
        if _is_k(leaf.stride, of, given):
            step_ = _quotient(leaf.stride_text, first, of.names)
            if step_.op == "/":
                divisions.append((leaf.stride_text, first))
            leaves.append((leaf.extent_text, step_))
        else:
            reach = reach + plus(leaf.extent, -1) * leaf.stride
            leaves.append((leaf.extent_text, Expr("int", 0)))
    if not never_negative(plus(of.value(first) - reach, -1)):
        raise Unsupported("the leaves that do not move k may carry into it")
    return leaves, divisions


def _k_differs(a: Layout, b: Layout, tops: list[int]) -> Failure | None:
    if a.size != b.size:
        return Failure("sizes", {"left": a.size, "right": b.size})
    size = thrval.threads(a).size
    if size != thrval.threads(b).size:
        return Failure("threads", {"left": size, "right": thrval.threads(b).size})
    leaves = [_k_of(layout, top) for layout, top in zip((a, b), tops, strict=True)]
    if None not in leaves:
        witness = instances.ask(Claim("equal", leaves[0] or (), other=leaves[1] or ()))
        first = witness.at[0] if isinstance(witness, Differs) else a.size
        at = range(first, min(first + 1, a.size))
    elif a.size <= _LISTED:
        at = range(a.size)
    else:
        raise Unsupported(f"an instance of more than {_LISTED} (thread, value) pairs")
    for i in at:
        left, right = a(i) // tops[0], b(i) // tops[1]
        if left != right:
            return Failure("k-differs", {"at": [{"thread": i % size, "value": i // size}], "a": left, "b": right})
    if len(at) == 1:
        raise Disagreement(f"a witness of {a} and {b} does not replay")
    return None


def _k_of(layout: Layout, top: int) -> Leaves | None:
    """The layout's step in k, leaf by leaf; None where the other leaves may carry into it."""
    leaves = leaves_of(layout)
    if sum((s - 1) * d for s, d in leaves if d % top) >= top:
        return None
    return tuple((s, 0 if d % top else d // top) for s, d in leaves)


def same_bits(source: Family, target: Family) -> Question:
    """Whether both sides of a copy name the same bits, each once: shown where both are bijective onto the same bits."""

    def where() -> Ways:
        found = [whole(of) for of in (source, target)]
        by = f"both sides: {found[0].by}"
        both = joined(found[0].precondition, found[1].precondition)
        given = simplified((*defined(source.layout), *defined(target.layout)))
        return Ways(both, both == (given,), by)

    def prove(way: Way) -> list[Step] | None:
        begun = _both(source, target, way)
        if begun is None:
            return None
        known, steps = begun
        for of in (source, target):
            found = prove_whole(of, known)
            if found is None:
                return None
            steps = [*steps, *found]
        return steps

    def check(env: Env) -> Failure | None:
        layouts = [instances.built(of.layout, env) for of in (source, target)]
        for layout in layouts:
            if isinstance(layout, Failure):
                return layout
        mine, other = (leaves_of(layout) for layout in layouts)  # type: ignore[arg-type]
        for claim in (Claim("permuted", mine, other=other), Claim("injective", mine), Claim("injective", other)):
            witness = instances.ask(claim)
            if witness is not None:
                return Failure(f"not-{claim.kind}", {"witness": str(witness)})
        return None

    return Question(
        "", "same-bits", where, prove, partial(needed, (source, target)), check, lambda layout, env: None, (target,)
    )
