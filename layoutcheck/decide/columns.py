"""Every point of an index map: each expression evaluated over columns of coordinates, block by block.

Where a block holds an operation that plain evaluation might refuse, it is evaluated point by point.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from operator import add, eq, floordiv, ge, gt, le, lt, mod, mul, ne, sub
from time import perf_counter
from typing import NamedTuple

from ..expr import NATIVE, Expr
from ..indexmap import Beyond, IndexMap, NoPoint, Point, SameImage, TooFew, Undefined, image, inside, points, undefined

LIMIT = 1 << 20
_BLOCK = 1 << 12  # points evaluated between two looks at the clock
_OPERATORS = {
    "+": add, "-": sub, "*": mul, "//": floordiv, "%": mod, "/": floordiv,
    "<": lt, "<=": le, ">": gt, ">=": ge, "==": eq, "!=": ne,
}  # fmt: skip

Column = list[int]


class Survey(NamedTuple):
    """What every point says: for each claim the first witness against it (row-major), and how many images there are.

    Where a point has no image, nothing else is known.
    """

    undefined: Undefined | None = None
    beyond: Beyond | None = None
    same: SameImage | None = None
    missing: NoPoint | TooFew | None = None
    distinct: int = 0


class _Doubtful(Exception):
    """An operation whose operands plain evaluation might refuse."""


def survey(index_map: IndexMap, deadline: float) -> Survey | None:
    """Every point of a map; None when there are more than LIMIT, or `deadline` (of perf_counter) passes."""
    if index_map.size > LIMIT:
        return None
    seen: set[int | Point] = set()
    outside = again = None
    number = 0
    for keys in _blocks(index_map):
        if isinstance(keys, Undefined):
            return Survey(keys)
        if perf_counter() > deadline:
            return None
        if outside is None:
            outside = next((number + i for i, key in enumerate(keys) if isinstance(key, tuple)), None)
        seen.update(keys)
        number += len(keys)
        if again is None and len(seen) < number:
            again = _repeated(index_map)
    return Survey(
        None,
        None if outside is None else _beyond(index_map, outside),
        None if again is None else _same(index_map, *again),
        _missing(index_map, seen),
        len(seen),
    )


def _blocks(index_map: IndexMap) -> Iterator[list[int] | list[int | Point] | Undefined]:
    """The images of all points, row-major, in blocks; a point without one ends them."""
    everything = points(index_map)
    while block := list(islice(everything, _BLOCK)):
        images = _images(index_map, block)
        yield images if isinstance(images, Undefined) else _keys(index_map, images)


def _repeated(index_map: IndexMap) -> tuple[int, int] | None:
    """The numbers of the first point whose image was there before, and of the one that had it, the earlier first."""
    first: dict[int | Point, int] = {}
    number = 0
    for keys in _blocks(index_map):
        for key in () if isinstance(keys, Undefined) else keys:
            before = first.setdefault(key, number)
            if before != number:
                return before, number
            number += 1
    return None


def _beyond(index_map: IndexMap, number: int) -> Beyond:
    at = _digits(index_map.extents, number)
    return Beyond(at, image(index_map, at))


def _same(index_map: IndexMap, before: int, number: int) -> SameImage:
    a, b = (_digits(index_map.extents, x) for x in (before, number))
    return SameImage(a, b, image(index_map, b))


def _missing(index_map: IndexMap, held: set[int | Point]) -> NoPoint | TooFew | None:
    """The first element that no point has; there is one when there are too few points."""
    if index_map.images > LIMIT:
        return TooFew(index_map.size, index_map.images)
    number = next((n for n in range(index_map.images) if n not in held), None)
    return None if number is None else NoPoint(_digits(index_map.onto, number))


def _digits(extents: tuple[int, ...], number: int) -> Point:
    """The coordinates of a row-major number."""
    digits = []
    for extent in reversed(extents):
        number, digit = divmod(number, extent)
        digits.append(digit)
    return tuple(reversed(digits))


def _keys(index_map: IndexMap, images: list[Column]) -> list[int] | list[int | Point]:
    """Each image as its row-major number; as it is where it lies outside."""
    if all(min(column) >= 0 and max(column) < n for column, n in zip(images, index_map.onto, strict=True)):
        numbers = images[0]
        for column, n in zip(images[1:], index_map.onto[1:], strict=True):
            numbers = [x * n + y for x, y in zip(numbers, column, strict=True)]
        return numbers
    return [_number(index_map, at) if inside(index_map, at) else at for at in zip(*images, strict=True)]


def _number(index_map: IndexMap, at: Point) -> int:
    number = 0
    for x, n in zip(at, index_map.onto, strict=True):
        number = number * n + x
    return number


def _images(index_map: IndexMap, block: list[Point]) -> list[Column] | Undefined:
    """A column for each expression, or the first point that has no image."""
    env = dict(zip(index_map.coordinates, map(list, zip(*block, strict=True)), strict=True))
    try:
        return [_column(part, env, len(block)) for part in index_map.to]
    except _Doubtful:
        wrong = next(filter(None, (undefined(index_map, at) for at in block)), None)
        return wrong or [list(column) for column in zip(*(image(index_map, at) for at in block), strict=True)]


def _column(e: Expr, env: dict[str, Column], count: int) -> Column:
    match e.op:
        case "int":
            return [e.value] * count
        case "name":
            return env[e.name]
        case "neg":
            return [-x for x in _column(e.args[0], env, count)]
    left, right = (_column(arg, env, count) for arg in e.args)
    match e.op:
        case "and":
            return [int(bool(x) and bool(y)) for x, y in zip(left, right, strict=True)]
        case "or":
            return [int(bool(x) or bool(y)) for x, y in zip(left, right, strict=True)]
        case "/" | "//" | "%" if min(left) < 0 or min(right) <= 0:
            raise _Doubtful
        case "/" if any(map(mod, left, right)):
            raise _Doubtful
    values = list(map(int, map(_OPERATORS[e.op], left, right)))
    if min(values) < -NATIVE or max(values) >= NATIVE:
        raise _Doubtful
    return values
