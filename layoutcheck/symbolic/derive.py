"""The precondition of a question: derived by its theorem, proved in both directions, compared with the engine."""

from __future__ import annotations

from time import perf_counter

import msgspec

from ..errors import Disagreement, Unsupported
from . import certify, clock, conditions, instances, requires
from .conditions import Precondition
from .instances import Env, before
from .operand import Question, Ways
from .outside import shown
from .questions import check, given_of, necessity
from .requires import Requires
from .scripts import Step

_NEVER = Ways((), True, "no parameters give a layout and a tile")


class Derived(msgspec.Struct, frozen=True):
    """A precondition, and how far it is proved."""

    ways: Ways | None = None
    sufficient: list[Step] | None = None
    forward: str | None = None
    backward: str | None = None
    unexplained: tuple[Env, ...] = ()
    steps: tuple[Step, ...] = ()
    note: str = ""


def derive(question: Question, needed: Requires, deadline: float) -> Derived:
    """The precondition, its proofs in both directions, and the engine's opinion on a grid. Raises Disagreement."""
    now = perf_counter()
    try:
        with clock.until(now + (deadline - now) / 2):  # the rest is for instances
            never = conditions.simplified(given_of(*question.families)) is None
            ways = _NEVER if never else question.where()
    except Unsupported as error:
        return Derived(note=str(error))
    plain = len(ways.precondition) == 1 and not any(c.kind == "zero" for c in ways.precondition[0])
    sufficient = _sufficient(question, ways.precondition, deadline) if plain else None
    floors = any(d.floor for of in question.families for d in of.layout.divisions)
    necessary = _necessary(question, ways, floors, deadline)
    unexplained, count = _grid(question, needed.names, ways, floors, deadline)
    grid = f"the engine at {count} instances"
    backward = None
    if necessary is not None:
        backward = f"elsewhere a division is not exact; z3, {len(necessary)} steps" if necessary else "nothing is asked"
    elif ways.complete and not floors:
        backward = f"theorem; {grid}"
    forward = by_steps(sufficient) if sufficient is not None else f"theorem; {grid}"
    return Derived(ways, sufficient, forward, backward, unexplained, (*(sufficient or ()), *(necessary or ())))


def by_steps(sufficient: list[Step]) -> str:
    """How it is known that a precondition suffices."""
    return f"theorem; z3, {len(sufficient)} steps"


def proof(
    question: Question, needed: Requires, derived: Derived, deadline: float
) -> tuple[list[Step], list[Step]] | None:
    """Steps that show the question from the precondition, and the precondition from `requires`."""
    if derived.ways is None:
        return None
    implied = requires.implied(needed, derived.ways.precondition, deadline)
    if implied is None:
        return None
    known = derived.sufficient
    sufficient = _sufficient(question, derived.ways.precondition, deadline) if known is None else known
    return None if sufficient is None else (sufficient, implied)


def _sufficient(question: Question, precondition: Precondition, deadline: float) -> list[Step] | None:
    """Steps that z3 confirms and that show the question from each way of the precondition; None where it does not."""
    steps: list[Step] = []
    for way in precondition:
        found = question.prove(way)
        if found is None or certify.failing(found, deadline) is not None:
            return None
        steps += found
    return steps


def _necessary(question: Question, ways: Ways, floors: bool, deadline: float) -> list[Step] | None:
    """Steps that show that a layout whose divisions are exact meets the precondition, where it says no more."""
    if not ways.complete or len(ways.precondition) != 1 or floors:
        return None
    (way,) = ways.precondition
    if any(c.kind != "integer" for c in way):
        return None
    steps = necessity(question.families, way)
    return None if steps is None or certify.failing(steps, deadline) is not None else steps


def _grid(
    question: Question, names: tuple[str, ...], ways: Ways, floors: bool, deadline: float
) -> tuple[tuple[Env, ...], int]:
    """Right instances that the precondition does not explain. Raises Disagreement where it allows a wrong one."""
    unexplained, count = [], 0
    for env in before(instances.instances(names, frozenset()), deadline):
        if count >= question.points:
            break
        count += 1
        right, meets = check(question, env) is None, requires.meets(ways.precondition, env)
        if meets and not right:
            raise Disagreement(f"{question.name}: the precondition allows {shown(env)}, the engine refutes it")
        if right and not meets:
            if ways.complete and not floors:
                raise Disagreement(f"{question.name}: the precondition excludes {shown(env)}, the engine proves it")
            unexplained.append(env)
    return tuple(unexplained[:8]), count
