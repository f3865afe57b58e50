"""A family's verdicts: each question of each operand for all parameters under `requires`, with the precondition.

proved: `requires` implies the precondition, which the theorem derived and z3 confirmed on the expressions as written;
or every instance under `requires` was decided. refuted: an instance under `requires` where it fails, the smallest
among those looked at, with a thread and a value. Everything else is unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from time import perf_counter
from typing import Any, NamedTuple

import msgspec

from ..errors import Disagreement, LayoutcheckError, LayoutError, NotationError, Unsupported
from ..verdict import Status
from . import clock, conditions, models, requires, search
from .conditions import joined
from .derive import Derived, by_steps, derive, proof
from .instances import Env, before
from .operand import Family, Operand, Question, Ways, free_names
from .operand import family as parsed
from .outside import cut_at, shown
from .questions import check, questions
from .requires import Requires
from .verdict import EMPTY, Compared, FamilyVerdict

_CUT = 400  # instances at which C++'s layout is looked at
_FIRST = 200  # instances that are looked at before a proof is sought
VACUOUS = "no instance among those looked at meets requires: nothing is claimed"


class Answer(NamedTuple):
    """A verdict, with what it answers and where that holds."""

    verdict: FamilyVerdict
    question: Question
    ways: Ways | None


def analyse(
    operands: Sequence[Operand], condition: str = "", *, parameters: Sequence[str] = (), timeout: float = 10.0
) -> tuple[FamilyVerdict, ...]:
    """Every question about every operand, for all positive integers `parameters` (default: all names in the texts)
    that meet `condition`; the last verdict is that of all together. `timeout` in seconds is for one question.

    Raises NotationError for texts that are none; what is not analysed is a verdict `unsupported`.
    """
    names = tuple(parameters) or free_names(operands, condition)
    families, unread = read(operands, names)
    needed = requires.read(condition, names, [e for of in families for e in of.texts])
    done = answers([question for of in families for question in questions(of)], needed, timeout)
    return concluded(unread, done, needed, timeout)


def read(operands: Sequence[Operand], names: tuple[str, ...]) -> tuple[list[Family], list[FamilyVerdict]]:
    """The operands that can be analysed, and verdicts on the others. Raises NotationError."""
    families, unread = [], []
    for operand in operands:
        try:
            families.append(parsed(operand, names))
        except (LayoutError, Unsupported) as error:
            unread.append(_unread(operand, error))
    return families, unread


def answers(asked: Sequence[Question], needed: Requires, timeout: float) -> list[Answer]:
    """Each question answered; operands that differ by name alone once."""
    known: dict[tuple[object, ...], Answer] = {}
    out = []
    for question in asked:
        operands = (msgspec.structs.replace(of.operand, name="") for of in question.families)
        key = (*operands, question.name, question.about)
        if key not in known:
            known[key] = _answer(question, needed, timeout)
        verdict = msgspec.structs.replace(known[key].verdict, operand=question.operand)
        out.append(Answer(verdict, question, known[key].ways))
    return out


def concluded(
    unread: Sequence[FamilyVerdict], done: Sequence[Answer], needed: Requires, timeout: float
) -> tuple[FamilyVerdict, ...]:
    """The verdicts, the last one on all of them together."""
    found = (*unread, *(answer.verdict for answer in done))
    if unread:
        return (*found, FamilyVerdict("", "all", _worst(found), "each question"))
    return (*found, together(done, needed, timeout))


def together(done: Sequence[Answer], needed: Requires, timeout: float) -> FamilyVerdict:
    """All questions as one: the precondition under which each holds, and `requires` against it."""
    try:
        with clock.until(perf_counter() + timeout):
            return _together(done, needed, timeout)
    except clock.OutOfTime:
        return FamilyVerdict("", "all", _worst([a.verdict for a in done]), "each question", note=clock.LATE)


def _together(done: Sequence[Answer], needed: Requires, timeout: float) -> FamilyVerdict:
    start = perf_counter()
    verdicts = [a.verdict for a in done]
    parts = {a.ways.precondition for a in done if a.ways is not None}
    known = all(a.ways is not None for a in done)
    precondition = reduce(joined, parts, conditions.ALWAYS) if known else None
    sure = {a.ways.precondition for a in done if a.ways is not None and a.verdict.necessary}
    backward = precondition is not None and reduce(joined, sure, conditions.ALWAYS) == precondition
    base = FamilyVerdict(
        "", "all", _worst(verdicts), "each question", "each question",
        precondition=None if precondition is None else conditions.text(precondition),
        sufficient="each question", necessary="each question" if backward else None,
    )  # fmt: skip
    refuted = [v for v in verdicts if v.verdict == "refuted" and v.witness]
    if refuted:
        first = min(refuted, key=_sum)
        base = msgspec.structs.replace(base, witness=first.witness, truncation=first.truncation,
                                       requires="too-weak" if needed.expression else None)  # fmt: skip
    vacuous = next((v.note for v in verdicts if v.note in (EMPTY, VACUOUS)), None)
    if vacuous:
        base = msgspec.structs.replace(base, note=vacuous)
    elif precondition is not None and needed.expression is not None:
        outside = before(requires.meeting(precondition, needed), start + timeout)
        right = (e for e in outside if all(check(a.question, e) is None for a in done))
        steps = None
        if base.verdict == "proved" and backward:
            steps = requires.implying(needed, precondition, start + timeout)
        beyond = next(right, None) if steps is None else None
        compared: Compared | None = "exact" if steps is not None else "too-strong" if beyond else None
        base = msgspec.structs.replace(
            base, beyond=beyond, requires=base.requires or compared, steps=tuple(steps or ())
        )
    return msgspec.structs.replace(base, seconds=perf_counter() - start)


def _sum(verdict: FamilyVerdict) -> tuple[int, ...]:
    """Smallest first, as instances are looked at."""
    at = tuple(verdict.witness["parameters"].values()) if verdict.witness else ()
    return sum(at), *at


def _worst(verdicts: Sequence[FamilyVerdict]) -> Status:
    order: tuple[Status, ...] = ("disagree", "refuted", "unsupported", "unknown", "proved")
    return min((v.verdict for v in verdicts), key=order.index, default="proved")


def _unread(operand: Operand, error: LayoutcheckError) -> FamilyVerdict:
    if isinstance(error, LayoutError):
        return FamilyVerdict(operand.name, "congruent", "refuted", "the trees of shape and stride", note=str(error))
    return FamilyVerdict(operand.name, "congruent", "unsupported", note=str(error))


def decide(question: Question, condition: str = "", *, timeout: float = 10.0) -> FamilyVerdict:
    """One question."""
    (of, *_) = question.families
    texts = [e for each in question.families for e in each.texts]
    return _answer(question, requires.read(condition, of.names, texts), timeout).verdict


def _answer(question: Question, needed: Requires, timeout: float) -> Answer:
    start = perf_counter()
    derived = None
    try:
        with clock.until(start + timeout):
            derived = derive(question, needed, start + timeout)
            found = _verdict(question, needed, derived, start + timeout)
    except clock.OutOfTime:
        found = FamilyVerdict(question.operand, question.name, "unknown", note=clock.LATE)
    except Disagreement as error:
        found = FamilyVerdict(question.operand, question.name, "disagree", note=str(error))
    except (Unsupported, NotationError) as error:
        found = FamilyVerdict(question.operand, question.name, "unsupported", note=str(error))
    found = msgspec.structs.replace(found, about=question.about, seconds=perf_counter() - start)
    return Answer(found, question, derived.ways if derived else None)


def _verdict(question: Question, needed: Requires, derived: Derived, deadline: float) -> FamilyVerdict:
    ways = derived.ways
    base = FamilyVerdict(
        question.operand, question.name, "unknown",
        precondition=conditions.text(ways.precondition) if ways else None, sufficient=derived.forward,
        necessary=derived.backward, unexplained=derived.unexplained, note=derived.note, steps=derived.steps,
    )  # fmt: skip
    inside = needed.inside() or models.found(needed)
    if not inside:
        return msgspec.structs.replace(base, note=VACUOUS if inside is None else EMPTY)
    wrong = search.smallest(question, inside[:_FIRST], needed.extra, derived, deadline)
    confirmed = None if wrong else proof(question, needed, derived, deadline)
    if ways and confirmed is not None:
        sufficient, implied = confirmed
        steps = (*(() if derived.sufficient else sufficient), *derived.steps, *implied)
        count = len(sufficient) + len(implied)
        certified = f"z3, {count} steps" if count else "nothing is left to show"
        base = msgspec.structs.replace(
            base, verdict="proved", by=ways.by, sufficient=by_steps(sufficient), certified=certified, steps=steps
        )
        return _compared(base, question, needed, derived, deadline)
    failing = search.failing(question, needed, inside, derived, deadline)
    if failing:
        env, failure = failing
        witness = search.told(env, failure)
        next_ = search.placed(question, inside, deadline) if "message" in failure.witness else None
        witness = {**witness, "further": next_} if next_ else witness
        return msgspec.structs.replace(
            base, verdict="refuted", by=f"instance {shown(env)}", certified="witness replayed", witness=witness,
            requires="too-weak" if needed.expression else None, truncation=_truncated(question, inside, env),
            beyond=search.beyond(question, needed, derived, deadline),
        )  # fmt: skip
    used = needed.names if question.about else free_names([of.operand for of in question.families])
    every = requires.everything(needed, used)
    if every and all(check(question, env) is None for env in before(every, deadline)) and perf_counter() < deadline:
        by = f"every instance under requires ({len(every)})"
        base = msgspec.structs.replace(base, verdict="proved", by=by, certified="the engine, at each")
        return _compared(base, question, needed, derived, deadline)
    late = f"; {clock.LATE}" if perf_counter() > deadline else ""
    note = base.note or f"no proof, and no instance that fails among those looked at{late}"
    return msgspec.structs.replace(base, note=note)


def _truncated(question: Question, inside: Sequence[Env], env: Env) -> dict[str, Any] | None:
    """What C++ computes at the instance that fails, or at the next one where some thread holds something then."""
    first = next(cut_at(question, (env,)), None)
    if first is None or first["holds"]:
        return first
    return next((cut for cut in cut_at(question, inside[:_CUT]) if cut["holds"] and not cut["right"]), first)


def _compared(
    base: FamilyVerdict, question: Question, needed: Requires, derived: Derived, deadline: float
) -> FamilyVerdict:
    """`requires` is known to be strong enough: exact, or an instance beyond it."""
    if needed.expression is None:
        return base
    if derived.ways is not None and derived.backward is not None:
        steps = requires.implying(needed, derived.ways.precondition, deadline)
        if steps is not None:
            return msgspec.structs.replace(base, requires="exact", steps=(*base.steps, *steps))
    beyond = search.beyond(question, needed, derived, deadline)
    return msgspec.structs.replace(base, requires="too-strong", beyond=beyond) if beyond else base
