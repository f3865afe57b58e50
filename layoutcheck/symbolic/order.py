"""Injective and covering, by the sorted strides: conditions of order where strides do not multiply up exactly.

Sound, not complete: a layout with stride > reach of the smaller ones throughout is injective, one with
stride <= reach + 1 throughout leaves no gap (SEMANTICS.md section 1). Other layouts may be either as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..errors import Unsupported
from .clock import tick
from .conditions import Condition, Precondition, Way, simplified, united
from .layout import SymbolicLeaf
from .normal import Ratio, factored, never_negative, plus, positive

_MOST = 40  # orders looked at
_SHORT = 4  # ways that make a precondition that anyone reads
_LARGE = 1 << 12


def by_stride(leaves: Sequence[SymbolicLeaf]) -> tuple[SymbolicLeaf, ...]:
    """The leaves by stride where all parameters are large and equal: a hint, nothing rests on it."""
    return tuple(sorted(leaves, key=lambda leaf: _size(leaf.stride)))


def _size(value: Ratio) -> Any:
    at = [(x, _LARGE) for x in value.numer.ring.gens]
    return value.numer.evaluate(at) / value.denom.evaluate(at)


class _State(NamedTuple):
    rest: tuple[SymbolicLeaf, ...]
    last: SymbolicLeaf | None
    reach: Ratio
    free: Ratio
    conditions: Way


def injective(leaves: Sequence[SymbolicLeaf], copies: Ratio, given: Way) -> tuple[Precondition, bool]:
    """Ways in which each held offset is held exactly `copies` times, and whether there are no others."""
    return _ways(leaves, copies, given, None)


def covering(leaves: Sequence[SymbolicLeaf], n: Ratio, given: Way) -> tuple[Precondition, bool]:
    """Ways in which every offset in [0, n) is held, and whether there are no others."""
    return _ways(leaves, None, given, n)


def _ways(
    leaves: Sequence[SymbolicLeaf], copies: Ratio | None, given: Way, n: Ratio | None
) -> tuple[Precondition, bool]:
    found: list[Way] = []
    zero = next(x for x in (copies, n) if x is not None).field.zero
    integers = tuple(c.value for c in given if c.kind == "integer")[:5]
    stack = [_State(tuple(leaves), None, zero, plus(zero, 1), ())]
    looked = 0
    while stack:
        state = stack.pop()
        tick()
        looked += 1
        if looked > _MOST:
            raise Unsupported(f"more than {_MOST} orders of the leaves to look at")
        if state.rest:
            stack += _next(state, n, integers)
            continue
        last = (Condition("nonnegative", plus(state.reach, 1) - n),) if n is not None else ()
        free = (Condition("zero", state.free - copies),) if copies is not None else ()
        way = simplified((*given, *state.conditions, *last, *free))
        if way is not None and way == simplified(given):
            return (way,), True
        if way is not None:
            found.append(way)
    if len(union := united(*found)) > _SHORT:
        raise Unsupported(f"no precondition of at most {_SHORT} ways was found")
    return union, False


def _next(state: _State, n: Ratio | None, integers: tuple[Ratio, ...]) -> list[_State]:
    """The states after one more leaf; those that need no condition come last, so that they are looked at first."""
    eager, open_ = [], []
    for i, leaf in enumerate(state.rest):
        rest = state.rest[:i] + state.rest[i + 1 :]
        reach = state.reach + plus(leaf.extent, -1) * leaf.stride
        room = plus(leaf.stride - state.reach, -1) if n is None else plus(state.reach, 1) - leaf.stride
        if leaf.stride == 0:
            return [_State(rest, state.last, state.reach, state.free * leaf.extent, state.conditions)]
        if never_negative(room) or (n is None and _multiple(leaf, state.last, integers)):
            eager.append(_State(rest, leaf, reach, state.free, state.conditions))
        elif not positive(-room):
            conditions = (*state.conditions, Condition("nonnegative", room))
            open_.append(_State(rest, leaf, reach, state.free, conditions))
        if i == 0 and not positive(plus(leaf.extent, -1)):
            conditions = (*state.conditions, Condition("zero", plus(leaf.extent, -1)))
            open_.append(_State(rest, state.last, state.reach, state.free, conditions))
    return open_ + eager


def _multiple(leaf: SymbolicLeaf, last: SymbolicLeaf | None, integers: tuple[Ratio, ...]) -> bool:
    """Whether the stride is a multiple of where the last leaf ends, because of divisions that are exact."""
    if last is None:
        return factored(leaf.stride, integers) is not None and positive(leaf.stride)
    ratio = leaf.stride / (last.stride * last.extent)
    return positive(ratio) and factored(ratio, integers) is not None
