"""One atom as written, and the texts of a family's parameters put into it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from ..source import Node, Source, Span, span
from .schema import Record

if TYPE_CHECKING:
    from .families import Domain


class Entry(msgspec.Struct, frozen=True, eq=False):
    """One atom as written: its record, its YAML node, and the family row it is an instance of; `domain` is that of a
    family given by values, the same one for all its instances."""

    source: Source
    record: Record
    node: Node
    name: str
    env: dict[str, int]
    texts: dict[str, str]
    domain: Domain | None = None

    def node_of(self, *path: str) -> Node:
        """The node of a field (of an item, by its number), or the innermost one on the way that exists."""
        node = self.node
        for step in path:
            if node.kind == "sequence" and step.isdigit() and int(step) < len(node.items):
                node = node.items[int(step)]
            node = next((v for k, v in node.pairs if k.text == step), node)
        return node

    def parameter(self, name: str) -> Span:
        """Where the family gives this instance's value of a parameter."""
        family = self.record.family
        if family is None or family.rows is None:
            return self.place("family", "params", name)
        return self.place("family", "rows", str(family.rows.index(self.texts)), name)

    def place(self, *path: str, offset: int | None = None) -> Span:
        """Where a field stands."""
        return span(self.source, self.node_of(*path), offset)


def unfilled(text: str, texts: dict[str, str], column: int) -> int:
    """The column in `text` that `column` of the filled text comes from."""
    for match in re.finditer(r"\{(\w+)\}", text):
        grown = len(texts.get(match.group(1), match.group(0))) - len(match.group(0))
        if column >= match.end() + grown:
            column -= grown
        else:
            return min(column, match.start())
    return column


def fill(text: str, texts: dict[str, str]) -> str:
    """`{name}` replaced by the row's text; unknown names stay."""
    return re.sub(r"\{(\w+)\}", lambda m: texts.get(m.group(1), m.group(0)), text) if texts else text
