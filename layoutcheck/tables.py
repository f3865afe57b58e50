"""What a layout is compared with: closed forms (`row = lane % 16; k = 4*(lane//16) + v`) and tables of coordinates.

Both give named coordinates for each (thread, value); a tile turns coordinates into offsets, column-major unless told.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping
from math import prod
from pathlib import Path
from typing import Any

import msgspec

from . import inttuple
from .errors import InputError, NotationError
from .expr import Expr, evaluate, parse
from .layout import Layout

MOST_POINTS = 1 << 20
_MOST_BYTES = 1 << 28
THREAD = ("thread", "lane", "t")
VALUE = ("value", "v")
_COORDINATE = re.compile(r"(\s*)([A-Za-z_]\w*)\s*=(?!=)")
_EXTENT = re.compile(r"\s*([A-Za-z_]\w*)\s*<\s*(\d{1,18})\s*")


class Table(msgspec.Struct, frozen=True):
    """Coordinates of every (thread, value): `rows[thread + threads * value]`, one number for each of `names`."""

    names: tuple[str, ...]
    threads: int
    values: int
    rows: tuple[tuple[int, ...], ...]


class Form(msgspec.Struct, frozen=True):
    """Named coordinates as expressions in lane and v, and the extents that the text states (`lane < 64`)."""

    coordinates: tuple[tuple[str, Expr], ...]
    threads: int | None = None
    values: int | None = None


def read(path: str | Path) -> Table | Form:
    """The table or closed form that a file holds: `.json`, `.csv`, else a closed form.

    Raises InputError for a file that cannot be read or is no table, NotationError for a broken form.
    """
    try:
        if Path(path).stat().st_size > _MOST_BYTES:
            raise InputError(f"{path}: more than {_MOST_BYTES >> 20} MiB")
        text = Path(path).read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    except ValueError as error:
        raise InputError(f"{path}: not UTF-8 text ({error})") from None
    if not text.strip():
        raise InputError(f"{path}: empty")
    suffix = Path(path).suffix.lower()
    try:
        if suffix == ".json":
            return table_from_json(text)
        return table_from_csv(text) if suffix == ".csv" else form(text)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def table_from_csv(text: str) -> Table:
    """A header `thread,value,row,k`, then one line for each (thread, value). Raises InputError."""
    try:
        lines = list(csv.reader(io.StringIO(text), strict=True))
    except csv.Error as error:
        raise InputError(f"not CSV: {error}") from None
    numbered = [(n, [cell.strip() for cell in line]) for n, line in enumerate(lines, 1) if any(line)]
    if not numbered:
        raise InputError("an empty table")
    header = numbered[0][1]
    if len(set(header)) != len(header):
        raise InputError("a column twice in the header")
    rows = []
    for n, cells in numbered[1:]:
        if len(cells) != len(header):
            raise InputError(f"line {n}: {len(cells)} cells, the header has {len(header)}")
        rows.append((f"line {n}", dict(zip(header, cells, strict=True))))
    return _table(rows)


def table_from_json(text: str) -> Table:
    """A list of objects `{"thread": 0, "value": 0, "row": 0, "k": 0}`. Raises InputError."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON: {error}") from None
    if not isinstance(data, list) or not all(isinstance(row, dict) for row in data):
        raise InputError('expected a list of objects {"thread": 0, "value": 0, ...}')
    return _table([(f"entry {n}", row) for n, row in enumerate(data)])


def _table(rows: list[tuple[str, dict[str, Any]]]) -> Table:
    if not rows:
        raise InputError("a table without a row")
    if len(rows) > MOST_POINTS:
        raise InputError(f"{len(rows)} rows, the limit is {MOST_POINTS}")
    keys = list(rows[0][1])
    thread, value = _column(keys, THREAD), _column(keys, VALUE)
    names = tuple(key for key in keys if key not in (thread, value))
    if not names:
        raise InputError("no column with a coordinate")
    cells: dict[tuple[int, int], tuple[int, ...]] = {}
    for where, row in rows:
        if set(row) != set(keys):
            raise InputError(f"{where}: other columns than the first row")
        at = _integer(row[thread], where, thread), _integer(row[value], where, value)
        if at in cells:
            raise InputError(f"{where}: thread {at[0]}, value {at[1]} a second time")
        cells[at] = tuple(_integer(row[name], where, name) for name in names)
    threads, values = (1 + max(at[i] for at in cells) for i in (0, 1))
    if threads * values != len(cells):
        gap = next((t, v) for v in range(values) for t in range(threads) if (t, v) not in cells)
        raise InputError(f"no row for thread {gap[0]}, value {gap[1]}")
    return Table(names, threads, values, tuple(cells[t, v] for v in range(values) for t in range(threads)))


def _column(keys: Iterable[str], names: tuple[str, ...]) -> str:
    found = [key for key in keys if key in names]
    if len(found) != 1:
        raise InputError(f"expected one column named {' or '.join(names)}, found {len(found)}")
    return found[0]


def _integer(cell: Any, where: str, name: str) -> int:
    if isinstance(cell, str) and re.fullmatch(r"\d{1,18}", cell):
        return int(cell)
    if isinstance(cell, int) and not isinstance(cell, bool) and 0 <= cell < 10**18:
        return cell
    raise InputError(f"{where}: {name} = {str(cell)[:40]!r} is no integer of at most 18 digits, 0 or more")


def form(text: str) -> Form:
    """Parse `row = lane % 16; k = 4*(lane//16) + v`; `lane < 64; v < 4` states the extents.

    Statements end at `;` or at the line's end. Raises NotationError with the column in its line.
    """
    coordinates: dict[str, Expr] = {}
    extents: dict[str, int] = {}
    for line in text.splitlines() or [""]:
        column = 0
        for part in line.split("#")[0].split(";"):
            if part.strip():
                _statement(part, column, coordinates, extents)
            column += len(part) + 1
    if not coordinates:
        raise NotationError("no coordinate: expected `name = expression in lane and v`")
    sizes = [next((extents[name] for name in names if name in extents), None) for names in (THREAD, VALUE)]
    return Form(tuple(coordinates.items()), *sizes)


def _statement(part: str, column: int, coordinates: dict[str, Expr], extents: dict[str, int]) -> None:
    extent = _EXTENT.fullmatch(part)
    if extent and extent[1] in THREAD + VALUE:
        if int(extent[2]) < 1:
            raise NotationError(f"{extent[1]} < {extent[2]}: no point at all", column)
        extents[extent[1]] = int(extent[2])
        return
    found = _COORDINATE.match(part)
    if not found:
        raise NotationError("expected `name = expression`, or `lane < extent`", column)
    name, start = found[2], column + found.start(2)
    if name in THREAD + VALUE or name in coordinates:
        raise NotationError(f"'{name}' is defined already", start)
    coordinates[name] = parse(" " * (column + found.end()) + part[found.end() :])


def tabulate(form: Form, threads: int | None = None, values: int | None = None) -> Table:
    """The coordinates at every (thread, value); extents that the form states come before those given.

    Raises InputError for extents that are missing or more than 2^20 points, NotationError for an unknown name.
    """
    sizes = []
    for name, given, stated in (("lane", threads, form.threads), ("v", values, form.values)):
        if given is None and stated is None:
            raise InputError(f"the extent of {name} is not stated: write `{name} < ...`")
        sizes.append(stated if stated is not None else given or 0)
    if prod(sizes) > MOST_POINTS:
        raise InputError(f"{sizes[0]} threads of {sizes[1]} values are more than {MOST_POINTS} points")
    rows = []
    for value in range(sizes[1]):
        for thread in range(sizes[0]):
            env = {**dict.fromkeys(THREAD, thread), **dict.fromkeys(VALUE, value)}
            rows.append(_row(form, env, thread, value))
    return Table(tuple(name for name, _ in form.coordinates), sizes[0], sizes[1], tuple(rows))


def _row(form: Form, env: Mapping[str, int], thread: int, value: int) -> tuple[int, ...]:
    row = tuple(evaluate(expression, env) for _, expression in form.coordinates)
    for (name, _), coordinate in zip(form.coordinates, row, strict=True):
        if coordinate < 0:
            raise InputError(f"{name} = {coordinate} at thread {thread}, value {value}: a coordinate is at least 0")
    return row


def tile_of(table: Table) -> Layout:
    """The column-major tile that just holds every coordinate of the table."""
    extents = tuple(1 + max(column) for column in zip(*table.rows, strict=True))
    strides = tuple(prod(extents[:i]) for i in range(len(extents)))
    return Layout(extents, strides)


def offsets(table: Table, tile: Layout) -> list[int]:
    """The offset of every row in the tile. Raises InputError for a coordinate outside it."""
    modes = [inttuple.size(mode) for mode in inttuple.modes(tile.shape)]
    if len(modes) != len(table.names):
        raise InputError(f"the tile {tile} has {len(modes)} modes, there are coordinates {', '.join(table.names)}")
    for index, row in enumerate(table.rows):
        for name, coordinate, extent in zip(table.names, row, modes, strict=True):
            if coordinate >= extent:
                at = f"thread {index % table.threads}, value {index // table.threads}"
                raise InputError(f"{name} = {coordinate} at {at} is outside the tile {tile}")
    return [tile(row if len(modes) > 1 or not isinstance(tile.shape, int) else row[0]) for row in table.rows]
