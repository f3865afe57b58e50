"""Offset formulas: how they go on, z3 on them, and verdicts, each against plain evaluation at many threads."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from layoutcheck import expr
from layoutcheck.errors import InputError
from layoutcheck.layout import Layout
from layoutcheck.rewrites import formula, step
from layoutcheck.rewrites.case import Given, decide
from layoutcheck.smt import formula as smt
from layoutcheck.smt.distribution import Window

FAR = 600  # threads that are evaluated


def random_text(rng: Random, depth: int) -> str:
    if depth == 0:
        return rng.choice(("t", "t", str(rng.randint(0, 6))))
    op = rng.choice(("+", "-", "*", "//", "%", "//", "%", "<", ">="))
    right = str(rng.choice((-3, 1, 2, 3, 4, 6))) if op in ("//", "%") else random_text(rng, depth - 1)
    return f"({random_text(rng, depth - 1)} {op} {right})"


def value(text: str, t: int) -> int:
    return expr.evaluate(expr.parse(text), {"t": t})


def test_a_formula_goes_on_as_its_course_says() -> None:
    rng, seen = Random(3), Counter[bool]()
    for _ in range(800):
        text = random_text(rng, rng.randint(0, 3))
        found = formula.course(expr.parse(text))
        seen[found is None] += 1
        for t in range(-5, 40) if found else ():
            assert value(text, t + found.period) == value(text, t) + found.slope * found.period, text
    assert min(seen.values()) > 50


def test_z3_against_every_thread() -> None:
    rng, seen = Random(4), Counter[bool | None]()
    for _ in range(150):
        text, extent = random_text(rng, rng.randint(0, 2)), rng.choice((2, 3, 4))
        text = rng.choice((text, f"(t // 2 % {extent} + 0 * {text})"))
        below = rng.choice((None, rng.randint(1, 9)))
        same, at = smt.compare(expr.parse(text), (Window(2, extent, 1),), below, 2.0)
        wrong = [t for t in range(below or FAR) if value(text, t) != t // 2 % extent]
        seen[same] += 1
        assert same is None or same == (not wrong), text
        assert at is None or (value(text, at) != at // 2 % extent and (below is None or at < below))
    assert min(seen[True], seen[False]) > 20


def test_verdicts_against_every_thread() -> None:
    rng, seen = Random(5), Counter[str]()
    for _ in range(150):
        extent, gap = rng.choice((2, 3, 4)), rng.choice((1, 2))
        layout = Layout(((extent,),), ((gap,),), "lex")
        right = f"t // {gap} % {extent}"
        text = rng.choice((random_text(rng, 2), f"{right} + {random_text(rng, 1)} // 50", f"{right} + (t - t)"))
        threads = rng.choice((None, rng.randint(layout.cosize, 60)))
        found = decide(step.build(Given(layouts=(layout,), offset=text, threads=threads)), timeout=2.0)
        wrong = [t for t in range(threads or FAR) if value(text, t) != t // gap % extent]
        seen[found.status] += 1
        assert found.status == ("refuted" if wrong else "proved"), text
        assert found.witness is None or found.witness["thread"] == wrong[0]
    assert min(seen["proved"], seen["refuted"]) > 20


def test_a_thread_beyond_those_that_are_looked_at() -> None:
    layout = Layout(((4,),), ((1,),), "lex")
    found = decide(step.build(Given(layouts=(layout,), offset="t % 4 + (t >= 100000)")))
    assert (found.status, found.witness) == ("refuted", {"thread": 100000, "index": 0, "expected": 0, "actual": 1})
    with pytest.raises(InputError, match="not exact"):  # z3 finds where `/` leaves a remainder
        decide(step.build(Given(layouts=(layout,), offset="t % 4 + (t >= 100000) / 2")))


def test_too_many_threads_for_a_second_opinion() -> None:
    layout = Layout(((1 << 30, 4),), ((1, 0),), "lex")
    given = Given(layouts=(layout,), offset=f"4*(t % {1 << 30})")
    found = decide(step.build(given))
    assert (found.status, found.certified) == ("proved", None)
    assert "not certified" in found.note
    assert decide(step.build(given), timeout=0).status == "unknown"


def test_engines_that_contradict_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    layout = Layout(((4,),), ((1,),), "lex")
    problem = step.build(Given(layouts=(layout,), offset="t % 4"))
    monkeypatch.setattr(smt, "compare", lambda *_: smt.Found(False, 3))
    assert decide(problem).status == "disagree"
    monkeypatch.setattr(smt, "compare", lambda *_: smt.Found(None))
    assert (decide(problem).status, decide(problem).certified) == ("proved", None)
