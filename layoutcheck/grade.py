"""How equal two layouts are, when "equal" or "not equal" says too little (SEMANTICS.md section 1)."""

from __future__ import annotations

from . import inttuple
from .claim import Claim, leaves_of
from .decide.portfolio import decide
from .layout import Layout
from .result import Grade


def grade(left: Layout, right: Layout, equal: bool, *, certify: bool, timeout: float) -> Grade | None:
    """The grade of two layouts known to be equal, or known to differ, as functions of the flat index.

    None when it is not known within `timeout` seconds whether they hold the same offsets.
    """
    if equal:
        if (left.shape, left.stride, left.order) == (right.shape, right.stride, right.order):
            return "same text"
        mine, theirs = ([leaf for leaf in leaves_of(side) if leaf[0] > 1] for side in (left, right))
        return "another profile" if mine == theirs else "same function"
    permuted = Claim("permuted", leaves_of(left), 0, 1, leaves_of(right), left.swizzle, right.swizzle)
    status = decide(permuted, certify=certify, timeout=timeout).status
    if status != "proved":
        return "different" if status == "refuted" else None
    one = any(_one_permutes(left, right, mode, certify, timeout) for mode in range(left.rank))
    return "relabelled" if one else "equal on the image"


def mode_claims(left: Layout, right: Layout, permuting: int | None = None) -> list[Claim]:
    """One claim for each mode: equal, or for mode `permuting`, equal up to a permutation of it.

    Together they say that right is left with that mode's flat index permuted: at 0 elsewhere the mode's offsets
    are the same ones, and then every other mode must agree by itself.
    """
    return [
        Claim("permuted" if i == permuting else "equal", leaves_of(left.mode(i)), other=leaves_of(right.mode(i)))
        for i in range(left.rank)
    ]


def _one_permutes(left: Layout, right: Layout, mode: int, certify: bool, timeout: float) -> bool:
    if left.rank != right.rank or left.order != right.order or left.swizzle or right.swizzle:
        return False
    sizes = [[inttuple.size(m) for m in inttuple.modes(side.shape)] for side in (left, right)]
    if sizes[0] != sizes[1]:
        return False
    claims = mode_claims(left, right, mode)
    return all(decide(claim, certify=certify, timeout=timeout).status == "proved" for claim in claims)
