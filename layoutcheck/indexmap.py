"""Index maps as data: what a grid remap or an address computation does to coordinates, and what is claimed of it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from typing import Literal

import msgspec

from . import expr
from .errors import NotationError, Overflow
from .expr import Expr

Point = tuple[int, ...]
Kind = Literal["defined", "bounded", "injective", "onto"]

MEANS: dict[Kind, str] = {
    "defined": "at every point, every expression has the value that 64-bit C++ computes",
    "bounded": "every image lies inside `onto`",
    "injective": "no two points have the same image",
    "onto": "every element of `onto` is the image of a point",
}


class IndexMap(msgspec.Struct, frozen=True):
    """point -> image: one expression in the named coordinates for each extent of `onto`.

    Points and images are listed row-major (the rightmost coordinate fastest), as grids are numbered.
    """

    coordinates: tuple[str, ...]
    extents: tuple[int, ...]
    to: tuple[Expr, ...]
    onto: tuple[int, ...]

    @property
    def size(self) -> int:
        """Number of points."""
        return prod(self.extents)

    @property
    def images(self) -> int:
        """Number of elements that the images are to lie among."""
        return prod(self.onto)


class MapClaim(msgspec.Struct, frozen=True):
    """One yes-or-no question about an index map; MEANS says what each kind claims."""

    kind: Kind
    map: IndexMap

    @property
    def means(self) -> str:
        """The claim in words."""
        return MEANS[self.kind]


class Undefined(msgspec.Struct, frozen=True, tag=True):
    """A point where the expression of number `part` has no value, or another one in C++: why, and where in it."""

    at: Point
    part: int
    message: str
    column: int
    code: Literal["LC108", "LC110"]


class Beyond(msgspec.Struct, frozen=True, tag=True):
    """A point whose image lies outside `onto`."""

    at: Point
    image: Point


class SameImage(msgspec.Struct, frozen=True, tag=True):
    """Two different points with one image."""

    a: Point
    b: Point
    image: Point


class NoPoint(msgspec.Struct, frozen=True, tag=True):
    """An element of `onto` that is the image of no point."""

    image: Point


class TooFew(msgspec.Struct, frozen=True, tag=True):
    """Fewer points than elements of `onto`."""

    points: int
    elements: int


MapWitness = Undefined | Beyond | SameImage | NoPoint | TooFew


class MapAnswer(msgspec.Struct, frozen=True):
    """What one engine says of one claim, and why; a refusal carries its witness."""

    holds: bool
    by: str
    witness: MapWitness | None = None


def image(index_map: IndexMap, at: Point) -> Point:
    """The image of a point: the definition. Raises NotationError where an expression has no native value."""
    env = dict(zip(index_map.coordinates, at, strict=True))
    return tuple(expr.evaluate(part, env, native=True) for part in index_map.to)


def undefined(index_map: IndexMap, at: Point) -> Undefined | None:
    """Why a point has no image; None when it has one."""
    env = dict(zip(index_map.coordinates, at, strict=True))
    for i, part in enumerate(index_map.to):
        try:
            expr.evaluate(part, env, native=True)
        except Overflow as error:
            return Undefined(at, i, str(error), error.column, "LC110")
        except NotationError as error:
            return Undefined(at, i, str(error), error.column, "LC108")
    return None


def inside(index_map: IndexMap, at: Point) -> bool:
    """Whether an image lies inside `onto`."""
    return all(0 <= x < n for x, n in zip(at, index_map.onto, strict=True))


def points(index_map: IndexMap) -> Iterator[Point]:
    """Every point, row-major."""
    return product(*map(range, index_map.extents))


def replays(claim: MapClaim, witness: MapWitness | None) -> bool:
    """Whether plain evaluation at the witness refutes the claim; for NoPoint, at every point."""
    its = claim.map
    try:
        match claim.kind, witness:
            case "defined", Undefined(at):
                return _is_point(its, at) and undefined(its, at) is not None
            case "bounded", Beyond(at, where):
                return _is_point(its, at) and image(its, at) == where and not inside(its, where)
            case "injective", SameImage(a, b, where):
                return a != b and _is_point(its, a) and _is_point(its, b) and image(its, a) == image(its, b) == where
            case "onto", NoPoint(where):
                return inside(its, where) and all(image(its, at) != where for at in points(its))
            case "onto", TooFew(few, many):
                return few == its.size < its.images == many
    except NotationError:
        return False
    return False


def _is_point(index_map: IndexMap, at: Point) -> bool:
    return len(at) == len(index_map.extents) and all(0 <= x < n for x, n in zip(at, index_map.extents, strict=True))
