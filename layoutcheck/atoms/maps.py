"""Index maps, `kind: map`: from an entry to the map, with every finding about its form."""

from __future__ import annotations

import re
from math import prod

import msgspec

from .. import expr
from ..errors import NotationError
from ..indexmap import IndexMap, Kind
from .entry import fill
from .model import Atom
from .rules_form import Form
from .schema import Map

_MOST = 32  # coordinates, and expressions
_FACTS = frozenset({"map", "tile", "counted"})


def build(form: Form, record: Map) -> Atom:
    """The map of an entry, unless something about its form is wrong."""
    extents, onto = (_extents(form, texts, field) for texts, field in ((record.from_, "from"), (record.onto, "onto")))
    names = _names(form, record)
    to = [_expression(form, text, i, names) for i, text in enumerate(record.to[:_MOST])]
    for field in ("injective", "covering"):
        if getattr(record, field) not in ("true", "false"):
            form.report("LC102", f"{field}: {getattr(record, field)[:40]!r} is neither true nor false", field)
    if len(record.to) != len(record.onto):
        form.report("LC102", f"to has {len(record.to)} expressions, onto {len(record.onto)} extents", "to")
    if form.found:
        return Atom(form.entry, "map", ())
    index_map = IndexMap(names, tuple(filter(None, extents)), tuple(filter(None, to)), tuple(filter(None, onto)))
    return Atom(form.entry, "map", (), index_map=index_map, facts=_FACTS)


def _extents(form: Form, texts: list[str], field: str) -> list[int | None]:
    if not 0 < len(texts) <= _MOST:
        form.report("LC102", f"{field}: {len(texts)} extents, expected 1 to {_MOST}", field)
        return []
    extents = [form.number(text, field, str(i)) for i, text in enumerate(texts)]
    number = prod(extent or 1 for extent in extents)
    if number >= expr.NATIVE:
        form.report("LC110", f"{field}: 2^{number.bit_length() - 1} or more elements, beyond 2^63 - 1", field)
    return extents


def _names(form: Form, record: Map) -> tuple[str, ...]:
    """The coordinates: c0, c1, ..., or as the file names them."""
    if record.coordinates is None:
        names = tuple(f"c{i}" for i in range(len(record.from_)))
    else:
        names = tuple(record.coordinates)
    if len(names) != len(record.from_):
        form.report("LC102", f"{len(names)} coordinates, from has {len(record.from_)} extents", "coordinates")
    for i, name in enumerate(names[:_MOST]):
        if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) or name in ("and", "or"):
            form.report("LC102", f"'{name[:40]}' is no name for a coordinate", "coordinates", str(i))
        elif name in names[:i]:
            form.report("LC102", f"coordinate {name} stands twice", "coordinates", str(i))
        elif name in form.entry.texts:
            form.report("LC102", f"{name} is both a coordinate and a parameter of the family", "coordinates", str(i))
    return names


def _expression(form: Form, text: str, i: int, names: tuple[str, ...]) -> expr.Expr | None:
    """An expression in which only coordinates are left as names."""
    try:
        parsed = _subtracted(expr.bind(expr.parse(fill(text, form.entry.texts)), form.entry.env))
        large = _beyond(parsed)
        if large is not None:
            at = form.column(text, NotationError("", large.column))
            form.report("LC110", f"to: {str(large.value)[:40]} does not fit into 64 bits", "to", str(i), offset=at)
            return None
        unknown = expr.stranger(parsed, names)
        if unknown is None:
            return parsed
        known = ", ".join((*names, *form.entry.env))
        raise NotationError(f"unknown name '{unknown.name}' (known: {known})", unknown.column)
    except NotationError as error:
        form.report("LC102", f"to: {error}", "to", str(i), offset=form.column(text, error))
    return None


def _subtracted(expression: expr.Expr) -> expr.Expr:
    """-x as 0 - x, which overflows where -x does."""
    args = tuple(map(_subtracted, expression.args))
    if expression.op == "neg":
        return expr.Expr("-", expression.column, args=(expr.Expr("int", expression.column), *args))
    return msgspec.structs.replace(expression, args=args)


def _beyond(expression: expr.Expr) -> expr.Expr | None:
    """A number that 64 bits do not hold."""
    if expression.op == "int" and not -expr.NATIVE <= expression.value < expr.NATIVE:
        return expression
    return next(filter(None, map(_beyond, expression.args)), None)


def kinds(record: Map) -> tuple[Kind, ...]:
    """What a file claims of its map."""
    claimed: list[Kind] = ["defined", "bounded"]
    claimed += ["injective"] if record.injective == "true" else []
    claimed += ["onto"] if record.covering == "true" else []
    return tuple(claimed)
