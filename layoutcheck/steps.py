"""`--explain`: an operation's law and precondition, and the numbers it goes through."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from . import algebra
from .algebra.compose import Broken, cuts, starts
from .algebra.parts import ends, merged
from .errors import Refused
from .laws import LAWS
from .layout import Layout


def steps(name: str, args: Sequence[Any], value: Layout | Refused, domain: str = "in") -> Iterator[str]:
    """The lines of one explanation."""
    law = LAWS[name]
    yield f"law: {law.statement}"
    yield f"precondition ({'exact' if law.exact else 'sufficient'}): {law.precondition}"
    if name == "compose":
        yield from _compose(args[0], args[1], domain)
    elif name == "reshape":
        yield from _cuts(args[0])
    elif name in ("complement", "left-inverse", "right-inverse"):
        yield from _sorted(args[0])
    elif name.endswith("divide") and isinstance(args[1], Layout):
        yield from _divide(args[0], args[1])
    yield f"refused: {value.name}: {value}" if isinstance(value, Refused) else f"result: {value}"
    yield f"source: {law.source}"


def _compose(a: Layout, b: Layout, domain: str) -> Iterator[str]:
    yield f"domain: {'B must stay inside A' if domain == 'in' else 'the outermost leaf of A runs on'}"
    if domain == "extended":
        a = algebra.extend(a, b.cosize)
    yield f"B reaches {b.cosize - 1}, A has {a.size} points"
    yield from _cuts(a)
    inner = merged(a.digits)
    found, broken = cuts(inner, b.digits)
    if isinstance(broken, Broken):
        yield f"rule broken: {broken.text}"
    for leaf, pieces in zip(b.digits, found, strict=False):
        for piece in pieces:
            begin, stride = starts(inner)[piece.digit], inner[piece.digit][1] if inner else 0
            yield (
                f"leaf {leaf[0]}:{leaf[1]} of B: {piece.extent} steps of {piece.weight} in the digit that begins at "
                f"{begin} and has stride {stride}: {piece.extent}:{piece.weight // begin * stride}"
            )


def _cuts(a: Layout) -> Iterator[str]:
    inner = merged(a.digits)
    leaves = ", ".join(f"{s}:{d}" for s, d in inner) or "none"
    yield f"A coalesced, fastest first: {leaves}; cuts at {starts(inner)[1:] or 'none'}"


def _sorted(a: Layout) -> Iterator[str]:
    leaves = ends(a.digits)
    yield "moving leaves by stride: " + (", ".join(f"{s}:{d}" for s, d in leaves) or "none")
    for (s, d), (_, after) in pairwise(leaves):
        link = "a multiple" if after % (s * d) == 0 else "no multiple"
        yield f"leaf {s}:{d} ends at {s * d}; the next stride {after} is {link} of it"


def _divide(a: Layout, tiler: Layout) -> Iterator[str]:
    yield from _sorted(tiler)
    try:
        rest = algebra.complement(algebra.filter_(tiler), a.size)
    except Refused:
        return
    yield f"rest, the complement of the tiler in {a.size}: {rest}"
    yield from _compose(a, algebra.concat(tiler, rest), "in")
