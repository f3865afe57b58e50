"""The command line from outside: outputs, exit codes, what `explain`, `show` and `verify` print."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import layoutcheck
from layoutcheck import cli
from layoutcheck.atoms.schema import json_schema
from layoutcheck.codes import RULES
from layoutcheck.explain import examples

PACKAGE = Path(layoutcheck.__file__).parent


def bad(code: str) -> str:
    return examples(RULES[code])["bad"]


def good(code: str) -> str:
    return examples(RULES[code])["good"]


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    code = cli.main(list(args))
    out = capsys.readouterr()
    return code, out.out, out.err


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "--version")[:2] == (0, f"layoutcheck {layoutcheck.__version__}\n")


def test_quiet_and_verbose_answers(capsys: pytest.CaptureFixture[str]) -> None:
    plain, quiet, verbose = (run(capsys, "check", "injective", "(4,8):(1,4)", *v)[1] for v in ((), ("-q",), ("-v",)))
    assert quiet == plain.splitlines(keepends=True)[0]
    assert verbose.startswith(plain)
    assert re.fullmatch(r"  \d+\.\d{3} s\n", verbose.removeprefix(plain))


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        ("check surjective 4:1", 2, "equals-table, conversion"),
        ("check conversion 4:1 4:1 --smt2 FILE", 3, "conversion has no SMT-LIB export"),
        ("show --list rules -o csv", 2, "a list is text or json"),
        ("verify -o jsonl", 2, "-o jsonl is for --types"),
        *((f"verify --types x {other}", 2, "--types stands alone")
          for other in ("x", "--families", "--smt2 FILE", "--select LC3", "--ignore LC3", "--statistics")),
    ],
)  # fmt: skip
def test_what_an_option_is_not_for(
    args: str, code: int, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "out"
    found, out, err = run(capsys, *args.replace("FILE", str(path)).split())
    assert (found, path.exists()) == (code, False)
    assert message in out + err


def test_finding_in_text(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "verify", bad("LC301"))
    lines = out.splitlines()
    assert (code, err) == (1, "")
    assert re.fullmatch(r".*bad\.atom\.yaml:\d+:\d+: LC301 not-injective \S+ \[A\]: thread .*", lines[0])
    assert lines[2].index("^") == lines[1].index('"')
    assert lines[-1].startswith("1 instance in 1 file: 1 finding (")


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["verify", "GOOD"], 0),
        (["verify", "BAD"], 1),
        (["verify", "GOOD", "BAD", "-q"], 1),
        (["verify", "missing.atom.yaml"], 2),
        (["verify", "missing.atom.yaml", "BAD"], 2),
        (["verify", "--unknown-option"], 2),
        (["no-such-command"], 2),
        (["explain", "LC999"], 2),
        (["verify", "UNSUPPORTED"], 3),
        (["verify", "UNSUPPORTED", "--allow-unknown"], 0),
        (["verify", "WARNING"], 0),
        (["verify", "WARNING", "--strict"], 1),
        (["verify", "BAD", "UNSUPPORTED"], 1),
        (["explain", "not-injective"], 0),
        (["verify", "--timeout", "-1", "GOOD"], 2),
    ],
    ids=lambda a: " ".join(a) if isinstance(a, list) else str(a),
)
def test_exit_codes(args: list[str], code: int, capsys: pytest.CaptureFixture[str]) -> None:
    files = {"GOOD": good("LC301"), "BAD": bad("LC301"), "UNSUPPORTED": bad("LC903"), "WARNING": bad("LC905")}
    assert run(capsys, *(files.get(a, a) for a in args))[0] == code


def test_json_report_has_what_the_documentation_says(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "verify", "-o", "json", bad("LC301"), good("LC207"), "missing.atom.yaml")
    report = json.loads(out)
    assert code == 2
    assert report["version"] == 1
    assert [r["name"] for r in report["results"]] == ["cdna3.mfma.16x16x16.f16", "cdna4.lds_read_trans.16b.64 @16"]
    assert report["results"][0]["codes"] == ["LC301"]
    assert report["results"][1]["codes"] == []
    assert report["counts"]["codes"] == {"LC301": 1}
    assert report["errors"][0]["path"] == "missing.atom.yaml"
    finding = report["diagnostics"][0]
    assert finding["verdict"]["status"] == "refuted"
    assert finding["witness"]["kind"] == "collision"
    page = (Path(__file__).parents[1] / "docs" / "report.md").read_text()
    for name in {*report, *report["results"][0], *finding, *report["counts"], *finding["verdict"]}:
        assert f"`{name}`" in page, name


def test_folders_are_searched_for_atom_files_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = Path(good("LC301")).read_text()
    for name in ("atom.yaml", "b.atom.yaml", "deep/c.atom.yml", "deep/atom.yml", "other.yaml", ".git/d.atom.yaml"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    code, out, _ = run(capsys, "verify", "-o", "json", str(tmp_path))
    found = [Path(r["path"]).relative_to(tmp_path).as_posix() for r in json.loads(out)["results"]]
    assert code == 0
    assert found == ["atom.yaml", "b.atom.yaml", "deep/atom.yml", "deep/c.atom.yml"]


def test_a_file_is_checked_once(capsys: pytest.CaptureFixture[str]) -> None:
    path = good("LC301")
    _, out, _ = run(capsys, "verify", "-o", "json", path, path, str(Path(path).parent / "." / Path(path).name))
    assert json.loads(out)["counts"]["files"] == 1


def test_no_path_is_this_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(capsys, "verify")[0] == 2
    (tmp_path / "atom.yaml").write_text(Path(bad("LC301")).read_text())
    code, out, _ = run(capsys, "verify")
    assert code == 1
    assert out.startswith("atom.yaml:")


def test_no_certify_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "verify", "--no-certify", "-o", "json", good("LC203"))
    assert json.loads(out)["results"][0]["certified"] == 0
    _, out, _ = run(capsys, "verify", "-o", "json", good("LC203"))
    result = json.loads(out)["results"][0]
    assert result["certified"] == result["claims"] > 0


def test_lists(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "show", "--list", "rules")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == list(RULES)
    code, out, _ = run(capsys, "show", "--list", "atoms", "-o", "json")
    names = {row["name"] for row in json.loads(out)["results"]}
    assert {"cdna3.mfma.16x16x16.f16", "gfx120x.wmma.16x16x32.i4", "cdna3.buffer_copy.128"} <= names


def test_a_control_character_never_reaches_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "atom.yaml"
    path.write_text(Path(good("LC301")).read_text().replace("gfx942", '"gfx\\e[31m942"'))
    code, out, _ = run(capsys, "verify", str(path))
    assert code == 1
    assert "\x1b" not in out


def test_a_long_line_is_clipped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "atom.yaml"
    path.write_text(Path(bad("LC301")).read_text().replace("# expect", "#").replace("  a:", "  a:" + " " * 500))
    _, out, _ = run(capsys, "verify", str(path))
    shown = [line for line in out.splitlines() if line.startswith("    | ")]
    assert all(len(line) <= 112 for line in shown)
    assert shown[0][shown[1].index("^")] == '"'


def test_python_dash_m_and_checkout_script_are_the_same_command() -> None:
    for command in (["-m", "layoutcheck"], [str(Path(__file__).parents[1] / "cli.py")]):
        done = subprocess.run([sys.executable, *command, "--version"], capture_output=True, text=True, check=True)
        assert done.stdout == f"layoutcheck {layoutcheck.__version__}\n"


def test_the_shipped_schema_is_the_readers_own() -> None:
    assert json.loads((PACKAGE / "atom-file.schema.json").read_text()) == json_schema()
