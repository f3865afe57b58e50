"""Complement and inverses: all three read a layout's digits in the order of their strides."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from ..errors import Refused
from ..layout import Layout, Leaf
from .parts import ends, flat, merged, plain


class _Digit(NamedTuple):
    extent: int
    stride: int
    weight: int  # what one step of it adds to the flat index


def complement(a: Layout, n: int | None = None) -> Layout:
    """C such that A and C together hold each offset of [0, n) once; flat and coalesced. Law `complement`.

    n: a multiple of A's end, by default that end. Raises Refused: trivial, repeats, not-chain, not-dividing.
    Source: arXiv 2603.02298; PackMapAttr::complement.
    """
    plain(a)
    if not ends(a.digits):
        raise Refused("trivial", f"{a} holds only offset 0: there is no stride to build on", points=a.size)
    for extent, stride in a.digits:
        if extent > 1 and stride == 0:
            raise Refused("repeats", f"leaf {extent}:0 holds every offset {extent} times", extent=extent)
    return flat(merged(gaps(a, n)), a.order)


def gaps(a: Layout, n: int | None) -> list[Leaf]:
    """The digits between A's moving leaves up to n, fastest first. Raises Refused: not-chain, not-dividing."""
    out: list[Leaf] = []
    end = 1
    before: Leaf = (1, 1)
    for extent, stride in ends(a.digits):
        if stride % end:
            text = f"stride {stride} is no multiple of {end}, the end of leaf {before[0]}:{before[1]}"
            raise Refused("not-chain", text, leaf=list(before), next=[extent, stride], end=end)
        out.append((stride // end, end))
        end, before = extent * stride, (extent, stride)
    wanted = end if n is None else n
    if wanted < 1 or wanted % end:
        raise Refused("not-dividing", f"{wanted} is no multiple of {end}, where {a} ends", n=wanted, end=end)
    return [*out, (wanted // end, end)]


def right_inverse(a: Layout) -> Layout:
    """R with A(R(x)) = x on [0, size R): from A's digits of strides 1, s0, s0*s1, ... Law `right-inverse`.

    Never refuses; 1:0 when no leaf has stride 1. Leaves of stride 0 are passed over. Source: CuTe
    right_inverse, PackMapAttr::rightInverse (which stops at a stride-0 leaf).
    """
    plain(a)
    found: list[Leaf] = []
    reach = 1
    for digit in _digits(a):
        if digit.stride == reach:
            found.append((digit.extent, digit.weight))
            reach *= digit.extent
    return flat(merged(found), a.order)


def left_inverse(a: Layout) -> Layout:
    """L with L(A(x)) = x on [0, size A). Law `left-inverse`.

    Each moving leaf must end at or before the next one's stride, and divide it. Raises Refused: repeats,
    not-injective, strides-not-nested. Source: PackMapAttr::leftInverse, whose way (by complement) needs a chain.
    """
    plain(a)
    digits = _digits(a)
    for extent, stride, _ in digits:
        if stride == 0:
            raise Refused("repeats", f"leaf {extent}:0 holds every offset {extent} times", extent=extent)
    out: list[Leaf] = [(digits[0].stride, a.size)] if digits else []
    free = a.size * out[0][0] if digits else 1  # what a step of the next unused digit adds
    for digit, after in pairwise(digits):
        _nested(a, digit, after)
        room = after.stride // digit.stride
        if room % digit.extent == 0:
            out += [(digit.extent, digit.weight), (room // digit.extent, free)]
            free *= room // digit.extent
        else:
            out.append((room, digit.weight))
    out += [(digit.extent, digit.weight) for digit in digits[-1:]]
    return flat(merged(out), a.order)


def _nested(a: Layout, digit: _Digit, after: _Digit) -> None:
    if after.stride % digit.stride == 0 and digit.extent * digit.stride <= after.stride:
        return
    left, right = f"{digit.extent}:{digit.stride}", f"{after.extent}:{after.stride}"
    numbers = {"leaf": [digit.extent, digit.stride], "next": [after.extent, after.stride]}
    collision = _collision(a)
    if collision is not None:
        x, y, value = collision
        text = f"indices {x} and {y} both have offset {value}: nothing can tell them apart"
        raise Refused("not-injective", text, a=x, b=y, value=value)
    text = f"leaf {left} does not end on or before a multiple of itself at leaf {right}"
    raise Refused("strides-not-nested", text, **numbers)


def _collision(a: Layout) -> tuple[int, int, int] | None:
    """Two flat indices with one offset, where the search finds them at once."""
    from ..claim import Claim, Collision, index_of, leaves_of
    from ..decide.portfolio import decide

    verdict = decide(Claim("injective", leaves_of(a)), certify=False, timeout=1.0)
    if not isinstance(verdict.witness, Collision):
        return None
    w = verdict.witness
    first, second = sorted(index_of(a.digits, at) for at in (w.a, w.b))
    return first, second, w.value


def _digits(a: Layout) -> list[_Digit]:
    """A's digits with extent above 1, by stride."""
    out = []
    weight = 1
    for extent, stride in a.digits:
        if extent > 1:
            out.append(_Digit(extent, stride, weight))
        weight *= extent
    return sorted(out, key=lambda digit: (digit.stride, digit.extent))
