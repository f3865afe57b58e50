"""Tables and closed forms: read, compared with layouts, and turned back into layouts."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from layoutcheck import check, infer, parse, tables
from layoutcheck.claim import Leaves, leaves_of
from layoutcheck.errors import InputError, LayoutcheckError

from .reference import offsets

FORM = "row = lane % 16; k = 4*(lane//16) + v"
LAYOUT = "((16,4),4):((1,64),16)"


def rows() -> list[dict[str, int]]:
    out = [{"thread": t, "value": v, "row": t % 16, "k": 4 * (t // 16) + v} for t in range(64) for v in range(4)]
    Random(1).shuffle(out)
    return out


def as_csv(data: list[dict[str, int]]) -> str:
    return "\n".join([",".join(data[0]), *(",".join(map(str, row.values())) for row in data)]) + "\n"


@pytest.mark.parametrize("suffix", ["csv", "json", "txt"])
def test_files(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"map.{suffix}"
    text = {"csv": as_csv(rows()), "json": json.dumps(rows()), "txt": f"lane < 64; v < 4\n{FORM}  # ISA\n"}[suffix]
    path.write_text(text)
    result = check.run("equals-table", [LAYOUT, str(path)])
    assert (result.verdict, result.certified) == ("proved", "the layout read off the table")
    assert check.run("equals-table", ["(64,4):(1,64)", str(path)]).witness == {
        "thread": 16,
        "value": 0,
        "left": 16,
        "right": 64,
        "coordinates": {"row": 0, "k": 4},
    }
    assert check.run("equals-table", ["(64,2):(1,64)", str(path)]).witness == {"sizes": [[64, 2], [64, 4]]}
    inferred = check.infer(str(path))
    assert (inferred.verdict, inferred.value) == ("proved", LAYOUT)
    solved = check.solve("((16,4),(2,2))", path)
    assert (solved.verdict, solved.value) == ("proved", "((16,4),(2,2)):((1,64),(16,32))")
    assert check.solve("(64,4)", path).witness == {"index": 16, "left": 16, "right": 64}
    assert check.solve("(64,2)", path).witness == {"sizes": [128, 256]}


BROKEN = [
    ("empty.csv", "", "empty"),
    ("header.csv", "thread,value,row\n", "without a row"),
    ("short.csv", "thread,value,row\n0,0\n", "line 2: 2 cells, the header has 3"),
    ("text.csv", "thread,value,row\n0,0,x\n", "line 2: row = 'x'"),
    ("negative.csv", "thread,value,row\n0,0,-1\n", "line 2: row = '-1'"),
    ("huge.csv", "thread,value,row\n0,0," + "9" * 5000 + "\n", "no integer of at most 18 digits"),
    ("twice.csv", "thread,value,row\n0,0,1\n0,0,2\n", "line 3: thread 0, value 0 a second time"),
    ("gap.csv", "thread,value,row\n0,0,1\n2,0,2\n", "no row for thread 1, value 0"),
    ("column.csv", "thread,row\n0,0\n", "one column named value or v, found 0"),
    ("columns.csv", "thread,value,row,row\n0,0,0,0\n", "twice"),
    ("none.csv", "thread,value\n0,0\n", "no column with a coordinate"),
    ("quote.csv", 'thread,value,row\n0,0,"1\n', "not CSV"),
    ("broken.json", "[{", "not JSON"),
    ("deep.json", "[" * 100_000, "not JSON"),
    ("object.json", "{}", "list of objects"),
    ("float.json", '[{"thread": 0, "value": 0, "row": 1.5}]', "row = '1.5'"),
    ("bool.json", '[{"thread": 0, "value": 0, "row": true}]', "row = 'True'"),
    ("other.json", '[{"thread": 0, "value": 0, "row": 1}, {"thread": 1, "value": 0, "k": 1}]', "other columns"),
    ("extent.txt", "row = lane", "extent of lane is not stated"),
    ("zero.txt", "lane < 0; v < 1; row = lane", "no point at all"),
    ("large.txt", "lane < 1000000; v < 1000; row = lane", "points"),
    ("form.txt", "lane < 4; v < 1; row lane", "expected `name = expression`"),
]


@pytest.mark.parametrize(("name", "text", "message"), BROKEN, ids=[name for name, _, _ in BROKEN])
def test_broken_files(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(LayoutcheckError) as caught:
        check.infer(tmp_path / name)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 400


def test_unreadable_files(tmp_path: Path) -> None:
    (tmp_path / "bytes.csv").write_bytes(b"\xff\xfe\x00")
    for path in (tmp_path / "bytes.csv", tmp_path, tmp_path / "none.csv"):
        with pytest.raises(InputError):
            tables.read(path)


_LEAVES = st.lists(st.tuples(st.integers(1, 5), st.integers(0, 40)), min_size=1, max_size=3).map(tuple)


@given(_LEAVES)
def test_every_layout_is_read_back(leaves: Leaves) -> None:
    goal = offsets(leaves)
    found = infer.leaves(goal)
    assert not isinstance(found, infer.Break)
    assert offsets(found) == goal


@given(_LEAVES, _LEAVES)
def test_every_thread_value_layout_is_read_back(
    thread: tuple[tuple[int, int], ...], value: tuple[tuple[int, int], ...]
) -> None:
    goal = offsets(thread + value)
    threads = len(offsets(thread))
    found = infer.thread_value(goal, threads)
    assert not isinstance(found, infer.Break)
    assert offsets(leaves_of(found)) == goal
    assert len(offsets(leaves_of(found.mode(0)))) == threads


def every_function(points: int, most: int) -> set[tuple[int, ...]]:
    """The functions on [0, points) with values up to `most` that some layout is, by trying all layouts."""
    found: set[tuple[int, ...]] = set()

    def extend(leaves: Leaves, left: int) -> None:
        if left == 1:
            values = tuple(offsets(leaves))
            if max(values) <= most:
                found.add(values)
            return
        for extent in range(2, left + 1):
            if left % extent == 0:
                for stride in range(most + 1):
                    extend((*leaves, (extent, stride)), left // extent)

    extend((), points)
    return found


@pytest.mark.parametrize(("points", "most"), [(1, 1), (2, 3), (3, 3), (4, 4), (5, 2), (6, 3)])
def test_no_layout_means_no_layout(points: int, most: int) -> None:
    """All functions on a few points: infer finds a layout exactly for those that trying all layouts finds."""
    from itertools import product

    layouts = every_function(points, most)
    for values in product(range(most + 1), repeat=points):
        found = infer.leaves(values)
        assert isinstance(found, infer.Break) == (values not in layouts), values
        if isinstance(found, infer.Break):
            assert found.actual == values[found.index] != found.expected


def test_where_a_table_breaks() -> None:
    broken = check.infer(tables.form("lane < 8; v < 2; x = lane * (1 + v)"))
    assert broken.verdict == "refuted"
    assert broken.witness == {"index": 9, "thread": 1, "value": 1, "expected": 1, "actual": 2}


def test_solve_for_a_layout() -> None:
    assert check.solve("(4,8)", "32:1").value == "(4,8):(1,4)"
    assert check.solve("(4,1,8)", "32:1").value == "(4,1,8):(1,0,4)"
    assert check.solve("(4,8)", "#iree_map.pack_map<(32):(1)>").value == "(4,8):(8,1)"
    refuted = check.solve("(4,8)", "(8,4):(4,1)")
    assert (refuted.verdict, refuted.value) == ("refuted", None)
    index, left, right = (refuted.witness or {}).values()
    assert parse("(8,4):(4,1)")(index) == right != left == parse("(4,8):(4,16)")(index)
    assert check.solve("(4,8)", "31:1").witness == {"sizes": [32, 31]}
    for shape in ("(4", "(0,8)", "", "4:1"):
        with pytest.raises(LayoutcheckError):
            check.solve(shape, "32:1")
