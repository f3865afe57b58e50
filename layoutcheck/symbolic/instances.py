"""Single instances of a family: which there are, what the engine says of one, and the smallest that fails.

The engine decides an instance (decide.portfolio, on the numbers); nothing here decides for all parameters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import product
from math import prod
from time import perf_counter
from typing import Any

import msgspec

from .. import thrval
from ..claim import Claim, Collision, Digits, Held, Missing, Outside, Witness, leaves_of
from ..decide import portfolio
from ..errors import Disagreement, InexactDivision, LayoutError, NotationError, TooLarge, Unsupported
from ..expr import Expr, evaluate, integers
from ..layout import Layout
from .layout import SymbolicLayout

Env = dict[str, int]
_POINTS = 5000  # instances of one family that are looked at


class Failure(msgspec.Struct, frozen=True):
    """Why an instance is not right; `witness` is plain data."""

    reason: str
    witness: dict[str, Any]


def dense(names: tuple[str, ...]) -> int:
    """Up to which value of the parameters every combination is among the instances that are looked at."""
    return max(3, int(_POINTS ** (1 / max(1, len(names)))))


@lru_cache(maxsize=64)
def envs(names: tuple[str, ...], extra: frozenset[int]) -> tuple[tuple[int, ...], ...]:
    """Values of the parameters, the smallest sum first, then in the order of the parameters: all up to a limit that
    falls with their number, and those that the `extra` numbers make."""
    special = sorted(extra)[: 12 if len(names) < 3 else 4]
    values = sorted({*range(1, dense(names) + 1), *special})
    return tuple(sorted(product(values, repeat=len(names)), key=lambda at: (sum(at), at)))


def numbers(*expressions: Expr) -> frozenset[int]:
    """Numbers that the expressions mention, their doubles and triples."""
    known = (n for e in expressions for n in integers(e) if 4 < n < 1 << 20)
    return frozenset(factor * n for n in known for factor in (1, 2, 3))


def number(expression: Expr, env: Env) -> int:
    """The value of an expression. Raises NotationError."""
    return evaluate(expression, env)


def holds(condition: Expr | None, env: Mapping[str, int]) -> bool:
    """Whether a condition holds; where it cannot be evaluated it does not."""
    try:
        return condition is None or bool(evaluate(condition, env))
    except NotationError:
        return False


def instances(names: tuple[str, ...], extra: frozenset[int]) -> Iterator[Env]:
    """The parameters, smallest first."""
    for at in envs(names, extra):
        yield dict(zip(names, at, strict=True))


def before(envs: Iterable[Env], deadline: float) -> Iterator[Env]:
    """The instances, as long as there is time."""
    for env in envs:
        if perf_counter() > deadline:
            return
        yield env


def built(layout: SymbolicLayout, env: Env) -> Layout | Failure:
    """The instance's layout, or why it is none."""
    return _built(layout, tuple(env.items()))


@lru_cache(maxsize=1 << 13)
def _built(layout: SymbolicLayout, env: tuple[tuple[str, int], ...]) -> Layout | Failure:
    try:
        return layout.at(dict(env))
    except LayoutError as error:
        return Failure("no-layout", {"message": str(error)})
    except NotationError as error:
        return no_number(error)


def no_number(error: NotationError) -> Failure:
    """Why an expression has no value. Raises Unsupported where it has one that is not evaluated."""
    if isinstance(error, TooLarge):
        raise Unsupported(f"an instance with {error}")
    return Failure("inexact-division" if isinstance(error, InexactDivision) else "no-number", {"message": str(error)})


def ask(claim: Claim) -> Witness | None:
    """The engine's witness against a claim, None where it holds. Raises Disagreement."""
    verdict = portfolio.decide(claim, certify=False)
    if verdict.status == "proved":
        return None
    if verdict.status == "refuted" and isinstance(verdict.witness, Witness):
        return verdict.witness
    raise Disagreement(f"an instance was not decided: {verdict.note}")


def whole(layout: Layout, tile: tuple[int, ...], copies: int) -> Failure | None:
    """Each element of the tile held `copies` times, nothing else held. A thread and a value where there is one."""
    n, size = prod(tile), layout.size
    for check in (injective, inside):
        failure = check(layout, tile, copies)
        if failure:
            return failure
    if size == n * copies:
        return None
    return covering(layout, tile, copies) or Failure("counts", {"pairs": size, "expected": n * copies})


def injective(layout: Layout, tile: tuple[int, ...], copies: int) -> Failure | None:
    """No element held more often than `copies` times, or by fewer where some are."""
    leaves = leaves_of(layout)
    witness = ask(Claim("injective", leaves) if copies == 1 else Claim("fibre", leaves, fibre=copies))
    return None if witness is None else described(layout, tile, witness)


def inside(layout: Layout, tile: tuple[int, ...], copies: int) -> Failure | None:
    """No element outside the tile."""
    witness = ask(Claim("bounded", leaves_of(layout), n=prod(tile)))
    return None if witness is None else described(layout, tile, witness)


def covering(layout: Layout, tile: tuple[int, ...], copies: int) -> Failure | None:
    """Every element of the tile held."""
    witness = ask(Claim("onto", leaves_of(layout), n=prod(tile)))
    return None if witness is None else described(layout, tile, witness)


def described(layout: Layout, tile: tuple[int, ...], witness: Witness) -> Failure:
    """A witness with threads, values and elements, each evaluated again. Raises Disagreement."""
    if isinstance(witness, Collision):
        return _failure("held-twice", layout, tile, witness.value, (witness.a, witness.b))
    if isinstance(witness, Held):
        more = {"count": witness.count, "expected": witness.expected}
        return _failure("held-otherwise", layout, tile, witness.value, witness.at[:2], **more)
    if isinstance(witness, Outside):
        return _failure("outside", layout, tile, witness.value, (witness.at,), limit=witness.limit)
    if not isinstance(witness, Missing):
        raise Disagreement(f"an unexpected witness {witness}")
    missing = {"element": list(thrval.element(witness.value, tile)), "offset": witness.value}
    before = _holder(layout, witness.value - 1) if thrval.is_pair(layout) else None
    if before is None:
        return Failure("missing", missing)
    return Failure("missing", {**missing, "before": {"thread": before[0], "value": before[1]}})


def _holder(layout: Layout, offset: int) -> tuple[int, int] | None:
    """A thread and a value that hold an offset, the largest strides first; None where that does not come out."""
    leaves = leaves_of(layout)
    digits, rest = [0] * len(leaves), offset
    for i in sorted(range(len(leaves)), key=lambda i: -leaves[i][1]):
        extent, stride = leaves[i]
        digits[i] = min(extent - 1, rest // stride) if stride else 0
        rest -= digits[i] * stride
    place = thrval.thread_value(layout, tuple(digits))
    return place if layout(place) == offset else None


def _failure(
    reason: str, layout: Layout, tile: tuple[int, ...], value: int, at: tuple[Digits, ...], **more: int
) -> Failure:
    data: dict[str, Any] = {"element": list(thrval.element(value, tile)), "offset": value, **more}
    if not thrval.is_pair(layout):
        return Failure(reason, {**data, "at": [list(digits) for digits in at]})
    places = [thrval.thread_value(layout, digits) for digits in at]
    if any(layout(place) != value for place in places):
        raise Disagreement(f"a witness of {layout} does not replay: offset {value} at {places}")
    return Failure(reason, {**data, "at": [{"thread": t, "value": v} for t, v in places]})
