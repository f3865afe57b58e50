"""The running product: for which parameters a layout holds each of n offsets equally often, and nothing else.

Theorem (SEMANTICS.md section 1): leaves with extent > 1 and stride > 0, sorted by stride, are bijective onto [0, n) iff
the first stride is 1, each next one is the stride before times its extent, and the extents multiply to n. So every
parameter for which it holds satisfies the equations of one order of the leaves: those that stand in the chain, those
of extent 1, those of stride 0. The ways below are all such orders whose equations can hold at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..errors import Unsupported
from .clock import tick
from .conditions import Condition, Precondition, Way, fixed, simplified, united
from .layout import SymbolicLeaf
from .normal import Ratio, integers, plus, positive

_MOST = 1200  # partial orders looked at
_FOUND = 32  # orders whose equations are solved


def ways(leaves: Sequence[SymbolicLeaf], n: Ratio, copies: Ratio, given: Way) -> Precondition:
    """All ways in which `leaves` hold each offset in [0, n) exactly `copies` times and no other, where `given` holds.

    Complete: outside them they do not. One way that needs no equation is the only one given. Raises Unsupported where
    there are too many orders.
    """
    plain = straight(leaves, n, copies, given)
    if plain is not None:
        return (plain,)
    budget = [_MOST]
    found: list[Way] = []
    for way in _orders(leaves, n, copies, given, budget, straight=False):
        found.append(way)
        if len(found) > _FOUND:
            raise Unsupported(f"more than {_FOUND} orders of the leaves may be right")
    return united(*found)


def straight(leaves: Sequence[SymbolicLeaf], n: Ratio, copies: Ratio, given: Way) -> Way | None:
    """The way that needs no equation; None where there is none."""
    return next(_orders(leaves, n, copies, given, [_MOST], straight=True), None)


def chain(leaves: Sequence[SymbolicLeaf], equations: Way = ()) -> tuple[int, ...] | None:
    """The leaves whose stride is not 0, by their place, in the order of the running product; None where their strides
    do not multiply up for all parameters that the equations leave."""
    strides, extents = ([fixed(x[k], equations) for x in leaves] for k in (3, 2))
    left = [i for i, stride in enumerate(strides) if stride != 0]
    order: list[int] = []
    run: Ratio = 1
    while left:
        i = next((i for i in left if strides[i] == run), None)
        if i is None:
            return None
        left.remove(i)
        order.append(i)
        run = run * extents[i]
    return tuple(order)


def _orders(
    leaves: Sequence[SymbolicLeaf], n: Ratio, copies: Ratio, given: Way, budget: list[int], *, straight: bool
) -> Iterator[Way]:
    one = n.field.one
    stack: list[tuple[tuple[SymbolicLeaf, ...], Ratio, Ratio, Way]] = [(tuple(leaves), one, one, ())]
    while stack:
        rest, run, free, equations = stack.pop()
        tick()
        budget[0] -= 1
        if budget[0] < 0:
            raise Unsupported(f"more than {_MOST} orders of the leaves to look at")
        if not rest:
            last = _with(_with(equations, run - n, straight), free - copies, straight)
            way = None if last is None else simplified((*given, *last))
            if way is not None:
                yield way
            continue
        i = next((i for i, leaf in enumerate(rest) if leaf.stride == run), None)
        if i is None:
            stack += _choices(rest, run, free, equations, straight)
        else:
            stack.append((rest[:i] + rest[i + 1 :], run * rest[i].extent, free, equations))


def _choices(
    rest: tuple[SymbolicLeaf, ...], run: Ratio, free: Ratio, equations: Way, straight: bool
) -> Iterator[tuple[tuple[SymbolicLeaf, ...], Ratio, Ratio, Way]]:
    """What the next leaf of the chain can be, and what the first leaf can be when it is not in the chain."""
    for i, leaf in enumerate(rest):
        after = rest[:i] + rest[i + 1 :]
        chained = _with(equations, leaf.stride - run, straight)
        if chained is not None:
            yield after, run * leaf.extent, free, chained
    leaf, after = rest[0], rest[1:]
    dropped = _with(equations, plus(leaf.extent, -1), straight)
    if dropped is not None:
        yield after, run, free, dropped
    if not positive(leaf.stride):
        still = _with(equations, leaf.stride, straight)
        if still is not None:
            yield after, run, free * leaf.extent, still


def _with(equations: Way | None, value: Ratio, straight: bool) -> Way | None:
    """The equations and value = 0; None where that cannot hold."""
    if equations is None or value == 0:
        return equations
    numer, _ = integers(value)
    if straight or numer.is_ground or positive(value) or positive(-value):
        return None
    return (*equations, Condition("zero", value))
