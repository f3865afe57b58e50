"""Source to records: every problem of form at its place, and one entry for each atom of each family row."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from .. import expr
from ..errors import InexactDivision, NotationError
from ..source import Node, Source, Span, YamlError, load_yaml, span
from ..verdict import Diagnostic
from .convert import diagnostic, record_of, suggestion
from .schema import Record


class Entry(msgspec.Struct, frozen=True, eq=False):
    """One atom as written: its record, its YAML node, and the family row it is an instance of."""

    source: Source
    record: Record
    node: Node
    name: str
    env: dict[str, int]
    texts: dict[str, str]

    def node_of(self, *path: str) -> Node:
        """The node of a field (of an item, by its number), or the innermost one on the way that exists."""
        node = self.node
        for step in path:
            if node.kind == "sequence" and step.isdigit() and int(step) < len(node.items):
                node = node.items[int(step)]
            node = next((v for k, v in node.pairs if k.text == step), node)
        return node

    def place(self, *path: str, offset: int | None = None) -> Span:
        """Where a field stands."""
        return span(self.source, self.node_of(*path), offset)


def load(source: Source) -> tuple[list[Entry], list[Diagnostic]]:
    """Every atom of a file that can be read, and every finding about the file's form."""
    try:
        root, problems = load_yaml(source)
    except YamlError as error:
        return [], [_at_mark(source, error)]
    found = [_at_mark(source, problem) for problem in problems]
    if root is None:
        return [], [
            *found,
            diagnostic("LC102", Span(source.path), "an empty file: expected `layoutcheck: 1` and `atoms:`"),
        ]
    atoms, form = _top(source, root)
    found = _state_fields(atoms, found) + form
    entries: list[Entry] = []
    names: dict[str, int] = {}
    for node in atoms:
        record, form = record_of(source, node)
        found += form
        for entry, problem in _instances(source, record, node) if record else ():
            if problem:
                found.append(problem)
            elif entry and not entry.name.strip():
                found.append(diagnostic("LC102", entry.place("name"), "an empty name"))
            elif entry and entry.name in names:
                message = f"the name '{entry.name}' stands twice (first on line {names[entry.name]})"
                found.append(diagnostic("LC102", entry.place("name"), message, entry.name))
            elif entry:
                names[entry.name] = entry.place("name").line
                entries.append(entry)
    return entries, found


def _at_mark(source: Source, error: YamlError) -> Diagnostic:
    return diagnostic(error.code, Span(source.path, error.line, error.column), str(error))


def _state_fields(atoms: tuple[Node, ...], found: list[Diagnostic]) -> list[Diagnostic]:
    """A key that stands twice inside an atom's `state` is a field of its struct: LC702."""
    states = [v for atom in atoms for k, v in atom.pairs if k.text == "state" and v.repeated]
    if not states:
        return found
    fields = {(key.line, key.column): key.text for state in states for key in state.repeated}
    return [_as_field(d, fields.get((d.span.line, d.span.column))) for d in found]


def _as_field(found: Diagnostic, field: str | None) -> Diagnostic:
    if field is None or not found.message.startswith("duplicate key"):
        return found
    message = f"{found.message.replace('duplicate key', 'state field', 1)}: two entries for one slot"
    return diagnostic("LC702", found.span, message.replace(" (first", " stands twice (first"))


def _top(source: Source, root: Node) -> tuple[tuple[Node, ...], list[Diagnostic]]:
    """The atoms' nodes, and what is wrong around them."""
    if root.kind != "mapping":
        message = f"a YAML {root.kind}: expected a mapping with `layoutcheck: 1` and `atoms:`"
        return (), [diagnostic("LC102", span(source, root), message)]
    found = []
    fields = {key.text: value for key, value in root.pairs}
    for key, _ in root.pairs:
        if key.text not in ("layoutcheck", "atoms"):
            hint = suggestion(key.text, ("layoutcheck", "atoms"))
            found.append(diagnostic("LC102", span(source, key), f"unknown key '{key.text}'{hint}"))
    found += [
        diagnostic("LC102", Span(source.path), f"missing key '{key}'")
        for key in ("layoutcheck", "atoms")
        if key not in fields
    ]
    version, atoms = fields.get("layoutcheck"), fields.get("atoms")
    if version is not None and version.text != "1":
        found.append(
            diagnostic("LC102", span(source, version), f"format version {version.text!r}: this tool reads version 1")
        )
    if atoms is None:
        return (), found
    if atoms.kind != "sequence":
        found.append(
            diagnostic("LC102", span(source, atoms), f"`atoms` is a {atoms.kind}: expected a list (`- name: ...`)")
        )
        return (), found
    if not atoms.items:
        found.append(diagnostic("LC109", span(source, atoms), "no atoms: nothing is claimed, so nothing is checked"))
    return atoms.items, found


def _instances(source: Source, record: Record, node: Node) -> Iterator[tuple[Entry | None, Diagnostic | None]]:
    """The atom itself, or one entry for each row of its family that meets `requires`."""
    whole = Entry(source, record, node, record.name, {}, {})
    family = record.family
    if family is None:
        yield whole, None
        return
    if not family.rows:
        yield None, diagnostic("LC109", whole.place("family"), "a family without rows has no instance", record.name)
        return
    rows = whole.node_of("family", "rows").items
    for row, row_node in zip(family.rows, rows, strict=True):
        where = span(source, row_node)
        long = next((value for _, value in row_node.pairs if len(value.text) > expr.MAX_DIGITS), None)
        if long:
            message = f"a parameter of {len(long.text)} characters, the limit is {expr.MAX_DIGITS}"
            yield None, diagnostic("LC102", span(source, long), message, record.name)
            continue
        env, texts = _environment(row)
        name = fill(record.name, texts)
        if "{" in name:
            message = f"the name '{record.name}' mentions a parameter that the row does not have"
            yield None, diagnostic("LC102", where, message, record.name)
            continue
        problem = _requirement(whole, family.requires, env, where, name)
        if problem:
            yield None, problem
        else:
            yield Entry(source, record, node, name, env, texts), None


def _environment(row: dict[str, str]) -> tuple[dict[str, int], dict[str, str]]:
    """A row's parameters: the integers among them, and all of them as texts."""
    env = {key: int(text) for key, text in row.items() if re.fullmatch(r"-?[0-9]+", text)}
    return env, row


def _requirement(whole: Entry, requires: str, env: dict[str, int], where: Span, name: str) -> Diagnostic | None:
    if not requires:
        return None
    try:
        holds = expr.evaluate(expr.parse(requires), env)
    except InexactDivision as error:
        return diagnostic("LC108", whole.place("family", "requires", offset=error.column), str(error), name)
    except NotationError as error:
        return diagnostic("LC102", whole.place("family", "requires", offset=error.column), f"requires: {error}", name)
    return None if holds else diagnostic("LC102", where, f"this row breaks its family's `requires: {requires}`", name)


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
