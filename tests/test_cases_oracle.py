"""Public bugs that only an instruction's own map shows, and two that are none: one file each, expectation in line 1."""

from __future__ import annotations

from pathlib import Path

import pytest

from layoutcheck.atoms.check import check_source
from layoutcheck.source import Source, read_file
from layoutcheck.verdict import Diagnostic

FILES = sorted((Path(__file__).parent / "cases").glob("*.atom.yaml"))


def found(path: Path) -> list[Diagnostic]:
    return check_source(read_file(str(path)), certify=True, timeout=10)[1]


def one(start: str, code: str) -> Diagnostic:
    path = next(p for p in FILES if p.name.startswith(start))
    return next(d for d in found(path) if d.code == code)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name.partition(".")[0])
def test_says_what_its_first_line_expects(path: Path) -> None:
    said = {f"{d.code}:{d.operand}" if d.operand else d.code for d in found(path)}
    assert said == set(path.read_text().splitlines()[0].removeprefix("# expect: ").split()) - {"nothing"}


def test_every_row_has_a_file() -> None:
    assert {int(p.name[:2]) for p in FILES} == {7, 8, 10, 11, 13, 15, 16, 20, 21, 22}


@pytest.mark.parametrize(
    ("start", "code", "at", "layout", "instruction", "differ"),
    [
        ("10-", "LC401", (0, 1), {"m": 1, "n": 0}, {"m": 2, "n": 0}, 224),
        ("07-", "LC401", (16, 0), {"m": 0, "n": 0}, {"m": 1, "n": 0}, 128),
        ("15-tensor-layouts-rdna4", "LC401", (1, 0), {"m": 8, "n": 0}, {"m": 0, "n": 1}, 240),
        ("15-tensor-layouts-rdna3", "LC401", (0, 1), {"m": 1, "n": 0}, {"m": 2, "n": 0}, 254),
        ("16-", "LC404", (0, 1), {"m": 0, "n": 1}, {"m": 1, "n": 0}, None),
        ("20-rdna4", "LC404", (0, 1), {"m": 0, "n": 1}, {"m": 1, "n": 0}, 240),
    ],
)
def test_names_the_smallest_point(
    start: str, code: str, at: tuple[int, int], layout: object, instruction: object, differ: int | None
) -> None:
    witness = one(start, code).witness
    assert witness is not None
    assert (witness["thread"], witness["value"]) == at
    assert (witness["layout"], witness["instruction"]) == (layout, instruction)
    assert differ is None or witness["differ"] == differ


def test_relabelling_is_a_warning_with_its_cycles() -> None:
    said = one("22-", "LC407")
    assert said.severity == "warning"
    assert said.witness is not None
    assert said.witness["permutation"] == {"k": [[4, 8], [5, 9], [6, 10], [7, 11]]}
    assert "(4 8)(5 9)(6 10)(7 11)" in said.message


def test_hearsay_lowers_a_finding_to_a_warning() -> None:
    assert one("21-gfx1250-fp8-block", "LC403").severity == "warning"
    text = (
        "layoutcheck: 1\natoms:\n- name: x\n  kind: mma\n  arch: gfx1250\n  mnk: [16, 16, 32]\n  thr: '32:1'\n"
        "  a: '((16,2),(8,2)):((1,128),(16,256))'\n  b: '((16,2),(8,2)):((1,128),(16,256))'\n"
        "  c: '((16,2),(4,2)):((16,8),(2,1))'\n  elements: {a: f16, b: f16, c: f16}\n"
    )
    said = check_source(Source("case", text), certify=True, timeout=10)[1]
    assert [(d.code, d.operand, d.severity) for d in said] == [("LC401", "c", "warning")]
