"""Extents of 0 and 1, widths of 0, values that are few or far: no crash, nothing passed over, nothing invented."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from layoutcheck import cli
from layoutcheck.expr import evaluate
from layoutcheck.expr import parse as expression
from layoutcheck.notation import build, parse, read, resolve
from layoutcheck.symbolic import certify, instances, models, requires
from layoutcheck.symbolic.conditions import Condition, simplified
from layoutcheck.symbolic.conditions import text as shown
from layoutcheck.symbolic.family import analyse
from layoutcheck.symbolic.normal import normal
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


@pytest.mark.parametrize("condition", ["m*m == 2", "m < 1", "m > 4 and m % 8 == 4 and m < 12"])
def test_a_free_family_without_an_instance(condition: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = TEXT.replace("rows: [{m: 4}]", f'params: {{m: {{}}}}, requires: "{condition}"').replace("WIDTH", "1")
    path = tmp_path / "atom.yaml"
    path.write_text(text)
    assert cli.main(["verify", str(path)]) == 1
    assert "LC109 vacuous x.{m}: no parameters meet `requires`" in capsys.readouterr().out


@pytest.mark.parametrize("layout", ["(m/2,2):(1,m/2+0/m)", "(0/2+2,m/2):(1,2)", "(1,(m/2,0/m+2)):(1,(1,m/2))"])
def test_a_quotient_that_is_zero(layout: str) -> None:
    assert analyse([of(layout, "m")], "m % 2 == 0")[-1].verdict == "proved"


def test_an_extent_that_one_value_alone_allows() -> None:
    """2 - m is an extent for m = 1 alone, where m - 1 is no divisor."""
    found = {v.question: v for v in analyse([of("(2-m,k):(k,1)", "k"), of("(2,k):(1,2/m)", "m-1")])}
    assert found["positive"].verdict == "refuted"


def test_numbers_beyond_what_is_evaluated() -> None:
    large = "1" + "0" * 390
    found = analyse([of(f"(m,k):(1,m*{large}*{large})", "m*k")])
    assert {v.verdict for v in found} <= {"proved", "unsupported"}
    assert found[-1].verdict == "unsupported"


@pytest.mark.parametrize(
    "condition", ["0 == m % 2", "m % 2 != 1", "m % 4 == 0 or m % 4 == 2", "m == 2*k", "m*m % 4 == 0"]
)
def test_requires_in_other_words(condition: str) -> None:
    assert analyse([of("(m,m/2):(1,m)", "m", "m/2")], condition)[-1].verdict == "proved"


@pytest.mark.parametrize("condition", ["m == n*k", "n*k == m and m > 3", "m == n*k + k", "m == n*k and n == 3"])
def test_a_parameter_that_is_a_product(condition: str) -> None:
    quotient = of("(m,m/k):(1,m)", "m", "m/k")
    assert analyse([quotient], condition)[-1].verdict == "proved"
    assert analyse([quotient], condition.replace("m ==", "2*m ==").replace("== m", "== 2*m"))[-1].verdict == "refuted"


def test_one_of_two_ways_holds_everywhere() -> None:
    (found,) = (v for v in analyse([of("(k,2):(k,1)", "2*k")]) if v.question == "injective")
    assert found.verdict == "proved"


@pytest.mark.parametrize(
    ("conditions", "text"),
    [
        (["5 <= k", "32*k + 1 <= 8*k*k"], "5 <= k"),
        (["m*m == 2"], "never"),
        (["m*m + 6 == 7*m", "2 <= m"], "m*m + 6 == 7*m and 2 <= m"),
        (["m*m == 49"], "m == 7"),
        (["5000 <= m", "m <= 5000"], "m == 5000"),
        (["m <= 4", "m <= 9"], "m <= 4"),
        (["m == 3", "m*k % 3 == 0"], "m == 3"),
    ],
)
def test_conditions_are_simplified(conditions: list[str], text: str) -> None:
    way = tuple(condition(c) for c in conditions)
    found = simplified(way)
    assert shown(() if found is None else (found,)) == text
    for m, k in product(range(1, 60), repeat=2):
        before = all(evaluate(expression(c), {"m": m, "k": k}) for c in conditions)
        after = text != "never" and bool(evaluate(expression(text), {"m": m, "k": k}))
        assert before == after


def condition(text: str) -> Condition:
    parsed = expression(text)
    names = ("m", "k")
    if parsed.args[0].op == "%":
        dividend, divisor = parsed.args[0].args
        return Condition("integer", normal(dividend, names).value / normal(divisor, names).value)
    left, right = (normal(arg, names).value for arg in parsed.args)
    return Condition("zero", left - right) if parsed.op == "==" else Condition("nonnegative", right - left)


def test_a_witness_without_a_layout_is_followed_by_one_with_a_thread() -> None:
    """64//mn is 0 values at first; from (6,11) on threads hold something, and less than the tile."""
    text = "((mn,64//mn),k//(64//mn)):((1,mn*(k//(64//mn))),mn)"
    (found,) = (v for v in analyse([of(text, "mn", "k")], "mn <= 64") if v.question == "bijective")
    assert found.witness
    assert found.witness["parameters"] == {"mn": 1, "k": 1}
    further = found.witness["further"]
    made = build(resolve(read(text), further["parameters"]))
    before = made((further["before"]["thread"], further["before"]["value"]))
    assert further["reason"] == "missing"
    assert further["offset"] not in {made(i) for i in range(made.size)}
    assert before == further["offset"] - 1


def test_what_cpp_computes_where_something_is_held() -> None:
    (found,) = (
        v
        for v in analyse([of("((9,64/m),k):((1,9),576/m)", "m", "k")], "m > 64 and k == 1")
        if v.question == "positive"
    )
    assert found.truncation
    assert not found.truncation["holds"]
    assert found.truncation["because"] == "extent 0 is not positive, so nothing is held"


NESTED = [
    "(k//2*2 - k) % 4 == 3",
    "(k//2*2 - k) // 3 == -1",
    "(2*(k//2) - k) // 2 == -1",
    "5 // (k//3*3 - k + 1) <= -5",
]


@pytest.mark.parametrize("condition", NESTED)
def test_a_division_inside_a_division_is_not_taken_as_exact(condition: str) -> None:
    """Each holds for infinitely many k, where k//2 and k//3 are not exact: odd ones, or 2 modulo 3."""
    inside = [k for k in range(1, 40) if instances.holds(expression(condition), {"k": k})]
    assert inside
    assert models.found(requires.read(condition, ("k",))) != ()
    halved = analyse([of("(k/2,1):(1,0)", "k/2")], f"k == 2 or ({condition} and k > 70000)")
    assert halved[-1].verdict != "proved"


def test_three_lower_bounds_of_one_parameter() -> None:
    """Only the largest counts: 7 <= k does not follow from the others."""
    for a, b, c in ((6, 4, 2), (600, 400, 200), (2, 6, 4)):
        (found,) = (v for v in analyse([of(f"((k-{a},k-{b},k-{c}),1):((1,1,1),0)", "k")]) if v.question == "positive")
        assert found.precondition == f"{max(a, b, c) + 1} <= k"
        assert found.necessary


FORMS = """layoutcheck: 1
atoms:
- name: x
  kind: mma
  mnk: [m, m, k]
  thr: "m:1"
  a: "(m,k):(1,m)"
  b: "(m,k):(1,m)"
  c: "(m,m):(1,m)"
  oracle: {a: {m: "M", k: "K"}, source: none}
  family: {params: {k: {min: 1}, m: {min: 1}}, requires: "REQUIRES"}
"""


@pytest.mark.parametrize(
    ("m", "k", "condition", "code", "rule"),
    [
        ("lane", "v + 0*(12/m)", "12 % m == 0", 0, "proved for all parameters"),
        ("lane", "v + 0*(12/m)", "m < 5 or m == 5", 1, "LC108"),
        ("lane", "v + 0*(12/m)", "m < 5 or m > 30000", 3, "form"),
        ("lane + (m-1)*(m-2)*(m-3) - 4*((m-1)*(m-2)*(m-3)//4)", "v", "m > 0", 1, "LC102"),
        ("lane", "v % (2*(k/2))", "k % 2 == 0", 0, "proved for all parameters"),
        ("lane", "v + k - 2*(k/2)", "k % 2 == 0", 0, "proved for all parameters"),
        ("lane/2 + lane - lane/2", "v", "m > 1", 1, "LC108"),
    ],
)
def test_divisions_of_a_closed_form(
    m: str, k: str, condition: str, code: int, rule: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "atom.yaml"
    path.write_text(FORMS.replace('"M"', f'"{m}"').replace('"K"', f'"{k}"').replace("REQUIRES", condition))
    assert cli.main(["verify", "--families", str(path)]) == code
    out = capsys.readouterr().out
    assert rule in out
    assert "LC901" not in out


@pytest.mark.parametrize(
    ("params", "condition", "code"),
    [
        ("k: {min: -100}", "", 1),
        ("k: {min: 0}, m: {min: 1}", "k == 0 and m > 90000", 3),
        ("k: {min: -200000}", "k + 100000 == 0", 3),
        ("k: {min: 1}, m: {in: [0]}", "", 3),
    ],
)
def test_parameters_below_one(
    params: str, condition: str, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`for all parameters` is about positive ones, so it is not said of a family that has others."""
    text = FORMS.replace('  oracle: {a: {m: "M", k: "K"}, source: none}\n', "")
    text = text.replace("{k: {min: 1}, m: {min: 1}}", f"{{{params}}}").replace("REQUIRES", condition)
    size = "k" if "m:" not in params else "k+m"
    text = text.replace("m, m, k", f"{size}, {size}, {size}").replace("m:1", f"1*({size}):1")
    for layout in ("(m,k):(1,m)", "(m,m):(1,m)"):
        text = text.replace(layout, f"(1*({size}),1*({size})):(1,1*({size}))")
    path = tmp_path / "atom.yaml"
    path.write_text(text)
    assert cli.main(["verify", "--families", str(path)]) == code
    out = capsys.readouterr().out
    assert "LC109" not in out
    assert "proved for all" not in out


def test_what_a_negative_dividend_is_rounded_to_is_not_told() -> None:
    """C++ computes 3 + -5/4 = 2, not 1."""
    (found,) = (v for v in analyse([of("(3+(k-6)/4,1):(1,0)", "2")], "k == 1") if v.question == "positive")
    assert found.verdict == "refuted"
    assert found.truncation is None


def test_a_quotient_that_rounds_otherwise_than_cpp_is_not_proved() -> None:
    """3 + (k-6)//4 is 1 for k = 1, and 2 in C++."""
    found = analyse([of("(3+(k-6)//4,1):(1,0)", "1")], "k == 1")
    assert found[-1].verdict == "unsupported"
    assert "C++ rounds otherwise" in found[0].note


def test_a_condition_that_has_no_value_at_a_right_instance_is_not_exact() -> None:
    """At k = 3 the first side divides by 0, so that the condition is not met there."""
    found = analyse([of("(k,1):(1,0)", "k")], "12 % (k-3) == 0 or k >= 1")
    assert found[-1].requires != "exact"
    assert analyse([of("(k,1):(1,0)", "k")], "12 % 0 == 0 or k >= 1")[-1].requires != "exact"


def test_words_are_no_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = FORMS.replace('  oracle: {a: {m: "M", k: "K"}, source: none}\n', "").replace("name: x", 'name: "x.{t}"')
    text = text.replace("m: {min: 1}}", 'm: {min: 1}, t: {in: ["16x16", "f8.e4m3", k-5]}}').replace("REQUIRES", "")
    path = tmp_path / "atom.yaml"
    path.write_text(text)
    assert cli.main(["verify", "--families", str(path)]) == 0
    assert "proved for all parameters" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("family", "code"),
    [
        ("params: {m: {multiple_of: 4, min: 4}}, outside: [{m: 6}]", 0),
        ("params: {m: {multiple_of: 4, min: 4}}, outside: [{m: 8}]", 1),
        ("params: {m: {in: [4, 8]}}, outside: [{m: 6}]", 0),
        ("params: {m: {multiple_of: 4}}, requires: '12 % (m - 6) == 0', outside: [{m: 6}]", 0),
        ("rows: [{m: 4}], outside: [{m: 6}]", 1),
    ],
)
def test_ranges_count_for_rows_outside(
    family: str, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = TEXT.replace("rows: [{m: 4}]", family).replace("WIDTH", "1").replace("bits: m", "bits: 4*(m/4)")
    path = tmp_path / "atom.yaml"
    path.write_text(text.replace("m):(1,1)", "4*(m/4)):(1,1)").replace("x.{m}", "x.{m}"))
    assert cli.main(["verify", "--families", str(path)]) == code, capsys.readouterr().out
