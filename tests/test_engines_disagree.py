"""A defect planted in a theorem, or in a witness, comes out as LC901 and exit code 2: never as a verdict."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from layoutcheck import cli
from layoutcheck.atoms import matmul
from layoutcheck.claim import Answer, Collision
from layoutcheck.codes import RULES
from layoutcheck.decide import theorems
from layoutcheck.explain import examples

GOOD = """layoutcheck: 1
atoms:
- name: x
  kind: mma
  mnk: [4, 4, 4]
  thr: "4:1"
  a: "(4,4):(1,4)"
  b: "(4,4):(1,4)"
  c: "(4,4):(1,4)"
"""
LIES = {
    "injective": GOOD.replace('a: "(4,4):(1,4)"', 'a: "(4,4):(1,1)"'),
    "bounded": GOOD.replace('a: "(4,4):(1,4)"', 'a: "(4,4):(1,5)"'),
    "fibre": GOOD.replace('a: "(4,4):(1,4)"', 'a: "(4,8):(1,2)"\n  replication: {a: 2}'),
    "onto": GOOD.replace('a: "(4,4):(1,4)"', 'a: "(4,4):(1,5)"'),
    "permuted": """layoutcheck: 1
atoms:
- {name: x, kind: copy, bits: 4, thr: "4:1", src: "(4,4):(4,1)", dst: "(4,4):(8,1)", ref: dst, val_bits: [1]}
""",
    "recast": """layoutcheck: 1
atoms:
- {name: x, kind: copy, bits: 4, thr: "4:1", src: "(4,4):(1,4)", dst: "(4,4):(1,4)", ref: dst, val_bits: [2]}
""",
}


def run(tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    path = tmp_path / "atom.yaml"
    path.write_text(text)
    code = cli.main(["verify", str(path)])
    return code, capsys.readouterr().out


@pytest.mark.usefixtures("fresh_memo")
@pytest.mark.parametrize("kind", LIES)
def test_a_false_proof_is_caught(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(theorems._THEOREMS, kind, lambda claim: Answer(True, "planted lie"))
    code, out = run(tmp_path, LIES[kind], capsys)
    assert "LC901" in out
    assert "planted lie" in out
    assert code == 2


@pytest.mark.usefixtures("fresh_memo")
def test_a_false_witness_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lie = Answer(False, "planted lie", Collision((0, 1), (1, 0), 4))
    monkeypatch.setitem(theorems._THEOREMS, "injective", lambda claim: lie)
    code, out = run(tmp_path, GOOD, capsys)
    assert "LC901" in out
    assert "does not replay" in out
    assert code == 2


@pytest.mark.usefixtures("fresh_memo")
def test_the_same_files_without_a_lie_are_findings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, GOOD, capsys)[0] == 0
    for text in LIES.values():
        code, out = run(tmp_path, text, capsys)
        assert code == 1
        assert "LC901" not in out


@pytest.mark.usefixtures("fresh_memo")
def test_a_false_place_of_the_oracle_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What LC401 prints is evaluated once more, from the file's layout and the instruction's."""
    text = Path(examples(RULES["LC401"])["bad"]).read_text()
    assert "LC401" in run(tmp_path, text, capsys)[1]
    smallest = matmul.difference

    def lie(*args: Any) -> Any:
        found = smallest(*args)
        return found and (replace(found[0], layout=found[0].layout + 1), found[1])

    monkeypatch.setattr(matmul, "difference", lie)
    code, out = run(tmp_path, text, capsys)
    assert "LC901" in out
    assert code == 2
