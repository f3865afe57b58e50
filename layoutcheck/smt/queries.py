"""A claim as satisfiability queries on its raw, uncoalesced leaves: all unsatisfiable iff the claim holds.

Encodings (SEMANTICS.md section 1): difference vectors for injectivity; one level a query for coverage; for
equality one variable a cell of the common refinement of both radix systems. Linear integer arithmetic, and bit
vectors where a swizzle has to be evaluated. Never div or mod on a flat index, never quantifiers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from math import prod
from typing import Literal

import msgspec

from ..claim import (
    Claim,
    Collision,
    Differs,
    Held,
    Leaves,
    Link,
    Missing,
    Outside,
    Shared,
    Sizes,
    Witness,
    at_index,
    count_held,
    offset,
    size,
)
from ..swizzle import Swizzle
from . import bits

Terms = tuple[tuple[int, str], ...]  # (coefficient, variable)
Model = Mapping[str, int]
Reader = Callable[[Model], Witness | None]


class Atom(msgspec.Struct, frozen=True):
    """sum of terms + constant, compared with 0."""

    op: Literal["=", "distinct", "<", ">="]
    terms: Terms
    constant: int = 0


class Query(msgspec.Struct, frozen=True):
    """Variables within bounds (both ends included) that satisfy every clause, a disjunction of atoms.

    `read` turns a model into a witness against the claim; a query without it says nothing when satisfiable.
    """

    name: str
    bounds: tuple[tuple[str, int, int], ...]
    clauses: tuple[tuple[Atom, ...], ...]
    read: Reader | None = None


Plan = list["Query | bits.BitQuery"]


def queries(claim: Claim) -> Plan | None:
    """The queries of a claim; None where there is no encoding that solvers close, or a swizzle does not permute."""
    if any(s is not None and not s.permutes for s in (claim.swizzle, claim.other_swizzle)):
        return None
    if claim.swizzles:
        return _swizzled(claim)
    return _plain(claim)


def _plain(claim: Claim) -> Plan | None:
    leaves, n = claim.leaves, claim.n
    match claim.kind:
        case "injective":
            return [_difference(claim, leaves)]
        case "fibre":
            return _fibre(claim)
        case "bounded":
            return [_bounded(claim)]
        case "onto":
            return _onto(leaves, n)
        case "bijective":
            return [_sizes(size(leaves), n), _bounded(claim), _difference(claim, leaves)]
        case "disjoint":
            return [_disjoint(claim, 0)]
        case "chain":
            return _chain(leaves)
        case "equal":
            return _equal(claim)
        case "permuted":
            return _permuted(claim)
        case _:
            return None


def _swizzled(claim: Claim) -> Plan | None:
    """Lemma: a swizzle is its own inverse. Then it can be taken off, or else it is evaluated on bits."""
    start = claim.swizzle.offset if claim.swizzle else 0
    plain = Claim(claim.kind, claim.leaves, claim.n, claim.fibre, claim.other)
    lemma: Plan = [bits.involution(claim.swizzle)] if claim.swizzle and claim.swizzle.bits else []
    if claim.kind == "chain":
        return _plain(plain)
    if claim.kind == "injective":
        return [*lemma, _difference(claim, claim.leaves)]
    if claim.kind == "fibre":
        return _unread(lemma, _plain(plain))
    if claim.kind in ("equal", "permuted") and claim.swizzle == claim.other_swizzle:
        return _unread(lemma, _plain(plain))
    if claim.kind == "disjoint" and _xor(claim.swizzle) == _xor(claim.other_swizzle):
        return [*lemma, _disjoint(claim, start - (claim.other_swizzle.offset if claim.other_swizzle else 0))]
    if claim.kind in ("onto", "bijective") and claim.swizzle and start == 0:
        return _unread(lemma, _plain(plain)) if claim.n % (1 << claim.swizzle.width) == 0 else None
    if claim.kind == "bounded":
        evaluated = bits.bounded(claim)
        return [evaluated] if evaluated else _bounded_blocks(claim, lemma)
    if claim.kind == "equal":
        different = bits.differ(claim)
        return [_sizes(size(claim.leaves), size(claim.other)), different] if different else None
    return None


def _xor(swizzle: Swizzle | None) -> tuple[int, int, int]:
    return (swizzle.bits, swizzle.base, swizzle.shift) if swizzle and swizzle.bits else (0, 0, 0)


def _bounded_blocks(claim: Claim, lemma: Plan) -> Plan | None:
    """An aligned block of 2^width offsets maps to itself, so a limit at a block's end stays one."""
    assert claim.swizzle is not None
    if claim.n % (1 << claim.swizzle.width):
        return None
    limit = claim.n - claim.swizzle.offset
    return _unread(lemma, [_bounded(Claim("bounded", claim.leaves, limit))])


def _unread(lemma: Plan, plan: Plan | None) -> Plan | None:
    """Queries on the layout without its swizzle: their models carry no witness against the claim with it."""
    if plan is None:
        return None
    return lemma + [_unread_one(q) if isinstance(q, Query) else q for q in plan]


def _values(prefix: str, leaves: Leaves, model: Model) -> tuple[int, ...]:
    return tuple(model[f"{prefix}{i}"] for i in range(len(leaves)))


def _digits(prefix: str, leaves: Leaves) -> tuple[tuple[str, int, int], ...]:
    return tuple((f"{prefix}{i}", 0, s - 1) for i, (s, _) in enumerate(leaves))


def _offset(prefix: str, leaves: Leaves, sign: int = 1) -> Terms:
    return tuple((sign * d, f"{prefix}{i}") for i, (_, d) in enumerate(leaves))


def _sizes(left: int, right: int) -> Query:
    return Query("sizes differ", (), ((Atom("distinct", (), left - right),),), lambda _: Sizes(left, right))


def _difference(claim: Claim, leaves: Leaves) -> Query:
    """A nonzero d with |d_i| < extent_i and sum d_i * stride_i = 0."""
    bounds = tuple((f"d{i}", 1 - s, s - 1) for i, (s, _) in enumerate(leaves))
    nonzero = tuple(Atom("distinct", ((1, f"d{i}"),)) for i in range(len(leaves)))

    def read(model: Model) -> Witness | None:
        d = _values("d", leaves, model)
        a, b = tuple(max(x, 0) for x in d), tuple(max(-x, 0) for x in d)
        return Collision(a, b, offset(leaves, a, claim.swizzle))

    return Query("two coordinates with one offset", bounds, ((Atom("=", _offset("d", leaves)),), nonzero), read)


def _fibre(claim: Claim) -> Plan:
    """Offset 0 is held once for each choice of the stride-0 digits; the other leaves must be injective."""
    free = prod(s for s, d in claim.leaves if d == 0)
    rest = tuple(leaf if leaf[1] else (1, 0) for leaf in claim.leaves)
    difference = _difference(claim, rest)

    def read(model: Model) -> Witness | None:
        d = _values("d", rest, model)
        a, b = tuple(max(x, 0) for x in d), tuple(max(-x, 0) for x in d)
        value = offset(rest, a)
        count = count_held(claim.leaves, value)
        return None if count is None else Held(value, count, claim.fibre, (a, b))

    zero = Query(
        "offset 0 is held otherwise",
        (),
        ((Atom("distinct", (), free - claim.fibre),),),
        lambda _: Held(0, free, claim.fibre, ((0,) * len(rest),)),
    )
    return [zero, Query(difference.name, difference.bounds, difference.clauses, read)]


def _bounded(claim: Claim) -> Query:
    leaves, n = claim.leaves, claim.n

    def read(model: Model) -> Witness:
        at = _values("c", leaves, model)
        return Outside(at, offset(leaves, at), n)

    return Query(
        "an offset at or above the limit", _digits("c", leaves), ((Atom(">=", _offset("c", leaves), -n),),), read
    )


def _disjoint(claim: Claim, start: int) -> Query:
    left, right = claim.leaves, claim.other

    def read(model: Model) -> Witness:
        a, b = _values("x", left, model), _values("y", right, model)
        return Shared(a, b, offset(left, a, claim.swizzle))

    terms = _offset("x", left) + _offset("y", right, -1)
    return Query("an offset of both", _digits("x", left) + _digits("y", right), ((Atom("=", terms, start),),), read)


def _onto(leaves: Leaves, n: int) -> Plan:
    """Level by level, smallest stride first: what a largest possible digit leaves is in reach of the rest."""
    plan: Plan = []
    reach = 0
    for extent, stride in sorted((x for x in leaves if x[0] > 1 and x[1] > 0), key=lambda leaf: leaf[1]):
        if reach + 1 >= n:
            break
        plan.append(_level(extent, stride, reach))
        reach += (extent - 1) * stride
    end = Query("nothing reaches n - 1", (), ((Atom("<", (), reach + 1 - n),),), lambda _: Missing(reach + 1))
    return [*plan, end]


def _level(extent: int, stride: int, reach: int) -> Query:
    top = reach + (extent - 1) * stride
    left: Terms = ((1, "rest"), (-stride, "digit"))
    largest = (Atom("<", left, -stride), Atom("=", ((1, "digit"),), 1 - extent))
    return Query(
        f"a gap below stride {stride}",
        (("rest", 0, top), ("digit", 0, extent - 1)),
        ((Atom(">=", left),), largest, (Atom(">=", left, -reach - 1),)),
        lambda _: Missing(reach + 1),
    )


def _chain(leaves: Leaves) -> Plan:
    order = sorted((leaf for leaf in leaves if leaf[0] > 1 and leaf[1] > 0), key=lambda leaf: leaf[1])
    return [_link(leaf, after) for leaf, after in pairwise(order)]


def _link(leaf: tuple[int, int], after: tuple[int, int]) -> Query:
    end = leaf[0] * leaf[1]
    divided = Atom("=", ((-end, "quotient"), (-1, "remainder")), after[1])
    bounds = (("quotient", 0, after[1]), ("remainder", 1, end - 1))
    return Query(f"stride {after[1]} is no multiple of {end}", bounds, ((divided,),), lambda _: Link(leaf, after))


def _permuted(claim: Claim) -> Plan | None:
    """The same leaves in another order; or two injective layouts that both fill [0, size)."""
    left, right = claim.leaves, claim.other
    mine, theirs = (sorted(leaf for leaf in leaves if leaf[0] > 1) for leaves in (left, right))
    if mine == theirs:
        same = tuple(mine)
        terms = _offset("c", same) + _offset("c", tuple(theirs), -1)
        return [Query("an offset that moves", _digits("c", same), ((Atom("distinct", terms),),))]
    count = size(left)
    if count != size(right) or any(1 + sum((s - 1) * d for s, d in leaves) != count for leaves in (left, right)):
        return None
    plan: Plan = []
    for leaves in (left, right):
        one = Claim("bounded", leaves, count)
        plan += [_unread_one(_bounded(one)), _unread_one(_difference(one, leaves))]
    return plan


def _unread_one(query: Query) -> Query:
    return Query(query.name, query.bounds, query.clauses)


def _equal(claim: Claim) -> Plan:
    """Cut both radix systems where both have a cut; below a common cut equal flat indices have equal parts."""
    left, right = claim.leaves, claim.other
    if size(left) != size(right):
        return [_sizes(size(left), size(right))]
    plan: Plan = []
    base = 1
    for a, b in zip(_windows(left, right), _windows(right, left), strict=True):
        plan.append(_window(claim, a, b, base))
        base *= size(a)
    return plan


def _windows(leaves: Leaves, other: Leaves) -> list[Leaves]:
    """`leaves`, those of extent 1 dropped, cut at every running product that both sides have."""
    others = set(_cuts(other))
    windows: list[list[tuple[int, int]]] = [[]]
    running = 1
    for leaf in leaves:
        if leaf[0] == 1:
            continue
        running *= leaf[0]
        windows[-1].append(leaf)
        if running in others:
            windows.append([])
    return [tuple(w) for w in windows if w]


def _cuts(leaves: Leaves) -> list[int]:
    cuts = [1]
    for extent, _ in leaves:
        cuts.append(cuts[-1] * extent)
    return cuts


def _window(claim: Claim, left: Leaves, right: Leaves, base: int) -> Query:
    cuts = sorted({*_cuts(left), *_cuts(right)})
    if all(high % low == 0 for low, high in pairwise(cuts)):
        return _shared_digits(claim, left, right, base, cuts)
    weights = [_cuts(leaves)[:-1] for leaves in (left, right)]
    index = tuple((w, f"x{i}") for i, w in enumerate(weights[0]))
    other = tuple((-w, f"y{i}") for i, w in enumerate(weights[1]))
    values = _offset("x", left) + _offset("y", right, -1)
    clauses = ((Atom("=", index + other),), (Atom("distinct", values),))

    def read(model: Model) -> Witness:
        return _differs(claim, base * sum(w * model[x] for w, x in index))

    return Query("offsets of one index differ", _digits("x", left) + _digits("y", right), clauses, read)


def _shared_digits(claim: Claim, left: Leaves, right: Leaves, base: int, cuts: list[int]) -> Query:
    """Cuts that divide each other: both sides are linear in one digit for each cell of the common refinement."""
    cells = [(low, high // low) for low, high in pairwise(cuts)]

    def terms(leaves: Leaves, sign: int) -> Terms:
        spans = zip(leaves, pairwise(_cuts(leaves)), strict=True)
        return tuple(
            (sign * stride * (weight // start), f"z{k}")
            for (_, stride), (start, end) in spans
            for k, (weight, _) in enumerate(cells)
            if start <= weight < end
        )

    def read(model: Model) -> Witness:
        return _differs(claim, base * sum(w * model[f"z{k}"] for k, (w, _) in enumerate(cells)))

    bounds = tuple((f"z{k}", 0, s - 1) for k, (_, s) in enumerate(cells))
    different = Atom("distinct", terms(left, 1) + terms(right, -1))
    return Query("offsets of one index differ", bounds, ((different,),), read)


def _differs(claim: Claim, index: int) -> Differs:
    return Differs((index,), at_index(claim.leaves, index), at_index(claim.other, index))
