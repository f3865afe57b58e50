"""Source to records: every problem of form at its place, and one entry for each atom of each family row."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from .. import expr
from ..codes import RULES
from ..errors import InexactDivision, NotationError
from ..source import Node, Source, Span, YamlError, load_yaml, span
from ..verdict import Diagnostic
from .schema import KINDS, Record

_UNKNOWN = re.compile(r"Object contains unknown field `(.*?)`(?: - at `\$(.*)`)?$", re.S)
_MISSING = re.compile(r"Object missing required field `(.*?)`(?: - at `\$(.*)`)?$", re.S)
_OTHER = re.compile(r"(.*?)(?: - at `\$(.*)`)?$", re.S)
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]|\[\.\.\.\]")
_PLACEHOLDERS: dict[str, object] = {"mnk": ["1", "1", "1"], "val_bits": ["1"], "rows": []}
_PLAIN_NULL = ("", "~", "null", "Null", "NULL")

Plain = str | None | list["Plain"] | dict[str, "Plain"]


class Entry(msgspec.Struct, frozen=True, eq=False):
    """One atom as written: its record, its YAML node, and the family row it is an instance of."""

    source: Source
    record: Record
    node: Node
    name: str
    env: dict[str, int]
    texts: dict[str, str]

    def node_of(self, *path: str) -> Node:
        """The node of a field, or the innermost one on the way that exists."""
        node = self.node
        for step in path:
            node = next((v for k, v in node.pairs if k.text == step), node)
        return node

    def place(self, *path: str, offset: int = 0) -> Span:
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
            _diagnostic("LC102", Span(source.path), "an empty file: expected `layoutcheck: 1` and `atoms:`"),
        ]
    atoms, form = _top(source, root)
    found += form
    entries: list[Entry] = []
    names: dict[str, int] = {}
    for node in atoms:
        record, form = _record(source, node)
        found += form
        for entry, problem in _instances(source, record, node) if record else ():
            if problem:
                found.append(problem)
            elif entry and entry.name in names:
                message = f"the name '{entry.name}' stands twice (first on line {names[entry.name]})"
                found.append(_diagnostic("LC102", entry.place("name"), message, entry.name))
            elif entry:
                names[entry.name] = entry.place("name").line
                entries.append(entry)
    return entries, found


def _diagnostic(code: str, where: Span, message: str, atom: str = "") -> Diagnostic:
    return Diagnostic(code, RULES[code].severity, where, message, atom)


def _at_mark(source: Source, error: YamlError) -> Diagnostic:
    return _diagnostic(error.code, Span(source.path, error.line, error.column), str(error))


def suggestion(word: str, known: Iterator[str] | tuple[str, ...] | list[str]) -> str:
    """`, did you mean 'x'?` when a known word is near."""
    from difflib import get_close_matches

    near = get_close_matches(word, list(known), 1)
    return f", did you mean '{near[0]}'?" if near else ""


def _top(source: Source, root: Node) -> tuple[tuple[Node, ...], list[Diagnostic]]:
    """The atoms' nodes, and what is wrong around them."""
    if root.kind != "mapping":
        message = f"a YAML {root.kind}: expected a mapping with `layoutcheck: 1` and `atoms:`"
        return (), [_diagnostic("LC102", span(source, root), message)]
    found = []
    fields = {key.text: value for key, value in root.pairs}
    for key, _ in root.pairs:
        if key.text not in ("layoutcheck", "atoms"):
            hint = suggestion(key.text, ("layoutcheck", "atoms"))
            found.append(_diagnostic("LC102", span(source, key), f"unknown key '{key.text}'{hint}"))
    found += [
        _diagnostic("LC102", Span(source.path), f"missing key '{key}'")
        for key in ("layoutcheck", "atoms")
        if key not in fields
    ]
    version, atoms = fields.get("layoutcheck"), fields.get("atoms")
    if version is not None and version.text != "1":
        found.append(
            _diagnostic("LC102", span(source, version), f"format version {version.text!r}: this tool reads version 1")
        )
    if atoms is None:
        return (), found
    if atoms.kind != "sequence":
        found.append(
            _diagnostic("LC102", span(source, atoms), f"`atoms` is a {atoms.kind}: expected a list (`- name: ...`)")
        )
        return (), found
    if not atoms.items:
        found.append(_diagnostic("LC109", span(source, atoms), "no atoms: nothing is claimed, so nothing is checked"))
    return atoms.items, found


def _plain(node: Node) -> Plain:
    if node.kind == "mapping":
        return {key.text: _plain(value) for key, value in node.pairs}
    if node.kind == "sequence":
        return [_plain(item) for item in node.items]
    return None if node.plain and node.text in _PLAIN_NULL else node.text


def _record(source: Source, node: Node) -> tuple[Record | None, list[Diagnostic]]:
    """Convert one atom; msgspec names one problem a call, so mend it and ask again."""
    if node.kind != "mapping":
        return None, [_diagnostic("LC102", span(source, node), f"an atom is a mapping, not a {node.kind}")]
    data = _plain(node)
    assert isinstance(data, dict)
    name = data.get("name") if isinstance(data.get("name"), str) else ""
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        known = ", ".join(KINDS)
        if "kind" not in data:
            return None, [_diagnostic("LC102", span(source, node), f"missing key 'kind' ({known})", str(name))]
        where = next(v for k, v in node.pairs if k.text == "kind")
        message = f"unknown kind {kind!r} (known: {known}){suggestion(str(kind), list(KINDS))}"
        return None, [_diagnostic("LC102", span(source, where), message, str(name))]
    found: list[Diagnostic] = []
    record: Record | None = None
    while record is None:
        try:
            record = msgspec.convert(data, KINDS[kind])
        except msgspec.ValidationError as error:
            found.append(_mend(source, node, data, str(error), str(name), KINDS[kind]))
    if not any(d.code == "LC102" for d in found):
        return record, found
    return None, found


def _mend(
    source: Source, node: Node, data: dict[str, Plain], text: str, name: str, kind: type[msgspec.Struct]
) -> Diagnostic:
    """One schema error as a diagnostic at its place; `data` is changed so that the next call gets past it."""
    if match := _UNKNOWN.match(text):
        key, path = match.group(1), match.group(2) or ""
        parent, holder, *_ = _walk(node, data, path)
        del holder[key]  # type: ignore[union-attr, arg-type]
        where = next((k for k, _ in parent.pairs if k.text == key), parent)
        known = _field_names(kind, path)
        quote = ": quote the layout before it" if re.search(r"[(),:\d]", key) and not known else ""
        if re.search(r"[():]", key):
            quote = ": an unquoted layout inside {...} falls apart, quote it"
        hint = quote or suggestion(key, known)
        return _diagnostic("LC102", span(source, where), f"unknown key '{key}'{hint}", name)
    if match := _MISSING.match(text):
        key, path = match.group(1), match.group(2) or ""
        parent, holder, *_ = _walk(node, data, path)
        holder[key] = _PLACEHOLDERS.get(key, "x")  # type: ignore[index, call-overload, assignment]
        return _diagnostic("LC102", span(source, parent), f"missing key '{key}'", name)
    match = _OTHER.match(text)
    assert match is not None
    message, path = match.group(1), match.group(2) or ""
    where, _, holder, step = _walk(node, data, path)
    default = _PLACEHOLDERS.get(str(step), "x")
    if "`object`" in message and holder is not None and isinstance(step, str):
        del holder[step]  # type: ignore[union-attr, arg-type]
    elif holder is not None:
        holder[step] = default  # type: ignore[index, call-overload, assignment]
    field = path.lstrip(".") or "the atom"
    message = (
        message.replace("`object`", "a mapping")
        .replace("`array`", "a list")
        .replace("`null`", "nothing")
        .replace("`", "")
    )
    return _diagnostic("LC102", span(source, where), f"{field}: {message[:1].lower()}{message[1:]}", name)


def _walk(node: Node, data: Plain, path: str) -> tuple[Node, Plain, Plain, str | int | None]:
    """Follow msgspec's path: the node and the value there, and the holder and key that lead to it."""
    holder: Plain = None
    last: str | int | None = None
    for match in _STEP.finditer(path):
        key, index = match.groups()
        holder = data
        if key is not None and isinstance(data, dict):
            last, data = key, data[key]
            node = next((v for k, v in node.pairs if k.text == key), node)
        elif index is not None and isinstance(data, list):
            last, data = int(index), data[int(index)]
            node = node.items[int(index)] if int(index) < len(node.items) else node
        elif isinstance(data, dict):  # `[...]`: some value of a dict; the first that is no text
            last = next(k for k, v in data.items() if not isinstance(v, str))
            data = data[last]
            node = next((v for k, v in node.pairs if k.text == last), node)
    return node, data, holder, last


def _field_names(kind: type[msgspec.Struct], path: str) -> list[str]:
    """The keys that may stand at `path` of a record."""
    from typing import get_args

    current: object = kind
    for match in _STEP.finditer(path):
        if match.group(1) and isinstance(current, type) and issubclass(current, msgspec.Struct):
            types = {f.encode_name: f.type for f in msgspec.structs.fields(current)}
            current = types.get(match.group(1), object)
        if not isinstance(current, type):
            current = next(
                (a for a in get_args(current) if isinstance(a, type) and issubclass(a, msgspec.Struct)), object
            )
    if not (isinstance(current, type) and issubclass(current, msgspec.Struct)):
        return []
    tag = ["kind"] if current is kind else []
    return [f.encode_name for f in msgspec.structs.fields(current)] + tag


def _instances(source: Source, record: Record, node: Node) -> Iterator[tuple[Entry | None, Diagnostic | None]]:
    """The atom itself, or one entry for each row of its family that meets `requires`."""
    whole = Entry(source, record, node, record.name, {}, {})
    family = record.family
    if family is None:
        yield whole, None
        return
    if not family.rows:
        yield None, _diagnostic("LC109", whole.place("family"), "a family without rows has no instance", record.name)
        return
    rows = whole.node_of("family", "rows").items
    for row, row_node in zip(family.rows, rows, strict=True):
        env, texts = _environment(row)
        where = span(source, row_node)
        name = fill(record.name, texts)
        if "{" in name:
            message = f"the name '{record.name}' mentions a parameter that the row does not have"
            yield None, _diagnostic("LC102", where, message, record.name)
            continue
        problem = _requirement(whole, family.requires, env, where, name)
        if problem:
            yield None, problem
        else:
            yield Entry(source, record, node, name, env, texts), None


def _environment(row: dict[str, str]) -> tuple[dict[str, int], dict[str, str]]:
    """A row's parameters: the integers among them, and all of them as texts."""
    env = {key: int(text) for key, text in row.items() if re.fullmatch(rf"\d{{1,{expr.MAX_DIGITS}}}", text)}
    return env, row


def _requirement(whole: Entry, requires: str, env: dict[str, int], where: Span, name: str) -> Diagnostic | None:
    if not requires:
        return None
    try:
        holds = expr.evaluate(expr.parse(requires), env)
    except InexactDivision as error:
        return _diagnostic("LC108", whole.place("family", "requires", offset=error.column), str(error), name)
    except NotationError as error:
        return _diagnostic("LC102", whole.place("family", "requires", offset=error.column), f"requires: {error}", name)
    return None if holds else _diagnostic("LC102", where, f"this row breaks its family's `requires: {requires}`", name)


def fill(text: str, texts: dict[str, str]) -> str:
    """`{name}` replaced by the row's text; unknown names stay."""
    return re.sub(r"\{(\w+)\}", lambda m: texts.get(m.group(1), m.group(0)), text)
