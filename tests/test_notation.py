"""Every notation both ways, and the exact column of every error."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from layoutcheck.errors import InexactDivision, LayoutError, NotationError
from layoutcheck.inttuple import MAX_DEPTH, IntTuple
from layoutcheck.layout import Layout
from layoutcheck.notation import form_errors, parse, read, resolve, show

ATOM = Layout(((16, 4), 4), ((1, 64), 16))
PACK = Layout(((16, 4), 4), ((1, 64), 16), "lex")
UNKNOWN_TYPE = (
    "unknown type: expected !fly.layout<>, !fly.composed_layout<>, #iree_map.pack_map<> or #iree_map.pack_layout<>"
)


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        ("((16,4),4):((1,64),16)", ATOM),
        (" ( ( 16 , 4 ) , 4 ) : ( ( 1 , 64 ) , 16 ) ", ATOM),
        ("((_16,_4),_4):((_1,_64),_16)", ATOM),
        ("!fly.layout<((16,4),4):((1,64),16)>", ATOM),
        ("  !fly.layout < ((16,4),4) : ((1,64),16) >  ", ATOM),
        ("#iree_map.pack_map<((16,4),4):((1,64),16)>", PACK),
        ("#iree_map.pack_layout<((16, 4), 4) : ((1, 64), 16)>", PACK),
        ("64:1", Layout(64, 1)),
        ("(64):(1)", Layout((64,), (1,))),
        ("((4)):((1))", Layout(((4,),), ((1,),))),
        ("((4),2):((0),4)", Layout(((4,), 2), ((0,), 4))),
        ("2*8:64/4", Layout(16, 16)),
        ("(4*(6/2),-(-3)):(7%4,9//2)", Layout((12, 3), (3, 4))),
        (f"{2**200}:{2**130}", Layout(2**200, 2**130)),
    ],
)
def test_notations(text: str, layout: Layout) -> None:
    assert parse(text) == layout


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    tree = st.recursive(
        st.tuples(st.integers(1, 2**80), st.integers(0, 2**80)),
        lambda inner: st.lists(inner, min_size=1, max_size=3),
        max_leaves=10,
    )
    pairs = draw(tree)

    def side(node: object, i: int) -> IntTuple:
        return node[i] if isinstance(node, tuple) else tuple(side(child, i) for child in node)  # type: ignore[attr-defined]

    return Layout(side(pairs, 0), side(pairs, 1), draw(st.sampled_from(["colex", "lex"])))


@given(layouts())
def test_what_is_shown_is_read_back(layout: Layout) -> None:
    assert parse(show(layout)) == layout
    wrapper = "#iree_map.pack_layout" if layout.order == "lex" else "!fly.layout"
    assert parse(f"{wrapper}<{layout}>") == layout


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 0, "expected a number or a name but found the end"),
        ("4", 1, "expected ':' between shape and stride but found the end"),
        ("(4,8)", 5, "expected ':' between shape and stride but found the end"),
        ("(4,8 :(1,4)", 5, "expected ',' or ')' but found ':'"),
        ("(4,8):(1,4", 10, "expected ',' or ')' but found the end"),
        ("(4,8)):(1,4)", 5, "expected ':' between shape and stride but found ')'"),
        ("(4,8):(1,4))", 11, "unexpected ')' after the stride"),
        ("(4,8):(1,4):1", 11, "unexpected ':' after the stride"),
        ("(4,,8):(1,4)", 3, "expected a number or a name but found ','"),
        ("(4,8,):(1,4,1)", 5, "expected a number or a name but found ')'"),
        ("(4 8):(1,4)", 3, "expected ',' or ')' but found '8'"),
        ("():()", 0, "an empty tuple has no extent"),
        ("(4,( )):(1,1)", 3, "an empty tuple has no extent"),
        ("(4,8);(1,4)", 5, "unexpected character ';'"),
        ("(4,8):(1,4)$", 11, "unexpected character '$'"),
        ("(4,'8'):(1,4)", 3, 'unexpected character "\'"'),
        ("(4.5,8):(1,4)", 2, "unexpected character '.'"),
        ("\uff16\uff14:1", 0, "unexpected character '\uff16'"),
        ("64\xa0:1", 2, "unexpected character '\\xa0'"),
        ("(?,8):(1,4)", 1, "a dynamic value '?' has no number here"),
        ("(4,8):(1,?)", 9, "a dynamic value '?' has no number here"),
        ("(4,k):(1,4)", 3, "unknown name 'k'"),
        ("((k/2)*4,8):(1,4)", 6, "a mode may not start with a grouping parenthesis: write 4*(k/2), not (k/2)*4"),
        ("(16)-1:1", 4, "a mode may not start with a grouping parenthesis: write 4*(k/2), not (k/2)*4"),
        ("(4,8/0):(1,4)", 4, "division by zero: 8 / 0"),
        ("(4,8%0):(1,4)", 4, "division by zero: 8 % 0"),
        ("!fly.layout<(4,8):(1,4)", 23, "expected '>' at the end"),
        ("!fly.layout<(4,8):(1,4)) >", 23, "unexpected ')' after the stride"),
        ("#iree_map.pack_map<(4,;):(1,4)>", 22, "unexpected character ';'"),
        ("  !fly.tile<4:1>", 2, UNKNOWN_TYPE),
        ("(4,8" + "9" * 400 + "):(1,4)", 3, "a number of 401 digits, the limit is 400"),
        ("4:1" + "0" * 5000, 0, "text of 5003 characters, the limit is 4000"),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else None,
)
def test_errors(text: str, column: int, message: str) -> None:
    with pytest.raises(NotationError) as error:
        parse(text)
    assert (error.value.column, str(error.value)) == (column, message)


def test_inexact_division_says_what_cpp_would_do() -> None:
    with pytest.raises(InexactDivision) as error:
        parse("(4,-7/2):(1,4)")
    assert error.value.column == 5
    assert str(error.value) == "-7 / 2 is not exact: C++ would truncate it to -3"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("(4,8):(1,(4,1))", [("LC104", 9)]),
        ("(4,(8,2)):(1,4)", [("LC104", 13)]),
        ("((4,8)):(1)", [("LC104", 9)]),
        ("(4,8):1", [("LC104", 6)]),
        ("((4,2),(8,1)):(1,4)", [("LC104", 15), ("LC104", 17)]),
        ("(0,8):(1,4)", [("LC105", 1)]),
        ("(4,-8):(-1,4)", [("LC105", 3), ("LC106", 8)]),
        ("(0,(8,-1)):(-1,(4,-2))", [("LC105", 1), ("LC105", 6), ("LC106", 12), ("LC106", 18)]),
        ("(4,0):(1)", [("LC104", 6), ("LC105", 3)]),
        ("!fly.layout<((32,2),0):((1,0),32)>", [("LC105", 20)]),
        ("#iree_map.pack_map<(4):(-1)>", [("LC106", 24)]),
        ("(4,8):(1,4)", []),
    ],
)
def test_form_errors_are_all_found_at_their_columns(text: str, found: list[tuple[str, int]]) -> None:
    assert [(e.code, e.column) for e in form_errors(resolve(read(text), {}))] == found
    if found:
        with pytest.raises(LayoutError) as error:
            parse(text)
        assert (error.value.code, error.value.column) == found[0]


def test_names_come_from_the_environment() -> None:
    text = read("((mn, 64/mn), k/(64/mn)) : ((1, mn*(k/(64/mn))), mn)")
    shown = {str((r := resolve(text, env)).shape) + str(r.stride) for env in ({"mn": 16, "k": 16}, {"mn": 32, "k": 8})}
    assert shown == {"((16, 4), 4)((1, 64), 16)", "((32, 2), 4)((1, 128), 32)"}
    with pytest.raises(InexactDivision) as error:
        resolve(text, {"mn": 16, "k": 6})
    assert error.value.column == 15


@pytest.mark.parametrize("depth", [MAX_DEPTH, MAX_DEPTH + 1, 1900])
def test_depth_is_bounded(depth: int) -> None:
    text = "(" * depth + "4" + ")" * depth + ":" + "(" * depth + "1" + ")" * depth
    if depth <= MAX_DEPTH:
        assert str(parse(text)) == text
        return
    with pytest.raises(NotationError) as error:
        parse(text)
    expected = 0 if len(text) > 4000 else MAX_DEPTH
    assert error.value.column == expected


def test_text_length_is_bounded() -> None:
    assert parse("4:1".ljust(4000)) == Layout(4, 1)
    with pytest.raises(NotationError, match="text of 4001 characters, the limit is 4000"):
        parse("4:1".ljust(4001))


def test_the_size_is_bounded_so_that_it_can_be_printed() -> None:
    ones = "(" + ",".join("1" * 30) + ")"
    big = "(" + ",".join(["n"] * 30) + ")"
    assert len(str(parse(big.replace("n", str(10**80)) + ":" + ones).size)) == 2401
    with pytest.raises(NotationError, match="more than 9000 bits"):
        resolve(read(f"{big}:{ones}"), {"n": -(10**399)})


@given(st.text(alphabet="()<>:,_/*+-%?!#.ab 0149é\n", max_size=30))
def test_any_text_is_a_layout_or_a_named_error(text: str) -> None:
    column = 0
    try:
        layout = parse(text)
    except (NotationError, LayoutError) as error:
        column = error.column
    else:
        assert parse(show(layout)) == layout
    assert 0 <= column <= len(text)
