"""`kind: map` as it is written: what it claims, what is said of a slip, and everything that must not get through."""

from __future__ import annotations

from pathlib import Path

import pytest

from layoutcheck import cli
from layoutcheck.atoms.check import check_source
from layoutcheck.source import Source
from layoutcheck.verdict import Diagnostic

LINES = {
    "name": "x",
    "kind": "map",
    "coordinates": "[i, j]",
    "from": "[4, m]",
    "to": "[i*m + j]",
    "onto": "[4*m]",
    "family": "{rows: [{m: 3}]}",
}


def text(**lines: str) -> str:
    """The file above with lines replaced, left out (""), or added; `from_` is `from`."""
    replaced = LINES | {key.rstrip("_"): value for key, value in lines.items()}
    return "layoutcheck: 1\natoms:\n- " + "\n  ".join(f"{k}: {v}" for k, v in replaced.items() if v) + "\n"


def found(**lines: str) -> list[Diagnostic]:
    return check_source(Source("x", text(**lines)), certify=True, timeout=10)[1]


def codes(**lines: str) -> list[str]:
    return [d.code for d in found(**lines)]


def test_right_as_it_stands() -> None:
    assert not found()
    assert not found(coordinates="", to="[c0*m + c1]")
    assert not found(from_="[4, 3]", to='["i*{m} + j"]')


@pytest.mark.parametrize(
    ("lines", "code", "message"),
    [
        ({"to": "[i + j]"}, "LC301", "(i 0, j 1) and (i 1, j 0) both go to 1"),
        ({"to": "[i*m + j + 1]"}, "LC303", "(i 3, j 2) goes to 12, outside 12"),
        ({"to": "[i*m + j - 1]"}, "LC303", "(i 0, j 0) goes to -1, a negative coordinate"),
        ({"onto": "[13]"}, "LC302", "nothing goes to 12 of 13"),
        ({"onto": "[3000000]"}, "LC302", "12 points cannot reach 3000000 elements"),
        ({"to": "[i, j]", "onto": "[4, 4]"}, "LC302", "nothing goes to (0, 3) of (4, 4)"),
        ({"to": "[i*m + j/2]"}, "LC108", "(i 0, j 1): 1 / 2 is not exact: C++ would truncate it to 0"),
        ({"to": "[i*m + j + 0 // i]"}, "LC108", "(i 0, j 0): division by zero: 0 // 0"),
        ({"to": "[i*m + (j - 1) % 3]"}, "LC108", "(i 0, j 0): -1 % 3 is 2 here and -1 in C++, which rounds to zero"),
        ({"to": "[i*m + j*3037000500*3037000500 % 7]"}, "LC110",
         "(i 0, j 1): 3037000500 * 3037000500 = 9223372037000250000 does not fit into 64 bits"),
        ({"injective": "false", "to": "[j]"}, "LC302", "nothing goes to 3 of 12"),
    ],
)  # fmt: skip
def test_what_a_slip_says(lines: dict[str, str], code: str, message: str) -> None:
    (said,) = found(**lines)
    assert (said.code, said.message) == (code, message)
    assert said.verdict is not None
    assert said.verdict.status == "refuted"


def test_what_is_not_claimed_is_not_asked() -> None:
    assert codes(injective="false", to="[j]", onto="[m]") == []
    assert codes(covering="false", onto="[100]") == []
    assert codes(covering="false", to="[i + j]") == ["LC301"]


def test_the_arithmetic_can_be_recomputed() -> None:
    (said,) = found(to="[i*2 + j % m]")
    assert said.message == "(i 0, j 2) and (i 1, j 0) both go to 2"
    assert said.counterexample == (
        "to[0]: 0*2 + 2 % 3 = 2", "to[0]: 1*2 + 0 % 3 = 2", "9 of 12 images are distinct"
    )  # fmt: skip


def test_the_caret_stands_at_the_operation() -> None:
    (said,) = found(to="[i*m + j/2]")
    line = text(to="[i*m + j/2]").splitlines()[said.span.line - 1]
    assert line[said.span.column - 1 :] == "/2]"


def test_and_or_stop_where_they_are_decided() -> None:
    assert codes(from_="[12]", coordinates="[i]", to="[(i > 0 and 12 // i >= 12) * 0 + i]", onto="[12]") == []
    assert codes(from_="[12]", coordinates="[i]", to="[(i < 0 or 12 // i >= 12) * 0 + i]", onto="[12]") == ["LC108"]


def test_suppressed_as_any_other_finding() -> None:
    assert all(d.suppressed for d in found(to="[i + j]", ignore='[{code: LC301, reason: "meant"}]'))
    assert codes(ignore='[{code: LC301, reason: "meant"}]') == ["LC905"]


DEEP = "(" * 33 + "i" + ")" * 33
BAD = {
    "no extents": ({"from_": "[]", "coordinates": "[]", "to": '["0"]'}, "from: 0 extents, expected 1 to 32"),
    "no images": ({"to": "[]", "onto": "[]"}, "onto: 0 extents, expected 1 to 32"),
    "an extent of 0": ({"from_": "[0, m]"}, "from: 0 is below 1"),
    "a negative extent": ({"from_": "[-4, m]"}, "from: -4 is below 1"),
    "an extent that truncates": ({"from_": "[4/m, m]"}, "4 / 3 is not exact: C++ would truncate it to 1"),
    "an extent in a coordinate": ({"from_": "[4, i]"}, "from: unknown name 'i' (known: m)"),
    "an extent of 5000 digits": ({"from_": f"[{'9' * 5000}, m]"}, "from: text of 5000 characters, the limit is 4000"),
    "an extent of 390 digits": ({"from_": f"[{'9' * 390}, m]"}, "from: 2^1297 or more elements, beyond 2^63 - 1"),
    "elements beyond 64 bits": ({"onto": f"[{2**63}]"}, "onto: 2^63 or more elements, beyond 2^63 - 1"),
    "an unknown name": ({"to": "[i*m + q]"}, "to: unknown name 'q' (known: i, j, m)"),
    "an unknown coordinate": ({"coordinates": "", "to": "[c0 + c2]"}, "to: unknown name 'c2' (known: c0, c1, m)"),
    "a call": ({"to": '["__import__(i)"]'}, "to: unexpected '('"),
    "no expression": ({"to": '["i +"]'}, "to: expected a number or a name but found the end"),
    "an empty text": ({"to": '[""]'}, "to: expected a number or a name but found the end"),
    "nested too deep": ({"to": f'["{DEEP}"]'}, "to: parentheses nested deeper than 32"),
    "signs without end": ({"to": f'["{"-" * 3000}i"]'}, "to: expression of more than 256 tokens"),
    "a name twice": ({"coordinates": "[i, i]", "to": "[i]"}, "coordinate i stands twice"),
    "a name that is none": ({"coordinates": '[i, "j j"]', "to": "[i]"}, "'j j' is no name for a coordinate"),
    "a name that is an operator": ({"coordinates": "[i, and]", "to": "[i]"}, "'and' is no name for a coordinate"),
    "a name of both": ({"coordinates": "[i, m]", "to": "[i]"}, "m is both a coordinate and a parameter of the family"),
    "too few names": ({"coordinates": "[i]", "to": "[i]"}, "1 coordinates, from has 2 extents"),
    "more expressions than extents": ({"to": "[i, j]"}, "to has 2 expressions, onto 1 extents"),
    "neither true nor false": ({"injective": "maybe"}, "injective: 'maybe' is neither true nor false"),
    "33 extents": ({"from_": str([1] * 33), "coordinates": "", "to": "[c0]"}, "from: 33 extents, expected 1 to 32"),
    "a text for a list": ({"from_": "m"}, "from: expected a list, got a text"),
    "a list for a text": ({"to": "[[i]]"}, "to[0]: expected a text, got a list"),
    "nothing for a list": ({"onto": "~"}, "onto: expected a list, got nothing"),
    "a mapping for a list": ({"coordinates": "{i: 1}"}, "coordinates: expected a list, got a mapping"),
    "no `to`": ({"to": ""}, "missing key 'to'"),
    "a misspelt key": ({"onte": "[4]"}, "unknown key 'onte', did you mean 'onto'?"),
    "requires without a family": ({"requires": "m > 1", "family": "", "from_": "[4, 3]", "to": "[i*3 + j]",
                                   "onto": "[12]"}, "requires: unknown name 'm'"),
    "requires that is false": ({"requires": '"1 > 2"', "family": "", "from_": "[4, 3]", "to": "[i*3 + j]",
                                "onto": "[12]"}, "false: `requires: 1 > 2`"),
    "a row that breaks requires": ({"requires": "m > 3"}, "this row breaks its family's `requires: m > 3`"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_told_once_and_clearly(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines, message = BAD[name]
    path = tmp_path / "atom.yaml"
    path.write_text(text(**lines))
    assert cli.main(["verify", str(path)]) == 1
    out, err = capsys.readouterr()
    assert not err
    heads = [line for line in out.splitlines() if line.startswith(f"{path}:")]
    assert len(heads) == 1, out
    assert message in heads[0]


def test_the_template_is_a_map(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["verify", "--new", "map"]) == 0
    shown = capsys.readouterr().out
    filled = "\n".join(
        line.partition("FILL")[0] + line.partition("# ")[2] if "FILL" in line.partition("#")[0] else line
        for line in shown.splitlines()
    )
    instances, said = check_source(Source("x", filled), certify=True, timeout=10)
    assert not said
    assert len(instances) == 64


def test_show_prints_the_map_and_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "atom.yaml"
    path.write_text(text(to='["i*{m} + j + 1"]'))
    assert cli.main(["show", str(path)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "x (map)", "from i < 4, j < 3", "to   i*3 + j + 1 < 12", "", "* LC303 (i 3, j 2) goes to 12, outside 12"
    ]  # fmt: skip
