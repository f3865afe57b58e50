"""One instance of a rewrite: its obligation as two distributions, its precondition, and the decision."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import lcm
from time import perf_counter
from typing import Any, Literal, NamedTuple

import msgspec

from ..layout import Layout
from ..packmap import PackLayout
from ..smt.distribution import Held, Windows

POINTS = 1 << 16  # threads and indices that are looked at one by one
_MANY = f"there are more than {POINTS} threads and indices to look at"
BY, PROVED = "precondition", "theorem"
Fits = Literal["proved", "refuted", "refused", "unknown", "disagree"]


class Rewrite(msgspec.Struct, frozen=True):
    """A rewrite: its options, the obligation as a formula in P, and the precondition under which it holds.

    For layouts whose thread leaves form a chain the precondition is also necessary. `code` is the rule that an instance
    breaks; `layouts` the least and the largest number of layouts it takes by that option.
    """

    name: str
    options: str
    obligation: str
    precondition: str
    code: str
    layouts: tuple[int, int] = (0, 0)


class Given(msgspec.Struct, frozen=True):
    """What an instance is made of; a rewrite names the parts it takes in its `options`. `env`: numbers that the offset
    names beside t.
    """

    src: Layout | None = None
    dst: Layout | None = None
    to: tuple[int, ...] | None = None
    perm: tuple[int, ...] | None = None
    layouts: tuple[Layout, ...] = ()
    threads: int | None = None
    outer: Layout | None = None
    inner: Layout | None = None
    offset: str | None = None
    env: dict[str, int] = {}


class Broken(msgspec.Struct, frozen=True):
    """The precondition does not hold: the rule, the part that fails, and the numbers."""

    code: str
    text: str
    numbers: dict[str, Any]


class Case(NamedTuple):
    """The obligation: `expected` = `actual` for every thread and index.

    `spot(t, k)` evaluates both sides by the definition. `values` are the elements a thread holds (after, before);
    `exact`: where the precondition fails, some element is wrong. `actual` None: no sum of windows.
    """

    expected: Held
    actual: Held | None
    values: tuple[int, int]
    spot: Callable[[int, int], tuple[int, int]]
    exact: bool


class Problem(NamedTuple):
    """An instance ready to be decided; without a case there is nothing that the rewrite could emit.

    `value` is a layout that was derived; `emits`: False where the rewrite stops instead of emitting wrong code;
    `theorem`: the one that says so, where it is not called as the rewrite; `more`: further obligations of the same
    kind, which hold by the same precondition; `settle`: what decides a case that has no precondition, given whether to
    certify, and the seconds.
    """

    broken: Broken | None
    case: Case | None = None
    value: Layout | None = None
    emits: bool = True
    note: str = ""
    theorem: str = ""
    more: tuple[Case, ...] = ()
    settle: Callable[[bool, float], Decision] | None = None


class Decision(msgspec.Struct, frozen=True):
    """What was found, by whom; `witness`: thread, index, expected and actual element."""

    status: Fits
    by: str = ""
    certified: str | None = None
    witness: dict[str, int] | None = None
    note: str = ""


def by(decision: Decision, name: str) -> str:
    """Who decided, with the rewrite's name: `theorem step`, `precondition of step`."""
    return {PROVED: f"{PROVED} {name}", BY: f"{BY} of {name}"}.get(decision.by, decision.by)


def chains(*layouts: Layout) -> bool:
    """Whether the thread leaves of each layout form a chain."""
    return all(PackLayout.of(layout).chain for layout in layouts)


def decide(problem: Problem, *, certify: bool = True, timeout: float = 10.0) -> Decision:
    """Proved by the precondition and certified by z3 or every point; or refuted by a replayed witness; or neither."""
    case, broken = problem.case, problem.broken
    if case is None:
        assert broken is not None
        return Decision("refused", BY)
    if problem.settle:
        return problem.settle(certify, timeout)
    if broken is None:
        return _proved((case, *problem.more), certify, timeout)
    found = smallest(case)
    if found:
        return Decision("refuted" if problem.emits else "refused", BY, "witness replayed", found)
    if not problem.emits or len(set(case.values)) > 1:
        return Decision("refused", BY)
    if case.exact:
        return Decision("disagree", BY, "no witness at any cut")
    return _open(case, certify, timeout)


def _proved(cases: tuple[Case, ...], certify: bool, timeout: float) -> Decision:
    """The precondition holds, and a second opinion on each obligation."""
    if not certify:
        return Decision("proved", PROVED)
    deadline, opinions = perf_counter() + timeout, []
    for case in cases:
        opinion = _second(case, deadline - perf_counter())
        if isinstance(opinion, Decision):
            return opinion
        opinions.append(opinion)
    if None in opinions:
        return Decision("proved", PROVED, note="not certified: z3 ran out of time, and there are too many points")
    return Decision("proved", PROVED, "; ".join(dict.fromkeys(filter(None, opinions))))


def _second(case: Case, timeout: float) -> str | Decision | None:
    """Who confirms that the obligation holds; None: nobody; a Decision where somebody is against."""
    from ..smt.distribution import same

    assert case.actual is not None
    agree = same(case.expected, case.actual, timeout)
    if agree:
        return "z3"
    points = _every_point(case)
    if points is None:
        return None if agree is None else Decision("disagree", BY, "z3")
    if agree is None and points.status == "proved":
        return "every point"
    return Decision("disagree", BY, points.by, points.witness)


def _open(case: Case, certify: bool, timeout: float) -> Decision:
    """Without a chain the precondition is only sufficient: every point of a period, and z3."""
    found = _every_point(case)
    if found and (found.status == "refuted" or not certify):
        return found
    from ..smt.distribution import same

    assert case.actual is not None
    agree = same(case.expected, case.actual, timeout)
    if found:  # a query that is satisfiable says nothing here: without a chain it may ask too much
        note = "" if agree else "not certified: z3 has no answer"
        return msgspec.structs.replace(found, certified="z3" if agree else None, note=note)
    if agree:
        return Decision("proved", "z3 on the raw leaves", note="not certified: nobody else answers")
    return Decision("unknown", note=f"the threads form no chain, {_MANY}, and z3 found no answer")


def smallest(case: Case) -> dict[str, int] | None:
    """The first thread, then index, where both sides differ, among the cuts of their windows.

    Complete when the threads of both sides form chains: two such sums that agree at every cut agree everywhere.
    """
    return next(filter(None, (at(case, t, k) for t, k in _cuts(case))), None)


def _cuts(case: Case) -> Iterator[tuple[int, int]]:
    sides = [side for side in (case.expected, case.actual) if side]
    ends = [_ends(axis) for axis in zip(*((s.value, s.thread) for s in sides), strict=True)]
    yield from ((0, k) for k in ends[0] if k < min(case.values))
    yield from ((t, 0) for t in ends[1])


def _ends(sides: tuple[Windows, ...]) -> list[int]:
    return sorted({c for side in sides for w in side for c in (w.low, w.low * w.extent)})


def at(case: Case, thread: int, index: int) -> dict[str, int] | None:
    """A difference at one place, by plain evaluation; None where both sides agree."""
    expected, actual = case.spot(thread, index)
    if expected == actual:
        return None
    return {"thread": thread, "index": index, "expected": expected, "actual": actual}


def period(case: Case) -> int:
    """Threads t and t + period hold the same on both sides."""
    sides = [side.thread for side in (case.expected, case.actual) if side]
    return lcm(*(w.low * w.extent for side in sides for w in side))


def _every_point(case: Case) -> Decision | None:
    """Each thread of one period and each index; an element is a sum of a thread's and an index's part."""
    threads, values = period(case), min(case.values)
    if threads + values > POINTS:
        return None
    places = [*((0, k) for k in range(values)), *((t, 0) for t in range(threads))]
    found = next(filter(None, (at(case, t, k) for t, k in places)), None)
    if found:
        return Decision("refuted", "every thread and index", "witness replayed", found)
    return Decision("proved", "every thread and index")
