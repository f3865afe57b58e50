"""`prove`: the theorems closed by z3 and by cvc5; Coq compiles beside them; identities of small structures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event
from time import perf_counter

import msgspec

from ..errors import Disagreement
from ..result import Result
from ..smt import scripts
from ..smt.scripts import Answer
from . import coq, parametric
from .chains import Chain, load
from .goals import Goal, lemma_goal, script
from .induction import goals
from .lemmas import LEMMAS
from .theorems import Theorem, facts, lookup

_COQ = 60.0  # seconds at least: it takes 3 where nothing else runs
_SIZES = (2, 2)  # modes and leaves of the structures whose identities are asked
_TRIVIAL = "not stated there (trivial)"
_UNASKED = "not asked"


class Proven(Result, frozen=True):
    """What is known of one theorem: `z3`, `cvc5`, `coq` and `identities` say what each engine did here."""

    statement: str = ""
    precondition: str = ""
    scope: str = ""
    z3: str = ""
    cvc5: str = ""
    coq: str = ""
    identities: str = ""
    lemmas: tuple[str, ...] = ()


class _Closed(msgspec.Struct, frozen=True):
    """What both solvers say of the goals of one lemma or statement."""

    z3: tuple[Answer, ...]
    cvc5: tuple[Answer | None, ...]


def run_theorems(names: Sequence[str] = (), *, timeout: float = 10.0, certify: bool = True) -> list[Proven]:
    """Every named theorem (all, when there is none) with what z3, cvc5 and Coq say of it here.

    `timeout`: seconds for one theorem; Coq, which compiles all of them together, gets at least 60. Without `certify`
    only z3 is asked. Raises InputError for an unknown name.
    """
    wanted = lookup(names)
    stated = [name for x in wanted for name in x.coq]
    stop = Event()
    with ThreadPoolExecutor(1) as beside, ending(stop):
        compiled = beside.submit(coq.check, max(timeout, _COQ), stated, stop) if certify and stated else None
        chains, memo = load(), dict[str, _Closed]()
        drafts = [_solve(theorem, chains, memo, timeout, certify) for theorem in wanted]
        identities = _identities(wanted, timeout) if certify else None
        return [_finish(draft, theorem, identities, compiled) for draft, theorem in zip(drafts, wanted, strict=True)]


@contextmanager
def ending(stop: Event) -> Iterator[None]:
    """Whatever happens, the other thread is told to end: Ctrl-C does not wait for Coq."""
    try:
        yield
    finally:
        stop.set()


def _solve(
    theorem: Theorem, chains: Mapping[str, Chain], memo: dict[str, _Closed], timeout: float, certify: bool
) -> Proven:
    start = perf_counter()
    statements, lemmas = facts(theorem)
    for name in (*lemmas, *statements):
        if name not in memo:
            asked = [lemma_goal(LEMMAS[name])] if name in LEMMAS else goals(name, chains)
            memo[name] = _close(asked, start + timeout, certify)
    answers = [pair for name in (*lemmas, *statements) for pair in zip(memo[name].z3, memo[name].cvc5, strict=True)]
    first, second = [x for x, _ in answers], [y for _, y in answers]
    disagree = any({x, y} == {"sat", "unsat"} for x, y in answers)
    proved = all(x == "unsat" for x in first)
    return Proven(
        question=theorem.name,
        verdict="disagree" if disagree else "proved" if proved else "unknown",
        by=f"{len(answers)} goals from {len(lemmas)} lemmas and {len(statements)} statements, closed by z3",
        seconds=perf_counter() - start, statement=theorem.statement, precondition=theorem.precondition,
        scope=theorem.scope, z3=_said(first), cvc5=_said(second) if certify else _UNASKED, lemmas=tuple(lemmas),
    )  # fmt: skip


def _close(asked: Sequence[Goal], deadline: float, certify: bool) -> _Closed:
    first: list[Answer] = []
    second: list[Answer | None] = []
    for goal in asked:
        text = script(goal)
        left = deadline - perf_counter()
        first.append(scripts.z3(text, left) if left > 0 else "unknown")
        left = deadline - perf_counter()
        second.append(scripts.cvc5(text, left) if certify and left > 0 else "unknown" if certify else None)
    return _Closed(tuple(first), tuple(second))


def _said(answers: Sequence[Answer | None]) -> str:
    if None in answers:
        return "not installed"
    left_open = sum(x != "unsat" for x in answers)
    return f"unknown ({left_open} of {len(answers)} goals open)" if left_open else "proved"


def _identities(wanted: Sequence[Theorem], timeout: float) -> parametric.Outcome | Disagreement | None:
    if not any(x.identities for x in wanted):
        return None
    try:
        return parametric.run(*_SIZES, seconds=timeout)
    except Disagreement as error:
        return error


def _finish(
    draft: Proven,
    theorem: Theorem,
    identities: parametric.Outcome | Disagreement | None,
    compiled: Future[coq.Checked] | None,
) -> Proven:
    checked = compiled.result() if compiled is not None and theorem.coq else None
    told = _coq(checked) if theorem.coq else _TRIVIAL
    verdict, note = draft.verdict, ""
    small = ""
    if theorem.identities and identities is not None:
        small, broken = _small(theorem.identities, identities)
        verdict, note = ("disagree", small) if broken else (verdict, note)
    if checked is not None and checked.status in ("failed", "assumes") and verdict == "proved":
        verdict, note = "unknown", f"Coq: {checked.status}: {checked.said}"
    second = [name for name, done in (("cvc5", draft.cvc5 == "proved"), ("Coq", told == "checked here")) if done]
    return msgspec.structs.replace(
        draft, verdict=verdict, certified=" and ".join(second) or None, coq=told, identities=small, note=note
    )


def _coq(checked: coq.Checked | None) -> str:
    if checked is None:
        return _UNASKED
    reasons = {"not installed": "no coqc here", "out of time": "out of time"}
    if checked.status in reasons:
        return f"not re-checked here ({reasons[checked.status]})"
    return "checked here" if checked.status == "checked" else checked.status


def _small(rewrite: str, found: parametric.Outcome | Disagreement) -> tuple[str, bool]:
    """What the polynomial identities of small structures say, and whether that contradicts the theorem."""
    if isinstance(found, Disagreement):
        return str(found), True
    if found.status == "broken" and found.broken is not None and found.broken.rewrite == rewrite:
        return f"{found.broken.quantity} differs at {found.at}: {found.broken.left}, {found.broken.right}", True
    number, sizes = found.identities.get(rewrite, 0), f"{found.structures} structures up to {_SIZES[0]} x {_SIZES[1]}"
    if found.status == "holds":
        return f"{number} hold on all {sizes}", False
    return f"{number} asked on {sizes}: {found.status}", False


def summary(results: Sequence[Proven]) -> str:
    """`17 theorems: 17 proved`."""
    counts = Counter(result.verdict for result in results)
    said = ", ".join(f"{number} {verdict}" for verdict, number in counts.items())
    return f"{len(results)} theorem{'s' if len(results) != 1 else ''}: {said}"


def render(result: Proven) -> list[str]:
    """The result as lines of text, the verdict first."""
    engines = f"z3 {result.z3}; cvc5 {result.cvc5}; Coq {result.coq}"
    if result.identities:
        engines += f"; polynomial identities: {result.identities}"
    lines = [
        f"{result.verdict}: theorem {result.question} ({result.seconds:.2f} s)",
        f"  {result.statement}",
        f"  holds when: {result.precondition}",
        f"  for: {result.scope}",
        f"  by {result.by}",
        f"  {engines}",
    ]
    return [*lines, f"  note: {result.note}"] if result.note else lines
