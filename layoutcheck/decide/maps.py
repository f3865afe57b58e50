"""The only caller of the engines for index maps: decide, certify, replay.

Every point where they are at most 2^20, else z3. A proof by every point is certified by z3 or, of few points, by
plain evaluation; one by z3 by a second encoding that shares no code with the first.
"""

from __future__ import annotations

from functools import lru_cache
from time import perf_counter
from typing import NamedTuple

from ..errors import NotationError
from ..indexmap import (
    IndexMap,
    Kind,
    MapAnswer,
    MapClaim,
    MapWitness,
    NoPoint,
    Point,
    TooFew,
    image,
    inside,
    points,
    replays,
)
from ..verdict import Verdict
from . import columns

_FEW = 1 << 10  # points evaluated in less time than z3 takes to be asked
_CHEAP = 1 << 16  # points below which plain evaluation is a certificate worth its time
_GLANCE = 0.25  # seconds z3 gets first where plain evaluation is cheap
_BY = "every point, in columns"
_PLAIN = "plain evaluation at every point"
_COUNTED = "bounded and injective, with as many points as elements"


class Decision(NamedTuple):
    """The verdicts, and how many images differ where every point was looked at."""

    verdicts: dict[Kind, Verdict]
    distinct: int | None = None


def decide(index_map: IndexMap, kinds: tuple[Kind, ...], *, certify: bool, timeout: float) -> Decision:
    """A verdict on each of `kinds`, "defined" first: where that is not proved, it is the only one.

    `timeout` (seconds) covers all of them, certificates included.
    """
    deadline = perf_counter() + timeout
    survey = columns.survey(index_map, deadline)
    verdicts: dict[Kind, Verdict] = {}
    ordered: list[Kind] = ["defined", *(kind for kind in kinds if kind != "defined")]
    for kind in ordered:
        claim = MapClaim(kind, index_map)
        answer = _surveyed(kind, survey) if survey else _solved(claim, verdicts, deadline)
        verdicts[kind] = _verdict(claim, answer, verdicts, certify, deadline)
        if kind == "defined" and verdicts[kind].status != "proved":
            break
    return Decision(verdicts, survey.distinct if survey else None)


def _surveyed(kind: Kind, survey: columns.Survey) -> MapAnswer:
    witness: MapWitness | None = {
        "defined": survey.undefined, "bounded": survey.beyond, "injective": survey.same, "onto": survey.missing
    }[kind]  # fmt: skip
    return MapAnswer(witness is None, _BY, witness)


def _solved(claim: MapClaim, verdicts: dict[Kind, Verdict], deadline: float) -> MapAnswer | None:
    """Where there are too many points to list: z3; "onto" by counting."""
    its = claim.map
    if claim.kind == "onto":
        if its.size < its.images:
            return MapAnswer(False, "counting", TooFew(its.size, its.images))
        return MapAnswer(True, _COUNTED) if _counted(its, verdicts, "status") else None
    from ..smt import maps

    return maps.decide(claim, deadline - perf_counter())


def _counted(index_map: IndexMap, verdicts: dict[Kind, Verdict], what: str) -> bool:
    """Whether "bounded" and "injective" are proved (`what` "status") or certified, and counts agree: it is onto."""
    known = [verdicts.get(kind) for kind in ("bounded", "injective")]
    proved = all(v is not None and v.status == "proved" and getattr(v, what) for v in known)
    return proved and index_map.size == index_map.images


def _verdict(
    claim: MapClaim, answer: MapAnswer | None, verdicts: dict[Kind, Verdict], certify: bool, deadline: float
) -> Verdict:
    if answer is None:
        return Verdict("unknown", claim, note="no engine decided within the time limit")
    if not answer.holds:
        return _refuted(claim, answer, deadline)
    if not certify:
        return Verdict("proved", claim, answer.by)
    second = _second(claim, answer, verdicts, deadline)
    if second is None:
        return Verdict("proved", claim, answer.by, note="not certified: the second engine did not answer")
    if second.holds:
        return Verdict("proved", claim, answer.by, second.by)
    note = f"{answer.by!r} says proved, {second.by!r} says refuted"
    return Verdict("disagree", claim, answer.by, second.by, second.witness, note=note)


def _refuted(claim: MapClaim, answer: MapAnswer, deadline: float) -> Verdict:
    its, witness = claim.map, answer.witness
    replayed = _unreached(its, witness.image, deadline) if isinstance(witness, NoPoint) else replays(claim, witness)
    if replayed is None:
        note = f"{answer.by} refutes it, but its witness takes too long to replay"
        return Verdict("unknown", claim, answer.by, None, witness, note=note)
    if replayed:
        return Verdict("refuted", claim, answer.by, "witness replayed", witness)
    return Verdict("disagree", claim, answer.by, None, witness, note="the witness does not replay")


def _unreached(its: IndexMap, where: Point, deadline: float) -> bool | None:
    """Whether plain evaluation finds no point with an image inside `onto`; None when time runs out."""
    if not inside(its, where):
        return False
    for number, at in enumerate(points(its)):
        if not number % 1024 and perf_counter() > deadline:
            return None
        if image(its, at) == where:
            return False
    return True


def _second(claim: MapClaim, first: MapAnswer, verdicts: dict[Kind, Verdict], deadline: float) -> MapAnswer | None:
    its = claim.map
    if claim.kind == "onto" and _counted(its, verdicts, "certified"):
        return MapAnswer(True, _COUNTED)
    if its.size <= _FEW:
        return _plain(claim, deadline)
    from ..smt import maps, rawmaps

    left = deadline - perf_counter()
    if its.size > columns.LIMIT:
        return rawmaps.decide(claim, left)
    opinion = maps.decide(claim, min(left, _GLANCE) if its.size <= _CHEAP else left)
    return _plain(claim, deadline) if opinion is None and its.size <= _CHEAP else opinion


def _plain(claim: MapClaim, deadline: float) -> MapAnswer | None:
    """The definition at every point; whether it holds, without a witness. None when time runs out."""
    holding = _holding(claim.map, deadline)
    return None if holding is None else MapAnswer(claim.kind in holding, _PLAIN)


@lru_cache(maxsize=1)
def _holding(its: IndexMap, deadline: float) -> frozenset[Kind] | None:
    """The claims that hold."""
    seen: set[Point] = set()
    for number, at in enumerate(points(its)):
        if not number % 1024 and perf_counter() > deadline:
            return None
        try:
            seen.add(image(its, at))
        except NotationError:
            return frozenset()
    reached = sum(inside(its, where) for where in seen)
    holds: dict[Kind, bool] = {
        "defined": True,
        "bounded": reached == len(seen),
        "injective": len(seen) == its.size,
        "onto": reached == its.images,
    }
    return frozenset(kind for kind, held in holds.items() if held)
