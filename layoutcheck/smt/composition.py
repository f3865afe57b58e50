"""R(c) = A(B(c)) by z3, without dividing a flat index: the digits of A at B(c) are given as linear forms.

Lemma (uniqueness of mixed radix): numbers f_j in [0, s_j) with sum f_j * C_j = x are the digits of x. Each leaf of
B is cut at the cuts C_j of A that its multiples pass; f_j adds up what falls between C_j and the next cut. z3 shows
that no f_j reaches s_j, that merging A's leaves kept the function, and that the sum of f_j * d_j is R.
"""

from __future__ import annotations

from itertools import pairwise
from time import perf_counter

from ..claim import Claim, Leaves
from .certify import certify, unsatisfiable
from .queries import Atom, Query

_Piece = tuple[int, int, int]  # extent, weight in the index of A, digit of A


def proves(a: Leaves, b: Leaves, r: Leaves, timeout: float) -> bool | None:
    """Whether z3 proves R = A o B (leaves fastest first) within `timeout` seconds; None: it cannot say.

    False is not a refutation of R: it says that this way of proof does not go through.
    """
    deadline = perf_counter() + timeout
    merged = _merge(a)
    pieces = _pieces(merged, b)
    if pieces is None:
        return None
    windows = [_overflow(j, extent, _start(merged, j), pieces) for j, (extent, _) in enumerate(merged)]
    found = tuple((n, w // _start(merged, j) * merged[j][1] if n > 1 else 0) for n, w, j in pieces)
    for left, right in ((a, merged), (found, r)):
        answer = certify(Claim("equal", left, other=right), deadline - perf_counter())
        if answer is None or not answer.holds:
            return None if answer is None else False
    return unsatisfiable(windows, deadline - perf_counter())


def _merge(leaves: Leaves) -> Leaves:
    out: list[tuple[int, int]] = []
    for extent, stride in leaves:
        if out and out[-1][0] * out[-1][1] == stride and extent > 1:
            out[-1] = (out[-1][0] * extent, out[-1][1])
        elif extent > 1:
            out.append((extent, stride))
    return tuple(out) or ((1, 0),)


def _start(leaves: Leaves, digit: int) -> int:
    start = 1
    for extent, _ in leaves[:digit]:
        start *= extent
    return start


def _pieces(merged: Leaves, b: Leaves) -> list[_Piece] | None:
    starts = [_start(merged, j) for j in range(len(merged))]
    out: list[_Piece] = []
    for extent, stride in b:
        if extent == 1 or stride == 0:
            out.append((extent, 0, 0))
            continue
        passed = [cut for cut in starts if stride < cut <= stride * (extent - 1)]
        for low, high in pairwise([stride, *passed, stride * extent]):
            digit = max(j for j, start in enumerate(starts) if start <= low)
            if high % low or low % starts[digit]:
                return None
            out.append((high // low, low, digit))
    return out


def _overflow(digit: int, extent: int, start: int, pieces: list[_Piece]) -> Query:
    mine = [(k, n, w // start) for k, (n, w, j) in enumerate(pieces) if j == digit and w]
    bounds = tuple((f"c{k}", 0, n - 1) for k, n, _ in mine)
    terms = tuple((w, f"c{k}") for k, _, w in mine)
    return Query(f"digit {digit} reaches {extent}", bounds, ((Atom(">=", terms, -extent),),))
