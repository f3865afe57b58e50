"""Questions by name: verdicts, witnesses as plain data, grades, and clear errors."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import msgspec
import pytest

from layoutcheck import Layout, check
from layoutcheck.claim import KINDS, Claim
from layoutcheck.errors import InputError, LayoutcheckError, LayoutError, NotationError, Unsupported

ROW_46 = "(1,2,2,4):(900,21,1000,5)"

CASES = [
    ("injective", ["(2,2):(1,3)"], None, "proved", None),
    ("delinearizable", ["(2,2):(1,3)"], None, "refuted", {"leaf": [2, 1], "next": [2, 3]}),
    ("injective", ["(4,8):(1,1)"], None, "refuted", {"a": [0, 1], "b": [1, 0], "value": 1}),
    ("injective", ["(524288):(1)"], None, "proved", None),  # CASES.md row 67: a prover said no
    ("injective", ["(64,8192):(8192,1)"], None, "proved", None),
    ("bijective", ["((2,2,4,2),16):((16,128,32,256),1)"], 512, "proved", None),  # CASES.md row 32: no bug
    ("onto", ["(2,2):(1,4)"], 4, "refuted", {"missing": 2}),  # CASES.md row 44: {0,1,4,5} is not {0..3}
    ("bijective", ["(2,2):(1,4)"], None, "refuted", {"missing": 2}),
    ("bijective", ["8:1"], 9, "refuted", {"sizes": [8, 9]}),
    ("injective", ["(2,4):(0,1)"], None, "refuted", {"a": [0, 0], "b": [1, 0], "value": 0}),  # row 66: i // 2
    ("bounds", ["(4,8):(1,5)"], 32, "refuted", {"at": [0, 7], "value": 35, "limit": 32}),
    ("bounds", ["(4,8):(1,5)"], 39, "proved", None),
    ("disjoint", ["8:1", "8:2"], None, "refuted", {"a": [0], "b": [0], "value": 0}),
    ("disjoint", ["8:2", "1 o 8:2"], None, "proved", None),
    ("complement", ["4:2", "(2,2):(1,8)"], 16, "proved", None),
    ("complement", ["4:2", "2:1"], 16, "refuted", {"sizes": [8, 16]}),
    ("complement", ["4:2", "2:1"], None, "proved", None),
    ("equal", ["#iree_map.pack_map<(4, 8) : (8, 1)>", "(32):(1)"], None, "proved", None),
    ("equal", ["(4,8):(8,1)", "(32):(1)"], None, "refuted", {"index": 1, "left": 8, "right": 1}),
    ("equal", ["4:1", "5:1"], None, "refuted", {"sizes": [4, 5]}),
    ("equal", ["S<2,3,3> o 0 o 64:1", "S<3,2,3> o 0 o 64:1"], None, "refuted", {"index": 32, "left": 32, "right": 36}),
    ("equal-modes", ["(2,2):(1,2)", "4:1"], None, "refuted", {"ranks": [2, 1]}),
    ("equal-modes", ["(2,2):(1,2)", "(2,2):(1,3)"], None, "refuted", {"mode": 1, "index": 1, "left": 2, "right": 3}),
    ("equal-modes", ["((2,2),2):((1,2),4)", "(4,2):(1,4)"], None, "proved", None),
    ("congruent", ["(4,8):(1,(4,1))"], None, "refuted", {"left": "8", "right": "(4,1)"}),  # CASES.md row 47
    ("congruent", ["(4,8):1"], None, "refuted", {"left": "(4,8)", "right": "1"}),
    ("congruent", ["(4,8):(1,4)"], None, "proved", None),
    ("congruent", ["(4,8):(1,4)", "(2,2):(9,9)"], None, "proved", None),
    ("injective", ["S<3,4,3> o 0 o (8,8):(8,1)"], None, "proved", None),
    ("injective", ["!fly.composed_layout<S<3,4,3> o 16 o (8,8):(8,1)>"], None, "proved", None),
    ("injective", ["S<3,4,2> o 0 o (8,8):(8,1)"], None, "unsupported", None),
]


@pytest.mark.parametrize(("question", "layouts", "size", "verdict", "witness"), CASES, ids=str)
def test_questions(question: str, layouts: list[str], size: int | None, verdict: str, witness: object) -> None:
    result = check.run(question, layouts, size=size)
    assert (result.verdict, result.witness) == (verdict, witness)
    if verdict in ("proved", "refuted"):
        assert result.by
        assert result.certified
    data = msgspec.json.decode(msgspec.json.encode(result))
    assert {"question", "verdict", "by", "certified", "witness", "seconds", "grade"} <= set(data)
    assert data["question"] == question
    assert check.render(result)[0].startswith(f"{verdict}: {question} ")


def test_every_question_is_asked() -> None:
    asked = {case[0] for case in CASES}
    assert set(check.QUESTIONS) - asked == {"equal-permuting", "equals-form", "equals-table"}
    assert KINDS  # what each claim means is written down


GRADES = [
    ("4:1", "4:1", "same text"),
    (ROW_46, "(1,2,2,4):(7,21,1000,5)", "another profile"),  # CASES.md row 46: no bug
    (ROW_46, "(2,2,4):(21,1000,5)", "another profile"),
    ("(2,2):(1,2)", "((2),2):((1),2)", "another profile"),
    ("(2,2):(1,2)", "4:1", "same function"),
    ("#iree_map.pack_map<(4,8):(8,1)>", "32:1", "same function"),
    ("(4,(2,2)):(1,(4,8))", "(4,(2,2)):(1,(8,4))", "relabelled"),
    ("(2,2):(2,1)", "(2,2):(1,2)", "equal on the image"),
    ("4:1", "4:2", "different"),
    ("4:1", "5:1", "different"),
]


@pytest.mark.parametrize(("left", "right", "grade"), GRADES)
def test_grades(left: str, right: str, grade: str) -> None:
    assert check.equal(left, right).grade == grade
    assert check.equal(right, left).grade == grade


def test_every_grade_is_given() -> None:
    from layoutcheck.result import GRADES as named

    assert {grade for _, _, grade in GRADES} == set(named)


def test_a_permutation_of_one_mode() -> None:
    left, right = "(4,(2,2)):(1,(4,8))", "(4,(2,2)):(1,(8,4))"
    assert check.equal_permuting(left, right, 1).verdict == "proved"
    refuted = check.run("equal-permuting", [left, right], mode=0)
    assert refuted.verdict == "refuted"
    assert refuted.witness == {"mode": 1, "index": 1, "left": 4, "right": 8}
    counted = check.equal_permuting("(2,2):(1,2)", "(2,2):(1,3)", 1)
    assert counted.witness == {"mode": 1, "value": 2, "left": 1, "right": 0}


def test_a_refuted_mode_speaks_before_an_unknown_one(monkeypatch: pytest.MonkeyPatch) -> None:
    from layoutcheck.decide import portfolio
    from layoutcheck.verdict import Verdict

    real = portfolio.decide

    def first_unknown(claim: Claim, **how: Any) -> Verdict:
        return Verdict("unknown", claim, note="late") if claim.leaves == ((2, 1),) else real(claim, **how)

    monkeypatch.setattr(portfolio, "decide", first_unknown)
    assert check.equal_modes("(2,2):(1,2)", "(2,2):(1,3)").witness == {"mode": 1, "index": 1, "left": 2, "right": 3}
    unknown = check.equal_modes("(2,2):(1,2)", "(2,2):(1,2)")
    assert (unknown.verdict, unknown.witness, unknown.note) == ("unknown", None, "late")


def test_a_grade_that_is_not_known_is_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    from layoutcheck import grade
    from layoutcheck.verdict import Verdict

    monkeypatch.setattr(grade, "decide", lambda claim, **_: Verdict("unknown", claim))
    assert check.equal("4:1", "4:2").grade is None


def test_coordinates_stand_in_the_order_of_the_text() -> None:
    result = check.injective("#iree_map.pack_map<(2,3,4):(0,4,1)>")
    assert result.witness == {"a": [0, 0, 0], "b": [1, 0, 0], "value": 0}
    assert "lex" in check.render(result)[0]
    assert "colex" in check.render(check.injective("4:0"))[0]


def test_indices_name_their_order() -> None:
    across = check.equal("#iree_map.pack_map<(4,8):(1,4)>", "32:1")
    assert any("lex left, colex right" in line for line in check.render(across))


@pytest.mark.parametrize("engine", ["theorems", "gf2", "search", "z3", "points"])
def test_engines_by_name(engine: str) -> None:
    result = check.injective(Layout((4, 8), (1, 4)), engine=engine)
    assert (result.verdict, bool(result.certified)) == ("proved", True)


BAD = [
    ("injective", ["(8"], {}, NotationError, "found the end"),
    ("injective", ["(0,8):(1,1)"], {}, LayoutError, "extent 0"),
    ("injective", ["(-4,8):(1,1)"], {}, LayoutError, "extent -4"),
    ("injective", ["(4,8):(1,-1)"], {}, LayoutError, "stride -1"),
    ("injective", ["(4,8):(1,(4,1))"], {}, LayoutError, "not congruent"),
    ("injective", ["9" * 5000 + ":1"], {}, LayoutcheckError, "5002 characters"),
    ("injective", ["9" * 900 + ":1"], {}, LayoutcheckError, "900 digits"),
    ("injective", [""], {}, NotationError, "found the end"),
    ("injective", [], {}, InputError, "takes 1 arguments, 0 given"),
    ("equal", ["4:1"], {}, InputError, "takes 2 arguments, 1 given"),
    ("surjective", ["4:1"], {}, InputError, "no question 'surjective'"),
    ("onto", ["4:1"], {}, InputError, "needs a size"),
    ("bounds", ["4:1"], {}, InputError, "needs a size"),
    ("onto", ["4:1"], {"size": 0}, InputError, "at least 1"),
    ("onto", ["4:1"], {"size": 1 << 20_000}, InputError, "beyond"),
    ("injective", ["4:1"], {"engine": "oracle"}, InputError, "theorems, gf2, search, z3, points"),
    ("injective", ["4:1"], {"timeout": 0}, InputError, "time limit"),
    ("injective", ["4:1"], {"timeout": float("nan")}, InputError, "time limit"),
    ("equal-permuting", ["4:1", "4:1"], {}, InputError, "needs a mode"),
    ("equal-permuting", ["4:1", "4:1"], {"mode": 1}, InputError, "no mode 1"),
    ("delinearizable", ["S<1,0,1> o 0 o 4:1"], {}, Unsupported, "swizzled"),
    ("complement", ["S<1,0,1> o 0 o 4:1", "2:4"], {}, Unsupported, "swizzled"),
    ("equal-modes", ["S<1,0,1> o 0 o 4:1", "4:1"], {}, Unsupported, "swizzled"),
    ("equals-form", ["(4,2):(1,4)", "row = lane % "], {}, NotationError, "found the end"),
    ("equals-form", ["(4,2):(1,4)", "row = laen"], {}, NotationError, "unknown name 'laen'"),
    ("equals-form", ["(4,2):(1,4)", "row = lane % v"], {}, NotationError, "division by zero"),
    ("equals-form", ["(4,2):(1,4)", ""], {}, NotationError, "no coordinate"),
    ("equals-form", ["(4,2):(1,4)", "row = v - lane"], {}, InputError, "row = -1 at thread 1"),
    ("equals-form", ["8:1", "row = lane"], {}, InputError, "expected (thread, value)"),
    ("equals-form", ["(4,2):(1,4)", "row = lane"], {"tile": "2"}, InputError, "outside the tile"),
    ("equals-form", ["(4,2):(1,4)", "row = lane"], {"tile": "(0,2)"}, InputError, "extent 0"),
    ("equals-table", ["(4,2):(1,4)", "no-such-file.csv"], {}, InputError, "No such file"),
]


@pytest.mark.parametrize(("question", "layouts", "how", "error", "message"), BAD, ids=range(len(BAD)))
def test_bad_input(question: str, layouts: list[str], how: dict[str, object], error: type, message: str) -> None:
    with pytest.raises(error) as caught:
        check.run(question, layouts, **how)  # type: ignore[arg-type]
    assert message in str(caught.value)
    assert len(str(caught.value)) < 400


def test_forms() -> None:
    form = "row = lane % 16; k = 4*(lane//16) + v"
    assert check.equals_form("((16,4),4):((1,64),16)", form).verdict == "proved"
    wrong = check.run("equals-form", ["((16,4),4):((1,16),64)", form])
    assert wrong.witness == {"thread": 16, "value": 0, "left": 16, "right": 64, "coordinates": {"row": 0, "k": 4}}
    row_major = check.equals_form("((16,4),4):((16,4),1)", form, tile="(16,16):(16,1)")
    assert (row_major.verdict, row_major.certified) == ("proved", "the layout read off the table")
    assert check.equals_form("(16,2):(1,32)", form, tile="(16,16)").verdict == "refuted"


def test_exports() -> None:
    assert check.smt2("equal", ["(2,2):(1,2)", "4:1"]).count("(check-sat)") == 1
    assert check.smt2("equal-modes", ["(2,2):(1,2)", "(2,2):(1,2)"]).count("(check-sat)") == 2
    with pytest.raises(Unsupported):
        check.smt2("congruent", ["4:1"])
    with pytest.raises(Unsupported, match="no encoding"):
        check.smt2("equal", ["S<1,0,1> o 0 o 3:1", "3:1"])


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import sys, layoutcheck; print(sorted({'z3', 'msgspec', 'layoutcheck.check'} & set(sys.modules)))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
