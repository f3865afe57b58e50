"""Families: which instances there are, against plain enumeration; what is told of many that fail; `--param`."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from layoutcheck import cli
from layoutcheck.atoms.check import check_source
from layoutcheck.atoms.load import load
from layoutcheck.source import Source
from layoutcheck.verdict import Diagnostic

MFMA = """layoutcheck: 1
atoms:
- name: "mfma.{mn}x{k}"
  kind: mma
  family: FAMILY
  mnk: [mn, mn, k]
  thr: "64:1"
  a: "((mn, 64/mn), k/(64/mn)) : ((1, mn*(k/(64/mn))), mn)"
  b: "((mn, 64/mn), k/(64/mn)) : ((1, mn*(k/(64/mn))), mn)"
  c: "((mn, 64/mn), (4, mn/4/(64/mn))) : ((mn, 4), (1, 4*(64/mn)))"
"""
GRID = """layoutcheck: 1
atoms:
- name: grid
  kind: map
  family: FAMILY
  from: [m, n]
  to: [c0*n + c1]
  onto: [m*n]
"""


def checked(text: str, family: str, **narrow: str) -> tuple[list[dict[str, str]], list[Diagnostic]]:
    wanted = {name: frozenset(value.split("|")) for name, value in narrow.items()}
    source = Source("x", text.replace("FAMILY", family))
    instances, found = check_source(source, certify=True, timeout=10, narrow=wanted)
    return [i.parameters for i in instances], found


def said(text: str, family: str, **narrow: str) -> list[tuple[str, str]]:
    return [(d.code, d.message) for d in checked(text, family, **narrow)[1]]


def pairs(parameters: list[dict[str, str]]) -> list[tuple[int, ...]]:
    return [tuple(map(int, row.values())) for row in parameters]


@settings(max_examples=60, deadline=None)
@given(st.integers(-3, 9), st.integers(0, 20), st.integers(1, 5), st.lists(st.integers(1, 9), min_size=1, unique=True))
def test_the_instances_are_the_combinations_that_meet_requires(
    least: int, span: int, step: int, listed: list[int]
) -> None:
    most = least + span
    family = (
        f"{{params: {{m: {{min: {least}, max: {most}, multiple_of: {step}}}, n: {{in: {listed}}}}}, "
        'requires: "m > 0 and (m + n) % 2 == 0"}'
    )
    ranged = [m for m in range(least, most + 1) if m % step == 0]
    expected = [(m, n) for m, n in itertools.product(ranged, listed) if m > 0 and (m + n) % 2 == 0]
    parameters, found = checked(GRID, family)
    assert sorted(pairs(parameters)) == sorted(expected)
    assert [sum(pair) for pair in pairs(parameters)] == sorted(map(sum, expected))
    assert {d.code for d in found} == (set() if expected else {"LC109"})


def test_the_mfma_family_over_a_range() -> None:
    """Sound where 4 | mn, mn | 64, 64 | mn*k and 256 | mn*mn; one finding an operand for everything else."""
    values = "{params: {mn: {in: [4, 16, 32]}, k: {multiple_of: 4, max: 32}}"
    parameters, found = checked(MFMA, f"{values}, requires: '64 % mn == 0 and mn*k % 64 == 0 and mn*mn % 256 == 0'}}")
    assert sorted(pairs(parameters)) == [(mn, k) for mn in (16, 32) for k in range(4, 33, 4)]
    assert not found
    _, found = checked(MFMA, f"{values}}}")
    assert {d.code for d in found} == {"LC108"}
    members = {(d.members.failing, d.members.instances) for d in found if d.members}
    assert members == {(6, 24), (8, 24)}  # 64 | mn*k breaks A and B, 256 | mn*mn breaks C
    assert {tuple(d.members.parameters.values()) for d in found if d.members} == {("4", "4")}


def test_the_smallest_that_fails_and_how_many() -> None:
    text = GRID.replace("c0*n + c1", "c0*4 + c1")
    (diagnostic,) = checked(text, "{params: {m: {in: [2]}, n: {max: 7}}}")[1]
    assert diagnostic.members is not None
    assert diagnostic.members.parameters == {"m": "2", "n": "1"}
    assert (diagnostic.members.failing, diagnostic.members.instances) == (6, 7)
    (diagnostic,) = checked(text, "{params: {m: {in: [2]}, n: {max: 7}}, requires: n > 3}")[1]
    assert diagnostic.members is not None
    assert diagnostic.members.parameters == {"m": "2", "n": "5"}
    assert not checked(text, "{params: {m: {in: [2]}, n: {max: 7}}, requires: n == 4}")[1]


def test_words_are_values_too() -> None:
    text = MFMA.replace("FAMILY", "{params: {t: {in: [f16, bf16]}, mn: {in: [16]}, k: {in: [16]}}}")
    text += "  elements: {a: t, b: t, c: f32}\n"
    names = [e.texts["t"] for e in load(Source("x", text))[0]]
    assert names == ["f16", "bf16"]
    assert not checked(text, "")[1]


ONCE = "{params: {m: {max: 3}, n: {in: [2]}, u: {min: 5, max: 20}}REQUIRES}"


def test_what_no_text_mentions_makes_no_instances() -> None:
    family = ONCE.replace("REQUIRES", "")
    parameters, found = checked(GRID, family)
    assert pairs(parameters) == [(1, 2, 5), (2, 2, 5), (3, 2, 5)]
    assert not found
    free = family.replace("{min: 5, max: 20}", "{min: 5, multiple_of: 4}")
    assert (pairs(checked(GRID, free)[0]), checked(GRID, free)[1]) == ([(1, 2, 8), (2, 2, 8), (3, 2, 8)], [])
    assert pairs(checked(GRID, family, u="7|9")[0]) == [(1, 2, 7), (2, 2, 7), (3, 2, 7)]
    (wrong,) = checked(GRID.replace("c0*n", "c0*n*m"), family)[1]
    assert wrong.members is not None
    assert (wrong.members.failing, wrong.members.instances) == (2, 3)


@pytest.mark.parametrize(
    ("text", "requires"),
    [
        (GRID.replace("name: grid", 'name: "grid{u}"'), ""),
        (GRID, ", requires: u % 2 == m % 2 or u > 0"),
        (GRID.replace("[c0*n + c1]", '["c0*n + c1 + 0*u"]'), ""),
        (GRID.replace("[c0*n + c1]", '["c0*n + c1 + 0*{u}"]'), ""),
        (GRID.replace("[m*n]", "['m*n*(u/u)']"), ""),
        (GRID + "  requires: u > 0\n", ""),
    ],
)
def test_a_name_that_stands_anywhere_makes_instances(text: str, requires: str) -> None:
    parameters, found = checked(text, ONCE.replace("REQUIRES", requires))
    assert len(parameters) == 3 * 16
    assert not found


def test_what_one_instance_does_not_need_another_may() -> None:
    text = GRID.replace("c0*n + c1", "c0*4 + c1") + '  ignore: [{code: CODE, reason: "meant"}]\n'
    narrow = "{params: {m: {in: [2]}, n: {in: [2, 4]}}}"
    found = checked(text.replace("CODE", "LC303"), narrow)[1]
    assert [(d.code, d.suppressed) for d in found] == [("LC303", "meant")]
    (unused,) = checked(text.replace("CODE", "LC301"), "{params: {m: {in: [2]}, n: {in: [4]}}}")[1]
    assert unused.code == "LC905"


def test_a_free_parameter_is_tried_and_nothing_is_claimed_beyond() -> None:
    parameters, found = checked(GRID, "{params: {m: {in: [3]}, n: {multiple_of: 8}}, requires: n > 16}")
    assert pairs(parameters) == [(3, n) for n in range(24, 24 + 64 * 8, 8)]
    (diagnostic,) = found
    assert diagnostic.code == "LC903"
    assert diagnostic.message.startswith("n is free: 64 instances were checked (n <= 528), nothing is claimed")
    text = GRID.replace("c0*n", "c0*n - (n == 40)")
    assert [d.code for d in checked(text, "{params: {m: {in: [3]}, n: {multiple_of: 8}}}")[1]] == ["LC303"]


def test_two_free_parameters() -> None:
    parameters, found = checked(GRID, "{params: {m: {}, n: {min: 2}}}")
    assert len(parameters) == 64
    assert [d.code for d in found] == ["LC903"]
    assert "m, n are free" in found[0].message


def test_a_free_parameter_with_a_value_is_free_no_more() -> None:
    parameters, found = checked(GRID, "{params: {m: {}, n: {multiple_of: 8}}}", m="3", n="16|17|24")
    assert pairs(parameters) == [(3, 16), (3, 24)]
    assert not found


BAD = [
    ("{params: {m: {in: []}, n: {max: 4}}}", "LC109", "m has no value: `in` is empty"),
    ("{params: {m: {min: 5, max: 4}, n: {max: 4}}}", "LC109", "m has no value: the least is 5, max is 4"),
    ("{params: {m: {max: 7, multiple_of: 8}, n: {max: 4}}}", "LC109", "m has no value: the least is 8, max is 7"),
    ("{params: {m: {max: 4}, n: {max: 4}}, requires: m > 9}", "LC109",
     "of 16 combinations of parameters none meets `requires`: the family has no instance"),
    ("{params: {m: {max: 4}, n: {}}, requires: m > 9}", "LC903",
     "of 16384 combinations of parameters none meets `requires`: nothing is checked"),
    ("{params: {m: {max: 1000}, n: {max: 1000}}}", "LC102",
     "1000000 combinations of parameters, the limit is 100000: narrow their values"),
    ("{params: {m: {max: 101}, n: {max: 100}}}", "LC102",
     "a family of 10100 instances, the limit is 10000: narrow its parameters"),
    (f"{{params: {{m: {{max: {10**300}}}, n: {{max: 1}}}}}}", "LC102", "m has more than 100000 values: narrow them"),
    ("{params: {m: {max: 4, multiple_of: 0}, n: {max: 4}}}", "LC102", "m.multiple_of: 0 is below 1"),
    ("{params: {m: {max: x}, n: {max: 4}}}", "LC102", "m.max: 'x' is no integer"),
    ("{params: {m: {max: 4, in: [1]}, n: {max: 4}}}", "LC102", "m: `in` lists the values, so max say nothing"),
    ("{params: {m: {in: [1, 1]}, n: {max: 4}}}", "LC102", "m.in: 1 stands twice"),
    ("{params: {m: {in: [1, x]}, n: {max: 4}}}", "LC102", "m.in: 'x' is no integer, others are"),
    ("{params: {m: {in: [1]}, \"n n\": {max: 4}}}", "LC102", "'n n' is no name for a parameter"),
    ("{params: {m: {in: [1]}, n: {max: 4}}, rows: [{m: 1, n: 1}]}", "LC102",
     "a family has either `rows` or `params`, here are both"),
    ("{params: {m: {in: [1]}, n: {max: 4}}, requires: q > 1}", "LC102", "requires: unknown name 'q' (known: m, n)"),
    ("{params: {m: {in: [1]}, n: {max: 4}}, requires: 9 / n > 1}", "LC108",
     "9 / 2 is not exact: C++ would truncate it to 4"),
    ("{params: {m: {in: [1]}, n: {max: 4}}, requires: 9 // (n - 2) > 1}", "LC102",
     "requires: division by zero: 9 // 0"),
    ("{params: {m: {in: [1]}, n: 4}}", "LC102", "family.params[...]: expected a mapping, got a text"),
    ("{params: [m, n]}", "LC102", "family.params: expected a mapping, got a list"),
    ("{params: {m: {in: [1]}, n: {mx: 4}}}", "LC102", "unknown key 'mx', did you mean 'max'?"),
]  # fmt: skip


@pytest.mark.parametrize(("family", "code", "message"), BAD)
def test_bad_values_are_told_once(family: str, code: str, message: str) -> None:
    assert said(GRID, family) == [(code, message)]


def test_a_name_without_its_parameter() -> None:
    text = GRID.replace("name: grid", 'name: "grid.{q}"')
    assert said(text, "{params: {m: {max: 3}, n: {max: 4}}}") == [
        ("LC102", "the name 'grid.{q}' mentions a parameter that the row does not have")
    ]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("x16", "parameter mn is 'x16', where an integer is needed"),
        ("16.5", "parameter mn is '16.5', where an integer is needed"),
        ("0", "parameter mn is 0: mnk: 0 is below 1"),
        ("-4", "parameter mn is -4: mnk: -4 is below 1"),
    ],
)
def test_a_bad_value_in_a_row_is_one_finding_at_its_place(value: str, message: str) -> None:
    family = f"{{rows: [{{mn: 16, k: 16}}, {{mn: {value}, k: 16}}]}}"
    (diagnostic,) = checked(MFMA, family)[1]
    assert (diagnostic.code, diagnostic.message) == ("LC102", message)
    line = MFMA.replace("FAMILY", family).splitlines()[diagnostic.span.line - 1]
    assert line[diagnostic.span.column - 1 :].startswith(f"{value}, k: 16")


def test_a_row_whose_name_repeats_is_told_and_still_checked() -> None:
    text = MFMA.replace("mfma.{mn}x{k}", "mfma.{mn}")
    parameters, found = checked(text, "{rows: [{mn: 16, k: 16}, {mn: 16, k: 10}]}")
    assert len(parameters) == 2
    assert {d.code for d in found} == {"LC102", "LC108"}
    assert [d.message for d in found if d.code == "LC102"] == ["the name 'mfma.16' stands twice (first on line 3)"]


def test_combinations_share_a_name_but_not_with_others() -> None:
    family = "{params: {m: {max: 2}, n: {max: 2}}}"
    twice = GRID + GRID.partition("atoms:\n")[2]
    assert [code for code, _ in said(twice, family)] == ["LC102"] * 4


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mma.atom.yaml").write_text(MFMA.replace("FAMILY", "{rows: [{mn: 16, k: 16}, {mn: 32, k: 8}]}"))
    Path("grid.atom.yaml").write_text(GRID.replace("FAMILY", "{params: {m: {max: 2}, n: {max: 3}}}"))


@pytest.mark.usefixtures("files")
def test_parameters_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["verify", ".", "-v"]) == 0
    shown = capsys.readouterr().out
    assert "grid (m = 2, n = 3): ok" in shown
    assert "mfma.32x8 (mn = 32, k = 8): ok" in shown
    cli.main(["verify", ".", "-o", "json"])
    results = json.loads(capsys.readouterr().out)["results"]
    assert {"m": "2", "n": "3"} in [r["parameters"] for r in results]
    assert {"mn": "16", "k": "16"} in [r["parameters"] for r in results]


def test_what_no_text_mentions_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "grid.atom.yaml"
    path.write_text(GRID.replace("FAMILY", ONCE.replace("REQUIRES", "")))
    assert cli.main(["verify", str(path)]) == 0
    assert "no text mentions the parameter u: one value stands for all (3 instances)" in capsys.readouterr().out


@pytest.mark.usefixtures("files")
def test_the_finding_says_for_which_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    Path("grid.atom.yaml").write_text(Path("grid.atom.yaml").read_text().replace("c0*n", "c0*2"))
    assert cli.main(["verify", "grid.atom.yaml"]) == 1
    assert "at m = 1, n = 3, the only such instance" not in capsys.readouterr().out
    cli.main(["verify", "grid.atom.yaml", "-o", "json"])
    (diagnostic,) = json.loads(capsys.readouterr().out)["diagnostics"]
    assert diagnostic["members"] == {"parameters": {"m": "2", "n": "1"}, "failing": 2, "instances": 6}


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--param", "mn=16"], 0, "7 instances in 2 files: no findings"),
        (["--param", "mn=16", "--param", "n=3"], 0, "3 instances in 2 files: no findings"),
        (["--param", "n=3", "--param", "n=2", "--param", "m = 1"], 0, "4 instances in 2 files: no findings"),
        (["--param", "q=16"], 2, "error: --param q=16: no family has a parameter q (there are m, n, mn, k)"),
        (["--param", "mn=17"], 2, "error: --param mn=17: no instance has that value (mn: 16, 32)"),
        (["--param", "mn"], 2, "'mn' is not NAME=VALUE"),
        (["--param", "mn="], 2, "'mn=' is not NAME=VALUE"),
        (["--param", "=1"], 2, "'=1' is not NAME=VALUE"),
        (["--types", "x", "--param", "mn=1"], 2, "--types stands alone"),
    ],
)
def test_param(options: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["verify", *options]) == code
    out, err = capsys.readouterr()
    assert message in out + err


@pytest.mark.usefixtures("files")
def test_param_where_the_file_is_broken(capsys: pytest.CaptureFixture[str]) -> None:
    Path("grid.atom.yaml").write_text("- [")
    assert cli.main(["verify", "grid.atom.yaml", "--param", "m=1"]) == 2
    assert "no family has a parameter m; the files have findings that may be why" in capsys.readouterr().err


def test_each_operand_has_its_own_smallest_instance_and_count() -> None:
    _, found = checked(MFMA, "{params: {mn: {in: [8, 16]}, k: {in: [4, 16]}}}")
    told = {(d.operand, d.members.parameters["mn"], d.members.parameters["k"], d.members.failing)
            for d in found if d.members}  # fmt: skip
    assert told == {("a", "8", "4", 1), ("b", "8", "4", 1), ("c", "8", "4", 2)}
