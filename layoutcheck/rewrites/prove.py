"""`prove REWRITE`: from texts to an instance, its decision, and a result."""

from __future__ import annotations

import re
from time import perf_counter

import msgspec

from ..codes import RULES
from ..errors import Disagreement, InputError, LayoutError, NotationError, Refused
from ..layout import Layout, overflow
from ..packmap import PackLayout
from ..packmap import read as read_layout
from ..result import Rewritten
from .case import Broken, Decision, Given, Problem, by, decide
from .table import BUILD, REWRITES

_INTEGER = re.compile(r"\s*-?\d+\s*", re.ASCII)
_DIGITS = 120  # of a number in an option


class Texts(msgspec.Struct, frozen=True):
    """The options as they are written; a rewrite takes those that its `options` name."""

    src: str | None = None
    dst: str | None = None
    to: str | None = None
    perm: str | None = None
    layouts: tuple[str, ...] = ()
    threads: int | None = None
    outer: str | None = None
    inner: str | None = None
    offset: str | None = None


def prove(name: str, texts: Texts, *, at: str | None = None, certify: bool = True, timeout: float = 10.0) -> Rewritten:
    """What is known of one instance; `at` is THREAD,INDEX, a place to look at beside the witness.

    Raises InputError for an unknown rewrite, missing or surplus options, and texts that cannot be read.
    """
    start = perf_counter()
    check_options(name, texts)
    given = read(texts)
    place = None if at is None else _numbers(at, 2, "a place is THREAD,INDEX")
    problem = build(name, given)
    try:
        decision = decide(problem, certify=certify, timeout=timeout)
    except Disagreement as error:
        decision = Decision("disagree", note=str(error))
    looked = None if place is None else look(problem, *place)
    return _result(name, texts, problem, decision, looked, perf_counter() - start)


def build(name: str, given: Given) -> Problem:
    """The instance; what an operation refuses, and a layout beyond 64 bits, is a broken precondition."""
    for layout in filter(None, (given.src, given.dst, *given.layouts, given.outer, given.inner)):
        if large := overflow(layout):
            return Problem(Broken("LC110", *large))
    try:
        return BUILD[name](given)
    except Refused as refused:
        return Problem(Broken(REWRITES[name].code, str(refused), refused.numbers))


def check_options(name: str, texts: Texts) -> None:
    """Raises InputError unless the options are those of the rewrite."""
    if name not in REWRITES:
        from .theorems import hint

        raise InputError(f"no rewrite {name[:80]!r}{hint(name, REWRITES)} There are {', '.join(REWRITES)}")
    wanted = REWRITES[name].options
    given = {field for field in texts.__struct_fields__ if getattr(texts, field) not in (None, ())}
    if surplus := given - set(re.findall(r"\w+", wanted)):
        raise InputError(f"{name} takes {wanted}: not {', '.join(sorted(surplus))}")
    for part in wanted.split(", "):
        one_of = part.split(" | ")
        there = len(given & set(one_of))
        if not part.startswith("[") and there != 1:
            told = f"no {' or '.join(one_of)}" if there == 0 else f"both {' and '.join(one_of)}"
            raise InputError(f"{name} takes {wanted}: {told} given")
    least, most = REWRITES[name].layouts
    if not least <= len(texts.layouts) <= most:
        number = f"{least} to {most}" if most > least else str(least)
        raise InputError(f"{name} takes {number} layouts: {len(texts.layouts)} given")


def read(texts: Texts) -> Given:
    """The texts as layouts and numbers."""
    src, dst, outer, inner = (_layout(texts, name) for name in ("src", "dst", "outer", "inner"))
    to = None if texts.to is None else shape(texts.to)
    perm = None if texts.perm is None else permutation(texts.perm)
    layouts = tuple(_read("layout", text) for text in texts.layouts)
    return Given(src, dst, to, perm, layouts, texts.threads, outer, inner, texts.offset)


def _layout(texts: Texts, option: str) -> Layout | None:
    text: str | None = getattr(texts, option)
    return None if text is None else _read(option, text)


def _read(option: str, text: str) -> Layout:
    try:
        return read_layout(text)
    except (NotationError, LayoutError) as error:
        code = f" ({error.code})" if isinstance(error, LayoutError) else ""
        raise InputError(f"--{option} {_short(text)}, column {error.column + 1}: {error}{code}") from None


def _short(text: str) -> str:
    return repr(text) if len(text) <= 80 else f"{text[:60]!r}..."


def shape(text: str) -> tuple[int, ...]:
    """`4x32`. Raises InputError."""
    extents = _numbers(text.replace("x", ","), None, "a shape is written as 4x32")
    if min(extents) < 1:
        raise InputError(f"shape {_short(text)}: extent {min(extents)} is not positive")
    return extents


def permutation(text: str) -> tuple[int, ...]:
    """`1,0`. Raises InputError."""
    return _numbers(text.strip("[]() "), None, "a permutation is written as 1,0")


def _numbers(text: str, many: int | None, how: str) -> tuple[int, ...]:
    parts = text.split(",")
    if not all(map(_INTEGER.fullmatch, parts)) or (many is not None and len(parts) != many):
        raise InputError(f"{_short(text)}: {how}")
    if max(map(len, parts)) > _DIGITS:
        raise InputError(f"{_short(text)}: a number of more than {_DIGITS} characters")
    return tuple(map(int, parts))


def look(problem: Problem, thread: int, index: int) -> dict[str, int] | None:
    """What ought to be, and what is, at one place; None where nothing can be emitted.

    Raises InputError for a thread below 0, or an index that a thread does not hold.
    """
    case = problem.case
    if case is None:
        return None
    limit = min(case.values)
    if thread < 0 or not 0 <= index < limit:
        raise InputError(f"thread {thread}, index {index}: threads count from 0, a thread holds {limit} elements")
    expected, actual = case.spot(thread, index)
    return {"thread": thread, "index": index, "expected": expected, "actual": actual}


def _result(
    name: str, texts: Texts, problem: Problem, decision: Decision, looked: dict[str, int] | None, seconds: float
) -> Rewritten:
    rewrite = REWRITES[name]
    broken = problem.broken if decision.status in ("refuted", "refused", "disagree") else None
    note = "; ".join(filter(None, (problem.note, decision.note)))
    shown = [texts.src, texts.dst, *texts.layouts, texts.outer, texts.inner]
    return Rewritten(
        question=name, verdict=decision.status, by=by(decision, problem.theorem or name),
        certified=decision.certified, witness=decision.witness,
        seconds=seconds, value=None if problem.value is None else str(PackLayout.of(problem.value)),
        layouts=tuple(text for text in shown if text), order=("lex",), note=note, law=rewrite.obligation,
        refused=RULES[broken.code].name if broken else None, numbers=broken.numbers if broken else None,
        steps=(broken.text,) if broken else (), precondition=rewrite.precondition,
        rule=broken.code if broken else None, at=looked,
    )  # fmt: skip
