"""What has to hold for a result to obey its law, and who says so: obligations decided by engines of their own.

The algebra computes; nothing here calls it but to name the parts of an equation. An obligation is a claim for the
portfolio (theorems, certified by z3), or a composition R = A o B (z3 on the digits of A, or every point).
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any, Literal

import msgspec

from . import algebra
from .claim import Claim, at_index, index_of
from .decide import portfolio
from .decide.points import LIMIT
from .decide.points import values as points
from .errors import Refused
from .layout import Layout
from .questions import witness_data
from .verdict import Status


class Composes(msgspec.Struct, frozen=True):
    """R(c) = A(B(c)) for every flat index of B, which stays in A's domain."""

    a: Layout
    b: Layout
    r: Layout


Obligation = Claim | Composes


class Opinion(msgspec.Struct, frozen=True):
    """Whether all obligations hold; `by` says who found out, `witness` where one does not."""

    status: Status
    by: str = ""
    witness: dict[str, Any] | None = None


def obligations(
    name: str, args: Sequence[Any], r: Layout, domain: Literal["in", "extended"] = "in"
) -> list[Obligation]:
    """What law `name` asks of the result r for these arguments (its own layouts, as the algebra takes them)."""
    a = args[0]
    match name:
        case "coalesce" | "flatten":
            return [_equal(a, r)]
        case "coalesce-modes":
            return [_equal(a.mode(i), r.mode(i)) for i in range(a.rank)]
        case "filter":
            repeats = tuple(leaf for leaf in a.digits if leaf[1] == 0)
            return [Claim("permuted", a.digits, other=r.digits + repeats)]
        case "permute":
            return [_equal(a.mode(k), r.mode(i)) for i, k in enumerate(args[1])]
        case "project":
            kept = [a.mode(i) for i, dropped in enumerate(args[1]) if not dropped]
            return [_equal(mode, r.mode(i)) for i, mode in enumerate(kept)]
        case "concat":
            return [_equal(mode, r.mode(i)) for i, mode in enumerate(args)]
        case "identity":
            return [_equal(_line(r.size, r), r)]
        case "compose":
            return [Composes(algebra.extend(a, args[1].cosize) if domain == "extended" else a, args[1], r)]
        case "compose-modes" if isinstance(args[1], Layout):
            return [Composes(a, args[1], r)]
        case "compose-modes":
            done = [Composes(a.mode(i), tiler, r.mode(i)) for i, tiler in enumerate(args[1])]
            return [*done, *(_equal(a.mode(i), r.mode(i)) for i in range(len(done), a.rank))]
        case "reshape":
            return [_equal(a, r)]
        case "complement":
            return [Claim("bijective", a.digits + r.digits, _end(a, args))]
        case "right-inverse":
            return [Composes(a, r, _line(r.size, r))]
        case "left-inverse":
            return [Composes(r, a, _line(a.size, r))]
        case "upcast":
            return [_units(a, r, args[1])]
        case "downcast":
            return [_units(r, a, args[1])]
    return _divide(name, a, args[1], r) if name.endswith("divide") else _product(name, a, args[1], r)


def _equal(left: Layout, right: Layout) -> Claim:
    return Claim("equal", left.digits, other=right.digits)


def _line(size: int, like: Layout) -> Layout:
    return Layout(size, 1, like.order)


def _end(a: Layout, args: Sequence[Any]) -> int:
    last = max((s * d for s, d in a.digits if s > 1), default=1)
    return args[1] if len(args) > 1 and args[1] is not None else last


def _units(fine: Layout, coarse: Layout, n: int) -> Claim:
    """The offsets of `fine` are n times those of `coarse`, plus each of [0, n)."""
    return Claim("permuted", fine.digits, other=((n, 1), *((s, d * n) for s, d in coarse.digits)))


def _divide(name: str, a: Layout, tiler: Any, r: Layout) -> list[Obligation]:
    if isinstance(tiler, Layout):
        return _divided(a, tiler, r)
    out: list[Obligation] = []
    parts = algebra.logical_divide(a, tiler)
    for i, t in enumerate(tiler):
        out += _divided(a.mode(i), t, parts.mode(i))
    for place, mode in zip(_places(name, len(tiler), a.rank), _flat_modes(parts, len(tiler)), strict=True):
        out.append(_equal(mode, _at(r, place)))
    return out


def _divided(a: Layout, tiler: Layout, r: Layout) -> list[Obligation]:
    """A o (t, rest), where t (its leaves of stride 0 left out) and rest together hold each index of A once."""
    rest = algebra.complement(algebra.filter_(tiler), a.size)
    moving = tuple(leaf for leaf in tiler.digits if leaf[1] > 0)
    whole = Claim("bijective", moving + rest.digits, a.size)
    return [whole, Composes(a, algebra.concat(tiler, rest), r)]


def _flat_modes(parts: Layout, tiled: int) -> list[Layout]:
    """(t0, rest0), (t1, rest1), ..., further modes -> all of them in one row."""
    pairs = [parts.mode(i).mode(k) for i in range(tiled) for k in (0, 1)]
    return pairs + [parts.mode(i) for i in range(tiled, parts.rank)]


def _places(name: str, tiled: int, rank: int) -> Sequence[tuple[int, ...]]:
    """Where each part of _flat_modes stands in the result."""
    rest = range(tiled, rank)
    match name:
        case "logical-divide":
            return [(i, k) for i in range(tiled) for k in (0, 1)] + [(i,) for i in rest]
        case "zipped-divide":
            return [(k, i) for i in range(tiled) for k in (0, 1)] + [(1, i) for i in rest]
        case "tiled-divide":
            return [p for i in range(tiled) for p in ((0, i), (1 + i,))] + [(1 + i,) for i in rest]
        case _:
            return [p for i in range(tiled) for p in ((i,), (tiled + i,))] + [(tiled + i,) for i in rest]


def _at(r: Layout, place: tuple[int, ...]) -> Layout:
    for i in place:
        r = r.mode(i)
    return r


def _product(name: str, a: Layout, tiler: Layout, r: Layout) -> list[Obligation]:
    """A as it stands; the copies are rest o B, where A and rest together hold each offset once."""
    ends = [s * d for s, d in a.digits if s > 1]
    room = -(-a.size * tiler.cosize // max(ends)) * max(ends)
    rest = algebra.complement(a, room)
    first, copies = _factors(name, a, r)
    return [
        Claim("bijective", a.digits + rest.digits, room),
        _equal(a, first),
        Composes(rest, tiler, copies),
    ]


def _factors(name: str, a: Layout, r: Layout) -> tuple[Layout, Layout]:
    if name in ("blocked-product", "raked-product"):
        mine, theirs = (0, 1) if name == "blocked-product" else (1, 0)
        modes = [r.mode(i) for i in range(r.rank)]
        return algebra.concat(*(m.mode(mine) for m in modes)), algebra.concat(*(m.mode(theirs) for m in modes))
    rest = [r.mode(i) for i in range(1, r.rank)]
    return r.mode(0), rest[0] if len(rest) == 1 else algebra.concat(*rest)


def certify(duties: Sequence[Obligation], timeout: float = portfolio.TIMEOUT, certified: bool = True) -> Opinion:
    """All obligations, each decided and (for claims) confirmed by a second engine within `timeout` seconds."""
    deadline = perf_counter() + timeout
    by: dict[str, None] = {}
    worst = Opinion("proved")
    for duty in duties:
        left = max(deadline - perf_counter(), 0.001)
        found = composes(duty, left) if isinstance(duty, Composes) else _claim(duty, left, certified)
        if found.status in ("refuted", "disagree"):
            return found
        worst = found if found.status != "proved" else worst
        by[found.by] = None
    return Opinion(worst.status, "; ".join(by))


def _claim(claim: Claim, timeout: float, certified: bool) -> Opinion:
    verdict = portfolio.decide(claim, certify=certified, timeout=timeout)
    witness = None if verdict.witness is None else witness_data(verdict.witness)
    return Opinion(verdict.status, verdict.certified or verdict.by, witness)


def composes(duty: Composes, timeout: float) -> Opinion:
    """z3 on the digits of A; where that proves nothing, every point."""
    from .smt.composition import proves

    a, b, r = duty.a, duty.b, duty.r
    if b.size != r.size:
        return Opinion("refuted", "sizes", {"sizes": [r.size, b.size]})
    if b.cosize > a.size:
        return _leaves_domain(a, b, r)
    if proves(a.digits, b.digits, r.digits, timeout):
        return Opinion("proved", "z3 on R(c) = A(B(c))")
    if b.size <= LIMIT:
        return _every_point(a, b, r)
    return _suspects(a, b, r)


def _every_point(a: Layout, b: Layout, r: Layout) -> Opinion:
    for index, (left, at) in enumerate(zip(points(r.digits), points(b.digits), strict=True)):
        right = at_index(a.digits, at)
        if left != right:
            return Opinion("refuted", "every point", {"index": index, "left": left, "right": right})
    return Opinion("proved", "every point")


def _leaves_domain(a: Layout, b: Layout, r: Layout) -> Opinion:
    """B reaches an index that A does not have; a value that differs before is the better witness."""
    if b.size <= LIMIT:
        for index, (left, at) in enumerate(zip(points(r.digits), points(b.digits), strict=True)):
            if at < a.size and left != at_index(a.digits, at):
                return Opinion(
                    "refuted", "every point", {"index": index, "left": left, "right": at_index(a.digits, at)}
                )
    last = index_of(b.digits, [s - 1 for s, _ in b.digits])
    return Opinion("refuted", "domain", {"index": last, "reaches": at_index(b.digits, last), "points": a.size})


def _suspects(a: Layout, b: Layout, r: Layout) -> Opinion:
    """Too many points: the index where the claim parts from our own answer, or where that is refused."""
    try:
        own = algebra.compose(a, b)
        witness = portfolio.decide(_equal(r, own), certify=False).witness
        at = getattr(witness, "at", (0,))[0]
    except Refused as refused:
        at = refused.numbers.get("index", 0)
    left, right = at_index(r.digits, at), at_index(a.digits, at_index(b.digits, at))
    if left != right:
        return Opinion("refuted", "evaluation", {"index": at, "left": left, "right": right})
    return Opinion("unknown")


def same(claimed: Layout, value: Layout) -> Claim:
    """The claim that a claimed result is the same function of the flat index as ours."""
    return _equal(claimed, value)
