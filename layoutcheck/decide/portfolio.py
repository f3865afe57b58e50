"""The only caller of the engines: decide, certify, replay, remember."""

from __future__ import annotations

from time import perf_counter

from ..claim import Answer, Claim, replays, size
from ..verdict import Verdict
from . import points, theorems

TIMEOUT = 10.0  # seconds for one claim
_CHEAP = 1 << 16  # points below which every point is a certificate worth its time

_memo: dict[tuple[Claim, bool], Verdict] = {}


def decide(claim: Claim, *, certify: bool = True, timeout: float = TIMEOUT) -> Verdict:
    """The verdict on `claim`: theorem first, then every point, then z3; a second, independent opinion
    when `certify`; every refutation replayed. What is decided once is remembered.
    """
    known = _memo.get((claim, certify))
    if known is None:
        start = perf_counter()
        known = _decide(claim, certify, timeout)
        known = _timed(known, perf_counter() - start)
        if known.status != "unknown":
            _memo[claim, certify] = known
    return known


def forget() -> None:
    """Drop everything remembered."""
    _memo.clear()


def _timed(verdict: Verdict, seconds: float) -> Verdict:
    return Verdict(verdict.status, verdict.claim, verdict.by, verdict.certified, verdict.witness, seconds, verdict.note)


def _decide(claim: Claim, certify: bool, timeout: float) -> Verdict:
    answer = theorems.decide(claim)
    engine = "theorem"
    if answer is None:
        answer, engine = points.decide(claim), "points"
    if answer is None and claim.kind == "injective":
        from ..smt.certify import find_collision

        answer, engine = find_collision(claim.leaves, timeout), "z3"
    if answer is None:
        return Verdict("unknown", claim, note=f"no engine decided within {timeout:g} s")
    if not answer.holds:
        return _refuted(claim, answer)
    return _proved(claim, answer, engine, timeout) if certify else Verdict("proved", claim, answer.by)


def _refuted(claim: Claim, answer: Answer) -> Verdict:
    if replays(claim, answer.witness):
        return Verdict("refuted", claim, answer.by, "witness replayed", answer.witness)
    return Verdict("disagree", claim, answer.by, None, answer.witness, note="the witness does not replay")


def _proved(claim: Claim, answer: Answer, engine: str, timeout: float) -> Verdict:
    opinion = None if engine == "z3" else _second_opinion(claim, timeout)
    if opinion is None and engine != "points" and max(claim.size, size(claim.other)) < _CHEAP:
        opinion = points.decide(claim)
    if opinion is None:
        return Verdict("proved", claim, answer.by, note="not certified: the second engine did not answer")
    if opinion.holds:
        return Verdict("proved", claim, answer.by, opinion.by)
    note = f"{answer.by!r} says proved, {opinion.by} says refuted"
    return Verdict("disagree", claim, answer.by, opinion.by, opinion.witness, note=note)


def _second_opinion(claim: Claim, timeout: float) -> Answer | None:
    from ..smt.certify import certify

    return certify(claim, timeout)
