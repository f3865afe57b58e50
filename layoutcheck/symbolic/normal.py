"""Normal forms: an expression in the parameters as one rational function, and the divisions it rests on.

`64/mn` is the rational function 64/mn together with the side condition that it is an integer; `k/(64/mn)` is mn*k/64.
Two expressions are equal wherever all divisions are exact iff their normal forms are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import product
from math import gcd, prod
from typing import Any, NamedTuple

from ..errors import Unsupported
from ..expr import Expr
from .clock import tick

Ratio = Any  # sympy FracElement: a quotient of two polynomials in the parameters, in lowest terms
Poly = Any  # sympy PolyElement

MOST = 6  # parameters of one family
_TERMS = 400  # of any polynomial
_SHIFTED = 1 << 12  # terms that a polynomial may have around another point


class Division(NamedTuple):
    """One `/` or `//` of a text: `value` is its exact quotient, `floor` whether the text truncates by itself."""

    expression: Expr
    value: Ratio
    floor: bool


class Normal(NamedTuple):
    """The value where every division is exact, and those divisions, innermost first."""

    value: Ratio
    divisions: tuple[Division, ...]


@lru_cache(maxsize=64)
def ring(names: tuple[str, ...]) -> tuple[Ratio, Mapping[str, Ratio]]:
    """The one of the field of rational functions in `names`, and its generators."""
    from sympy import QQ
    from sympy.polys.fields import field

    if len(names) > MOST:
        raise Unsupported(f"a family of {len(names)} parameters, the limit is {MOST}")
    known, *generators = field(list(names) or ["_"], QQ)
    return known.one, dict(zip(names, generators, strict=False))


@lru_cache(maxsize=1 << 12)
def normal(expression: Expr, names: tuple[str, ...]) -> Normal:
    """The normal form of an expression. Raises Unsupported for `%`, a comparison, an unknown name, or a divisor that
    is not positive for all parameters."""
    divisions: list[Division] = []
    value = _value(expression, names, divisions)
    return Normal(value, tuple(divisions))


def _value(expression: Expr, names: tuple[str, ...], divisions: list[Division]) -> Ratio:
    one, generators = ring(names)
    op = expression.op
    if op == "int":
        return one * expression.value
    if op == "name":
        if expression.name not in generators:
            raise Unsupported(f"'{expression.name}' is no integer parameter of the family")
        return generators[expression.name]
    if op not in ("neg", "+", "-", "*", "/", "//"):
        raise Unsupported(f"'{op}' in the layout of a family: only + - * / and // are analysed")
    args = [_value(arg, names, divisions) for arg in expression.args]
    if op == "neg":
        return -args[0]
    left, right = args
    if op in ("/", "//"):
        if not positive(right):
            raise Unsupported(f"a divisor that is not positive for all parameters: {text(right)}")
        if op == "//" and not never_negative(left):
            raise Unsupported(f"a `//` of what may be negative, where C++ rounds otherwise: {text(left)}")
        result = left / right
        divisions.append(Division(expression, result, op == "//"))
    else:
        result = left + right if op == "+" else left - right if op == "-" else left * right
    if len(result.numer) + len(result.denom) > _TERMS:
        raise Unsupported(f"a normal form of more than {_TERMS} terms")
    return result


def plus(value: Ratio, number: int) -> Ratio:
    """value + number. Not the operator: sympy's gives back a plain integer where the value is 0."""
    return value + value.field.one * number


@lru_cache(maxsize=1 << 12)
def positive(value: Ratio) -> bool:
    """Whether value > 0 for all parameters >= 1, so >= 1 where it is an integer. Sufficient: no negative coefficient
    around the point where all parameters are 1."""
    if not _no_negative(value):
        return False
    return bool(value != 0) if _plainly_no_negative(value.numer) else _shifted(value.numer).coeff(1) > 0


@lru_cache(maxsize=1 << 12)
def never_negative(value: Ratio) -> bool:
    """Whether value >= 0 for all parameters >= 1; sufficient only, like positive."""
    return bool(_no_negative(value))


def _no_negative(value: Ratio) -> bool:
    if not _plainly_no_negative(value.denom):
        return False
    if _plainly_no_negative(value.numer):
        return True
    size = prod(degree + 1 for degree in value.numer.degrees())
    return size <= _SHIFTED and all(c >= 0 for c in _shifted(value.numer).coeffs())


def _plainly_no_negative(poly: Poly) -> bool:
    return all(c >= 0 for c in poly.coeffs())


def _shifted(poly: Poly) -> Poly:
    """The polynomial around the point where every parameter is 1."""
    tick()
    return poly.compose([(x, x + 1) for x in poly.ring.gens])


@lru_cache(maxsize=1 << 12)
def integers(value: Ratio) -> tuple[Poly, Poly]:
    """Numerator and denominator with coprime integer coefficients, the denominator's leading one positive."""
    numer, denom = value.numer, value.denom
    scale = 1
    for c in (*numer.coeffs(), *denom.coeffs()):
        scale = scale * int(c.denominator) // gcd(scale, int(c.denominator))
    numer, denom = numer * scale, denom * scale
    common = gcd(*(int(c) for c in (*numer.coeffs(), *denom.coeffs())))
    common = -common if denom.LC < 0 else common
    return numer.quo_ground(numer.ring.domain(common)), denom.quo_ground(denom.ring.domain(common))


def is_integral(value: Ratio) -> bool:
    """Whether the value is an integer for all integer parameters, because it is a polynomial with integer
    coefficients."""
    return bool(integers(value)[1] == 1)


def text(value: Ratio) -> str:
    """The normal form in the grammar of expr: `mn*k/64`."""
    numer, denom = integers(value)
    if denom == 1:
        return poly_text(numer)
    shown = poly_text(denom)
    return f"{_grouped(poly_text(numer))}/{shown if shown.isalnum() else f'({shown})'}"


def poly_text(poly: Poly) -> str:
    """A polynomial with integer coefficients: `mn*mn - 4*k + 1`."""
    out = ""
    for powers, coefficient in poly.terms():
        factors = [str(x) for x, power in zip(poly.ring.symbols, powers, strict=True) for _ in range(power)]
        size = abs(int(coefficient))
        if size != 1 or not factors:
            factors.insert(0, str(size))
        term = "*".join(factors)
        minus = f"{out} - {term}" if out else f"-{term}"
        plus = f"{out} + {term}" if out else term
        out = minus if coefficient < 0 else plus
    return out or "0"


def _grouped(shown: str) -> str:
    return f"({shown})" if " " in shown else shown


def factored(value: Ratio, factors: Iterable[Ratio]) -> tuple[Ratio, tuple[int, ...]] | None:
    """(polynomial p with integer coefficients, exponents e) with value = p * product of factors[i]^e[i], the smallest
    exponents first, none above 2; None where none is found."""
    known = tuple(factors)
    monomials = [_monomial(x) for x in (value, *known)]
    if None not in monomials:
        return _factored_monomial(value, [m for m in monomials if m is not None])
    for powers in _powers(len(known), 2):
        tick()
        used = [(factor, power) for factor, power in zip(known, powers, strict=True) if power]
        if any(factor == 0 for factor, _ in used):
            continue
        rest = reduce(lambda rest, by: rest / by[0] ** by[1], used, value)
        if is_integral(rest):
            return rest, powers
    return None


_Monomial = tuple[Fraction, tuple[int, ...]]  # coefficient and exponents, which may be negative


def _monomial(value: Ratio) -> _Monomial | None:
    if len(value.numer) != 1 or len(value.denom) != 1:
        return None
    (above, c), (below, d) = value.numer.terms()[0], value.denom.terms()[0]
    exponents = tuple(a - b for a, b in zip(above, below, strict=True))
    return Fraction(int(c.numerator) * int(d.denominator), int(c.denominator) * int(d.numerator)), exponents


def _factored_monomial(value: Ratio, monomials: list[_Monomial]) -> tuple[Ratio, tuple[int, ...]] | None:
    (coefficient, exponents), *factors = monomials
    for powers in _powers(len(factors), len(factors) * 2):
        tick()
        left, rest = coefficient, exponents
        for (c, e), power in zip(factors, powers, strict=True):
            if power:
                left /= c**power
                rest = tuple(x - power * y for x, y in zip(rest, e, strict=True))
        if left.denominator == 1 and min(rest, default=0) >= 0:
            polynomial = value.field.one * int(left)
            for generator, power in zip(value.field.gens, rest, strict=True):
                polynomial = polynomial * generator**power
            return polynomial, powers
    return None


@lru_cache(maxsize=64)
def _powers(count: int, most: int) -> tuple[tuple[int, ...], ...]:
    """Exponents up to 2 with a sum of at most `most`, the smallest sums first."""
    every = (e for e in product(range(3), repeat=count) if sum(e) <= most)
    return tuple(sorted(every, key=lambda e: (sum(e), e)))
