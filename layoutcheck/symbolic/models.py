"""Instances that z3 finds: under `requires`, or there and outside a precondition. Hints: the engine decides them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from time import perf_counter

from ..errors import Unsupported
from . import certify, instances, scripts
from .conditions import Precondition
from .instances import Env
from .proof import Known
from .requires import Requires, assumed, fails

_SEARCHED = 2.0  # seconds for an instance


@lru_cache(maxsize=16)
def found(requires: Requires) -> tuple[Env, ...] | None:
    """The instance with the smallest sum that z3 finds under `requires`; () where it shows that there is none, None
    where it says neither in a second."""
    return _sought(requires, [])


@lru_cache(maxsize=64)
def breaking(requires: Requires, precondition: Precondition) -> tuple[Env, ...] | None:
    """As `found`, the smallest instance under `requires` that does not meet a precondition."""
    try:
        return _sought(requires, [fails(way) for way in precondition])
    except Unsupported:
        return None


def _sought(requires: Requires, goals: Sequence[str]) -> tuple[Env, ...] | None:
    if requires.ways is None:
        return None
    certify.load()
    deadline = perf_counter() + _SEARCHED
    smallest: Env | None = None
    for way in requires.ways or (None,):
        some = _least(assumed(requires, way), requires, goals, deadline)
        if some is None:
            return None
        if some and (smallest is None or sum(some.values()) < sum(smallest.values())):
            smallest = some
    return () if smallest is None else (smallest,)


def _least(known: Known, requires: Requires, goals: Sequence[str], deadline: float) -> Env | None:
    """The smallest values that are known to be possible where the goals hold; {} where none are, None where z3 does not
    say."""
    symbols = {scripts.symbol(name): name for name in requires.names}
    total = scripts.total(symbols)
    best: Env = {}
    low, high = len(symbols), 0  # the least sum is not below `low`, and not above `high` once one is found
    while not best or low < high:
        bound = [f"(<= {total} {(low + high) // 2})"] if best else []
        values = certify.values(scripts.step("values", known.context, *goals, *bound).script, deadline)
        if values is None:
            return best or None
        if values:
            best = {name: values.get(symbol, 1) for symbol, name in symbols.items()}
            if not instances.holds(requires.expression, best):
                return None
            high = sum(best.values())
        elif best:
            low = (low + high) // 2 + 1
        else:
            return {}
    return best
