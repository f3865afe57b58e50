"""Copies in bits: whether both sides name the same ones, and at which widths they can be read.

A recast to w-bit values is legal iff w divides the number of bits a thread has, each group of w consecutive bits is w
consecutive offsets, and it starts at a multiple of w (SEMANTICS.md section 2).
"""

from __future__ import annotations

from .. import thrval
from ..claim import Claim, Differs, Held, leaves_of
from ..errors import Disagreement, NotationError, Unsupported
from ..expr import Expr, parse
from ..layout import Layout
from . import instances, proof, scripts
from .conditions import Condition, Way, joined, simplified, united
from .equal import both
from .instances import Env, Failure
from .layout import SymbolicLeaf, bare
from .normal import Ratio, never_negative, normal, plus, positive
from .operand import Family, Question, Ways
from .questions import given_of, prove_whole, start, whole
from .scripts import Step, term


def same_bits(source: Family, target: Family) -> Question:
    """Whether both sides of a copy name the same bits, each once: shown where both are bijective onto the same bits."""

    def where() -> Ways:
        if (source.operand.copies, target.operand.copies) != ("1", "1"):
            raise Unsupported("a copy that holds bits more than once is checked instance by instance")
        found = [whole(of) for of in (source, target)]
        by = f"both sides: {found[0].by}"
        both = joined(found[0].precondition, found[1].precondition)
        given = simplified(given_of(source, target))
        return Ways(both, both == (given,), by)

    def prove(way: Way) -> list[Step] | None:
        begun = both(source, target, way)
        if begun is None:
            return None
        known, steps = begun
        for of in (source, target):
            found = prove_whole(of, known)
            if found is None:
                return None
            steps = [*steps, *found]
        return steps

    return Question("", "same-bits", (source, target), where, prove, lambda layouts, env: _other_bits(*layouts))


def _other_bits(source: Layout, target: Layout) -> Failure | None:
    """A bit that the sides name unlike often, or one that both name twice. Raises Disagreement."""
    mine, other = leaves_of(source), leaves_of(target)
    witness = instances.ask(Claim("permuted", mine, other=other))
    if isinstance(witness, Held):
        return Failure("not-permuted", {"bit": witness.value, "src": witness.count, "dst": witness.expected})
    if witness is not None:
        raise Disagreement(f"an unexpected witness {witness}")
    return instances.injective(source, (source.size,), 1)


def recast(of: Family, bits: str) -> Question:
    """Whether the layout can be read as values of so many bits, an expression. Raises NotationError."""
    width = bare(parse(bits))

    def value(e: Expr) -> Ratio:
        return normal(e, of.names).value

    def where() -> Ways:
        w, (prefix, rest) = value(width), _prefix(of)
        if w == 0:
            return Ways((), True, "no value has 0 bits")
        together = _product(prefix, w / w)
        bits = together * _product([leaf for leaf in rest if leaf in of.layout.mode_leaves[1]], w / w)
        given = (*given_of(of), *(Condition("integer", d.value) for d in normal(width, of.names).divisions))
        given = given if positive(w) else (*given, Condition("nonnegative", plus(w, -1)))
        enough = (Condition("integer", together / w), *(Condition("integer", leaf.stride / w) for leaf in rest))
        # a thread that is always there starts at its stride; the number of groups is whole by definition
        always = [x for x in of.layout.mode_leaves[0] if never_negative(plus(x.extent, -2))]
        must = (Condition("integer", bits / w), *(Condition("integer", x.stride / w) for x in always))
        way = simplified((*given, *enough, *must))
        floors = any(division.floor for division in normal(width, of.names).divisions)
        complete = not floors and way == simplified((*given, *must))
        return Ways(united(way) if way is not None else (), complete, "groups inside the compact bits of a thread")

    def prove(way: Way) -> list[Step] | None:
        begun = start(of, way)
        exact = None if begun is None else proof.exactly(begun[0], normal(width, of.names).divisions, of.names)
        if begun is None or exact is None:
            return None
        known, steps = exact[0], [*begun[1], *exact[1]]
        prefix, rest = _prefix(of)
        whole: Expr = Expr("int", 0, value=1)
        for leaf in prefix:
            end = term(whole, known.context.quotients)
            stride = term(leaf.stride_text, known.context.quotients)
            steps = [*steps, scripts.step("the bits are consecutive", known.context, f"(distinct {stride} {end})")]
            whole = Expr("*", 0, args=(whole, leaf.extent_text))
        for dividend in (whole, *(leaf.stride_text for leaf in rest)):
            found = proof.divisible(known, "whole groups", dividend, width, of.names)
            if found is None:
                return None
            steps = [*steps, found]
        return steps

    def on(layouts: tuple[Layout, ...], env: Env) -> Failure | None:
        try:
            w = instances.number(width, env)
        except NotationError as error:
            return instances.no_number(error)
        return _wrong(layouts[0], w) if w > 0 else Failure("no-width", {"message": f"a value of {w} bits"})

    return Question(of.operand.name, "recast", (of,), where, prove, on, bits)


def _wrong(layout: Layout, width: int) -> Failure | None:
    witness = instances.ask(thrval.recast_claim(layout, width))
    if witness is None:
        return None
    if isinstance(witness, Differs):
        thread, bit = witness.at
        return Failure("not-together", {"at": [{"thread": thread, "value": bit}], "offset": witness.left,
                                        "expected": witness.right})  # fmt: skip
    return Failure("sizes", {"bits": thrval.values(layout).size, "width": width})


def _prefix(of: Family) -> tuple[list[SymbolicLeaf], list[SymbolicLeaf]]:
    """The value leaves that are consecutive bits from the first on, and every other leaf that moves."""
    threads, values = of.layout.mode_leaves
    run = of.value(Expr("int", 0, value=1))
    prefix = []
    wide = [leaf for leaf in values if leaf.extent != 1]
    for leaf in wide:
        if leaf.stride != run:
            break
        prefix.append(leaf)
        run = run * leaf.extent
    rest = [leaf for leaf in (*threads, *wide[len(prefix) :]) if leaf.extent != 1 and leaf.stride != 0]
    return prefix, rest


def _product(leaves: list[SymbolicLeaf], one: Ratio) -> Ratio:
    for leaf in leaves:
        one = one * leaf.extent
    return one
