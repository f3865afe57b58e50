"""Each rule has a failing and a mended example file; `explain` prints them; the first line says what is expected."""

from __future__ import annotations

from pathlib import Path

import pytest

import layoutcheck
from layoutcheck import explain
from layoutcheck.codes import RULES
from layoutcheck.source import read_file
from layoutcheck.verify import check_file

EXAMPLES = Path(layoutcheck.__file__).parent / "examples"
FILES = sorted(EXAMPLES.glob("*/*.atom.yaml"))
# LC901 needs a defect of the tool: planted in test_engines_disagree.py; LC408 and LC904 a
# compiler: live/test_flydsl.py
NO_EXAMPLE = {"LC901", "LC408", "LC904"}


def expected(path: Path) -> set[str]:
    first = path.read_text().splitlines()[0]
    assert first.startswith("# expect: ")
    return set(first.removeprefix("# expect: ").split()) - {"nothing"}


@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.name}/{p.name.partition('.')[0]}")
def test_says_what_its_first_line_expects(path: Path) -> None:
    timeout = 0.2 if "LC902" in expected(path) else 10.0
    _, found = check_file(read_file(str(path)), certify=True, timeout=timeout)
    assert {d.code for d in found if not d.suppressed} == expected(path)


@pytest.mark.parametrize("code", sorted(set(RULES) - NO_EXAMPLE))
def test_every_rule_has_both(code: str) -> None:
    files = explain.examples(RULES[code])
    assert set(files) == {"bad", "good"}
    assert code in expected(Path(files["bad"]))
    assert code not in expected(Path(files["good"]))


@pytest.mark.parametrize("code", sorted(RULES))
def test_explain_prints_the_files(code: str) -> None:
    page = "\n".join(explain.explain(code))
    assert RULES[code].formula in page
    for path in explain.examples(RULES[code]).values():
        for line in Path(path).read_text().splitlines():
            assert f"    {line}".rstrip() in page


def test_no_folder_is_left_over() -> None:
    assert {p.name for p in EXAMPLES.iterdir() if p.is_dir()} == {
        f"{rule.code}-{rule.name}" for rule in RULES.values() if rule.code not in NO_EXAMPLE
    }
