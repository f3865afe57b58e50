"""A family's verdicts: each question of each operand for all parameters under `requires`, with the precondition.

proved: `requires` implies the precondition, which the theorem derived and z3 confirmed on the expressions as written;
or every instance under `requires` was decided. refuted: an instance under `requires` where it fails, the smallest
among those looked at, with a thread and a value. Everything else is unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any, Literal

import msgspec

from .. import inttuple
from ..errors import Disagreement, LayoutError, LayoutcheckError, NotationError, Unsupported
from ..expr import names as mentioned
from ..expr import parse as parse_expression
from ..layout import Layout
from ..verdict import Status
from . import certify, conditions, instances, layout, proof, requires
from .conditions import Precondition
from .instances import Env, Failure
from .questions import Family, Operand, Question, Ways
from .questions import family as parsed
from .questions import questions
from .requires import Requires
from .scripts import Step

_GRID = 400  # instances at which every derived precondition is compared with the engine
_TRIED = 1500  # instances that the engine is asked about in the search for one that fails

Compared = Literal["exact", "too-weak", "too-strong"]


class FamilyVerdict(msgspec.Struct, frozen=True):
    """The answer to one question.

    `precondition` is the weakest one where `necessary` says how that is known; a text of the grammar of expr, `always`
    or `never`. `requires` compares the file's own condition with it; `inside` is an instance under `requires` that
    fails (also in `witness`, with thread and value), `beyond` a right one outside. `unexplained` are instances that are
    right although the precondition does not hold. `steps` are the SMT-LIB scripts of the proof.
    """

    operand: str
    question: str
    verdict: Status
    by: str = ""
    certified: str | None = None
    precondition: str | None = None
    necessary: str | None = None
    requires: Compared | None = None
    witness: dict[str, Any] | None = None
    beyond: Env | None = None
    unexplained: tuple[Env, ...] = ()
    truncation: dict[str, Any] | None = None
    note: str = ""
    seconds: float = 0.0
    steps: tuple[Step, ...] = ()


class _Derived(msgspec.Struct, frozen=True):
    """A precondition, and how far it is proved."""

    ways: Ways | None
    sufficient: list[Step] | None
    necessary: str | None
    unexplained: tuple[Env, ...]
    steps: tuple[Step, ...]
    note: str = ""


def analyse(
    operands: Sequence[Operand], condition: str = "", *, parameters: Sequence[str] = (), timeout: float = 10.0
) -> tuple[FamilyVerdict, ...]:
    """Every question about every operand, for all positive integers `parameters` (default: all names in the texts)
    that meet `condition`. `timeout` in seconds is for one question.

    Raises NotationError for texts that are none; what is not analysed is a verdict `unsupported`.
    """
    names = tuple(parameters) or free_names(operands, condition)
    extra = [parse_expression(t) for o in operands for t in (*o.tile, o.threads, o.copies) if t]
    needed = requires.read(condition, names, extra)
    out: list[FamilyVerdict] = []
    for operand in operands:
        try:
            known = parsed(operand, names)
        except (LayoutError, Unsupported) as error:
            out.append(_unread(operand, error))
            continue
        note = "the trees of shape and stride"
        out.append(FamilyVerdict(operand.name, "congruent", "proved", note, "the reader", "always", "nothing is asked"))
        out += [_decide(question, known, needed, timeout) for question in questions(known)]
    return tuple(out)


def free_names(operands: Sequence[Operand], condition: str = "") -> tuple[str, ...]:
    """The names that the texts mention, sorted."""
    found: set[str] = set()
    for o in operands:
        found |= layout.mentioned(o.layout)
        for text in (*o.tile, o.threads, o.copies, o.registers, o.pitch, condition):
            found |= mentioned(parse_expression(text)) if text.strip() else frozenset()
    return tuple(sorted(found))


def _unread(operand: Operand, error: LayoutcheckError) -> FamilyVerdict:
    if isinstance(error, LayoutError):
        return FamilyVerdict(operand.name, "congruent", "refuted", "the trees of shape and stride", note=str(error))
    return FamilyVerdict(operand.name, "congruent", "unsupported", note=str(error))


def decide(question: Question, of: Family, condition: str = "", *, timeout: float = 10.0) -> FamilyVerdict:
    """One question."""
    return _decide(question, of, requires.read(condition, of.names, of.beside), timeout)


def _decide(question: Question, of: Family, needed: Requires, timeout: float) -> FamilyVerdict:
    start = perf_counter()
    try:
        found = _verdict(question, of, needed, timeout)
    except Disagreement as error:
        found = FamilyVerdict(question.operand, question.name, "disagree", note=str(error))
    except (Unsupported, NotationError) as error:
        found = FamilyVerdict(question.operand, question.name, "unsupported", note=str(error))
    return msgspec.structs.replace(found, seconds=perf_counter() - start)


def _verdict(question: Question, of: Family, needed: Requires, timeout: float) -> FamilyVerdict:
    derived = _derive(question, of, timeout)
    ways = derived.ways
    base = FamilyVerdict(
        question.operand, question.name, "unknown",
        precondition=conditions.text(ways.precondition) if ways else None,
        necessary=derived.necessary, unexplained=derived.unexplained, note=derived.note, steps=derived.steps,
    )  # fmt: skip
    implied = requires.implied(needed, ways.precondition, timeout) if ways else None
    if ways and implied is not None and derived.sufficient is not None:
        count = len(derived.sufficient) + len(implied)
        steps = (*derived.steps, *implied)
        base = msgspec.structs.replace(
            base, verdict="proved", by=ways.by, certified=f"z3, {count} steps" if count else "nothing left to show",
            steps=steps,
        )  # fmt: skip
        return _compared(base, question, of, needed, derived, timeout)
    failing = _smallest(question, needed, derived)
    if failing:
        env, failure = failing
        witness = {"parameters": env, "reason": failure.reason, **failure.witness}
        base = msgspec.structs.replace(
            base, verdict="refuted", by=f"instance {_shown(env)}", certified="witness replayed", witness=witness,
            requires="too-weak" if needed.expression else None, truncation=truncation(of, env),
        )  # fmt: skip
        return msgspec.structs.replace(base, beyond=_beyond(question, needed, derived))
    every = requires.everything(needed)
    if every and all(question.check(env) is None for env in every):
        by = f"every instance under requires ({len(every)})"
        base = msgspec.structs.replace(base, verdict="proved", by=by, certified="the engine, at each")
        return _compared(base, question, of, needed, derived, timeout)
    note = base.note or "no proof, and no instance that fails among those looked at"
    return msgspec.structs.replace(base, note=note)


def _derive(question: Question, of: Family, timeout: float) -> _Derived:
    """The precondition, its two proofs, and the engine's opinion on a grid. Raises Disagreement."""
    try:
        ways = question.where()
    except Unsupported as error:
        return _Derived(None, None, None, (), (), str(error))
    sufficient = _sufficient(question, of, ways.precondition, timeout)
    necessary, steps = _necessary(question, of, ways, timeout)
    unexplained, count = _grid(question, of, ways)
    if ways.complete and not unexplained:
        necessary = necessary or f"theorem; the engine at {count} instances"
    else:
        necessary = None
    return _Derived(ways, sufficient, necessary, unexplained, (*(sufficient or ()), *steps))


def _sufficient(question: Question, of: Family, precondition: Precondition, timeout: float) -> list[Step] | None:
    """Steps that z3 confirms and that show the question from each way of the precondition; None where it does not."""
    steps: list[Step] = []
    for way in precondition:
        found = question.prove(proof.assume_way(proof.nothing(of.names), way, of.names))
        if found is None or certify.failing(found, timeout) is not None:
            return None
        steps += found
    return steps


def _necessary(question: Question, of: Family, ways: Ways, timeout: float) -> tuple[str | None, list[Step]]:
    """That a layout whose divisions are exact meets the precondition, where it says no more than that."""
    if not ways.complete or len(ways.precondition) != 1:
        return None, []
    (way,) = ways.precondition
    if not way:
        return "nothing is asked", []
    steps = proof.implies(question.needed(), parse_expression(conditions.text((way,))), of.names)
    if any(c.kind != "integer" for c in way) or steps is None or certify.failing(steps, timeout) is not None:
        return None, []
    return f"elsewhere a division is not exact; z3, {len(steps)} steps", steps


def _grid(question: Question, of: Family, ways: Ways) -> tuple[tuple[Env, ...], int]:
    """Right instances that the precondition does not explain. Raises Disagreement where it allows a wrong one."""
    unexplained, count = [], 0
    floors = any(d.floor for d in of.layout.divisions)
    for env in instances.instances(of.names, frozenset()):
        if count >= _GRID:
            break
        count += 1
        right, meets = question.check(env) is None, requires.meets(ways.precondition, env)
        if meets and not right:
            raise Disagreement(f"{question.name}: the precondition allows {_shown(env)}, the engine refutes it")
        if right and not meets:
            if ways.complete and not floors:
                raise Disagreement(f"{question.name}: the precondition excludes {_shown(env)}, the engine proves it")
            unexplained.append(env)
    return tuple(unexplained[:8]), count


def _smallest(question: Question, needed: Requires, derived: _Derived) -> tuple[Env, Failure] | None:
    """The first instance under `requires` that fails; where the precondition is complete only those outside it."""
    precondition = derived.ways.precondition if derived.ways and derived.necessary else None
    tried = 0
    for env in needed.inside():
        if precondition is not None and requires.meets(precondition, env):
            continue
        failure = question.check(env)
        if failure:
            return env, failure
        tried += 1
        if tried >= _TRIED:
            return None
    return None


def _compared(
    base: FamilyVerdict, question: Question, of: Family, needed: Requires, derived: _Derived, timeout: float
) -> FamilyVerdict:
    """`requires` is known to be strong enough: exact, or an instance beyond it."""
    if needed.expression is None:
        return base
    beyond = _beyond(question, needed, derived)
    if beyond:
        return msgspec.structs.replace(base, requires="too-strong", beyond=beyond)
    if derived.ways is None or derived.necessary is None:
        return base
    steps = requires.implying(needed, derived.ways.precondition, timeout)
    return base if steps is None else msgspec.structs.replace(base, requires="exact", steps=(*base.steps, *steps))


def _beyond(question: Question, needed: Requires, derived: _Derived) -> Env | None:
    """The first right instance outside `requires`."""
    if needed.expression is None or derived.ways is None:
        return None
    for env in needed.outside():
        if requires.meets(derived.ways.precondition, env) and question.check(env) is None:
            return env
    return None


def truncation(of: Family, env: Env) -> dict[str, Any] | None:
    """What C++ computes where a division of the layout is not exact, and whether that happens to be right."""
    failure = instances.built(of.layout, env)
    if isinstance(failure, Layout) or failure.reason != "inexact-division":
        return None
    found = layout.truncated(of.layout, env)
    text = f"{inttuple.text(found.shape)}:{inttuple.text(found.stride)}"
    extents = list(inttuple.leaves(found.shape))
    if any(extent < 1 for extent in extents):
        return {"parameters": env, "layout": text, "right": False, "because": "an extent of 0"}
    made = Layout(found.shape, found.stride, found.source.order)
    wrong = _wrong(of, made, env)
    return {"parameters": env, "layout": text, "right": wrong is None, "because": wrong or "nothing is lost"}


def _wrong(of: Family, made: Layout, env: Env) -> str | None:
    for question in questions(of):
        failure = question.on(made, env)
        if failure:
            return f"{question.name}: {failure.reason}"
    return None


def outside(operand: Operand, env: Env, *, parameters: Sequence[str] = ()) -> dict[str, Any]:
    """Why an instance is not right: the conditions it does not meet, and what C++ computes there; {} for a right one."""
    of = parsed(operand, tuple(parameters) or tuple(sorted(env)))
    for question in questions(of):
        failure = question.check(env)
        if failure:
            ways = next(q for q in questions(of) if q.name == "bijective").where()
            broken = requires.unmet(ways.precondition, env)
            return {"question": question.name, "reason": failure.reason, **failure.witness, "unmet": list(broken),
                    "truncation": truncation(of, env)}  # fmt: skip
    return {}


def _shown(env: Env) -> str:
    return ", ".join(f"{name} {value}" for name, value in env.items())
