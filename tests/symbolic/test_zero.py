"""Extents of 0 and 1, widths of 0, values that are few or far: no crash, nothing passed over, nothing invented."""

from __future__ import annotations

from pathlib import Path

import pytest

from layoutcheck import cli
from layoutcheck.expr import evaluate
from layoutcheck.expr import parse as expression
from layoutcheck.notation import parse
from layoutcheck.symbolic import certify, instances
from layoutcheck.symbolic.family import analyse
from layoutcheck.symbolic.operand import Operand
from layoutcheck.symbolic.verdict import EMPTY

TEXT = """layoutcheck: 1
atoms:
- name: "x.{m}"
  kind: copy
  family: {rows: [{m: 4}]}
  bits: m
  thr: "1:1"
  src: "(1,m):(1,1)"
  dst: "(1,m):(1,1)"
  ref: dst
  val_bits: [WIDTH]
"""


@pytest.mark.parametrize(
    ("width", "code", "rule"),
    [
        ("m - m + 1", 0, "no findings"),
        ("1 + 0*m", 0, "no findings"),
        ("m % 3", 1, "LC102"),  # m 3 reads values of 0 bits
        ("1 + m % 3 - m % 3", 3, "LC902"),
        ("m/2", 1, "LC108"),
    ],
)
def test_a_width_in_the_parameters(
    width: str, code: int, rule: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "atom.yaml"
    path.write_text(TEXT.replace("WIDTH", width))
    assert cli.main(["verify", "--families", str(path)]) == code
    assert rule in capsys.readouterr().out


def test_an_extent_of_zero_is_no_crash(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "atom.yaml"
    path.write_text(TEXT.replace("WIDTH", "m - m"))
    assert cli.main(["verify", "--families", str(path)]) == 1
    out, err = capsys.readouterr()
    assert "LC102" in out
    assert "internal" not in out + err


MMA = """layoutcheck: 1
atoms:
- name: x
  kind: mma
  mnk: [16, 16, K]
  thr: "16:1"
  a: "(16,k):(1,16)"
  b: "(16,k):(1,16)"
  c: "(16,16):(1,16)"
  replication: {a: COPIES}
  family: {params: {k: {min: LEAST}}}
"""


@pytest.mark.parametrize(
    ("k", "copies", "least", "codes"),
    [
        ("k-4", "1", "1", {"LC102"}),
        ("k-4", "1", "5", {"LC203"}),
        ("k", "k-k", "1", {"LC102"}),
        ("0*k", "1", "1", {"LC102"}),
        ("k", "1", "1", set()),
    ],
)
def test_a_tile_that_is_none_for_some_parameters(
    k: str, copies: str, least: str, codes: set[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No engine is asked where there is no tile, and no theorem either: they do not disagree."""
    path = tmp_path / "atom.yaml"
    path.write_text(MMA.replace("K]", f"{k}]").replace("COPIES", copies).replace("LEAST", least))
    assert cli.main(["verify", "--families", str(path)]) == (1 if codes else 0)
    out = capsys.readouterr().out
    assert {word for word in out.split() if word.startswith("LC") and word != "LC201"} == codes
    assert "^\n    \n" not in out


def of(layout: str, *tile: str, copies: str = "1") -> Operand:
    return Operand("a", layout, tile, copies=copies)


@pytest.mark.parametrize(
    "layout", ["(1,(k,1)):(0,(1,99))", "(1,k):(7,1)", "((1,1),k):((3,5),1)", "(k-k+1,k):(9,1)", "((1,k),1):((k,1),5)"]
)
def test_a_leaf_of_one_digit_moves_nothing(layout: str) -> None:
    assert {v.question: v.verdict for v in analyse([of(layout, "k")])}["bijective"] == "proved"


def test_a_leaf_that_requires_leaves_one_digit() -> None:
    wide = of("(m,k):(99,1)", "k")
    found = {v.question: v for v in analyse([wide], "m == 1")}
    assert found["bijective"].verdict == "proved"
    assert found["all"].requires == "exact"
    assert analyse([wide], "m <= 2")[-1].verdict == "refuted"


def test_the_point() -> None:
    assert {v.verdict for v in analyse([of("(1,1):(0,k)", "1")])} == {"proved"}


@pytest.mark.parametrize("condition", ["k >= 100000", "k == 123456789", "k > 1000000007", "k*k == 1000002000001"])
def test_requires_that_only_large_values_meet(condition: str) -> None:
    assert analyse([of("(1,k):(0,1)", "k")], condition)[-1].verdict == "proved"
    (found,) = (v for v in analyse([of("(1,k):(0,2)", "k")], condition) if v.question == "bijective")
    assert found.verdict == "refuted"
    assert found.witness
    assert instances.holds(expression(condition), found.witness["parameters"])


@pytest.mark.parametrize("condition", ["k < 1", "k > 3 and k < 3", "k*k == 2", "2*k == 1 or 2*k == 3"])
def test_requires_that_nothing_meets_is_vacuous(condition: str) -> None:
    found = analyse([of("(1,k):(0,1)", "k")], condition)
    assert {v.verdict for v in found} == {"unknown"}
    assert {v.note for v in found if v.question != "all"} == {EMPTY}
    assert found[-1].requires is None


def test_no_time_is_no_proof() -> None:
    """Without time nothing is proved that needs z3, and the search for a witness ends."""
    certify.forget()
    tall = of("(k,16):(1,k)", "k-4", "16")
    for verdict in analyse([tall], "k >= 5", timeout=0):
        assert verdict.verdict in ("unknown", "proved")
        assert verdict.verdict == "unknown" or not verdict.steps


@pytest.mark.parametrize(
    ("layout", "tile", "condition", "smallest"),
    [
        ("(1,(k,2)):(1,(1,5000))", "2*k", "", {"k": 5001}),
        ("(1,(k,2)):(1,(1,100000))", "2*k", "k <= 1000000", {"k": 100001}),
        ("(k,m):(1,70000)", "k*m", "m >= 3", {"k": 70001, "m": 3}),
    ],
)
def test_a_family_that_fails_far_away(layout: str, tile: str, condition: str, smallest: dict[str, int]) -> None:
    """Two leaves meet only where the first one reaches the second's stride."""
    (found,) = (v for v in analyse([of(layout, tile)], condition) if v.question == "injective")
    assert found.verdict == "refuted"
    assert found.witness
    assert found.witness["parameters"] == smallest
    made = parse(layout.replace("k", str(smallest["k"])).replace("m", str(smallest.get("m"))))
    places = [(p["thread"], p["value"]) for p in found.witness["at"]]
    assert len(set(places)) == 2
    assert {made(place) for place in places} == {found.witness["offset"]}


def test_a_number_in_the_text_is_tried() -> None:
    found = {v.question: v for v in analyse([of("(1,k):(1,1+k//5000)", "k")])}
    assert found["bijective"].verdict == "refuted"
    assert found["bijective"].witness
    assert found["bijective"].witness["parameters"] == {"k": 5000}


@pytest.mark.parametrize(
    "condition", ["k // 2 == 1", "k % 5 == 3", "k > 2 and k % 3 == k // 4 and k != 7", "k - 1 >= 2"]
)
def test_requires_with_quotients_and_rests(condition: str) -> None:
    """(1,k-1) has an extent from k = 2 on; (1,k-3) has none at the smallest k that meets `requires`."""
    assert analyse([of("(1,k-1):(0,1)", "k-1")], condition)[-1].verdict == "proved"
    found = analyse([of("(1,k-3):(0,1)", "k-3")], condition)[-1]
    assert found.verdict == "refuted"
    assert found.witness
    smallest = next(k for k in range(1, 99) if evaluate(expression(condition), {"k": k}) and k < 4)
    assert found.witness["parameters"] == {"k": smallest}


def test_a_parameter_of_the_width_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = TEXT.replace("bits: m", "bits: 12").replace("m):(1,1)", "12):(1,1)").replace("WIDTH", "m")
    path = tmp_path / "atom.yaml"
    path.write_text(text.replace("rows: [{m: 4}]", 'rows: [{m: 4}], requires: "12 % m == 0"'))
    assert cli.main(["verify", "--families", str(path)]) == 0
    path.write_text(text)
    assert cli.main(["verify", "--families", str(path)]) == 1
    out = capsys.readouterr().out
    assert out.count("LC207") == 1
    assert "wrong at m 5; it holds where 12 % m == 0" in out
