"""`show`: snapshots that were looked at, formats, width, colour; `verify --new`, `--select`, `--output-file`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from layoutcheck import cli
from layoutcheck.codes import RULES
from layoutcheck.explain import examples
from layoutcheck.show import show

SNAPSHOTS = Path(__file__).parent / "data" / "pictures"
PICTURES = {
    "cdna3-16x16x16-a": ("cdna3.mfma.16x16x16.f16", "a", 120),
    "gfx11-a": ("gfx11.wmma.16x16x16.f16", "a", 180),
    "gfx11-c": ("gfx11.wmma.16x16x16.f16", "c", 120),
    "lds-read-trans-dst": ("!fly_rocdl.cdna4.lds_read_trans<trans = 16b, 64>", "dst", 80),
    "iree": ("#iree_map.pack_layout<((4, 2), (4, 8)) : ((1, 0), (0, 4))>", None, 120),
}


def picture(name: str) -> str:
    target, operand, width = PICTURES[name]
    return "".join(f"{line.rstrip()}\n" for line in show(target, operand=operand, width=width))


@pytest.mark.parametrize("name", PICTURES)
def test_snapshot(name: str) -> None:
    assert picture(name) == (SNAPSHOTS / f"{name}.txt").read_text()


def test_pages_fit_the_width() -> None:
    for by in ("tile", "register"):
        lines = list(show("(64,32):(1,64)", tile="64x32", by=by, width=60))[2:]
        assert max(map(len, lines)) <= 60
    assert "\x1b" not in "".join(lines)
    assert "\x1b" in "".join(show("(4,2):(1,4)", color=True))


def test_formats() -> None:
    rows = list(show("(4,2):(2,1)", tile="2x4", output="csv"))
    assert rows[0] == "view,thread,value,offset,m,n"
    assert rows[4].endswith(",1,1,3,1,1")
    cells = json.loads("".join(show("(4,2):(2,1)", tile="2x4", output="json")))["results"][0]["views"][0]["cells"]
    assert [c["offset"] for c in cells] == [2 * c["thread"] + c["value"] for c in cells]


def test_a_counterexample_stands_in_its_place() -> None:
    text = "\n".join(show(examples(RULES["LC301"])["bad"], operand="a", width=400))
    assert re.search(r"^  0 .*t0v1 t16v0\*", text, re.M)
    assert "* LC301 [A]" in text


def test_the_state_is_shown_as_its_struct() -> None:
    lines = list(show("!fly.copy_atom<!fly_rocdl.cdna3.buffer_copy_lds<32>, 32>"))
    assert "state: !llvm.struct<(i32, i32)>" in lines
    assert "  slot 1  imm_offset  i32  default 0" in lines


@pytest.mark.parametrize("kind", ["mma", "copy", "pack_layout"])
def test_a_new_file_verifies_once_filled_in(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["verify", "--new", kind]) == 0
    text = capsys.readouterr().out
    path = tmp_path / "atom.yaml"
    path.write_text(text)
    assert cli.main(["verify", str(path)]) == 1
    path.write_text(re.sub(r"FILL +# (.*)", r"\1", text))
    assert cli.main(["verify", str(path)]) == 0


def test_select_ignore_statistics_and_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = examples(RULES["LC301"])["bad"]
    assert cli.main(["verify", bad, "--statistics"]) == 1
    assert "   1  LC301 not-injective" in capsys.readouterr().out
    assert cli.main(["verify", bad, "--select", "LC301,LC2"]) == 1
    assert cli.main(["verify", bad, "--select", "LC2"]) == 0
    assert cli.main(["verify", bad, "--ignore", "LC3"]) == 0
    assert "not told (--select, --ignore): 1 LC301" in capsys.readouterr().out
    assert cli.main(["verify", bad, "--select", "LC999"]) == 2
    assert cli.main(["verify", examples(RULES["LC903"])["bad"], "--ignore", "LC903"]) == 3
    assert cli.main(["verify", examples(RULES["LC101"])["bad"], "--select", "LC301"]) == 1
    capsys.readouterr()
    out = tmp_path / "report.json"
    assert cli.main(["verify", bad, "-o", "json", "--output-file", str(out)]) == 1
    assert capsys.readouterr().out == ""
    assert json.loads(out.read_text())["counts"]["codes"] == {"LC301": 1}
