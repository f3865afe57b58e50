"""The answer to a question, and how it reads."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from .layout import Order
from .verdict import Status

Grade = Literal["same text", "another profile", "same function", "relabelled", "equal on the image", "different"]

GRADES: dict[Grade, str] = {
    "same text": "the same shape and strides",
    "another profile": "the same function; only nesting, or strides of extent-1 modes, differ",
    "same function": "the same function of the flat index",
    "relabelled": "the same up to a permutation of one mode",
    "equal on the image": "every offset is held equally often, by other indices",
    "different": "different functions on different offsets",
}


class Result(msgspec.Struct, frozen=True):
    """What the tool says of one question.

    `witness` is plain data, as the JSON report shows it; coordinates stand in the order of the text. `certified`
    names the second, independent opinion (or the replay of the witness). `value` is the layout that infer and
    solve found. `order` is how flat indices of the (left, right) layout are read; `seconds` is the whole time.
    """

    question: str
    verdict: Status | Literal["refused"]
    by: str = ""
    certified: str | None = None
    witness: dict[str, Any] | None = None
    seconds: float = 0.0
    grade: Grade | None = None
    value: str | None = None
    layouts: tuple[str, ...] = ()
    order: tuple[Order, ...] = ()
    note: str = ""


class Evaluated(Result, frozen=True):
    """The result of an operation of the algebra: its law, and `refused` with `numbers` outside its precondition."""

    law: str = ""
    refused: str | None = None
    numbers: dict[str, Any] | None = None
    steps: tuple[str, ...] = ()


class Packed(Evaluated, frozen=True):
    """What a pack layout says: extents of the vector and of one thread's part, who counts what, and how often."""

    distributed_shape: tuple[int, ...] = ()
    undistributed_shape: tuple[int, ...] = ()
    thread_map: list[dict[str, int]] = []
    value_map: list[dict[str, int]] = []
    chain: bool = False
    replication: int | None = None


class Converted(Evaluated, frozen=True):
    """What a conversion takes: none, select, shuffle (in so many rounds) or shared, and what IREE would answer."""

    kind: str = ""
    subgroup: int = 64
    rounds: int | None = None
    lower_bound: int | None = None
    needs_shared_memory: bool = False
    iree_needs_shared_memory: bool | None = None


class Rewritten(Evaluated, frozen=True):
    """What is known of one instance of a rewrite: `law` is its obligation, `rule` the code of the broken precondition.

    `witness`: the smallest thread and index whose element is wrong; `at`: the same of a place that was asked for.
    """

    precondition: str = ""
    rule: str | None = None
    at: dict[str, int] | None = None


def render(result: Result) -> list[str]:
    """The result as lines of text, the verdict first; flat indices name their order."""
    subject = " ".join(result.layouts)
    order = " and ".join(dict.fromkeys(result.order))
    lines = [f"{result.verdict}: {result.question} {subject}" + (f" [{order}]" if order else "")]
    if isinstance(result, Converted):
        rounds = f" in {result.rounds} rounds (no fewer than {result.lower_bound})" if result.rounds is not None else ""
        lines.append(f"  {result.kind}{rounds}, subgroups of {result.subgroup} threads")
        if result.iree_needs_shared_memory is not None:
            lines.append(f"  IREE asks for shared memory: {'yes' if result.iree_needs_shared_memory else 'no'}")
    if isinstance(result, Evaluated):
        lines += [f"  {line}" for line in result.steps]
        if result.refused is not None:
            if isinstance(result, Rewritten):  # the numbers stand in its step
                lines[0] += f": {result.rule} {result.refused}"
            else:
                lines[0] += f": {result.refused}"
                lines.append("  " + ", ".join(f"{key} {value}" for key, value in (result.numbers or {}).items()))
    if result.value is not None:
        lines.append(f"  {result.value}")
    if result.witness is not None:
        lines.append(f"  {counterexample(result)}")
    if isinstance(result, Rewritten) and result.at is not None:
        lines.append(f"  at {_sentence(result.at, result.order)}")
    if result.grade is not None:
        lines.append(f"  grade: {result.grade} ({GRADES[result.grade]})")
    if result.by:
        certified = f"; certified by {result.certified}" if result.verdict == "proved" else f"; {result.certified}"
        lines.append(f"  by {result.by}" + (certified if result.certified else ""))
    if result.note:
        lines.append(f"  note: {result.note}")
    return lines


def counterexample(result: Result) -> str:
    """The witness as one sentence."""
    w = result.witness or {}
    mode = f"mode {w['mode']}: " if "mode" in w else ""
    return mode + _sentence(w, result.order)


def _sentence(w: dict[str, Any], order: tuple[Order, ...]) -> str:
    keys = set(w) - {"mode"}
    if keys == {"a", "b", "value"}:
        return f"coordinates {_tuple(w['a'])} and {_tuple(w['b'])} both have offset {w['value']}"
    if keys == {"missing"}:
        return f"no coordinate has offset {w['missing']}"
    if keys == {"at", "value", "limit"}:
        return f"coordinate {_tuple(w['at'])} has offset {w['value']}, which is not below {w['limit']}"
    if keys == {"index", "left", "right"}:
        if len(set(order)) > 1:
            index = f"flat index {w['index']} (each side in its own order: {order[0]} left, {order[1]} right)"
        else:
            index = f"flat index {w['index']} ({order[0] if order else 'colex'})"
        return f"{index}: left has offset {w['left']}, right has {w['right']}"
    if keys == {"index", "reaches", "points"}:
        return f"flat index {w['index']} leads to index {w['reaches']}, of {w['points']}"
    if keys == {"element", "source", "target"}:
        return f"element {w['element']}: (thread, value) {_tuple(w['source'])} before, {_tuple(w['target'])} after"
    if keys == {"thread", "index", "expected", "actual"}:
        return f"thread {w['thread']}, index {w['index']}: expected element {w['expected']}, actual {w['actual']}"
    if keys == {"sizes"}:
        return f"sizes differ: {w['sizes'][0]} and {w['sizes'][1]}"
    if keys == {"leaf", "next"}:
        (s, d), (_, after) = w["leaf"], w["next"]
        return f"stride {after} is no multiple of {s * d}, the end of leaf {s}:{d}"
    if keys == {"value", "left", "right"}:
        return f"offset {w['value']} is held {w['left']} times on the left, {w['right']} times on the right"
    return ", ".join(f"{key} {value}" for key, value in w.items() if key != "mode")


def _tuple(digits: list[int]) -> str:
    return "(" + ",".join(map(str, digits)) + ")"
