"""`eval OP ARGS` from outside: results, refusals by name, claims, explanations, exit codes."""

from __future__ import annotations

import json
from collections import Counter
from random import Random
from typing import Any

import pytest

from layoutcheck import cli
from layoutcheck.laws import LAWS
from layoutcheck.operations import evaluate


def ask(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, dict[str, Any]]:
    code = cli.main(["eval", *args, "-o", "json"])
    return code, json.loads(capsys.readouterr().out)["results"][0]


PACKED = "#iree_map.pack_layout<((2, 4), (4, 8)) : ((0, 1), (0, 4))>"


@pytest.mark.parametrize(
    ("args", "value"),
    [
        (["compose", "(4,2,8):(3,12,97)", "3:3"], "3:9"),
        (["compose", "1:7", "4:1", "--domain", "extended"], "4:7"),
        (["compose", "(3,6,2,8):(100,7,1000,5)", "16:9"], "(2,2,4):(21,1000,5)"),
        (["compose", "#iree_map.pack_map<(2,3):(0,1)>", "(2,2):(3,2)"], "#iree_map.pack_map<(2,2):(0,2)>"),
        (["complement", "4:2", "16"], "(2,2):(1,8)"),
        (["complement", "4:2"], "2:1"),
        (["left-inverse", "(4):(2)"], "(2,4):(4,1)"),
        (["left-inverse", "(2,2):(1,3)"], "(3,2):(1,2)"),
        (["concat", "3:1", "4:3"], "(3,4):(1,3)"),
        (["identity", "(2,(3,4))"], "(2,(3,4)):(1,(2,6))"),
        (["permute", "(2,3):(3,1)", "1,0"], "(3,2):(1,3)"),
        (["project", "(2,3):(3,1)", "1,0"], "(3):(1)"),
        (["reshape", "(2,12):(12,1)", "(2,4,3)"], "(2,4,3):(12,1,4)"),
        (["zipped-divide", "(6,8):(1,6)", "(2,4)"], "((2,4),(3,2)):((1,6),(2,24))"),
        (["compose-modes", "(6,8):(1,6)", "<3:2,(2,2):(1,4)>"], "(3,(2,2)):(2,(6,24))"),
        (["upcast", "(32,8):(8,1)", "4"], "(32,2):(2,1)"),
        (["compose", f"{1 << 40}:1", f"{1 << 20}:{1 << 20}"], f"{1 << 20}:{1 << 20}"),
    ],
)
def test_results_are_certified(args: list[str], value: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, result = ask(capsys, *args)
    assert (code, result["verdict"], result["value"]) == (0, "proved", value)
    assert result["certified"]
    assert result["law"] == LAWS[args[0]].statement


@pytest.mark.parametrize(
    ("args", "name", "numbers"),
    [
        (["compose", "(6,2):(1,7)", "(3,2):(2,3)"], "carry", {"index": 5, "offset": 7, "value": 8, "leafwise": 7}),
        (["compose", "(4,6,8):(2,3,5)", "6:3"], "stride-crosses-cut", {"stride": 3, "cut": 4}),
        (["compose", "1:7", "4:1"], "outside-domain", {"reaches": 3, "points": 1}),
        (["compose", "(6,2):(1,7)", f"(3,2,{1 << 40}):(2,3,0)"], "carry", {"cut": 6, "sum": 7}),
        (["complement", "1:0", "8"], "trivial", {"points": 1}),
        (["complement", "(3,2):(1,2)"], "not-chain", {"end": 3}),
        (["complement", "4:2", "9"], "not-dividing", {"n": 9, "end": 8}),
        (["complement", "(2,2):(0,1)", "4"], "repeats", {"extent": 2}),
        (["left-inverse", "(2,2):(1,1)"], "not-injective", {"value": 1}),
        (["logical-divide", "8:1", "3:1"], "not-dividing", {"n": 8, "end": 3}),
        (["logical-divide", "(5,8):(1,5)", "(2,4)"], "not-dividing", {"n": 5, "end": 2}),
        (["pack", PACKED, "--shape", "8x16"], "shape-differs", {"dimension": 1, "wanted": 16, "held": 32}),
        (["pack", PACKED, "--threads", "48"], "threads-uneven", {"threads": 48, "period": 32}),
    ],
)
def test_refusals_have_a_name_and_numbers(
    args: list[str], name: str, numbers: dict[str, int], capsys: pytest.CaptureFixture[str]
) -> None:
    code, result = ask(capsys, *args)
    assert (code, result["refused"]) == (1, name)
    assert numbers.items() <= result["numbers"].items()
    assert cli.main(["eval", *args]) == 1
    assert name in capsys.readouterr().out.splitlines()[0]


@pytest.mark.parametrize(
    ("args", "witness"),
    [
        (["compose", "(6,2):(1,7)", "(3,2):(2,3)", "--claimed", "(3,2):(2,3)"], {"index": 5, "left": 7, "right": 8}),
        (["compose", "(4,6,8):(2,3,5)", "6:3", "--claimed", "(2,3):(6,3)"], {"index": 2, "left": 3, "right": 7}),
        (["left-inverse", "(2,2):(1,3)", "--claimed", "(2):(2)"], {"index": 1, "left": 1, "right": 2}),
        (["concat", "3:1", "4:3", "--claimed", "7:4"], {"sizes": [7, 12]}),
        (["complement", "(3,2):(1,2)", "24", "--claimed", "3:4"], {"sizes": [18, 24]}),
        (["coalesce", "(2,4):(1,2)", "--claimed", "8:2"], {"index": 1, "left": 2, "right": 1}),
        (["compose", "(4096,8):(1,4097)", "(4096,4):(1,4096)", "--claimed", "16384:1"], {"index": 4096}),
    ],
)
def test_a_wrong_claim_is_refuted(args: list[str], witness: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    code, result = ask(capsys, *args)
    assert (code, result["verdict"]) == (1, "refuted")
    assert witness.items() <= result["witness"].items()


@pytest.mark.parametrize(
    "args",
    [
        ["compose", "(3,6,2,8):(100,7,1000,5)", "16:9", "--claimed", "(1,2,2,4):(900,21,1000,5)"],
        ["complement", "4:2", "16", "--claimed", "(2,2):(8,1)"],
        ["right-inverse", "(2,4):(4,1)", "--claimed", "(4):(2)"],
        ["left-inverse", "(2,2):(2,3)", "--claimed", "(2,3):(1,1)"],
        ["logical-divide", "32:1", "4:1", "--claimed", "(4,8):(1,4)"],
    ],
)
def test_a_right_claim_passes_whatever_its_form(args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    code, result = ask(capsys, *args)
    assert (code, result["verdict"]) == (0, "proved")


def test_explain_shows_law_precondition_and_steps(capsys: pytest.CaptureFixture[str]) -> None:
    for name, args in {
        "compose": ["8:1", "4:2"],
        "complement": ["4:2", "16"],
        "logical-divide": ["8:1", "4:1"],
    }.items():
        assert cli.main(["eval", name, *args, "--explain"]) == 0
        out = capsys.readouterr().out
        assert f"law: {LAWS[name].statement}" in out
        assert LAWS[name].precondition in out
    assert "rest, the complement of the tiler in 8: 2:4" in out


def test_pack(capsys: pytest.CaptureFixture[str]) -> None:
    code, result = ask(capsys, "pack", PACKED, "--shape", "8x32", "--threads", "64")
    assert code == 0
    assert result["undistributed_shape"] == [8, 32]
    assert result["distributed_shape"] == [2, 4]
    assert result["thread_map"] == [
        {"mode": 0, "extent": 4, "stride": 1, "data_stride": 1},
        {"mode": 1, "extent": 8, "stride": 4, "data_stride": 1},
    ]
    assert [leaf["data_stride"] for leaf in result["value_map"]] == [4, 8]
    assert (result["chain"], result["replication"]) == (True, 2)
    code, result = ask(capsys, "pack", "((4,8)):((1,1))")
    assert (code, result["chain"], result["replication"]) == (0, False, None)


@pytest.mark.parametrize(
    "args",
    [
        ["nothing", "8:1"],
        ["compose", "8:1"],
        ["complement", "8:1", "x"],
        ["pack", "8"],
        ["pack", PACKED, "--shape", "8y"],
        ["pack", "(0,8):(1,4)"],
        ["coalesce", "8"],
    ],
)
def test_what_is_no_question_is_exit_2(args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["eval", *args]) == 2
    assert capsys.readouterr().err.startswith("error: ")


@pytest.mark.parametrize("name", LAWS)
def test_every_law_has_a_page(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", name]) == 0
    out = capsys.readouterr().out
    assert LAWS[name].statement in out
    assert all(refusal in out for refusal in LAWS[name].refusals)


def test_no_result_is_without_a_certificate() -> None:
    """Every operation on random layouts of both orders: certified, or refused by a listed name."""
    rng, count = Random(4), Counter()

    def layout() -> str:
        extents, strides, stride = [], [], rng.choice((1, 1, 2))
        for _ in range(rng.randint(1, 3)):
            extents.append(rng.choice((1, 2, 3, 4, 8)))
            strides.append(rng.choice((stride, stride, stride, 0, 5)))
            stride *= extents[-1] * rng.choice((1, 1, 2))
        if rng.random() < 0.5:
            extents, strides = extents[::-1], strides[::-1]
        return f"({','.join(map(str, extents))}):({','.join(map(str, strides))})"

    for _ in range(150):
        for name, law in LAWS.items():
            lex = rng.random() < 0.5
            first = layout()
            rank = first.split(":")[0].count(",") + 1
            args = [f"#iree_map.pack_map<{first}>" if lex and law.args != "SHAPE" else first]
            for kind in law.args.replace("...", "").split()[1:]:
                args.append({
                    "B": layout(), "TILER": rng.choice((layout(), "(2)", "<2:1>")), "N": str(rng.choice((2, 4, 16))),
                    "[N]": "48", "SHAPE": rng.choice(("(2,4)", "(4,2)", "8", "(2,2,2)", "12", "(3,4)")),
                    "PERMUTATION": ",".join(map(str, rng.sample(range(rank), rank))),
                    "FLAGS": ",".join(rng.choice("01") for _ in range(rank)),
                }[kind])  # fmt: skip
            if law.args == "SHAPE":
                args = ["(2,(3,4))"]
            result = evaluate(name, args)
            assert result.verdict in ("proved", "refused"), (name, args, result)
            assert result.certified if result.verdict == "proved" else result.refused in law.refusals, (name, args)
            count[name, result.verdict] += 1
    assert {name for name, verdict in count if verdict == "proved"} == set(LAWS)
