"""The parameters of a family that is given by values: every combination, the smallest first."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

import msgspec

from ..expr import MAX_DIGITS
from .schema import Family, Values

Row = dict[str, str]
Narrow = Mapping[str, frozenset[str]]  # a parameter's name, and the values that are asked for

MOST = 100_000  # combinations that are tried against `requires`
INSTANCES = 10_000  # of one family
SAMPLED = 64  # instances of a family with a free parameter
_SOUGHT = 1 << 14  # combinations among which they are sought


class Problem(NamedTuple):
    """What is wrong with `params`, and at which key below them."""

    code: str
    message: str
    path: tuple[str, ...] = ()


class Domain(msgspec.Struct, frozen=True, eq=False):
    """The values of each parameter, as far as they are tried; `free` are those without an end, `unused` those with
    one value for all, as no text mentions them."""

    values: dict[str, Sequence[int | str]]
    free: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Number of combinations."""
        return prod(map(len, self.values.values()))


def environment(row: Row) -> dict[str, int]:
    """The integers among a row's parameters."""
    return {key: int(text) for key, text in row.items() if re.fullmatch(r"-?[0-9]+", text)}


def wanted(row: Row, narrow: Narrow) -> bool:
    """Whether a row has none but the values that are asked for."""
    return all(row[name] in values for name, values in narrow.items() if name in row)


def condition_of(family: Family | None) -> str:
    """What all parameters of a family meet: its `requires`, and the integers that its parameters may be."""
    own = f"({family.requires})" if family is not None and family.requires.strip() else ""
    parts = [own] if own else []
    for name, values in (getattr(family, "params", None) or {}).items():
        if values.in_ is not None and all(_integer(text) is not None for text in values.in_):
            parts.append("(" + " or ".join(f"{name} == {number}" for number in values.in_) + ")")
        bounds = ((values.min, ">="), (values.max, "<="))
        parts += [
            f"{name} {op} {number}" for number, op in bounds if number is not None and (op, number) != (">=", "1")
        ]
        if values.multiple_of is not None:
            parts.append(f"{name} % {values.multiple_of} == 0")
    return own[1:-1] if parts == [own] else " and ".join(parts)


def below_one(family: Family | None) -> str | None:
    """A parameter that may be an integer below 1."""
    params: dict[str, Values] = getattr(family, "params", None) or {}
    for name, values in params.items():
        numbers = map(_integer, (*(values.in_ or ()), values.min or "1", values.max or "1"))
        if any(number is not None and number < 1 for number in numbers):
            return name
    return None


def domain(
    params: dict[str, Values], narrow: Narrow, mentioned: Container[str], more: Sequence[int] = ()
) -> Domain | Problem:
    """The values to try: of a free parameter the least ones, and those among `more`. A parameter that is narrowed is no
    longer free; one that is not `mentioned` keeps its first value."""
    values: dict[str, Sequence[int | str]] = {}
    free: dict[str, tuple[int, int]] = {}
    for name, given in params.items():
        if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) or name in ("and", "or"):
            return Problem("LC102", f"'{name[:40]}' is no name for a parameter", (name,))
        known = _values(name, given)
        if isinstance(known, Problem):
            return known
        if isinstance(known, tuple) and name not in narrow:
            free[name] = known
        elif isinstance(known, tuple):
            values[name] = sorted(n for n in _integers(narrow[name]) if n >= known[0] and n % known[1] == 0)
        elif name in narrow:
            values[name] = _narrowed(known, narrow[name])
        else:
            values[name] = known
    unused = tuple(name for name in params if name not in mentioned)
    values |= {name: [free.pop(name)[0]] if name in free else values[name][:1] for name in unused}
    finite = prod(map(len, values.values()))
    each = max(2, int((_SOUGHT / max(1, finite)) ** (1 / len(free)))) if free else 0
    for name, (least, step) in free.items():
        further = {n for n in more if n >= least and n % step == 0}
        values[name] = sorted({*range(least, least + step * each, step), *further})
    its = Domain({name: values[name] for name in params}, tuple(free), unused)
    if its.size > MOST:
        return Problem("LC102", f"{its.size} combinations of parameters, the limit is {MOST}: narrow their values")
    return its


def rows(its: Domain) -> list[Row]:
    """Every combination as a row: by the sum of the integers, then in the order of the file."""

    def smallest(combination: tuple[int | str, ...]) -> int:
        return sum(value for value in combination if isinstance(value, int))

    combinations = sorted(product(*its.values.values()), key=smallest)
    return [dict(zip(its.values, map(str, combination), strict=True)) for combination in combinations]


def _values(name: str, given: Values) -> Sequence[int | str] | tuple[int, int] | Problem:
    """The values of one parameter; of a free one, the least and the step."""
    bounds: dict[str, int] = {}
    for key in ("min", "max", "multiple_of"):
        text = getattr(given, key)
        number = None if text is None else _integer(text)
        if text is not None and number is None:
            return Problem("LC102", f"{name}.{key}: '{text[:40]}' is no integer", (name, key))
        if number is not None:
            bounds[key] = number
    if given.in_ is not None:
        if bounds:
            return Problem("LC102", f"{name}: `in` lists the values, so {', '.join(bounds)} say nothing", (name,))
        return _listed(name, given.in_)
    step = bounds.get("multiple_of", 1)
    if step < 1:
        return Problem("LC102", f"{name}.multiple_of: {step} is below 1", (name, "multiple_of"))
    least = -(-bounds.get("min", 1) // step) * step
    if "max" not in bounds:
        return least, step
    if bounds["max"] < least:
        return Problem("LC109", f"{name} has no value: the least is {least}, max is {bounds['max']}", (name,))
    if (bounds["max"] - least) // step >= MOST:
        return Problem("LC102", f"{name} has more than {MOST} values: narrow them", (name,))
    return range(least, bounds["max"] + 1, step)


def _listed(name: str, texts: list[str]) -> list[int | str] | Problem:
    """The values of `in`: integers in their order, or words."""
    if not texts:
        return Problem("LC109", f"{name} has no value: `in` is empty", (name, "in"))
    long = next((i for i, text in enumerate(texts) if len(text) > MAX_DIGITS), None)
    if long is not None:
        return Problem("LC102", f"{name}.in: a value of {len(texts[long])} characters, the limit is {MAX_DIGITS}",
                       (name, "in", str(long)))  # fmt: skip
    same = [str(text if (number := _integer(text)) is None else number) for text in texts]
    if len(set(same)) < len(same):
        twice = next(i for i, text in enumerate(same) if text in same[:i])
        return Problem("LC102", f"{name}.in: {texts[twice]} stands twice", (name, "in", str(twice)))
    numbers = [n for n in map(_integer, texts) if n is not None]
    if numbers and len(numbers) < len(texts):
        wrong = next(i for i, text in enumerate(texts) if _integer(text) is None)
        return Problem("LC102", f"{name}.in: '{texts[wrong]}' is no integer, others are", (name, "in", str(wrong)))
    return list(numbers) if numbers else list(texts)


def _narrowed(known: Sequence[int | str], asked: frozenset[str]) -> list[int | str]:
    return [value for value in known if str(value) in asked]


def _integer(text: str) -> int | None:
    return int(text) if len(text) <= MAX_DIGITS and re.fullmatch(r"-?[0-9]+", text) else None


def _integers(texts: frozenset[str]) -> list[int]:
    return [n for n in map(_integer, texts) if n is not None]
