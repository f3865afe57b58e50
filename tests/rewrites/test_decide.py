"""No wrong verdict: a precondition that lies is caught, no time left is said, layouts without a chain are looked at."""

from __future__ import annotations

from collections import Counter
from itertools import product
from random import Random
from typing import Any

import pytest

from layoutcheck import algebra, cli
from layoutcheck.layout import Layout
from layoutcheck.rewrites import case as module
from layoutcheck.rewrites import shape_cast
from layoutcheck.rewrites.case import Broken, decide
from layoutcheck.smt import distribution

from .small import layout, table

RIGHT = (Layout(((32, 4),), ((1, 0),), "lex"), Layout((4, (8, 4)), (8, (1, 0)), "lex"))
WRONG = (Layout(((32, 4),), ((1, 0),), "lex"), Layout(((4, 32),), ((0, 1),), "lex"))
LIE = Broken("LC501", "a lie", {})


def test_a_precondition_that_lies_is_caught() -> None:
    yes = shape_cast.between(*WRONG)._replace(broken=None)
    assert decide(yes).status == "disagree"
    no = shape_cast.between(*RIGHT)._replace(broken=LIE)
    assert decide(no).status == "disagree"


def test_a_lie_is_exit_code_2(monkeypatch: pytest.MonkeyPatch, tmp_path: Any, capsys: Any) -> None:
    monkeypatch.setattr(shape_cast, "differs", lambda _a, _b: None)
    texts = ["--src", "((32,4)):((1,0))", "--dst", "((4,32)):((0,1))"]
    assert cli.main(["prove", "shape_cast", *texts]) == 2
    assert capsys.readouterr().out.startswith("disagree")
    (tmp_path / "atom.yaml").write_text(
        "layoutcheck: 1\natoms:\n- {name: x, kind: rewrite, op: shape_cast, src: '((32,4)):((1,0))', "
        "dst: '((4,32)):((0,1))'}\n"
    )
    assert cli.main(["verify", str(tmp_path)]) == 2
    assert "LC901" in capsys.readouterr().out


def test_a_cut_rule_that_lies_is_caught(monkeypatch: pytest.MonkeyPatch, tmp_path: Any, capsys: Any) -> None:
    monkeypatch.setattr(shape_cast, "cut", lambda _src, _shape: None)
    assert cli.main(["prove", "reshape", "--src", "((4,6)):((1,0))", "--to", "6x4"]) == 2
    assert "the cut rule accepts (6, 4), the algebra refuses" in capsys.readouterr().err
    (tmp_path / "atom.yaml").write_text(
        "layoutcheck: 1\natoms:\n- {name: x, kind: rewrite, op: reshape, src: '((4,6)):((1,0))', to: 6x4}\n"
    )
    assert cli.main(["verify", str(tmp_path)]) == 2
    assert "LC901" in capsys.readouterr().out


def test_what_is_not_certified_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distribution, "same", lambda _l, _r, _t: None)
    assert decide(shape_cast.between(*RIGHT)).certified == "every point"
    large = Layout(((1 << 20, 1 << 20),), ((1, 0),), "lex")
    found = decide(shape_cast.between(large, large))
    assert (found.status, found.certified) == ("proved", None)
    assert "not certified" in found.note


def test_without_a_chain_nothing_is_taken_for_granted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A broken precondition says nothing there: every point, z3, or unknown."""
    one = layout((((2, 3), (2, 2)),))
    problem = shape_cast.between(one, one)._replace(broken=LIE)
    assert (decide(problem).status, decide(problem).by) == ("proved", "every thread and index")
    assert (decide(problem).certified, decide(problem, certify=False).certified) == ("z3", None)
    with monkeypatch.context() as patch:
        patch.setattr(distribution, "same", lambda _l, _r, _t: None)
        assert decide(problem).certified is None
        assert "not certified" in decide(problem).note
    monkeypatch.setattr(module, "POINTS", 4)
    assert (decide(problem).status, decide(problem).by) == ("proved", "z3 on the raw leaves")
    monkeypatch.setattr(distribution, "same", lambda _l, _r, _t: None)
    assert decide(problem).status == "unknown"


def test_layouts_without_a_chain_against_every_point() -> None:
    """Equal normal forms are sufficient, and on this set necessary too."""
    rng, count, seen = Random(9), Counter(), {}
    strides = (0, 1, 2, 3, 4, 6)
    for mode in product(product((2, 3, 4), strides), repeat=2):
        seen.setdefault(algebra.coalesce(layout((mode,))).digits, set()).add(table(mode, 150))
    assert all(len(functions) == 1 for functions in seen.values())
    for _ in range(1500):
        a, b = (tuple((s, rng.choice(strides)) for s in rng.choice(((2, 3), (3, 2), (6,), (1, 6)))) for _ in range(2))
        found = decide(shape_cast.between(layout((a,)), layout((b,))), certify=rng.random() < 0.2)
        same = table(a, 150) == table(b, 150)
        assert found.status == ("proved" if same else "refuted"), (a, b)
        count[found.status] += 1
    print(f"\n{dict(count)}")
    assert min(count.values()) > 50
