"""Texts with places: reading files, YAML nodes that keep their marks, spans that diagnostics point to.

Scalars are taken from YAML's own text, never constructed: `64:1` stays `64:1` (YAML 1.1 would make it 3841).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Literal

import msgspec

from .errors import InputError, LayoutcheckError

MAX_BYTES = 16 << 20
MAX_DEPTH = 50  # of YAML nesting; the format needs six
MAX_NODES = 200_000  # after aliases are expanded

_LINE_BREAK = "\r\n|[\n\r\x85\u2028\u2029]"


class Span(msgspec.Struct, frozen=True):
    """A place: line and column count from 1, in code points."""

    path: str
    line: int = 1
    column: int = 1


class Source(msgspec.Struct, frozen=True, eq=False):
    """A text and where it came from. Travels with the report, so that nothing is read twice."""

    path: str
    text: str

    def line(self, number: int) -> str:
        """Line `number` (from 1), without its end; empty beyond the text."""
        lines = _lines(self.text)
        return lines[number - 1] if 0 < number <= len(lines) else ""


@lru_cache(maxsize=2)  # a report asks for thousands of lines of one text
def _lines(text: str) -> list[str]:
    return re.split(_LINE_BREAK, text)


class Node(msgspec.Struct, frozen=True, eq=False):
    """A YAML node: a scalar's text, the items of a sequence, or the (key, value) pairs of a mapping.

    `repeated` are the keys of a mapping that stood there before; the first one counts.
    """

    kind: Literal["scalar", "sequence", "mapping"]
    line: int
    column: int
    text: str = ""
    plain: bool = False
    items: tuple[Node, ...] = ()
    pairs: tuple[tuple[Node, Node], ...] = ()
    repeated: tuple[Node, ...] = ()


class YamlError(LayoutcheckError):
    """A text that is no YAML, or YAML that the format refuses: `code` is LC101 or LC102."""

    def __init__(self, code: str, message: str, line: int = 1, column: int = 1) -> None:
        super().__init__(message)
        self.code, self.line, self.column = code, line, column


def read_file(path: str) -> Source:
    """The text of a file. Raises InputError when it is missing, unreadable, too large or no text."""
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    return decode(path, data)


def decode(path: str, data: bytes) -> Source:
    """Bytes as text (UTF-8, a BOM is dropped). Raises InputError."""
    if len(data) > MAX_BYTES:
        raise InputError(f"{path}: larger than {MAX_BYTES >> 20} MiB")
    if b"\0" in data:
        raise InputError(f"{path}: a binary file, not text (NUL byte at offset {data.index(0)})")
    try:
        return Source(path, data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 (byte {data[error.start]:#04x} at offset {error.start})") from None


def span(source: Source, node: Node, offset: int | None = None) -> Span:
    """The place of a node; of character `offset` of a scalar where its text stands there literally."""
    column = node.column
    if node.kind == "scalar" and offset is not None:
        start = column - 1 if node.plain else column
        if source.line(node.line)[start : start + len(node.text)] == node.text:
            column = start + 1 + min(offset, len(node.text))
    return Span(source.path, node.line, column)


def load_yaml(source: Source) -> tuple[Node | None, list[YamlError]]:
    """The one document of a YAML text (None when it holds none), and what can be passed over in it:
    of a duplicate key the first one counts. Raises YamlError where no reading is possible.
    """
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    composer = _Composer(source)
    try:
        return composer.document(yaml.parse(source.text, loader)), composer.problems
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = " ".join(filter(None, (error.context, error.problem)))
        line, column = _inside(source, mark) if mark else (1, 1)
        near = source.line(line)[max(0, column - 200) : column + 200]
        raise YamlError("LC101", f"{problem}{_quote_hint(near)}", line, column) from None
    except yaml.YAMLError as error:
        raise _unreadable(source, error, in_bytes=loader is not yaml.SafeLoader) from None


def _unreadable(source: Source, error: Exception, *, in_bytes: bool) -> YamlError:
    position = getattr(error, "position", None)
    if not isinstance(position, int):
        return YamlError("LC101", str(error))
    text = source.text.encode()[:position].decode(errors="ignore") if in_bytes else source.text[:position]
    before = re.split(_LINE_BREAK, text)
    reason = getattr(error, "reason", "unacceptable character")
    return YamlError("LC101", str(reason), len(before), len(before[-1]) + 1)


def _quote_hint(line: str) -> str:
    looks_like_layout = re.search(r":\s*[^\"'#]*\d[)\s]*:[(\s]*_?\d", line)
    return ': quote the layout, as in thr: "64:1"' if looks_like_layout else ""


class _Composer:
    """Builds nodes from parser events without recursion."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.anchors: dict[str, Node | None] = {}
        self.nodes = 0
        self.problems: list[YamlError] = []

    def document(self, events: object) -> Node | None:
        import yaml

        root: Node | None = None
        open_: list[tuple[object, list[Node]]] = []
        documents = 0
        for event in events:  # type: ignore[attr-defined]
            kind = type(event)
            if kind is yaml.ScalarEvent:
                plain = not event.style
                node = self._named(event, Node("scalar", *self._at(event), text=event.value, plain=plain))
            elif kind is yaml.AliasEvent:
                node = self._alias(event, len(open_))
            elif kind in (yaml.SequenceStartEvent, yaml.MappingStartEvent):
                if len(open_) >= MAX_DEPTH:
                    raise YamlError("LC101", f"nested deeper than {MAX_DEPTH} levels", *self._at(event))
                open_.append((event, []))
                if event.anchor:
                    self.anchors[event.anchor] = None
                continue
            elif kind in (yaml.SequenceEndEvent, yaml.MappingEndEvent):
                start, children = open_.pop()
                node = self._named(start, self._collection(start, children))
            elif kind is yaml.DocumentStartEvent:
                documents += 1
                if documents > 1:
                    raise YamlError("LC102", "more than one YAML document in a file", *self._at(event))
                continue
            else:
                continue
            if open_:
                open_[-1][1].append(node)
            else:
                root = node
        return root

    def _at(self, event: object) -> tuple[int, int]:
        return _inside(self.source, event.start_mark)  # type: ignore[attr-defined]

    def _named(self, event: object, node: Node) -> Node:
        anchor = getattr(event, "anchor", None)
        if anchor:
            self.anchors[anchor] = node
        self.nodes += 1
        return node

    def _alias(self, event: object, above: int) -> Node:
        name: str = event.anchor  # type: ignore[attr-defined]
        if name not in self.anchors:
            raise YamlError("LC101", f"alias *{name} has no anchor before it", *self._at(event))
        node = self.anchors[name]
        if node is None:
            raise YamlError("LC102", f"alias *{name} stands inside its own anchor", *self._at(event))
        count, levels = _extent(node, MAX_NODES)
        if above + levels > MAX_DEPTH:
            raise YamlError("LC102", f"aliases nest deeper than {MAX_DEPTH} levels", *self._at(event))
        self.nodes += count
        if self.nodes > MAX_NODES:
            raise YamlError("LC102", f"aliases expand to more than {MAX_NODES} nodes", *self._at(event))
        return node

    def _collection(self, start: object, children: list[Node]) -> Node:
        import yaml

        if isinstance(start, yaml.SequenceStartEvent):
            return Node("sequence", *self._at(start), items=tuple(children))
        pairs: dict[str, tuple[Node, Node]] = {}
        repeated = []
        for key, value in zip(children[::2], children[1::2], strict=True):
            if key.kind != "scalar":
                raise YamlError("LC102", "a key must be a plain word", key.line, key.column)
            if key.text == "<<" and key.plain:
                raise YamlError("LC102", "merge keys (<<) are refused: write the fields out", key.line, key.column)
            if "`" in key.text:  # no key has one, and the reader's messages quote keys with it
                self.problems.append(YamlError("LC102", f"unknown key '{key.text}'", key.line, key.column))
            elif key.text in pairs:
                first = pairs[key.text][0].line
                message = f"duplicate key '{key.text}' (first on line {first})"
                self.problems.append(YamlError("LC102", message, key.line, key.column))
                repeated.append(key)
            else:
                pairs[key.text] = (key, value)
        return Node("mapping", *self._at(start), pairs=tuple(pairs.values()), repeated=tuple(repeated))


def _inside(source: Source, mark: Any) -> tuple[int, int]:
    """A mark as line and column from 1; libyaml counts a line after the last one, which is the end of the text."""
    last = len(_lines(source.text))
    return (mark.line + 1, mark.column + 1) if mark.line < last else (last, len(source.line(last)) + 1)


def _extent(node: Node, limit: int) -> tuple[int, int]:
    """Nodes (including `node`) and levels of collections, as if aliases were written out; stops at `limit` nodes."""
    total, levels, stack = 0, 0, [(node, 0)]
    while stack and total <= limit:
        top, above = stack.pop()
        total += 1
        below = above + (top.kind != "scalar")
        levels = max(levels, below)
        stack.extend((child, below) for child in (*top.items, *(child for pair in top.pairs for child in pair)))
    return total, levels
