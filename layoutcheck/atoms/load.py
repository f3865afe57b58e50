"""Source to records: every problem of form at its place, and one entry for each instance of each atom."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..source import Node, Source, Span, YamlError, load_yaml, span
from ..verdict import Diagnostic
from .convert import diagnostic, record_of, suggestion
from .entry import Entry
from .schema import Record

if TYPE_CHECKING:
    from .families import Narrow


def load(source: Source, narrow: Narrow | None = None) -> tuple[list[Entry], list[Diagnostic]]:
    """Every atom of a file that can be read, and every finding about the file's form. `narrow` keeps, of a family
    that has the parameters it names, only the instances with these values.
    """
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
    names: dict[str, Entry] = {}
    for node in atoms:
        record, form = record_of(source, node)
        found += form
        for one in _instances(source, record, node, narrow) if record else ():
            if isinstance(one, Diagnostic):
                found.append(one)
                continue
            first = names.setdefault(one.name, one)
            if not one.name.strip():
                found.append(diagnostic("LC102", one.place("name"), "an empty name"))
                continue
            if first is not one and (first.domain is None or first.domain is not one.domain):
                message = f"the name '{one.name}' stands twice (first on line {first.place('name').line})"
                found.append(diagnostic("LC102", one.place("name"), message, one.name))
            entries.append(one)
    return entries, found


def _instances(source: Source, record: Record, node: Node, narrow: Narrow | None) -> Iterable[Entry | Diagnostic]:
    if record.family is None and not getattr(record, "requires", ""):
        return (Entry(source, record, node, record.name, {}, {}),)
    from .instances import instances

    return instances(source, record, node, narrow or {})


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
