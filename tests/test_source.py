"""Texts and YAML nodes: what is read, what is refused, and where it says it stands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from layoutcheck.errors import InputError
from layoutcheck.source import MAX_BYTES, Node, Source, YamlError, decode, load_yaml, read_file, span


def nodes(node: Node) -> list[Node]:
    children = [*node.items, *(child for pair in node.pairs for child in pair)]
    return [node, *(below for child in children for below in nodes(child))]


def find(text: str, scalar: str) -> tuple[Source, Node]:
    source = Source("x", text)
    root, _ = load_yaml(source)
    assert root is not None
    return source, next(node for node in nodes(root) if node.text == scalar)


def refused(text: str) -> tuple[str, int, int, str]:
    with pytest.raises(YamlError) as error:
        load_yaml(Source("x", text))
    return error.value.code, error.value.line, error.value.column, str(error.value)


@pytest.mark.parametrize(
    ("text", "scalar", "offset", "place"),
    [
        ('a: "64:1"', "64:1", None, (1, 4)),
        ('a: "64:1"', "64:1", 0, (1, 5)),
        ('a: "64:1"', "64:1", 3, (1, 8)),
        ("a: '64:1'", "64:1", 3, (1, 8)),
        ("a: 64:1", "64:1", 3, (1, 7)),
        ('a: "64:1"', "64:1", 99, (1, 9)),
        ('a: "6\\x34:1"', "64:1", 3, (1, 4)),
        ("a: 'it''s'", "it's", 4, (1, 4)),
        ('a: "64\n  :1"', "64 :1", 3, (1, 4)),
        ("a: |\n  64:1\n", "64:1\n", 3, (1, 4)),
        ("a: >-\n  64:1\n", "64:1", 3, (1, 4)),
        ("é: [1, \U0001f600, ５, q]", "q", 0, (1, 14)),
        ('é: {"\U0001f600": "q:r"}', "q:r", 2, (1, 13)),
        ("# c\r\na:\r\n- b\r\n- 64:1\r\n", "64:1", 3, (4, 6)),
        ("a: 1\rb: 2\rc: 64:1", "64:1", 3, (3, 7)),
        ("a: 1\x85b: 2\u2028c: q", "q", 0, (3, 4)),
        ("a: &name 64:1\nb: *name", "64:1", 3, (1, 4)),
        ("a: !!str 64:1", "64:1", 0, (1, 4)),
        ("\ta: 1".replace("\t", "  "), "a", 0, (1, 3)),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_places(text: str, scalar: str, offset: int | None, place: tuple[int, int]) -> None:
    source, node = find(text, scalar)
    where = span(source, node, offset)
    assert (where.path, where.line, where.column) == ("x", *place)


@given(st.lists(st.sampled_from(["a", "é", "\U0001f600", "b c", "'q'", '"q"']), min_size=1, max_size=4), st.data())
def test_each_plain_or_quoted_word_is_where_it_says(words: list[str], data: st.DataObject) -> None:
    breaks = st.sampled_from(["\n", "\r\n", "\r", "\u2028"])
    text = "".join(f"- {word}{data.draw(breaks)}" for word in words)
    source = Source("x", text)
    root, _ = load_yaml(source)
    assert root is not None
    for node, word in zip(root.items, words, strict=True):
        assert source.line(node.line)[node.column - 1 :] == word


def test_scalars_are_text_never_yaml_values() -> None:
    source = Source("x", "[64:1, 0o17, yes, 1_000, 1e3, 2020-01-01, ~, null, '5', \"6\"]")
    root, problems = load_yaml(source)
    assert root is not None
    assert [item.text for item in root.items] == source.text[1:-1].replace("'", "").replace('"', "").split(", ")
    assert [item.plain for item in root.items] == [True] * 8 + [False] * 2
    assert problems == []


def test_a_bom_is_no_column_and_no_character() -> None:
    source = decode("x", b"\xef\xbb\xbfa: 64:1")
    assert source.text == "a: 64:1"
    root, _ = load_yaml(source)
    assert root is not None
    assert [(n.line, n.column) for n in nodes(root)] == [(1, 1), (1, 1), (1, 4)]


def test_lines() -> None:
    source = Source("x", "one\r\ntwo\rthree\n\x85five")
    assert [source.line(n) for n in range(7)] == ["", "one", "two", "three", "", "five", ""]


def test_aliases_are_the_node_they_name() -> None:
    source = Source("x", "a: &t {b: [1, 2]}\nc: *t\nd: &t 5\ne: *t")
    root, _ = load_yaml(source)
    assert root is not None
    values = [value for _, value in root.pairs]
    assert values[1] is values[0]
    assert values[3] is values[2]


def test_of_a_duplicate_key_the_first_counts_and_each_other_is_told() -> None:
    root, problems = load_yaml(Source("x", 'a: 1\nb: {c: 2, "c": 3}\na: 4\na: 5\n'))
    assert root is not None
    assert [(key.text, value.text) for key, value in root.pairs] == [("a", "1"), ("b", "")]
    assert [(p.code, p.line, p.column, str(p)) for p in problems] == [
        ("LC102", 2, 11, "duplicate key 'c' (first on line 2)"),
        ("LC102", 3, 1, "duplicate key 'a' (first on line 1)"),
        ("LC102", 4, 1, "duplicate key 'a' (first on line 1)"),
    ]


@pytest.mark.parametrize(
    ("text", "code", "line", "column", "message"),
    [
        ("a: 1\n  b: 2", "LC101", 2, 4, "mapping values are not allowed"),
        ("a: 64 : 1", "LC101", 1, 7, "quote the layout"),
        ("a: [1, 2", "LC101", 1, 9, "while parsing a flow sequence"),
        ('a: "b', "LC101", 1, 6, "unexpected end of stream"),
        ("a:\n\t- b", "LC101", 2, 1, "cannot start any token"),
        ("a: 1\nxé\x01", "LC101", 2, 3, "control characters are not allowed"),
        ("a: *b", "LC101", 1, 4, "alias *b has no anchor before it"),
        ("a: &a [1, *a]", "LC102", 1, 11, "alias *a stands inside its own anchor"),
        ("a: &a {b: {c: *a}}", "LC102", 1, 15, "alias *a stands inside its own anchor"),
        ("b: &b {c: 1}\na:\n  <<: *b\n", "LC102", 3, 3, "merge keys (<<) are refused"),
        ("? [1, 2]\n: 3", "LC102", 1, 3, "a key must be a plain word"),
        ("{{a: 1}: 2}", "LC102", 1, 2, "a key must be a plain word"),
        ("a: 1\n---\nb: 2", "LC102", 2, 1, "more than one YAML document"),
        ("[" * 51 + "]" * 51, "LC101", 1, 51, "nested deeper than 50 levels"),
        ("- " * 10_000, "LC101", 1, 101, "nested deeper than 50 levels"),
        ("? " * 10_000, "LC101", 1, 101, "nested deeper than 50 levels"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_refused(text: str, code: str, line: int, column: int, message: str) -> None:
    found = refused(text)
    assert found[:3] == (code, line, column)
    assert message in found[3]


def test_a_quoted_key_of_two_arrows_is_no_merge() -> None:
    root, _ = load_yaml(Source("x", '"<<": 1'))
    assert root is not None
    assert root.pairs[0][0].text == "<<"


def test_fifty_levels_are_read() -> None:
    root, _ = load_yaml(Source("x", "[" * 50 + "]" * 50))
    assert root is not None
    assert len(nodes(root)) == 50


def test_levels_through_aliases_count() -> None:
    def chain(levels: int) -> str:
        return "- &a " + "[" * 25 + "]" * 25 + "\n- &b " + "[" * levels + "*a" + "]" * levels

    assert load_yaml(Source("x", chain(24)))[0] is not None
    assert refused(chain(25)) == ("LC102", 2, 31, "aliases nest deeper than 50 levels")


def test_an_alias_bomb_is_refused_at_the_alias_that_is_too_many() -> None:
    lines = ["a0: &a0 [1, 2]"] + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 9)]
    code, line, _, message = refused("\n".join(lines))
    assert (code, line, message) == ("LC102", 6, "aliases expand to more than 200000 nodes")


def test_a_long_broken_line_is_told_without_reading_it_a_million_times() -> None:
    found = refused("x: {" + "a: 1, " * 100_000 + ": :")
    assert found[:3] == ("LC101", 1, 4 + 600_000 + 1)


@pytest.mark.parametrize("text", ["", "\n", "# only a comment\n", "---\n...\n"], ids=repr)
def test_a_text_without_a_node(text: str) -> None:
    root, problems = load_yaml(Source("x", text))
    assert root is None or root.text == ""
    assert problems == []


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a: 1\0", "x: a binary file, not text (NUL byte at offset 4)"),
        (b"\x7fELF\x01\x00", "x: a binary file, not text (NUL byte at offset 5)"),
        ("a: 1".encode("utf-16"), "x: a binary file, not text (NUL byte at offset 3)"),
        (b"a: \xe9", "x: not UTF-8 (byte 0xe9 at offset 3)"),
        (b"\xff\xfe", "x: not UTF-8 (byte 0xff at offset 0)"),
        (b"a" * (MAX_BYTES + 1), "x: larger than 16 MiB"),
    ],
    ids=["nul", "elf", "utf-16", "latin-1", "bom of utf-16", "huge"],
)
def test_bytes_that_are_no_text(data: bytes, message: str) -> None:
    with pytest.raises(InputError) as error:
        decode("x", data)
    assert str(error.value) == message


@given(st.text(alphabet="ab:-?[]{}&*!|>'\"%@`#,\n\r \té\U0001f600\x01<", max_size=40))
def test_any_text_is_read_or_refused_at_a_place_in_it(text: str) -> None:
    source = Source("x", text)
    try:
        root, problems = load_yaml(source)
    except YamlError as error:
        places = [(error.line, error.column)]
    else:
        places = [(p.line, p.column) for p in problems] + [(n.line, n.column) for n in (nodes(root) if root else [])]
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for line, column in places:
        assert 1 <= line <= len(lines)
        assert 1 <= column <= len(lines[line - 1]) + 1


def test_a_file_that_is_not_there(tmp_path: object) -> None:
    path = f"{tmp_path}/missing.yaml"
    with pytest.raises(InputError) as error:
        read_file(path)
    assert str(error.value) == f"{path}: No such file or directory"
