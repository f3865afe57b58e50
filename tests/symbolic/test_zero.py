"""Extents that are 0 for some parameters: unsupported, never a crash and never passed over."""

from __future__ import annotations

from pathlib import Path

import pytest

from layoutcheck import cli

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


@pytest.mark.parametrize(("width", "code"), [("m - m + 1", 0), ("1 + 0*m", 0), ("m % 3", 3)])
def test_what_is_not_modelled_is_said(
    width: str, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "atom.yaml"
    path.write_text(TEXT.replace("WIDTH", width))
    assert cli.main(["verify", "--families", str(path)]) == code
    assert ("LC903" in capsys.readouterr().out) == (code == 3)


def test_an_extent_of_zero_is_no_crash(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "atom.yaml"
    path.write_text(TEXT.replace("WIDTH", "m - m"))
    assert cli.main(["verify", "--families", str(path)]) == 1
    out, err = capsys.readouterr()
    assert "LC102" in out
    assert "internal" not in out + err
