"""Whether A and B hold the same k: the steps that their leaves make in k, compared on the common refinement."""

from __future__ import annotations

from functools import reduce

from .. import thrval
from ..claim import Claim, Differs, Leaves, leaves_of
from ..errors import Disagreement, Unsupported
from ..expr import Expr
from ..layout import Layout
from . import instances, proof
from .conditions import Condition, Way
from .equal import Leaf, Refined, both, divides, prove_cells, quotient, refine, same_radix, ways
from .instances import Env, Failure
from .normal import Ratio, never_negative, plus, ring
from .operand import Family, Question, Ways
from .questions import given_of
from .scripts import Step, term

_LISTED = 1 << 14  # points of an instance that are compared one by one


def k_alike(a: Family, b: Family) -> Question:
    """Whether A and B hold the same k in every (thread, value): their offsets divided by their tile's first extent."""
    names = a.names

    def parts() -> tuple[Refined, list[tuple[Expr, Expr]], Way]:
        divisions: list[tuple[Expr, Expr]] = []
        given = given_of(a, b)
        sides = []
        for of in (a, b):
            leaves, cuts = _k_leaves(of, given)
            sides.append(leaves)
            divisions += cuts
        return refine(sides[0], sides[1], names, given), divisions, given

    def where() -> Ways:
        refined, _, given = parts()
        complete = not same_radix(refined, names)
        alike = Condition("zero", _threads(a) - _threads(b))  # a flat index is then one (thread, value) on both sides
        return Ways(ways(refined, names, (*given, alike)), complete, "strides of k on the common refinement")

    def prove(way: Way) -> list[Step] | None:
        begun = both(a, b, way)
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
        sizes = [[proof.terms(leaf, known)[0] for leaf in of.layout.mode_leaves[0]] for of in (a, b)]
        steps.append(proof.equal_numbers(known, "as many threads", *sizes))
        rest = prove_cells(refined, known, names)
        return None if rest is None else [*steps, *rest]

    def on(layouts: tuple[Layout, ...], env: Env) -> Failure | None:
        first, second = layouts
        return _k_differs(first, second, [instances.number(of.tile[0], env) for of in (a, b)])

    return Question("", "k-alike", (a, b), where, prove, on)


def _threads(of: Family) -> Ratio:
    """|thr| in normal form."""
    return reduce(lambda a, leaf: a * leaf.extent, of.layout.mode_leaves[0], ring(of.names)[0])


def _is_k(stride: Ratio, of: Family, known: Way) -> bool:
    whole = tuple(c.value for c in known if c.kind == "integer")[:5]
    return bool(stride != 0) and divides(stride / of.value(of.tile[0]), whole)


def _k_leaves(of: Family, given: Way) -> tuple[list[Leaf], list[tuple[Expr, Expr]]]:
    """The leaves with their step in k, and the divisions that these are. Raises Unsupported where the other leaves may
    leave the first dimension."""
    first = of.tile[0]
    leaves: list[Leaf] = []
    divisions = []
    reach = of.value(first) * 0
    for leaf in of.layout.leaves:
        if _is_k(leaf.stride, of, given):
            step_ = quotient(leaf.stride_text, first, of.names)
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
    if a == b and tops[0] == tops[1]:
        return None
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
