"""Instances that are not right: what they break, and what C++ computes where a division is not exact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import inttuple, notation
from ..layout import Layout
from . import instances, layout, requires
from .instances import Env
from .operand import Family, Operand, free_names
from .operand import family as parsed
from .questions import questions, whole


def truncation(of: Family, env: Env) -> dict[str, Any] | None:
    """What C++ computes where a division of the layout is not exact, and whether that happens to be right."""
    failure = instances.built(of.layout, env)
    if isinstance(failure, Layout) or failure.reason != "inexact-division":
        return None
    found = layout.truncated(of.layout, env)
    text = f"{inttuple.text(found.shape)}:{inttuple.text(found.stride)}"
    for error in notation.form_errors(found):
        return {"parameters": env, "layout": text, "right": False, "because": str(error)}
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
    """Why an instance is not right: the conditions it breaks, and what C++ computes there; {} for a right one."""
    of = parsed(operand, tuple(parameters) or free_names([operand]))
    for question in questions(of):
        failure = question.check(env)
        if failure:
            broken = requires.unmet(whole(of).precondition, env)
            return {"question": question.name, "reason": failure.reason, **failure.witness, "unmet": list(broken),
                    "truncation": truncation(of, env)}  # fmt: skip
    return {}


def shown(env: Env) -> str:
    """`mn 16, k 4`."""
    return ", ".join(f"{name} {value}" for name, value in env.items())
