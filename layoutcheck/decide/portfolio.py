"""The only caller of the engines: decide, certify, replay, remember."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import msgspec

from ..claim import Answer, Claim, Held, Missing, Witness, count_held, replays, size
from ..errors import Unsupported
from ..verdict import Verdict
from . import theorems

TIMEOUT = 10.0  # seconds for one claim, its certificate included
_CHEAP = 1 << 16  # points below which every point is a certificate worth its time
_LISTED = 1 << 12  # points whose largest offset is quicker listed than asked for
_GLANCE = 0.03  # seconds z3 gets first where every point is cheap
_REMEMBERED = 1 << 16  # verdicts kept

_memo: dict[tuple[Claim, bool, str | None], Verdict] = {}


def _gf2(claim: Claim, deadline: float) -> Answer | None:
    from . import gf2

    return gf2.decide(claim)


def _search(claim: Claim, deadline: float) -> Answer | None:
    from . import search

    return search.decide(claim, deadline=deadline)


def _points(claim: Claim, deadline: float) -> Answer | None:
    from . import points

    return points.decide(claim, deadline=deadline)


def _z3(claim: Claim, deadline: float) -> Answer | None:
    from ..smt import certify

    return certify.decide(claim, deadline=deadline)


Engine = Callable[[Claim, float], Answer | None]

ENGINES: dict[str, Engine] = {  # in the order in which they are asked
    "theorems": lambda claim, _: theorems.decide(claim),
    "gf2": _gf2,
    "search": _search,
    "z3": _z3,
    "points": _points,
}


def decide(claim: Claim, *, certify: bool = True, timeout: float = TIMEOUT, engine: str | None = None) -> Verdict:
    """The verdict on `claim`: the engines in turn, or the one named; with `certify`, a second opinion from one
    that shares no code with the first; every refutation replayed. `timeout` (seconds) covers both opinions.

    What is decided once is remembered. Raises Unsupported for an engine that does not exist.
    """
    if engine is not None and engine not in ENGINES:
        raise Unsupported(f"no engine {engine!r}: there are {', '.join(ENGINES)}")
    key = (claim, certify, engine)
    known = _memo.get(key)
    if known is None:
        start = perf_counter()
        known = msgspec.structs.replace(_decide(*key, start + timeout), seconds=perf_counter() - start)
        if known.status == "refuted" or (known.status == "proved" and (known.certified or not certify)):
            if len(_memo) >= _REMEMBERED:
                _memo.clear()
            _memo[key] = known
    return known


def forget() -> None:
    """Drop everything remembered."""
    _memo.clear()


def _decide(claim: Claim, certify: bool, engine: str | None, deadline: float) -> Verdict:
    for swizzle in (claim.swizzle, claim.other_swizzle):
        if swizzle is not None and not swizzle.permutes:
            note = f"{swizzle}...: abs(shift) < bits, so it is no permutation"
            return Verdict("unsupported", claim, note=note)
    for name in (engine,) if engine else _ordered(claim):
        answer = ENGINES[name](claim, deadline)
        if answer is not None and not answer.holds:
            return _refuted(claim, answer)
        if answer is not None:
            return _proved(claim, answer, name, deadline) if certify else Verdict("proved", claim, answer.by)
    if perf_counter() >= deadline:
        return Verdict("unknown", claim, note="no engine decided within the time limit")
    return Verdict("unknown", claim, note=f"{engine or 'no engine'} {'does not answer' if engine else 'answers'} this")


def _ordered(claim: Claim) -> tuple[str, ...]:
    """Few points are quicker than a solver; it comes last where there are many."""
    few = max(claim.size, size(claim.other), claim.n) <= _CHEAP
    return ("theorems", "gf2", "search", "points", "z3") if few else tuple(ENGINES)


def _refuted(claim: Claim, answer: Answer) -> Verdict:
    if replays(claim, answer.witness):
        return Verdict("refuted", claim, answer.by, "witness replayed", answer.witness)
    if _too_long_to_count(claim, answer.witness):
        note = f"{answer.by} refutes it, but its witness takes too long to replay"
        return Verdict("unknown", claim, answer.by, None, answer.witness, note=note)
    return Verdict("disagree", claim, answer.by, None, answer.witness, note="the witness does not replay")


def _too_long_to_count(claim: Claim, witness: Witness | None) -> bool:
    if not isinstance(witness, Held | Missing):
        return False
    sides = ((claim.leaves, claim.swizzle), (claim.other, claim.other_swizzle))
    return any(count_held(leaves, witness.value, swizzle) is None for leaves, swizzle in sides)


def _proved(claim: Claim, answer: Answer, engine: str, deadline: float) -> Verdict:
    opinion = _second_opinion(claim, engine, deadline)
    if opinion is None:
        return Verdict("proved", claim, answer.by, note="not certified: the second engine did not answer")
    if opinion.holds:
        return Verdict("proved", claim, answer.by, opinion.by)
    note = f"{answer.by!r} says proved, {opinion.by!r} says refuted"
    return Verdict("disagree", claim, answer.by, opinion.by, opinion.witness, note=note)


def _second_opinion(claim: Claim, first: str, deadline: float) -> Answer | None:
    """z3, or every point where they are few; a proof by z3 or by every point may rest on the theorems.

    Irregular strides take z3 long where every point takes milliseconds: it then gets a glance before, no more.
    """
    number = max(claim.size, size(claim.other))
    few = first != "points" and number < _CHEAP
    if few and claim.kind == "bounded" and number <= _LISTED:
        return _points(claim, deadline)  # a maximum: listed in less time than z3 takes to be asked
    opinion = None
    if first != "z3":
        from ..smt.certify import certify

        left = deadline - perf_counter()
        opinion = certify(claim, min(left, _GLANCE) if few else left)
    if opinion is None and few:
        opinion = _points(claim, deadline)
    if opinion is None and first in ("z3", "points"):
        opinion = theorems.decide(claim)
    return opinion
