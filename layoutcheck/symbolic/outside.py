"""Instances that are not right: what they break, and what C++ computes where a division is not exact."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from .. import inttuple, notation
from ..errors import Unsupported
from ..layout import Layout
from . import instances, layout, requires
from .instances import Env
from .operand import Family, Question
from .questions import check, no_tile, questions
from .verdict import Outside, worked


def truncation(of: Family, env: Env) -> dict[str, Any] | None:
    """What C++ computes where a division of the layout is not exact, and whether that happens to be right; None where
    every one is, where there is no tile, or where a dividend is negative, so that `//` is not what C++ computes."""
    failure = instances.built(of.layout, env)
    if isinstance(failure, Layout) or failure.reason != "inexact-division" or no_tile(of, env):
        return None
    if layout.rounds_down(of.layout, env):
        return None
    found = layout.truncated(of.layout, env)
    text = f"{inttuple.text(found.shape)}:{inttuple.text(found.stride)}"
    cut: dict[str, Any] = {"parameters": env, "layout": text}
    for error in notation.form_errors(found):
        empty = ", so nothing is held" if 0 in inttuple.leaves(found.shape) else ""
        return {**cut, "holds": False, "right": False, "because": f"{error}{empty}"}
    made = Layout(found.shape, found.stride, found.source.order)
    wrong = _wrong(of, made, env)
    return {**cut, "holds": True, "right": wrong is None, "because": wrong or "nothing is lost"}


def cut_at(question: Question, envs: Iterable[Env]) -> Iterator[dict[str, Any]]:
    """What C++ computes at instances, of the question's first operand with a division that is not exact there."""
    for env in envs:
        yield from islice(filter(None, (truncation(of, env) for of in question.families)), 1)


def _wrong(of: Family, made: Layout, env: Env) -> str | None:
    """What is wrong with a layout: an element where one is, else a count."""
    failures = [(question.name, failure) for question in questions(of) if (failure := question.on((made,), env))]
    failures.sort(key=lambda named: "element" not in named[1].witness)
    return next((f"{name}: {worked(failure.witness)}" for name, failure in failures), None)


def outside(questions: Sequence[Question], env: Env) -> Outside:
    """Why an instance is not right: the first question that fails, the conditions of its operand that are not met, and
    what C++ computes. Raises Disagreement, Unsupported.
    """
    for question in questions:
        failure = check(question, env)
        if failure:
            operand = question.operand
            unmet = dict.fromkeys(c for q in questions if q.operand == operand for c in _unmet(q, env))
            cut = next(cut_at(question, (env,)), None)
            witness = {"reason": failure.reason, **failure.witness}
            return Outside(env, operand, question.name, witness, tuple(unmet), cut)
    return Outside(env)


def _unmet(question: Question, env: Env) -> tuple[str, ...]:
    try:
        return requires.broken(question.where().precondition, env)
    except Unsupported:
        return ()


def shown(env: Env) -> str:
    """`mn 16, k 4`."""
    return ", ".join(f"{name} {value}" for name, value in env.items())
