"""README: what it shows is what the tool does."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import msgspec
import pytest

from layoutcheck import cli
from layoutcheck.atoms.schema import KINDS

README = (Path(__file__).parents[1] / "README.md").read_text()


def block(language: str, start: str) -> str:
    return next(b for b in re.findall(rf"```{language}\n(.*?)```", README, re.S) if b.startswith(start))


def test_the_transcript_is_real(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = block("console", "$ layoutcheck verify").splitlines()[1:]
    operand = re.search(r'a: ("\S+")', shown[1])
    assert operand is not None
    text = re.sub(r"  #.*", "", block("yaml", "layoutcheck: 1"))
    text = re.sub(r'^  a: "\S+"', f"  a: {operand.group(1)}", text, count=1, flags=re.M)
    first_atom = text[: text.index("- name: lds_read_trans")]
    monkeypatch.chdir(tmp_path)
    Path("atom.yaml").write_text(first_atom)
    assert cli.main(["verify", "atom.yaml"]) == 1
    told = capsys.readouterr().out.splitlines()
    assert told[:-1] == shown[:-1]
    assert re.sub(r"\(.*\)", "", told[-1]) == re.sub(r"\(.*\)", "", shown[-1])


def test_the_example_file_is_right(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "atom.yaml"
    path.write_text(block("yaml", "layoutcheck: 1"))
    assert cli.main(["verify", str(path)]) == 0
    assert capsys.readouterr().out.startswith("2 instances in 1 file: no findings")


def test_the_index_map_is_real(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = block("console", "$ layoutcheck verify grid").splitlines()[1:]
    text = block("yaml", "layoutcheck: 1\natoms:\n- name: grid")
    monkeypatch.chdir(tmp_path)
    Path("grid.atom.yaml").write_text(text)
    assert cli.main(["verify", "grid.atom.yaml"]) == 1
    told = capsys.readouterr().out.splitlines()
    assert told[:-1] == shown[:-1]
    assert re.sub(r"\(.*\)", "", told[-1]) == re.sub(r"\(.*\)", "", shown[-1])
    Path("grid.atom.yaml").write_text(text.replace("max: 64}}", "max: 64}}, requires: n % 8 == 0"))
    assert cli.main(["verify", "grid.atom.yaml"]) == 0


def test_the_two_commands_stand_word_for_word() -> None:
    commands = block("sh", "python3 -m venv").splitlines()
    assert commands == [
        "python3 -m venv .venv && .venv/bin/pip install -q . && .venv/bin/layoutcheck verify --catalog",
        "python3 -m venv .venv && .venv/bin/pip install -q '.[test]' && .venv/bin/pytest -q",
    ]


@pytest.mark.parametrize("start", ["$ layoutcheck check", "$ layoutcheck prove"])
def test_the_questions_answer_as_shown(start: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines = block("console", start).splitlines()
    commands = [line.removeprefix("$ layoutcheck ") for line in lines if line.startswith("$")]
    assert len(commands) == 2
    for command in commands:
        cli.main(shlex.split(command))
    told, shown = capsys.readouterr().out.splitlines(), [line for line in lines if not line.startswith("$")]
    either = "certified by (z3|every point)"  # a busy machine may cut z3 short
    assert [re.sub(either, "", line) for line in told] == [re.sub(either, "", line) for line in shown]


def test_the_python_example_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    code = block("python", "from layoutcheck import")
    exec(code, {})
    assert capsys.readouterr().out.strip() == code.partition("# ")[2].strip()


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_key_of_the_format_is_documented(kind: str) -> None:
    page = (Path(__file__).parents[1] / "docs" / "atom-files.md").read_text()
    common, *sections = re.split(r"^## `", page, flags=re.M)
    own = next(section for section in sections if f"kind: {kind}`" in section.splitlines()[0])
    keys = {field.encode_name for field in msgspec.structs.fields(KINDS[kind])}
    assert not {key for key in keys if f"`{key}`" not in common + own}
