"""Proofs of a family's steps for an outside solver: what the normal forms found, restated on the raw expressions.

The normal forms give hints (a quotient as a product of known quotients, the order of the strides); the scripts do not
rest on them: each is about the expressions as written, and a wrong hint makes it satisfiable.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import NamedTuple

from ..errors import Unsupported
from ..expr import Expr, parse
from . import scripts
from .conditions import Condition, Way, fixed
from .layout import SymbolicLayout, SymbolicLeaf, bare
from .normal import Division, Ratio, factored, integers, never_negative, normal, poly_text, positive
from .scripts import Context, Step, product, step, term, total

_MOST = 6  # quotients that a derivation may multiply


class Generator(NamedTuple):
    """An integer that exists because a division is exact: its symbol, its normal form, its divisor as a term."""

    symbol: str
    value: Ratio
    divisor: str


class Known(NamedTuple):
    """What is assumed: the scripts' context, the integers that it brings, the equations in normal form."""

    context: Context
    generators: tuple[Generator, ...]
    equations: Way


def nothing(names: tuple[str, ...]) -> Known:
    """Positive parameters."""
    return Known(scripts.start(names), (), ())


def assume(known: Known, conjunction: Expr, names: tuple[str, ...]) -> Known:
    """Also that a conjunction of comparisons holds. Raises Unsupported where it is none."""
    for atom in scripts.conjuncts(bare(conjunction)):
        if scripts.divides(atom):
            known = _divided(known, atom, atom.args[0], names)
            continue
        for division in _divisions(atom):
            known = _divided(known, division, division, names)
        for division in _euclidean(atom):
            known = _floored(known, division, names)
        context = scripts.assuming(known.context, scripts.comparison(atom, known.context.quotients))
        equations = known.equations
        if atom.op == "==" and not _euclidean(atom):
            left, right = (normal(arg, names).value for arg in atom.args)
            equations = (*equations, Condition("zero", left - right))
        known = Known(context, known.generators, equations)
    return known


def assume_way(known: Known, way: Way, names: tuple[str, ...]) -> Known:
    """Also that every condition of a way holds."""
    return reduce(lambda k, c: assume(k, parse(str(c)), names), way, known)


def exact(known: Known, layout: SymbolicLayout, names: tuple[str, ...]) -> Known:
    """Also that every division of the layout is exact."""
    return reduce(lambda k, d: _divided(k, d.expression, d.expression, names), layout.divisions, known)


def _divided(known: Known, division: Expr, key: Expr, names: tuple[str, ...]) -> Known:
    if division.op == "/" and division in known.context.quotients:
        return known
    symbol = f"q!{len(known.generators)}"
    left, right = (normal(arg, names).value for arg in key.args)
    if not positive(right):
        raise Unsupported("a divisor that is not positive for all parameters")
    divisor = term(key.args[1], known.context.quotients)
    context = scripts.quotient(known.context, division, symbol)
    return Known(context, (*known.generators, Generator(symbol, left / right, divisor)), known.equations)


def divided(known: Known, division: Expr, names: tuple[str, ...]) -> Known:
    """Also that a division is exact."""
    return _divided(known, division, division, names)


def _euclidean(expression: Expr) -> list[Expr]:
    """The `//` and `%` of an expression, innermost first."""
    inner = [d for arg in expression.args for d in _euclidean(arg)]
    return [*inner, expression] if expression.op in ("//", "%") else inner


def _floored(known: Known, division: Expr, names: tuple[str, ...]) -> Known:
    """Also what quotient and rest of a division are, where the dividend is not negative and the divisor positive."""
    if any(map(_euclidean, division.args)):  # a normal form takes what stands inside as exact
        raise Unsupported("a division inside a division")
    left, right = (normal(arg, names).value for arg in division.args)
    if not (never_negative(left) and positive(right)):
        raise Unsupported("a division that may round up or have no value")
    number = len(known.context.lines)
    return known._replace(context=scripts.euclidean(known.context, division, f"q!!{number}", f"r!!{number}"))


def _divisions(expression: Expr) -> list[Expr]:
    inner = [d for arg in expression.args for d in _divisions(arg)]
    return [*inner, expression] if expression.op == "/" else inner


def _solved(value: Ratio, equations: Way) -> Ratio:
    """The value with what the equations say of parameters: numbers, and n*k for m where `m == n*k`. A hint."""
    value = fixed(value, equations)
    for c in equations:
        numer, _ = integers(fixed(c.value, tuple(e for e in equations if e != c)))
        for generator in numer.ring.gens:
            slope = numer.diff(generator)
            if slope in (1, -1):
                at = [(generator, generator - numer if slope == 1 else generator + numer)]
                denom = value.field.one * value.denom.compose(at)
                return value.field.one * value.numer.compose(at) / denom if denom != 0 else value
    return value


def divisible(known: Known, name: str, dividend: Expr, divisor: Expr, names: tuple[str, ...]) -> Step | None:
    """That `divisor` divides `dividend`: the quotient is written out as a product of known integers; None where the
    normal forms show none."""
    below = normal(divisor, names).value
    if below == 0:
        return None
    value = _solved(normal(dividend, names).value / below, known.equations)
    usable = known.generators[-_MOST:]
    found = factored(value, [_solved(g.value, known.equations) for g in usable])
    if found is None:
        return None
    rest, powers = found
    quotients = known.context.quotients
    used = [g for g, power in zip(usable, powers, strict=True) for _ in range(power)]
    whole = term(bare(parse(poly_text(rest.numer))), quotients)
    quotient = product([whole, *(g.symbol for g in used)])
    left, right = term(dividend, quotients), f"(* {term(divisor, quotients)} {quotient})"
    context = known.context
    named = {quotients[e] for arg in (dividend, divisor) for e in _inside(arg) if e in quotients}
    for group in (used, [g for g in known.generators if g.symbol in named]):
        if group:
            lemma = scripts.no_zero_product(product(g.divisor for g in group), f"(- {left} {right})")
            context = scripts.assuming(context, lemma)
    wrong = f"(distinct {left} {right})"
    if not positive(normal(divisor, names).value):
        wrong = f"(or {wrong} (< {term(divisor, quotients)} 1))"
    return step(f"{name}: the quotient is {quotient}", context, wrong)


def as_term(known: Known, value: Ratio) -> str | None:
    """A normal form as a term, by the integers that are known; None where they do not give it."""
    if value == 0:
        return "0"
    found = factored(
        _solved(value, known.equations), [_solved(g.value, known.equations) for g in known.generators[-_MOST:]]
    )
    if found is None:
        return None
    rest, powers = found
    symbols = [g.symbol for g, power in zip(known.generators[-_MOST:], powers, strict=True) for _ in range(power)]
    return product([term(bare(parse(poly_text(rest.numer))), known.context.quotients), *symbols])


def _inside(expression: Expr) -> list[Expr]:
    return [expression, *(e for arg in expression.args for e in _inside(arg))]


def implies(known: Known, conjunction: Expr, names: tuple[str, ...]) -> list[Step] | None:
    """That every comparison of `conjunction` holds; None where a divisibility is not shown by the normal forms."""
    steps = []
    for atom in scripts.conjuncts(bare(conjunction)):
        if scripts.divides(atom):
            dividend, divisor = atom.args[0].args
            found = divisible(known, "divides", dividend, divisor, names)
            if found is None:
                return None
            steps.append(found)
        else:
            if _divisions(atom):
                return None
            holds = scripts.comparison(atom, known.context.quotients)
            steps.append(step("a condition follows", known.context, f"(not {holds})"))
    return steps


def exactly(known: Known, divisions: Iterable[Division], names: tuple[str, ...]) -> tuple[Known, list[Step]] | None:
    """That divisions are exact, innermost first; then their quotients may be used."""
    steps = []
    for division in divisions:
        dividend, divisor = division.expression.args
        found = divisible(known, "exact division", dividend, divisor, names)
        if found is None:
            return None
        steps.append(found)
        known = divided(known, division.expression, names)
    return known, steps


def well_defined(known: Known, layout: SymbolicLayout, names: tuple[str, ...]) -> tuple[Known, list[Step]] | None:
    """That every division is exact, every extent >= 1 and every stride >= 0; then these may be used as well."""
    begun = exactly(known, layout.divisions, names)
    if begun is None:
        return None
    known, steps = begun
    facts = []
    for leaf in layout.leaves:
        extent, stride = terms(leaf, known)
        steps.append(step("the extent is positive", known.context, f"(< {extent} 1)"))
        steps.append(step("the stride is not negative", known.context, f"(< {stride} 0)"))
        facts += [f"(>= {extent} 1)", f"(>= {stride} 0)"]
    return known._replace(context=scripts.assuming(known.context, *facts)), steps


def terms(leaf: SymbolicLeaf, known: Known) -> tuple[str, str]:
    """Extent and stride as terms."""
    quotients = known.context.quotients
    return term(leaf.extent_text, quotients), term(leaf.stride_text, quotients)


def equal_numbers(known: Known, name: str, left: Sequence[str], right: Sequence[str]) -> Step:
    """That two products are equal."""
    return step(name, known.context, f"(distinct {product(left)} {product(right)})")


def compact(known: Known, leaves: Sequence[SymbolicLeaf], n: Sequence[str]) -> list[Step]:
    """That leaves with stride > 0, by stride, hold no offset twice and none at or above the product `n`."""
    pairs = [terms(leaf, known) for leaf in leaves]
    ends = [*(stride for _, stride in pairs), product(n)][1:]
    steps = [*scripts.MIXED_RADIX, *_positive_strides(known, pairs)]
    for (extent, stride), end in zip(pairs, ends, strict=True):
        steps.append(step("each leaf ends where the next begins", known.context, f"(> (* {extent} {stride}) {end})"))
    return steps


def apart(known: Known, leaves: Sequence[SymbolicLeaf]) -> list[Step]:
    """That leaves, by stride, hold no offset twice: each stride exceeds the reach of the smaller ones."""
    pairs = [terms(leaf, known) for leaf in leaves]
    steps = [*scripts.MIXED_RADIX, *_positive_strides(known, pairs)]
    for i in range(1, len(pairs)):
        steps.append(step("the stride exceeds the reach", known.context, f"(>= {_reach(pairs[:i])} {pairs[i][1]})"))
    return steps


def gapless(known: Known, leaves: Sequence[SymbolicLeaf], n: Sequence[str]) -> list[Step]:
    """That leaves, in this order, hold every offset below the product `n`."""
    pairs = [terms(leaf, known) for leaf in leaves]
    steps = [scripts.INTERVALS, *_positive_strides(known, pairs)]
    for i, (_, stride) in enumerate(pairs):
        steps.append(step("the stride leaves no gap", known.context, f"(> {stride} (+ {_reach(pairs[:i])} 1))"))
    steps.append(step("the reach suffices", known.context, f"(< (+ {_reach(pairs)} 1) {product(n)})"))
    return steps


def bounded(known: Known, leaves: Sequence[SymbolicLeaf], n: Sequence[str]) -> Step:
    """That no offset reaches the product `n`."""
    return step(
        "every offset is inside", known.context, f"(>= {_reach([terms(x, known) for x in leaves])} {product(n)})"
    )


def _reach(pairs: Sequence[tuple[str, str]]) -> str:
    return total(f"(* (- {extent} 1) {stride})" for extent, stride in pairs)


def _positive_strides(known: Known, pairs: Sequence[tuple[str, str]]) -> list[Step]:
    return [step("the stride is positive", known.context, f"(< {stride} 1)") for _, stride in pairs]
