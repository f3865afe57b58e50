"""Instances on either side of `requires`: the smallest that fails, and a right one outside."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any

from ..errors import Unsupported
from . import instances, models, requires
from .derive import Derived
from .instances import Env, Failure, before
from .operand import Question
from .questions import check
from .requires import Requires

_PLACED = 400  # of these one is sought that fails in an element
_TRIED = 1500  # instances that the engine is asked about in the search for one that fails


def failing(
    question: Question, needed: Requires, inside: Sequence[Env], derived: Derived, deadline: float
) -> tuple[Env, Failure] | None:
    """An instance under `requires` that fails, the one with the smallest sum: of those looked at, and where that is
    not among the dense ones, of one that z3 finds."""
    near = smallest(question, inside, needed.extra, derived, deadline)
    if perf_counter() > deadline or (near and max(near[0].values()) <= instances.dense(needed.names)):
        return near
    return min(filter(None, (near, _far(question, needed, derived))), key=lambda at: sum(at[0].values()), default=None)


def told(env: Env, failure: Failure) -> dict[str, Any]:
    """A failing instance as a witness: its parameters, the reason, and what goes with that."""
    return {"parameters": env, "reason": failure.reason, **failure.witness}


def placed(question: Question, inside: Sequence[Env], deadline: float) -> dict[str, Any] | None:
    """The first instance that fails in an element, where the smallest one has no layout."""
    failures = ((env, check(question, env)) for env in before(inside[:_PLACED], deadline))
    return next((told(env, failure) for env, failure in failures if failure and "element" in failure.witness), None)


def smallest(
    question: Question, inside: Sequence[Env], special: frozenset[int], derived: Derived, deadline: float
) -> tuple[Env, Failure] | None:
    """The first instance under `requires` that fails, among the small ones and those with a `special` number; where the
    precondition is complete only those outside it."""
    precondition = derived.ways.precondition if derived.ways and derived.backward else None
    tried = 0
    for env in before(inside, deadline):
        if tried >= _TRIED and special.isdisjoint(env.values()):
            continue
        if precondition is not None and requires.meets(precondition, env):
            continue
        failure = check(question, env)
        if failure:
            return env, failure
        tried += 1
    return None


def _far(question: Question, needed: Requires, derived: Derived) -> tuple[Env, Failure] | None:
    """An instance that fails, where z3 finds one under `requires` beyond those looked at and the engine refutes it."""
    envs = models.breaking(needed, derived.ways.precondition) if derived.ways else None
    try:
        return next(((env, failure) for env in envs or () if (failure := check(question, env))), None)
    except Unsupported:
        return None


def beyond(question: Question, needed: Requires, derived: Derived, deadline: float) -> Env | None:
    """The first right instance outside `requires`."""
    if needed.expression is None or derived.ways is None:
        return None
    outside = before(requires.meeting(derived.ways.precondition, needed), deadline)
    return next((env for env in outside if check(question, env) is None), None)
