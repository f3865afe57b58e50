"""One atom's YAML node to its record: msgspec checks the types, every problem gets its place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

import msgspec

from ..codes import RULES
from ..source import Node, Source, Span, span
from ..verdict import Diagnostic
from .schema import KINDS, Record

_UNKNOWN = r"(?s)Object contains unknown field `(.*?)`(?: - at `\$(.*)`)?$"
_MISSING = r"(?s)Object missing required field `(.*?)`(?: - at `\$(.*)`)?$"
_OTHER = r"(?s)(.*?)(?: - at `\$(.*)`)?$"
_STEP = r"\.(\w+)|\[(\d+)\]|\[\.\.\.\]"
_PLACEHOLDERS: dict[str, object] = {"mnk": ["1", "1", "1"], "val_bits": ["1"], "rows": [], "ignore": []}
_PLACEHOLDERS |= {"from": ["1"], "to": ["0"], "onto": ["1"], "coordinates": ["c0"], "in": ["1"]}
_PLAIN_NULL = ("", "~", "null", "Null", "NULL")

Plain = str | None | list["Plain"] | dict[str, "Plain"]
_MOST = 50  # problems told of one atom


def diagnostic(code: str, where: Span, message: str, atom: str = "") -> Diagnostic:
    return Diagnostic(code, RULES[code].severity, where, message, atom)


def suggestion(word: str, known: Iterator[str] | tuple[str, ...] | list[str]) -> str:
    """`, did you mean 'x'?` when a known word is near."""
    from difflib import get_close_matches

    near = get_close_matches(word, list(known), 1)
    return f", did you mean '{near[0]}'?" if near else ""


def _rename(holder: dict[str, Plain], key: str, hint: str) -> None:
    """A misspelt key counts as the one it was meant to be: it is not missing as well."""
    value, meant = holder.pop(key), hint.partition("'")[2].partition("'")[0]
    if meant and meant != "kind":
        holder.setdefault(meant, value)


def _plain(node: Node) -> Plain:
    if node.kind == "mapping":
        return {key.text: _plain(value) for key, value in node.pairs}
    if node.kind == "sequence":
        return [_plain(item) for item in node.items]
    return None if node.plain and node.text in _PLAIN_NULL else node.text


def record_of(source: Source, node: Node) -> tuple[Record | None, list[Diagnostic]]:
    """Convert one atom; msgspec names one problem a call, so mend it and ask again."""
    if node.kind != "mapping":
        return None, [diagnostic("LC102", span(source, node), f"an atom is a mapping, not a {node.kind}")]
    data = _plain(node)
    assert isinstance(data, dict)
    name = data.get("name") if isinstance(data.get("name"), str) else ""
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        known = ", ".join(KINDS)
        if "kind" not in data:
            return None, [diagnostic("LC102", span(source, node), f"missing key 'kind' ({known})", str(name))]
        where = next(v for k, v in node.pairs if k.text == "kind")
        message = f"unknown kind {kind!r} (known: {known}){suggestion(str(kind), list(KINDS))}"
        return None, [diagnostic("LC102", span(source, where), message, str(name))]
    found: list[Diagnostic] = []
    record: Record | None = None
    while record is None and len(found) < _MOST:
        try:
            record = msgspec.convert(data, KINDS[kind])
        except msgspec.ValidationError as error:
            told = _mend(source, node, data, str(error), str(name), KINDS[kind])
            if told in found[-1:]:
                break  # it could not be mended
            found.append(told)
    if not any(d.code == "LC102" for d in found):
        return record, found
    return None, found


def _mend(
    source: Source, node: Node, data: dict[str, Plain], text: str, name: str, kind: type[msgspec.Struct]
) -> Diagnostic:
    """One schema error as a diagnostic at its place; `data` is changed so that the next call gets past it."""
    if match := re.match(_UNKNOWN, text):
        key, path = match.group(1), match.group(2) or ""
        parent, holder, *_ = _walk(node, data, path, lambda v: isinstance(v, dict) and key in v)
        where = next((k for k, _ in parent.pairs if k.text == key), parent)
        known = _field_names(kind, path)
        quote = ": quote the layout before it" if re.search(r"[(),:\d]", key) and not known else ""
        if re.search(r"[():]", key):
            quote = ": an unquoted layout inside {...} falls apart, quote it"
        hint = quote or suggestion(key, known)
        _rename(holder, key, "" if quote else hint)  # type: ignore[arg-type]
        return diagnostic("LC102", span(source, where), f"unknown key '{key}'{hint}", name)
    if match := re.match(_MISSING, text):
        key, path = match.group(1), match.group(2) or ""
        parent, holder, *_ = _walk(node, data, path, lambda v: isinstance(v, dict) and key not in v)
        holder[key] = _PLACEHOLDERS.get(key, "x")  # type: ignore[index, call-overload, assignment]
        return diagnostic("LC102", span(source, parent), f"missing key '{key}'", name)
    match = re.match(_OTHER, text)
    assert match is not None
    message, path = match.group(1), match.group(2) or ""
    expected = message.partition(", got")[0]
    where, _, holder, step = _walk(node, data, path, partial(_unexpected, expected))
    if "`object" in expected and isinstance(step, str):  # every field that holds a mapping may be absent
        del holder[step]  # type: ignore[union-attr, arg-type]
    elif "`object" in expected:
        holder[step] = {"code": "x"}  # type: ignore[index]
    else:
        default = ["x"] if "`array" in expected else "x"
        holder[step] = _PLACEHOLDERS.get(str(step), default)  # type: ignore[index, call-overload, assignment]
    field = path.lstrip(".") or "the atom"
    message = (
        message.replace(" | null`", "`")
        .replace("`object`", "a mapping")
        .replace("`str`", "a text")
        .replace("`array`", "a list")
        .replace("`null`", "nothing")
        .replace("`", "")
    )
    return diagnostic("LC102", span(source, where), f"{field}: {message[:1].lower()}{message[1:]}", name)


def _unexpected(expected: str, value: Plain) -> bool:
    """Whether a value is none of the types that msgspec's message expects."""
    kinds: dict[str, type] = {"`object": dict, "`array": list, "`str": str, "null`": type(None)}
    return not any(name in expected and isinstance(value, kind) for name, kind in kinds.items())


def _has(value: Plain, rest: str, wrong: Callable[[Plain], bool]) -> bool:
    """Whether the value at the rest of a path is a wrong one."""
    for match in re.finditer(_STEP, rest):
        key, index = match.groups()
        if index is not None and isinstance(value, list) and int(index) < len(value):
            value = value[int(index)]
        elif isinstance(value, dict) and key in value:
            value = value[key]
        else:
            return False
    return wrong(value)


def _walk(
    node: Node, data: Plain, path: str, wrong: Callable[[Plain], bool]
) -> tuple[Node, Plain, Plain, str | int | None]:
    """Follow msgspec's path: the node and the value there, and the holder and key that lead to it.

    `[...]` is some value of a dict: the first below which a `wrong` one lies.
    """
    holder: Plain = None
    last: str | int | None = None
    for match in re.finditer(_STEP, path):
        key, index = match.groups()
        holder = data
        if key is not None and isinstance(data, dict):
            last, data = key, data[key]
            node = next((v for k, v in node.pairs if k.text == key), node)
        elif index is not None and isinstance(data, list):
            last, data = int(index), data[int(index)]
            node = node.items[int(index)] if int(index) < len(node.items) else node
        elif isinstance(data, dict):
            last = next(k for k, v in data.items() if _has(v, path[match.end() :], wrong))
            data = data[last]
            node = next((v for k, v in node.pairs if k.text == last), node)
    return node, data, holder, last


def _field_names(kind: type[msgspec.Struct], path: str) -> list[str]:
    """The keys that may stand at `path` of a record."""
    current: type[msgspec.Struct] | None = kind
    for match in re.finditer(_STEP, path):
        if match.group(1) and current is not None:
            types = {f.encode_name: f.type for f in msgspec.structs.fields(current)}
            current = _record_in(types.get(match.group(1)))
    if current is None:
        return []
    tag = ["kind"] if current is kind else []
    return [f.encode_name for f in msgspec.structs.fields(current)] + tag


def _record_in(field: object) -> type[msgspec.Struct] | None:
    """The type of record that a field holds, alone, in a list or a mapping, or not at all."""
    from typing import get_args

    if isinstance(field, type) and issubclass(field, msgspec.Struct):
        return field
    return next(filter(None, map(_record_in, get_args(field))), None)
