"""`prove REWRITE`: what must be proved, what must be refuted and where, and what is no instance."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from layoutcheck import cli
from layoutcheck.rewrites.theorems import THEOREMS

K = 1 << 10


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, dict[str, Any]]:
    code = cli.main(["prove", *args, "-o", "json"])
    return code, json.loads(capsys.readouterr().out)["results"][0]


PROVED = {  # facts of IREE's map_distribute_generic_ops.mlir, then larger ones, replicas, and sizes without twos
    "shape_cast": "shape_cast --src|((32, 4)) : ((1, 0))|--to|4x32",
    "shape_cast_contract": "shape_cast --src|((4), (8, 4)) : ((8), (1, 0))|--to|128",
    "broadcast_scalar": "broadcast --dst|((32, 4)) : ((1, 0))",
    "broadcast_vector_add_dim": "broadcast --src|((8, 4)) : ((4, 0))|--dst|((4, 2), (8, 4)) : ((1, 0), (4, 0))",
    "transpose_2d": "transpose --src|((4, 2), (8, 4)) : ((1, 0), (4, 0))|--perm|1,0",
    "transpose_multi_leaf": "transpose --src|((2, 2, 2, 2, 2, 2), (4, 8)) : ((1, 0, 2, 0, 4, 0), (8, 0))|--perm|1,0",
    "step_contiguous": "step --layout|((32, 4)) : ((1, 0))",
    "step_strided": "step --layout|((4, 8)) : ((0, 1))",
    "step_multi_value_leaf": "step --layout|((4, 2, 4)) : ((0, 1, 0))",
    "a given destination": "shape_cast --src|((32, 4)) : ((1, 0))|--dst|(4, (8, 4)) : (8, (1, 0))",
    "a transpose given": "transpose --src|(2,3,4):(0,1,3)|--perm|1,2,0|--dst|(3,4,2):(1,3,0)",
    "attributes": "fold --outer|#iree_map.pack_layout<((32, 4)) : ((1, 0))>|--inner|((4,8,4)):((8,1,0))",
    "2^40": f"shape_cast --src|(({K},{K},{K},{K})):((1,0,{K},0))|--to|{K * K}x{K * K}",
    "2^40 transposed": f"transpose --src|(({K},{K}),({K},{K})):((1,0),({K},0))|--perm|1,0",
    "2^42 numbers": f"step --layout|((4,{K * K},{K * K})):(({K * K},1,0))",
    "radices that do not align": "shape_cast --src|((2,3,5,34359738368)):((15,5,1,0))"
    "|--dst|((5,3,2,34359738368)):((6,2,1,0))",
    "more threads than the layout": "step --layout|((32,4)):((1,0))|--threads|100",
    "gaps and replicas": "step --layout|((3,5,2)):((20,2,0))|--threads|1000",
    "no chain, one normal form": "shape_cast --src|((1024,1024)):((3,5))|--dst|((32,32,32,32)):((96,3,160,5))",
    "elementwise": "elementwise --layout|((4,6)):((1,0))|--layout|((2,2,6)):((2,1,0))|--layout|((4,2,3)):((1,0,0))",
    "select": "select --layout|(4):(0)|--layout|((2,2)):((0,0))|--layout|4:0",
    "for": "for --layout|(4):(1)|--layout|((2,2)):((2,1))|--layout|(4):(1)|--layout|(4):(1)",
    "an offset": "step --layout|((4,4)):((16,0))|--offset|4*(t // 16 % 4)",
    "#24955 as pack layouts": "shape_cast --src|((2,2),(2,2)):((1,0),(2,0))|--to|2x8",
    "a unit dimension is moved": "transpose --src|((4,2),1,8):((1,0),0,4)|--perm|1,0,2",
}


@pytest.mark.parametrize("args", PROVED.values(), ids=PROVED)
def test_is_proved_and_certified(args: str, capsys: pytest.CaptureFixture[str]) -> None:
    name, _, rest = args.partition(" ")
    code, result = run(capsys, name, *rest.split("|"))
    assert (code, result["verdict"], result["witness"], result["rule"]) == (0, "proved", None, None)
    assert result["certified"] == "z3"


def test_the_layout_that_is_derived(capsys: pytest.CaptureFixture[str]) -> None:
    for args, value in (
        (PROVED["shape_cast"], "(4, (8, 4)) : (8, (1, 0))"),
        (PROVED["shape_cast_contract"], "((32, 4)) : ((1, 0))"),
        (PROVED["transpose_multi_leaf"], "((4, 8), (2, 2, 2, 2, 2, 2)) : ((8, 0), (1, 0, 2, 0, 4, 0))"),
        (PROVED["#24955 as pack layouts"], "(2, (2, 2, 2)) : (1, (0, 2, 0))"),
    ):
        name, _, rest = args.partition(" ")
        assert run(capsys, name, *rest.split("|"))[1]["value"] == f"#iree_map.pack_layout<{value}>"


REFUTED = [  # rule, the smallest place that is wrong, arguments
    ("LC501", (0, 2, 2, 32), "shape_cast --src|((3, 16), 2) : ((0, 1), 0)|--dst|((2, 16, 3)) : ((0, 1, 0))"),
    ("LC501", (1, 0, 1, 2), "shape_cast --src|((2,2)):((1,3))|--dst|((2,2)):((3,1))"),  # no chain
    ("LC501", (0, 1, 1, 1 << 20), f"shape_cast --src|(({K * K},{K * K})):((0,1))|--dst|(({K * K},{K * K})):((1,0))"),
    ("LC501", (1, 0, 1, 0), "shape_cast --src|(4):(0)|--dst|(4):(1)"),  # registers differ
    ("LC504", (0, 2, 0, 1), "broadcast --src|((4,2),1):((1,0),0)|--dst|((4,2),(2,4,2)):((1,0),(0,4,0))"),
    ("LC504", (0, 1, 1, 0), "broadcast --src|(4):(1)|--dst|(2,4):(0,0)"),
    ("LC505", (1, 0, 2, 1), "transpose --src|(2,2,2):(1,2,4)|--perm|1,2,0|--dst|(2,2,2):(4,1,2)"),
    ("LC506", (1, 0, 4, 1), "step --layout|((16,4)):((1,0))|--offset|t"),
    ("LC506", (4, 0, 0, 4), "step --layout|((4)):((1))|--offset|t"),  # right for the first period only
    ("LC506", (65, 0, 1, 0), "step --layout|((4)):((1))|--offset|t % 4 * (t < 65)"),
    ("LC507", (0, 1, 1, 32), "select --layout|((32,4)):((1,0))|--layout|((32,4)):((1,0))|--layout|((4,32)):((0,1))"),
    ("LC507", (1, 0, 1, 2), "for --layout|(4):(1)|--layout|(4):(1)|--layout|((2,2)):((1,2))|--layout|(4):(1)"),
    ("LC508", (0, 1, 1, 32), "fold --outer|((32,4)):((1,0))|--inner|((4,32)):((0,1))"),
]


@pytest.mark.parametrize(("rule", "place", "args"), REFUTED)
def test_is_refuted_at_its_smallest_place(
    rule: str, place: tuple[int, ...], args: str, capsys: pytest.CaptureFixture[str]
) -> None:
    name, _, rest = args.partition(" ")
    code, result = run(capsys, name, *rest.split("|"))
    assert (code, result["verdict"], result["rule"]) == (1, "refuted", rule)
    assert result["witness"] == dict(zip(("thread", "index", "expected", "actual"), place, strict=True))
    assert result["certified"] == "witness replayed"


REFUSED = [  # rule, a number of the refusal, arguments
    ("LC501", ("source", 96), "shape_cast --src|((3,16),2):((0,1),0)|--dst|(100):(0)"),
    ("LC307", ("needs", 32), "step --layout|((32,4)):((1,0))|--threads|16"),
    ("LC306", ("modes", 2), "step --layout|(4,8):(1,4)"),
    ("LC110", ("what", "extent"), "step --layout|(9223372036854775808):(1)"),
    ("LC110", ("what", "size"), "shape_cast --src|((4294967296,4294967296)):((0,0))|--to|1"),
    ("LC110", ("what", "largest offset"), "fold --outer|(4):(0)|--inner|(4,3):(0,9223372036854775807)"),
    ("LC502", ("next", [2, 3]), "step --layout|((2, 2)) : ((1, 3))"),
    ("LC502", ("next", [8, 1]), "step --layout|((4, 8)) : ((1, 1))"),
    ("LC503", ("cut", 4), "reshape --src|((4, 6)) : ((1, 0))|--to|6x4"),
    ("LC503", ("shape", 25), "shape_cast --src|((4, 6)) : ((1, 0))|--to|5x5"),
    ("LC504", ("destination", [2, 8]), "broadcast --src|(4):(1)|--dst|(2,8):(0,1)"),
    ("LC504", ("source", [4]), "broadcast --src|(4):(0)|--dst|(2,4):(0,1)"),
    ("LC504", ("source", [2, 2]), "broadcast --src|(2,2):(0,1)|--dst|(2):(1)"),
    ("LC505", ("destination", [4, 2, 3]), "transpose --src|(2,3,4):(0,1,3)|--perm|1,2,0|--dst|(4,2,3):(3,0,1)"),
    ("LC505", ("permutation", [0, 0]), "transpose --src|(2,3):(0,1)|--perm|0,0"),
    ("LC507", ("layout 1", "(2,2):(2,1)"), "elementwise --layout|(4):(1)|--layout|(2,2):(2,1)"),
    ("LC508", ("outer", "(8):(1)"), "fold --outer|(8):(1)|--inner|(4):(1)"),
]


@pytest.mark.parametrize(("rule", "number", "args"), REFUSED)
def test_is_refused_by_name(rule: str, number: tuple[str, Any], args: str, capsys: pytest.CaptureFixture[str]) -> None:
    name, _, rest = args.partition(" ")
    code, result = run(capsys, name, *rest.split("|"))
    assert (code, result["verdict"], result["rule"]) == (1, "refused", rule)
    assert result["numbers"][number[0]] == number[1]


def test_a_step_without_a_chain_has_a_thread_that_goes_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    """The definition against dividing the thread's number by the sorted strides in turn."""
    first = run(capsys, "step", "--layout", "((2,2)):((1,3))")[1]["witness"]
    assert first == {"thread": 2, "index": 0, "expected": 2 % 2 * 2 + 2 // 3 % 2, "actual": 2 // 2 % 2}
    second = run(capsys, "step", "--layout", "((4,8)):((1,1))")[1]["witness"]
    assert second == {"thread": 1, "index": 0, "expected": 1 % 4 * 8 + 1 % 8, "actual": 1 % 4 * 8 + 1 // 4 % 8}


def test_a_place_that_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    cast = ("shape_cast", "--src", "((3,16),2):((0,1),0)", "--dst", "((2,16,3)):((0,1,0))")
    assert cli.main(["prove", *cast, "--at", "15,2"]) == 1
    out = capsys.readouterr().out
    assert "at thread 15, index 2: expected element 47, actual 62" in out
    assert "thread 0, index 2: expected element 2, actual 32" in out
    swapped = ("step", "--layout", "((7,9)):((9,1))", "--offset", "t // 7 % 9 * 9 + t % 7", "--at", "10,0")
    code, result = run(capsys, *swapped)  # (1, 1) in the basis (7, 9), (1, 3) in (9, 7)
    assert code == 1
    assert result["at"] == {"thread": 10, "index": 0, "expected": 10, "actual": 12}
    assert run(capsys, "reshape", "--src", "((4,6)):((1,0))", "--to", "6x4", "--at", "0,0")[1]["at"] is None


def test_the_theorem_that_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    for by, args in (
        ("theorem broadcast", "broadcast --src|(4):(1)|--dst|(2,4):(0,1)"),
        ("theorem broadcast_stretched", "broadcast --src|(4,1):(1,0)|--dst|(4,3):(1,0)"),
        ("theorem transpose", "transpose --src|(2,3):(0,1)|--perm|1,0"),
        ("theorem transpose_given", "transpose --src|(2,3):(0,1)|--perm|1,0|--dst|(3,2):(1,0)"),
    ):
        name, _, rest = args.partition(" ")
        assert run(capsys, name, *rest.split("|"))[1]["by"] == by
        assert by.removeprefix("theorem ") in THEOREMS


def test_text_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["prove", "fold", "--outer", "(4):(1)", "--inner", "((2,2)):((1,2))"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "refuted: fold (4):(1) ((2,2)):((1,2)) [lex]: LC508 fold-across-layouts",
        "  outer is (4):(1), inner is ((2,2)):((1,2))",
        "  thread 1, index 0: expected element 1, actual 2",
        "  by precondition of fold; witness replayed",
    ]
    assert cli.main(["prove", "fold", "--outer", "(4):(1)", "--inner", "(4):(1)", "-q"]) == 0
    assert capsys.readouterr().out == "proved: fold (4):(1) (4):(1) [lex]\n"


def test_without_a_second_opinion(capsys: pytest.CaptureFixture[str]) -> None:
    code, result = run(capsys, "step", "--layout", "((32,4)):((1,0))", "--no-certify")
    assert (code, result["verdict"], result["certified"]) == (0, "proved", None)


def test_what_is_not_decided_is_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    odd = ("step", "--layout", "((4)):((1))", "--offset", "t % 4 + t // (t + 1)")
    code, result = run(capsys, *odd)
    assert (code, result["verdict"], result["witness"]) == (3, "unknown", None)
    assert "give the number of threads (--threads)" in result["note"]
    assert run(capsys, *odd, "--allow-unknown")[0] == 0


def test_the_threads_of_an_offset_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    offset = ("step", "--layout", "((4)):((1))", "--offset")
    for args, code, note in (
        (("t",), 1, "claimed for every thread t >= 0"),
        (("t", "--threads", "4"), 0, "claimed for threads 0 to 3"),
        (("t", "--threads", "5"), 1, "claimed for threads 0 to 4"),
        (("t % 4",), 0, "claimed for every thread t >= 0"),
    ):
        done, result = run(capsys, *offset, *args)
        assert (done, result["note"]) == (code, note)
        assert run(capsys, *offset, *args, "--no-certify")[1]["certified"] in (None, "witness replayed")


BAD = [  # part of the one line that must be said
    ("no rewrite 'shape'", "shape --src|(4):(1)"),
    ("no rewrite 'brodcast', did you mean 'broadcast'? There are", "brodcast --src|(4):(1)"),
    ("no rewrite 'zzz'. There are", "zzz --src|(4):(1)"),
    ("no theorem 'zzz'. There are", "zzz"),
    ("--at THREAD,INDEX is a place", "step --at|1,1"),
    ("--at THREAD,INDEX is a place", "--at|1,1"),
    ("elementwise takes 2 to 64 layouts: 65 given", "elementwise" + " --layout|(4):(1)" + "|--layout|(4):(1)" * 64),
    (
        "--dst '(4):(1,2)', column 5: shape (4) and stride (1,2) are not congruent (LC104)",
        "shape_cast --src|(4):(1)|--dst|(4):(1,2)",
    ),
    ("--layout '(4):(x)', column 6: unexpected 'x'", "step --layout|(4):(x)"),
    ("a shape is written", "reshape --src|(4):(1)|--to|4_0x2"),
    ("a shape is written", "reshape --src|(4):(1)|--to|\uff14"),
    ("a shape is written", "reshape --src|(4):(1)|--to|2X2"),
    ("no dst or to", "shape_cast --src|(4):(1)"),
    ("both dst and to", "shape_cast --src|(4):(1)|--dst|(4):(1)|--to|4"),
    ("not perm", "shape_cast --src|(4):(1)|--dst|(4):(1)|--perm|0"),
    ("no src", "reshape --to|4"),
    ("1 layouts: 2 given", "step --layout|(4):(1)|--layout|(4):(1)"),
    ("2 to 64 layouts: 1 given", "elementwise --layout|(4):(1)"),
    ("not congruent", "reshape --src|(4):(1,2)|--to|4"),
    ("but found ':'", "reshape --src|(4:1|--to|4"),
    ("a shape is written", "reshape --src|(4):(1)|--to|4y2"),
    ("a shape is written", "reshape --src|(4):(1)|--to|"),
    ("is not positive", "reshape --src|(4):(1)|--to|-4x-1"),
    ("is not positive", "reshape --src|(4):(1)|--to|0"),
    ("a permutation is written", "transpose --src|(4):(1)|--perm|x"),
    ("more than 120 characters", "transpose --src|(4):(1)|--perm|" + "9" * 5000),
    ("more than 120 characters", "transpose --src|(4):(1)|--perm|" + "9" * 4000),
    ("the limit is", "step --layout|(" + "9" * 5000 + "):(1)"),
    ("expected", "step --layout|"),
    ("nested deeper", "step --layout|" + "(" * 500 + "4" + ")" * 500 + ":" + "(" * 500 + "1" + ")" * 500),
    ("is negative", "step --layout|(4):(-1)"),
    ("not positive", "step --layout|(0):(1)"),
    ("THREAD,INDEX", "step --layout|(4):(1)|--at|3"),
    ("THREAD,INDEX", "step --layout|(4):(1)|--at|a,b"),
    ("holds 1 elements", "step --layout|(4):(1)|--at|0,1"),
    ("threads count from 0", "step --layout|(4):(1)|--at|-1,0"),
    ("offset", "step --layout|(4):(1)|--offset|t +"),
    ("offset", "step --layout|(4):(1)|--offset|lane % 4"),
    ("offset", "step --layout|(4):(1)|--offset|4 // t"),
    ("the limit is", "step --layout|(4):(1)|--offset|" + "9" * 5000),
    ("unknown name 'lane'", "step --layout|(4):(1)|--offset|t % 4 + (t < 0 and lane)"),
    ("offset", "step --layout|(4):(1)|--offset|t / 2"),
    ("offset", "step --layout|(4):(1)|--offset|t % 4 + t // 0"),
    ("no theorem 'shape_kast', did you mean 'shape_cast'?", "shape_kast"),
    ("stands alone", "step --export|proofs"),
    ("Not a directory", "--export|/dev/null/proofs"),
    ("one REWRITE", "shape_cast step --src|(4):(1)|--to|4"),
]


@pytest.mark.parametrize(("said", "args"), BAD)
def test_bad_input_is_one_clear_line(said: str, args: str, capsys: pytest.CaptureFixture[str]) -> None:
    names, _, rest = f" {args}".partition(" --")
    options = f"--{rest}".split("|") if rest else []
    assert cli.main(["prove", *names.split(), *options]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert len(err) < 600
    assert "Traceback" not in err
    assert "internal" not in err


def test_theorems_are_proved_for_all_layouts(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["prove", "step", "transpose-given", "--no-certify"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert [line.split(" (")[0] for line in out if line.startswith("proved")] == [
        "proved: theorem step",
        "proved: theorem transpose_given",
    ]
    assert out[-1] == "2 theorems: 2 proved"


def test_theorems_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["prove", "step", "--no-certify", "-o", "json"]) == 0
    (result,) = json.loads(capsys.readouterr().out)["results"]
    assert (result["question"], result["verdict"], result["z3"], result["cvc5"]) == (
        "step", "proved", "proved", "not asked",
    )  # fmt: skip
    assert {"statement", "precondition", "scope", "lemmas", "seconds"} <= set(result)


def test_a_solver_out_of_time_is_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["prove", "coalesce", "--no-certify", "--timeout", "0.001"]) == 3
    assert "unknown: theorem coalesce" in capsys.readouterr().out


def test_everything_is_exported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["prove", "--export", str(tmp_path / "proofs")]) == 0
    files = [path for path in (tmp_path / "proofs").rglob("*") if path.is_file()]
    assert capsys.readouterr().out == f"{len(files)} files in {tmp_path / 'proofs'}\n"
    assert {path.suffix for path in files} == {".smt2", ".v", ".md"}


def test_a_theorem_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", "step"]) == 0
    assert "Holds when" in capsys.readouterr().out
    assert cli.main(["explain", "coalesce"]) == 0  # an operation of `eval` too: both pages
    out = capsys.readouterr().out
    assert "Law:" in out
    assert "theorem coalesce" in out
