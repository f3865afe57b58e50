"""Preconditions: conjunctions of divisibility, order and equality between small polynomials, and unions of them.

A condition that holds for all parameters is dropped where it is made, one that never holds empties its conjunction.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt
from typing import Literal, NamedTuple

from .clock import tick
from .normal import Ratio, factored, integers, is_integral, never_negative, poly_text, positive

_ROOTS = 1 << 32  # of an equation whose constant is below

Kind = Literal["integer", "zero", "nonnegative"]


class Condition(NamedTuple):
    """That the normal form `value` is an integer, is zero, or is not negative."""

    kind: Kind
    value: Ratio

    def __str__(self) -> str:
        """In the grammar of expr: `64 % mn == 0`, `16 == m`, `m <= k`."""
        numer, denom = integers(self.value)
        if self.kind == "integer":
            left, right = (poly_text(p) for p in (numer, denom))
            return f"{_grouped(left)} % {right if right.isalnum() else f'({right})'} == 0"
        plus, minus = numer.ring.zero, numer.ring.zero
        for powers, c in numer.terms():
            if c > 0:
                plus[powers] = c
            else:
                minus[powers] = -c
        if self.kind == "zero":
            return f"{poly_text(plus)} == {poly_text(minus)}"
        return f"{poly_text(minus)} <= {poly_text(plus)}"


Way = tuple[Condition, ...]  # a conjunction
Precondition = tuple[Way, ...]  # a union of them: () never holds, ((),) always

ALWAYS: Precondition = ((),)


def _grouped(text: str) -> str:
    return f"({text})" if " " in text else text


def text(precondition: Precondition) -> str:
    """In the grammar of expr; `always` and `never` where no condition is left."""
    if not precondition:
        return "never"
    if () in precondition:
        return "always"
    ways = [" and ".join(map(str, way)) for way in precondition]
    return ways[0] if len(ways) == 1 else " or ".join(f"({way})" for way in ways)


def simplified(conditions: Way) -> Way | None:
    """The conjunction without what holds always and what the rest implies; None where it can never hold."""
    kept: list[Condition] = []
    for condition in map(_normalized, _substituted(tuple(map(_normalized, conditions)))):
        if _never(condition):
            return None
        if not _always(condition) and condition not in kept:
            kept.append(condition)
    tight = next((c for c in kept if c.kind == "nonnegative" and Condition(c.kind, -c.value) in kept), None)
    if tight:  # neither negative nor positive
        return simplified(
            (Condition("zero", tight.value), *(c for c in kept if c.value not in (tight.value, -tight.value)))
        )
    for condition in list(kept):
        if _follows(condition, [c for c in kept if c != condition]):
            kept.remove(condition)
    return tuple(sorted(kept, key=lambda c: (("zero", "integer", "nonnegative").index(c.kind), len(str(c)), str(c))))


def joined(left: Precondition, right: Precondition) -> Precondition:
    """Where both hold."""
    return united(*(both for a in left for b in right if (both := simplified((*a, *b))) is not None))


def united(*ways: Way) -> Precondition:
    """The union, without the ways that another one covers."""
    kept: list[Way] = []
    for way in sorted(set(ways), key=lambda w: (len(w), str(w))):
        if not any(_covers(other, way) for other in kept):
            kept = [*(other for other in kept if not _covers(way, other)), way]
    return tuple(kept)


def _covers(wide: Way, way: Way) -> bool:
    """Whether `wide` is seen to hold wherever `way` does."""
    return all(_follows(condition, way) for condition in wide)


def _follows(condition: Condition, known: Sequence[Condition]) -> bool:
    """Whether a condition is seen to hold where the known ones do: sufficient only."""
    tick()
    here = Condition(condition.kind, fixed(condition.value, tuple(known)))
    if condition in known or _always(here):
        return True
    if condition.kind == "integer":
        whole = [c.value for c in known if c.kind == "integer"]
        return len(whole) <= 6 and factored(condition.value, whole) is not None
    if condition.kind == "zero":
        return False
    least = [c.value for c in known if c.kind != "integer"] + [-c.value for c in known if c.kind == "zero"]
    return any(map(never_negative, (*(condition.value - value for value in least), _from(condition.value, known))))


def _from(value: Ratio, known: Sequence[Condition]) -> Ratio:
    """The value in the parameters above what the known conditions leave below: 5 <= k puts k + 4 for k."""
    least: dict[Ratio, int] = {}
    for c in known:
        numer, denom = integers(c.value)
        found = _roots(c.value) if c.kind == "nonnegative" and denom == 1 and numer.LC > 0 else None
        if found and len(found[1]) == 1 and sum(numer.degrees()) == 1:
            least[found[0]] = max(least.get(found[0], 1), found[1][0])
    at = [(generator, generator + (number - 1)) for generator, number in least.items()]
    one = value.field.one
    return one * value.numer.compose(at) / (one * value.denom.compose(at)) if at else value


def _normalized(condition: Condition) -> Condition:
    """An equation or inequality between polynomials without a common factor that is positive anyway."""
    if condition.kind == "integer" or condition.value == 0:
        return condition
    if condition.kind == "nonnegative" and never_negative(-condition.value):
        condition = Condition("zero", condition.value)
    numer, denom = integers(condition.value)
    if not all(c > 0 for c in denom.coeffs()):
        return condition
    powers = [min(term[i] for term in numer.monoms()) for i in range(numer.ring.ngens)]
    for generator, power in zip(numer.ring.gens, powers, strict=True):
        numer = numer.exquo(generator**power)
    _, numer = numer.primitive()
    one = condition.value.field.one
    root = _fixes(one * numer) if condition.kind == "zero" else None
    if root:
        numer = root[0] - root[1]
    if condition.kind == "zero" and numer.LC < 0:
        numer = -numer
    return Condition(condition.kind, one * numer)


def _substituted(conditions: Way) -> Way:
    """Parameters that the conjunction fixes to a number, put in everywhere else."""
    out = []
    for i, condition in enumerate(conditions):
        others = conditions[:i] + conditions[i + 1 :]
        out.append(Condition(condition.kind, fixed(condition.value, tuple(c for c in others if c != condition))))
    return tuple(out)


def fixed(value: Ratio, conditions: Way) -> Ratio:
    """The value with the numbers that equations among the conditions give to parameters."""
    one = value.field.one
    for found in [_fixes(c.value) for c in conditions if c.kind == "zero"]:
        denom = None if found is None else one * value.denom.subs(*found)
        if found is not None and denom != 0:
            value = one * value.numer.subs(*found) / denom
    return value


def _fixes(value: Ratio) -> tuple[Ratio, int] | None:
    """(parameter, number) where value = 0 says that the parameter is this number."""
    found = _roots(value)
    return (found[0], found[1][0]) if found and len(found[1]) == 1 else None


def _roots(value: Ratio) -> tuple[Ratio, tuple[int, ...]] | None:
    """(parameter, positive integers) where value = 0 says that the one parameter is one of these; None where there are
    more parameters, or the numbers are not looked for."""
    numer, _ = integers(value)
    used = [i for i, d in enumerate(numer.degrees()) if d > 0]
    if len(used) != 1:
        return None
    generator, constant = numer.ring.gens[used[0]], int(numer.coeff(1))
    if numer.degree(generator) == 1:
        slope = int(numer.coeff(generator))
        return generator, () if constant % slope or -constant // slope < 1 else (-constant // slope,)
    if not 0 < abs(constant) < _ROOTS:
        return None
    small = [n for n in range(1, isqrt(abs(constant)) + 1) if constant % n == 0]
    divisors = sorted({*small, *(abs(constant) // n for n in small)})
    return generator, tuple(n for n in divisors if numer.evaluate(generator, n) == 0)


def _always(condition: Condition) -> bool:
    if condition.kind == "integer":
        return is_integral(condition.value)
    if condition.kind == "zero":
        return bool(condition.value == 0)
    return never_negative(condition.value)


def _never(condition: Condition) -> bool:
    if condition.kind == "integer":
        numer, denom = integers(condition.value)
        return bool(numer.is_ground and denom.is_ground and denom != 1)
    if condition.kind == "zero":
        found = _roots(condition.value)
        return positive(condition.value) or positive(-condition.value) or (found is not None and not found[1])
    return positive(-condition.value)
