"""Atom files with entries of kind rewrite: findings at their places, families, suppression, counts, bad entries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from layoutcheck import cli
from layoutcheck.atoms.check import check_source
from layoutcheck.source import Source
from layoutcheck.verdict import Diagnostic
from layoutcheck.verify import check_file

WRONG = "op: shape_cast\n  src: '((3, 16), 2) : ((0, 1), 0)'\n  dst: '((2, 16, 3)) : ((0, 1, 0))'"


def file(*entries: str) -> str:
    return "layoutcheck: 1\natoms:\n" + "".join(
        f"- name: r{i}\n  kind: rewrite\n  {entry}\n" for i, entry in enumerate(entries)
    )


def found(*entries: str) -> list[Diagnostic]:
    return check_file(Source("x", file(*entries)), certify=True, timeout=10.0)[1]


def test_a_finding_has_its_place_its_arithmetic_and_its_data() -> None:
    (said,) = found(WRONG)
    assert (said.code, said.span.line, said.span.column, said.severity) == ("LC501", 7, 8, "error")
    assert said.counterexample == (
        "thread 0, index 2: expected element 2, actual 32",
        "refuted: precondition of shape_cast; witness replayed",
    )
    assert said.witness is not None
    assert {k: said.witness[k] for k in ("kind", "thread", "index", "expected", "actual")} == {
        "kind": "rewrite", "thread": 0, "index": 2, "expected": 2, "actual": 32,
    }  # fmt: skip


RIGHT = [
    "op: shape_cast\n  src: '((32, 4)) : ((1, 0))'\n  to: [4, 32]",
    "op: shape_cast\n  src: '((32, 4)) : ((1, 0))'\n  to: 4x32",
    "op: reshape\n  src: '#iree_map.pack_layout<((32, 4)) : ((1, 0))>'\n  to: 2x2x32",
    "op: transpose\n  src: '((4, 2), (8, 4)) : ((1, 0), (4, 0))'\n  perm: [1, 0]",
    "op: broadcast\n  dst: '((32, 4)) : ((1, 0))'",
    "op: step\n  layout: '((32, 4)) : ((1, 0))'\n  threads: 64",
    "op: step\n  layout: '((16, 4)) : ((1, 0))'\n  offset: t % 16 * 4",
    "op: for\n  layouts: ['(4) : (1)', '((2, 2)) : ((2, 1))']",
    "op: fold\n  outer: '(4) : (1)'\n  inner: '(4) : (1)'",
]


def test_what_is_right_is_counted_and_certified() -> None:
    instances, said = check_file(Source("x", file(*RIGHT)), certify=True, timeout=10.0)
    assert said == []
    assert [(i.kind, i.claims, i.certified) for i in instances] == [("rewrite", 1, 1)] * len(RIGHT)
    assert instances[5].notes == ("threads beyond 31 hold replicas",)
    instances, _ = check_file(Source("x", file(*RIGHT[:1])), certify=False, timeout=10.0)
    assert (instances[0].claims, instances[0].certified) == (1, 0)


BAD = [  # code, line, part of the message, entry
    ("LC102", 5, "unknown op 'shapecast' (known: shape_cast,", "op: shapecast\n  src: '(4):(1)'\n  to: [4]"),
    ("LC102", 5, "no dst or to given", "op: shape_cast\n  src: '(4):(1)'"),
    ("LC102", 5, "not threads", "op: fold\n  outer: '(4):(1)'\n  inner: '(4):(1)'\n  threads: 4"),
    ("LC102", 3, "missing key 'op'", "src: '(4):(1)'"),
    ("LC102", 6, "unknown key 'source'", "op: reshape\n  source: '(4):(1)'\n  to: [4]"),
    ("LC103", 6, "expected", "op: reshape\n  src: '(4'\n  to: [4]"),
    ("LC104", 6, "not congruent", "op: reshape\n  src: '(4):(1,2)'\n  to: [4]"),
    ("LC105", 7, "not positive", "op: for\n  layouts:\n  - '(0):(1)'\n  - '(4):(1)'"),
    ("LC106", 6, "negative", "op: step\n  layout: '(4):(-1)'"),
    ("LC110", 6, "beyond 2^63", "op: step\n  layout: '((4294967296,4294967296)):((0,0))'"),
    ("LC102", 7, "below 1", "op: reshape\n  src: '(4):(1)'\n  to: [4, 0]"),
    ("LC102", 7, "without numbers", "op: reshape\n  src: '(4):(1)'\n  to: []"),
    ("LC102", 7, "below 0", "op: transpose\n  src: '(4):(1)'\n  perm: [-1]"),
    ("LC505", 7, "no permutation", "op: transpose\n  src: '(4):(1)'\n  perm: [1]"),
    ("LC102", 7, "offset", "op: step\n  layout: '(4):(1)'\n  offset: lane"),
    ("LC307", 6, "there are 2", "op: step\n  layout: '(4):(1)'\n  threads: 2"),
    ("LC103", 6, "unexpected '_': a pack map holds integers", "op: step\n  layout: '((_4,_6)):((_1,_0))'"),
    ("LC110", 6, "the extent is 2^63, beyond 2^63 - 1", "op: step\n  layout: '(9223372036854775808):(1)'"),
    ("LC103", 6, "a Fly layout is colex", "op: step\n  layout: '!fly.layout<(4):(1)>'"),
]


@pytest.mark.parametrize(("code", "line", "text", "entry"), BAD)
def test_a_bad_entry_is_one_finding_at_its_place(code: str, line: int, text: str, entry: str) -> None:
    (said,) = found(entry)
    assert (said.code, said.span.line) == (code, line)
    assert text in said.message


@pytest.mark.parametrize("kind", ["pack_layout", "pack_map"])
def test_a_cute_text_is_no_pack_layout(kind: str) -> None:
    text = f"layoutcheck: 1\natoms:\n- {{name: x, kind: {kind}, layout: '((_4,_6)):((_1,_0))'}}\n"
    (said,) = check_file(Source("x", text), certify=True, timeout=10.0)[1]
    assert (said.code, said.span.line, said.message) == ("LC103", 3, "unexpected '_': a pack map holds integers")


def test_a_family(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "atom.yaml").write_text(
        "layoutcheck: 1\natoms:\n- name: 'cast.{n}'\n  kind: rewrite\n  op: shape_cast\n"
        "  family: {rows: [{n: 2}, {n: 3}, {n: 4}]}\n"
        "  src: '((16, n), n) : ((1, 0), 0)'\n  to: [16, 4*n*n/4]\n"
    )
    assert cli.main(["verify", str(tmp_path), "-o", "json"]) == 0
    names = [r["name"] for r in json.loads(capsys.readouterr().out)["results"]]
    assert names == ["cast.2", "cast.3", "cast.4"]


def test_an_offset_names_parameters_as_layouts_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "atom.yaml").write_text(
        "layoutcheck: 1\natoms:\n- name: 'step.{n}'\n  kind: rewrite\n  op: step\n"
        "  family: {rows: [{n: 4}, {n: 8}]}\n  layout: '((n, 4)) : ((1, 0))'\n  offset: 4*(t % n)\n"
    )
    assert cli.main(["verify", str(tmp_path)]) == 0
    path = tmp_path / "atom.yaml"
    path.write_text(path.read_text().replace("t % n", "t % 4"))
    assert cli.main(["verify", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert "expected element 16, actual 0" in out
    path.write_text(path.read_text().replace("t % 4", "t % m"))
    assert cli.main(["verify", str(tmp_path)]) == 1
    assert "unknown name 'm' (known: n, t)" in capsys.readouterr().out


def test_suppression_and_the_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "atom.yaml"
    path.write_text(file(WRONG + "\n  ignore: [{code: LC501, reason: kept as a reminder}]", RIGHT[0]))
    assert cli.main(["verify", str(path), "-v"]) == 0
    out = capsys.readouterr().out
    assert "LC501 suppressed: kept as a reminder" in out
    assert "r1: ok (1 claims, 1 certified)" in out
    assert "2 instances in 1 file: 1 suppressed" in out
    path.write_text(file(RIGHT[0] + "\n  ignore: [{code: LC501, reason: none}]"))
    assert cli.main(["verify", str(path)]) == 0
    assert "LC905" in capsys.readouterr().out


def test_unknown_is_exit_code_3(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    odd = "op: step\n  layout: '((4)):((1))'\n  offset: t % 4 + t // (t + 1)"
    (tmp_path / "atom.yaml").write_text(file(odd))
    assert cli.main(["verify", str(tmp_path)]) == 3
    assert "LC902" in capsys.readouterr().out


def test_atoms_alone_do_not_pass_what_they_cannot_check() -> None:
    _, said = check_source(Source("x", file(RIGHT[0])), certify=True, timeout=1.0)
    assert [d.code for d in said] == ["LC903"]


def test_a_rewrite_is_not_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.atom.yaml").write_text(file(RIGHT[0]))
    assert cli.main(["show", str(tmp_path / "x.atom.yaml")]) == 2
    assert "has no operands" in capsys.readouterr().err


def test_the_template_can_be_filled_in(tmp_path: Path, capsys: Any) -> None:
    assert cli.main(["verify", "--new", "rewrite"]) == 0
    lines = []
    for line in capsys.readouterr().out.splitlines():
        field, blank, comment = line.partition("FILL")
        lines.append(field + comment.partition("#")[2].strip() if blank and "# " in comment else line)
    (tmp_path / "atom.yaml").write_text("\n".join(lines).replace("FILL", "") + "\n")
    assert cli.main(["verify", str(tmp_path)]) == 0
    assert "1 instance in 1 file: no findings" in capsys.readouterr().out
