"""The `requires` of a file against a derived precondition: what implies what, and the instances on either side."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from time import perf_counter
from typing import NamedTuple

from ..errors import Unsupported
from ..expr import Expr, parse
from ..expr import names as mentioned
from . import certify, instances, proof, scripts
from .clock import OutOfTime, tick
from .conditions import ALWAYS, Precondition, Way, text
from .instances import Env
from .layout import bare
from .proof import Known
from .scripts import Step

_WAYS = 64  # conjunctions that a text may fall into
_TOGETHER = 1.0  # seconds for the ways of a precondition as one formula
_ALL = 4096  # instances that are checked one by one where there are no more


class Requires(NamedTuple):
    """The condition of a file: its text, the expression, and its conjunctions (None where it is more complicated)."""

    text: str
    expression: Expr | None
    ways: tuple[Expr, ...] | None
    names: tuple[str, ...]
    extra: frozenset[int]

    def inside(self) -> tuple[Env, ...]:
        """Instances looked at that meet it, smallest first."""
        return _split(self)[0]

    def outside(self) -> tuple[Env, ...]:
        """Instances looked at that do not."""
        return _split(self)[1]


@lru_cache(maxsize=16)
def _split(requires: Requires) -> tuple[tuple[Env, ...], tuple[Env, ...]]:
    inside: list[Env] = []
    outside: list[Env] = []
    for env in instances.instances(requires.names, requires.extra):
        (inside if instances.holds(requires.expression, env) else outside).append(env)
    return tuple(inside), tuple(outside)


def read(source: str, names: tuple[str, ...], mentioned: Sequence[Expr] = ()) -> Requires:
    """A condition text; empty: every instance. `mentioned`: expressions whose numbers are worth a look as well.

    Raises NotationError."""
    expression = bare(parse(source)) if source.strip() else None
    extra = instances.numbers(*mentioned, *([expression] if expression else []))
    ways = (None,) if expression is None else _conjunctions(expression)
    return Requires(source, expression, None if ways is None else tuple(w for w in ways if w), names, extra)


def _conjunctions(expression: Expr) -> tuple[Expr, ...] | None:
    """The expression as a union of conjunctions."""
    if expression.op == "or":
        parts = [_conjunctions(arg) for arg in expression.args]
        return None if None in parts else _few(tuple(w for part in parts for w in part or ()))
    if expression.op == "and":
        parts = [_conjunctions(arg) for arg in expression.args]
        if None in parts:
            return None
        return _few(tuple(Expr("and", 0, args=pair) for pair in product(*(part or () for part in parts))))
    return (expression,)


def _few(ways: tuple[Expr, ...]) -> tuple[Expr, ...] | None:
    return ways if len(ways) <= _WAYS else None


def implied(requires: Requires, precondition: Precondition, deadline: float) -> list[Step] | None:
    """Steps that z3 confirms and that show that the precondition holds wherever `requires` does."""
    if precondition == ALWAYS:
        return []
    if requires.ways is None or not precondition:
        return None
    steps: list[Step] = []
    for way in requires.ways or (None,):
        known, targets = assumed(requires, way), [parse(text((target,))) for target in precondition]
        found = _confirmed(known, targets, requires.names, deadline) or _together(known, precondition, deadline)
        if found is None:
            return None
        steps += found
    return steps


def _together(known: Known, precondition: Precondition, deadline: float) -> list[Step] | None:
    """That one of the ways holds, as one step: which one may depend on the parameters."""
    try:
        steps = [scripts.step("one of the ways holds", known.context, *map(fails, precondition))]
    except Unsupported:
        return None
    return steps if certify.failing(steps, min(deadline, perf_counter() + _TOGETHER)) is None else None


def fails(way: Way) -> str:
    """A formula: that a condition of the way does not hold. Raises Unsupported."""
    return f"(or {' '.join(_unmet(parse(str(condition))) for condition in way)})" if way else "false"


def _unmet(atom: Expr) -> str:
    if scripts.divides(atom):
        dividend, divisor = (scripts.term(arg, {}) for arg in atom.args[0].args)
        return f"(distinct (mod {dividend} {divisor}) 0)"
    return f"(not {scripts.comparison(atom, {})})"


def implying(requires: Requires, precondition: Precondition, deadline: float) -> list[Step] | None:
    """Steps that z3 confirms and that show that `requires` holds wherever the precondition does."""
    if requires.expression is None:
        return []
    if requires.ways is None or _partial(requires.expression):
        return None
    steps: list[Step] = []
    for way in precondition:
        known = proof.assume_way(proof.nothing(requires.names), way, requires.names)
        found = _confirmed(known, list(requires.ways), requires.names, deadline)
        if found is None:
            return None
        steps += found
    return steps


def _partial(expression: Expr) -> bool:
    """Whether an `or` may have no value where one of its sides holds: a division before it is not exact, or by 0."""
    divisors = [e.args[1] for e in _subexpressions(expression) if e.op in ("//", "%")]
    inexact = any(e.op == "/" for e in _subexpressions(expression))
    sure = all((e.op == "int" and e.value > 0) or e.op == "name" for e in divisors)
    return any(e.op == "or" for e in _subexpressions(expression)) and (inexact or not sure)


def _subexpressions(expression: Expr) -> list[Expr]:
    return [expression, *(e for arg in expression.args for e in _subexpressions(arg))]


def assumed(requires: Requires, way: Expr | None) -> Known:
    """What a conjunction of `requires` gives, as far as it can be said."""
    known = proof.nothing(requires.names)
    for atom in scripts.conjuncts(way) if way else ():
        try:
            known = proof.assume(known, atom, requires.names)
        except Unsupported:
            continue
    return known


def _confirmed(known: Known, targets: list[Expr], names: tuple[str, ...], deadline: float) -> list[Step] | None:
    for target in targets:
        tick()
        try:
            steps = proof.implies(known, target, names)
        except OutOfTime:
            raise
        except Unsupported:
            continue
        if steps is not None and certify.failing(steps, deadline) is None:
            return steps
    return None


def everything(requires: Requires, used: Sequence[str]) -> tuple[Env, ...] | None:
    """All instances, as far as a question speaks of the `used` parameters alone, where `requires` bounds each of these
    and they are few. A conjunct about other parameters as well is not counted on."""
    if not requires.ways:
        return None
    bounds = [_bounds(way) for way in requires.ways]
    if any(set(used) - set(bound) for bound in bounds):
        return None
    mine = [[a for a in scripts.conjuncts(way) if mentioned(a) <= set(used)] for way in requires.ways]
    tops = [max(bound[name] for bound in bounds) for name in used]
    count = 1
    for top in tops:
        count *= top
    if count > 16 * _ALL:
        return None
    every = (dict(zip(used, at, strict=True)) for at in product(*(range(1, top + 1) for top in tops)))
    met = [e for e in every if any(all(instances.holds(atom, e) for atom in way) for way in mine)]
    return tuple(sorted(met, key=lambda e: (sum(e.values()), *e.values()))) if len(met) <= _ALL else None


def _bounds(way: Expr) -> dict[str, int]:
    """Upper bounds of parameters that stand in a conjunction: p == c, p <= c, c % p == 0."""
    bounds: dict[str, int] = {}
    for atom in scripts.conjuncts(way):
        found = _bound(atom)
        if found and found[1] < bounds.get(found[0], found[1] + 1):
            bounds[found[0]] = found[1]
    return bounds


def _bound(atom: Expr) -> tuple[str, int] | None:
    left, right = (*atom.args, atom, atom)[:2]
    if scripts.divides(atom):
        number, name = left.args
        return (name.name, number.value) if (number.op, name.op) == ("int", "name") and number.value > 0 else None
    if atom.op in (">", ">="):
        left, right = right, left
    if (left.op, right.op) == ("int", "name") and atom.op == "==":
        left, right = right, left
    if (left.op, right.op) != ("name", "int") or atom.op not in ("==", "<=", "<", ">=", ">"):
        return None
    return left.name, right.value - (atom.op in ("<", ">"))


def meets(precondition: Precondition, env: Env) -> bool:
    """Whether an instance meets a precondition."""
    return any(all(_meets(c, env) for c in way) for way in _texts(precondition))


def meeting(precondition: Precondition, requires: Requires) -> tuple[Env, ...]:
    """The instances outside `requires` that meet the precondition, smallest first."""
    return _meeting(_texts(precondition), requires)


@lru_cache(maxsize=64)
def _meeting(ways: tuple[tuple[str, ...], ...], requires: Requires) -> tuple[Env, ...]:
    return tuple(e for e in requires.outside() if any(all(_meets(c, e) for c in way) for way in ways))


@lru_cache(maxsize=1024)
def _texts(precondition: Precondition) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(map(str, way)) for way in precondition)


def _meets(condition: str, env: Env) -> bool:
    return instances.holds(_parsed(condition), env)


@lru_cache(maxsize=4096)
def _parsed(condition: str) -> Expr:
    return parse(condition)


def broken(precondition: Precondition, env: Env) -> tuple[str, ...]:
    """The conditions of the first way that an instance does not meet."""
    return tuple(str(c) for c in precondition[0] if not _meets(str(c), env)) if precondition else ()
