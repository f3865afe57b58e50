"""Families through `verify`: findings with --families, explanations with -v, data with -o json, scripts with --smt2."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from layoutcheck import cli
from layoutcheck.atoms.families import condition_of
from layoutcheck.atoms.load import load
from layoutcheck.source import decode

from ..smt.test_smtlib import ask

WEAK = """layoutcheck: 1
atoms:
- name: "cdna3.{mn}.{k}"
  kind: mma
  family: {rows: [{mn: 16, k: 16}], requires: "64 % mn == 0 and mn*k % 64 == 0"}
  arch: gfx942
  mnk: [mn, mn, k]
  thr: "64:1"
  a: "((mn, 64/mn), k/(64/mn)) : ((1, mn*(k/(64/mn))), mn)"
  b: "((mn, 64/mn), k/(64/mn)) : ((1, mn*(k/(64/mn))), mn)"
  c: "((mn, 64/mn), (4, mn/4/(64/mn))) : ((mn, 4), (1, 4*(64/mn)))"
"""
EXACT = WEAK.replace("mn*k % 64 == 0", "mn*k % 64 == 0 and mn*mn % 256 == 0")


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> object:
    def verify(text: str, *options: str) -> tuple[int, str]:
        path = tmp_path / "atom.yaml"
        path.write_text(text)
        code = cli.main(["verify", str(path), *options])
        return code, capsys.readouterr().out.replace(str(path), "atom.yaml")

    return verify


def test_rows_alone_are_checked_without_the_option(run) -> None:
    assert run(WEAK)[0] == 0


def test_a_family_that_its_requires_does_not_cover_is_a_finding(run) -> None:
    code, out = run(WEAK, "--families")
    assert code == 1
    first = out.splitlines()[0]
    assert first.startswith("atom.yaml:11:6: LC108 inexact-division cdna3.{mn}.{k} [C]: positive does not hold under")
    assert "wrong at mn 8, k 8; it holds where 64 % mn == 0 and mn*mn % 256 == 0" in first
    assert run(EXACT, "--families")[0] == 0


def test_verbose_says_for_which_parameters_and_leaves_the_exit_code_alone(run) -> None:
    code, out = run(WEAK, "-v")
    assert code == 0
    assert "  [A] bijective: proved (running product of the sorted strides; z3," in out
    assert "    holds exactly where 64 % mn == 0 and mn*k % 64 == 0; requires is exact" in out
    assert "  [C] bijective: refuted (instance mn 8, k 8; witness replayed)" in out
    assert "    C++ computes ((8,8),(4,0)):((8,4),(1,32)), which is wrong: extent 0 is not positive" in out
    assert "  all: refuted" in out


def test_json(run) -> None:
    code, out = run(WEAK, "-o", "json", "-v")
    assert code == 0
    (family,) = json.loads(out)["families"]
    assert family["name"] == "cdna3.{mn}.{k}"
    rows = {(v["operand"], v["question"]): v for v in family["verdicts"]}
    assert rows["a", "bijective"]["precondition"] == "64 % mn == 0 and mn*k % 64 == 0"
    assert rows["a", "bijective"]["requires"] == "exact"
    assert rows["c", "bijective"]["requires"] == "too-weak"
    assert rows["c", "bijective"]["witness"]["parameters"] == {"mn": 8, "k": 8}
    assert rows["c", "bijective"]["beyond"] == {"mn": 16, "k": 1}
    assert rows["", "all"]["verdict"] == "refuted"
    assert "families" not in json.loads(run(WEAK, "-o", "json")[1])


def test_scripts(run, tmp_path: Path) -> None:
    folder = tmp_path / "proofs"
    assert run(EXACT, "--smt2", str(folder))[0] == 0
    scripts = sorted(folder.glob("*.smt2"))
    assert len(scripts) > 20
    assert all(ask(path.read_text()) == "unsat" for path in scripts)


@pytest.mark.parametrize(
    ("change", "code", "rule"),
    [
        (("a: \"((mn, 64/mn), k/", "a: \"((mn, 64/mn), k%"), 1, "LC"),
        (("mnk: [mn, mn, k]", "mnk: [mn, mn, k, k]"), 1, "LC102"),
        (('requires: "64', 'requires: "% 64'), 1, "LC102"),
        (('b: "((mn', 'b: "((mn, '), 1, "LC103"),
    ],
)  # fmt: skip
def test_broken_files_are_findings_not_tracebacks(run, change: tuple[str, str], code: int, rule: str) -> None:
    found, out = run(EXACT.replace(*change), "--families", "-v")
    assert found == code
    assert rule in out


def test_what_is_not_analysed_is_said(run) -> None:
    text = EXACT.replace('thr: "64:1"', 'thr: "64:1"\n  registers: {a: 2}\n  elements: {a: f16}')
    text = text.replace('a: "((mn, 64/mn), k/', 'a: "((mn, 64/mn+0%mn), k/')
    code, out = run(text, "--families")
    assert code == 3
    assert "LC903" in out
    assert "'%' in the layout of a family" in out


def test_catalog_families(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["verify", "--catalog", "--families", "-q"]) == 0
    assert capsys.readouterr().out == ""


def test_conditions_of_rows_and_of_values() -> None:
    (entry,) = load(decode("atom.yaml", EXACT.encode()))[0]
    assert condition_of(entry.record.family) == "64 % mn == 0 and mn*k % 64 == 0 and mn*mn % 256 == 0"


def test_nothing_heavy_is_loaded_where_no_family_is_asked_about() -> None:
    code = (
        "import sys; from layoutcheck.verify import verify; verify((), catalog=True, explain=True); print(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert "sympy" not in loaded
    assert "layoutcheck.symbolic.family" not in loaded


def test_two_families_of_one_name_are_told_at_their_own_place(run) -> None:
    second = WEAK.partition("atoms:\n")[2].replace("k: 16}]", "k: 32}]")
    _, out = run(WEAK + second, "--families", "-q")
    places = [line.split(":")[1] for line in out.splitlines() if line.startswith("atom.yaml")]
    assert places == ["11", "20"]


def test_a_reason_suppresses_a_family_s_finding(run) -> None:
    ignored = WEAK + '  ignore: [{code: LC108, reason: "only 16x16x16 is used"}]\n'
    code, out = run(ignored, "--families", "-v")
    assert code == 0
    assert "LC108 suppressed: only 16x16x16 is used" in out


OUTSIDE = EXACT.replace('% 256 == 0"', '% 256 == 0", outside: [ROW]')


def test_sizes_outside_are_shown(run) -> None:
    code, out = run(OUTSIDE.replace("ROW", "{mn: 32, k: 1}"), "-v", "--families")
    assert code == 0
    assert "  outside: mn 32, k 1: [A] positive fails, mn*k % 64 == 0 not met: 1 / 2 is not exact" in out
    assert "    C++ computes ((32,2),0):((1,0),32), which is wrong: extent 0 is not positive" in out


def test_sizes_outside_in_the_report(run) -> None:
    _, out = run(OUTSIDE.replace("ROW", "{mn: 32, k: 3}"), "-v", "--families", "-o", "json")
    ((row,),) = (family["outside"] for family in json.loads(out)["families"])
    assert (row["parameters"], row["operand"], row["question"]) == ({"mn": 32, "k": 3}, "a", "positive")
    assert row["unmet"] == ["mn*k % 64 == 0"]
    assert row["truncation"] == {
        "parameters": {"mn": 32, "k": 3},
        "layout": "((32,2),1):((1,32),32)",
        "holds": True,
        "right": False,
        "because": "covering: element (0, 2), offset 64, before thread 63 value 0",
    }


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("{mn: 16, k: 4}", "it meets 64 % mn == 0 and mn*k % 64 == 0 and mn*mn % 256 == 0"),
        ("{mn: 16}", "k has no value"),
        ("{mn: 16, kk: 4}", "'kk' is no parameter of the family (known: k, mn)"),
        ("{mn: 32, k: 1, z: 9}", "'z' is no parameter of the family (known: k, mn)"),
        ("{mn: 32, k: x}", "k is 'x', and no positive integer"),
        ("{mn: 32, k: 0}", "k is '0', and no positive integer"),
        ("{mn: 32, k: 2.5}", "k is '2.5', and no positive integer"),
        ("{mn: 32, k: -1}", "k is '-1', and no positive integer"),
        ("{}", "k, mn has no value"),
    ],
)
def test_a_row_inside_is_not_outside(row: str, message: str, run) -> None:
    code, out = run(OUTSIDE.replace("ROW", row))
    assert code == 1
    assert "LC102" in out
    assert f"atom.yaml:5:113: LC102 schema cdna3.{{mn}}.{{k}}: a row of `outside`: {message}" in out


def test_a_row_outside_where_nothing_is_wrong(run) -> None:
    """`requires` is stronger than it needs to be, and the row says that it is not."""
    text = OUTSIDE.replace("ROW", "{mn: 32, k: 2}").replace('requires: "', 'requires: "mn == 16 and ')
    assert run(text)[0] == 0
    code, out = run(text, "--families")
    assert code == 1
    assert "`outside` names mn 32, k 2, where every operand is right" in out
