"""Rewrites as polynomial identities: sizes, strides and digits are symbols, the structure (who is a thread) is given.

Two layouts are compared digit by digit on their common refinement: each leaf carries its own digit, so that thread id,
value index and position are polynomials, and no div or mod is left. Equal polynomials are equal for all sizes, strides
and digits. sympy expands them into one normal form; z3 builds its own terms and looks for numbers that tell them apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache, reduce
from itertools import permutations, product
from operator import mul
from time import perf_counter
from typing import Any, Literal, NamedTuple

import msgspec

from ..errors import Disagreement
from ..smt.solver import quiet

Structure = tuple[str, ...]  # one word a mode, one letter a leaf: T thread, V value; as ("TV", "T")


class SymbolicLeaf(NamedTuple):
    """Extent, stride and digit as polynomials; `thread` says who counts the digit."""

    extent: Any
    stride: Any
    digit: Any
    thread: bool


Symbolic = tuple[tuple[SymbolicLeaf, ...], ...]  # leaves by mode


Rewrite = Callable[[Symbolic, Mapping[str, Any]], Iterator["Identity"]]


class Identity(msgspec.Struct, frozen=True):
    """Two expressions that a rewrite keeps equal, of the named quantity."""

    rewrite: str
    quantity: str
    left: Any
    right: Any


class Outcome(msgspec.Struct, frozen=True):
    """ "holds", "broken" (the first identity that is, with numbers for its symbols) or "unknown".

    `identities` counts what was asked, by rewrite.
    """

    status: Literal["holds", "broken", "unknown"]
    structures: int
    identities: dict[str, int]
    broken: Identity | None = None
    at: dict[str, int] | None = None


def structures(modes: int, leaves: int) -> Iterator[Structure]:
    """Every structure of 1 to `modes` modes with 1 to `leaves` leaves each."""
    words = ["".join(word) for n in range(1, leaves + 1) for word in product("TV", repeat=n)]
    for rank in range(1, modes + 1):
        yield from product(words, repeat=rank)


def names(structure: Structure) -> list[str]:
    """s, d, c: extent, stride, digit of leaf j of mode i; g, q: a gap before it and its digit; u ... h: to rewrite."""
    places = [f"{i}{j}" for i, word in enumerate(structure) for j in range(len(word))]
    return [letter + place for letter in "sdcgq" for place in places] + ["u", "w", "x", "y", "n", "h"]


def symbolic(structure: Structure, of: Mapping[str, Any]) -> Symbolic:
    """The structure with what `of` gives for each name: polynomials, z3 terms or numbers."""
    return tuple(
        tuple(SymbolicLeaf(of[f"s{i}{j}"], of[f"d{i}{j}"], of[f"c{i}{j}"], who == "T") for j, who in enumerate(word))
        for i, word in enumerate(structure)
    )


def thread(layout: Symbolic) -> Any:
    """The thread id: digit times stride over the thread leaves."""
    return sum(leaf.digit * leaf.stride for mode in layout for leaf in mode if leaf.thread)


def row_major(digits: list[tuple[Any, Any]]) -> Any:
    """The index of (extent, digit) pairs, the rightmost fastest."""
    if not digits:
        return 0
    index = digits[0][1]
    for extent, digit in digits[1:]:
        index = index * extent + digit
    return index


def value(layout: Symbolic) -> Any:
    """The flat distributed index."""
    return row_major([(leaf.extent, leaf.digit) for mode in layout for leaf in mode if not leaf.thread])


def values(mode: tuple[SymbolicLeaf, ...]) -> tuple[SymbolicLeaf, ...]:
    """The value leaves of one mode."""
    return tuple(leaf for leaf in mode if not leaf.thread)


def coordinate(mode: tuple[SymbolicLeaf, ...]) -> Any:
    """The element's coordinate along one mode."""
    return row_major([(leaf.extent, leaf.digit) for leaf in mode])


def size(mode: tuple[SymbolicLeaf, ...]) -> Any:
    """The number of elements along one mode."""
    return _times(leaf.extent for leaf in mode)


def position(layout: Symbolic) -> Any:
    """The flat position of the element: row-major over the data strides of the leaves."""
    *others, last = [leaf for mode in layout for leaf in mode]
    out, after = last.digit, last.extent
    for leaf in reversed(others):
        out, after = out + leaf.digit * after, after * leaf.extent
    return out


def _times(factors: Iterable[Any]) -> Any:
    several = list(factors)
    return reduce(mul, several) if several else 1


def same(rewrite: str, source: Symbolic, target: Symbolic) -> Iterator[Identity]:
    """What a shape_cast keeps: the same thread holds, at the same index, the element at the same position."""
    for quantity, of in (("thread", thread), ("index", value), ("position", position)):
        yield Identity(rewrite, quantity, of(source), of(target))


def split(layout: Symbolic, mode: int, leaf: int, of: Mapping[str, Any]) -> tuple[Symbolic, Symbolic]:
    """Leaf u*w : d of one mode whole, and as the leaves u : w*d and w : d; the digit is x*w + y."""
    u, w, x, y = (of[name] for name in "uwxy")
    old = layout[mode][leaf]
    whole = SymbolicLeaf(u * w, old.stride, x * w + y, old.thread)
    parts = (SymbolicLeaf(u, w * old.stride, x, old.thread), SymbolicLeaf(w, old.stride, y, old.thread))
    return put(layout, mode, leaf, (whole,)), put(layout, mode, leaf, parts)


def put(layout: Symbolic, mode: int, leaf: int, leaves: tuple[SymbolicLeaf, ...]) -> Symbolic:
    """The layout with other leaves in place of one."""
    changed = (*layout[mode][:leaf], *leaves, *layout[mode][leaf + 1 :])
    return (*layout[:mode], changed, *layout[mode + 1 :])


def shape_cast(layout: Symbolic, of: Mapping[str, Any]) -> Iterator[Identity]:
    """Splitting (read backwards: merging) any leaf, and moving every mode boundary."""
    for i, mode in enumerate(layout):
        for j in range(len(mode)):
            yield from same("shape_cast", *split(layout, i, j, of))
    by_mode = row_major([(size(mode), coordinate(mode)) for mode in layout])
    yield Identity("shape_cast", "position", by_mode, position(layout))


def transpose(layout: Symbolic) -> Iterator[Identity]:
    """Every permutation of the modes: position and index in the result are row-major in the permuted modes."""
    for order in permutations(range(len(layout))):
        target = tuple(layout[i] for i in order)
        wanted = row_major([(size(layout[i]), coordinate(layout[i])) for i in order])
        parts = row_major([(size(values(layout[i])), value((layout[i],))) for i in order])
        yield Identity("transpose", "thread", thread(layout), thread(target))
        yield Identity("transpose", "index", parts, value(target))
        yield Identity("transpose", "position", wanted, position(target))


def broadcast(layout: Symbolic, of: Mapping[str, Any]) -> Iterator[Identity]:
    """A leading mode of extent n at coordinate h: behind it the source's position stays."""
    target = ((SymbolicLeaf(of["n"], 0, of["h"], False),), *layout)
    whole = _times(size(mode) for mode in layout)
    yield Identity("broadcast", "position", of["h"] * whole + position(layout), position(target))


def step(layout: Symbolic) -> Iterator[Identity]:
    """linearize_index of each mode's thread digits, zero at values, plus the constant offset: the coordinate."""
    for mode in layout:
        threads = row_major([(leaf.extent, leaf.digit if leaf.thread else 0) for leaf in mode])
        offset = row_major([(leaf.extent, 0 if leaf.thread else leaf.digit) for leaf in mode])
        yield Identity("step", "coordinate", coordinate(mode), threads + offset)


def delinearize(layout: Symbolic, of: Mapping[str, Any]) -> Iterator[Identity]:
    """A chain with gaps g, digits q for replicas: what lies above a leaf's stride begins with the leaf's digit.

    The thread id is (what is below the stride) + stride * (digit + extent * rest), one identity a leaf; that the part
    below stays below is lemma `frontier`.
    """
    places = [(i, j) for i, mode in enumerate(layout) for j, leaf in enumerate(mode) if leaf.thread]
    for order in (places, places[::-1]):
        cells = [(of[f"g{i}{j}"], layout[i][j].extent, of[f"q{i}{j}"], layout[i][j].digit) for i, j in order]
        whole, acc = _strided(cells, 1, of["h"]), 1
        below: Any = 0
        for k, (gap, extent, replica, digit) in enumerate(cells):
            below = below + acc * replica
            stride = acc * gap
            above = digit + extent * _strided(cells[k + 1 :], 1, of["h"])
            yield Identity("delinearize", "thread", whole, below + stride * above)
            below, acc = below + stride * digit, stride * extent


def _strided(cells: list[tuple[Any, Any, Any, Any]], acc: Any, rest: Any) -> Any:
    total: Any = 0
    for gap, extent, replica, digit in cells:
        total, acc = total + acc * replica + acc * gap * digit, acc * gap * extent
    return total + acc * rest


def identities(layout: Symbolic, of: Mapping[str, Any]) -> Iterator[Identity]:
    """All identities of one structure."""
    yield from shape_cast(layout, of)
    yield from transpose(layout)
    yield from broadcast(layout, of)
    yield from step(layout)
    yield from delinearize(layout, of)


def check(structure: Structure, rewrite: Rewrite = identities, seconds: float = 10.0) -> Outcome:
    """Ask sympy and z3, each with terms of its own, whether the identities of `rewrite` hold.

    "unknown" when z3 cannot say within `seconds`. Raises Disagreement when the two contradict each other, or when
    z3's numbers do not tell the sides apart.
    """
    known = tuple(names(structure))
    polynomials, integers = _ring(known), _integers(known)
    by_sympy = list(rewrite(symbolic(structure, polynomials), polynomials))
    by_z3 = list(rewrite(symbolic(structure, integers), integers))
    broken = next((i for i, identity in enumerate(by_sympy) if identity.left != identity.right), None)
    status, at = _apart(by_z3 if broken is None else [by_z3[broken]], integers, seconds)
    asked = Counter(identity.rewrite for identity in by_sympy)
    if status == "unknown":
        return Outcome("unknown", 1, asked)
    if (at is None) != (broken is None):
        raise Disagreement(f"sympy and z3 contradict each other on structure {structure}")
    if broken is None or at is None:
        return Outcome("holds", 1, asked)
    shown = list(rewrite(symbolic(structure, at), at))[broken]
    if shown.left == shown.right:
        raise Disagreement(f"{shown.rewrite}: {at} does not tell the {shown.quantity} apart on structure {structure}")
    return Outcome("broken", 1, asked, shown, at)


def run(modes: int, leaves: int, seconds: float = 600.0) -> Outcome:
    """Every identity of every structure up to this size, or the first that does not hold."""
    asked: Counter[str] = Counter()
    count = 0
    deadline = perf_counter() + seconds
    for structure in structures(modes, leaves):
        outcome = check(structure, seconds=max(deadline - perf_counter(), 0.001))
        asked.update(outcome.identities)
        count += 1
        if outcome.status != "holds":
            return Outcome(outcome.status, count, asked, outcome.broken, outcome.at)
    return Outcome("holds", count, asked)


@lru_cache(maxsize=64)
def _ring(known: tuple[str, ...]) -> dict[str, Any]:
    from sympy.polys.domains import ZZ
    from sympy.polys.rings import ring

    _, *generators = ring(known, ZZ)
    return dict(zip(known, generators, strict=True))


@lru_cache(maxsize=64)
def _integers(known: tuple[str, ...]) -> dict[str, Any]:
    import z3

    return {name: z3.Int(name) for name in known}


def _apart(
    found: list[Identity], integers: Mapping[str, Any], seconds: float
) -> tuple[Literal["sat", "unsat", "unknown"], dict[str, int] | None]:
    """z3's answer to: is one of the identities broken? And numbers >= 1 that break it."""
    import z3

    solver = quiet(z3.Solver())
    solver.set("timeout", max(1, int(seconds * 1000)))
    solver.add(*(x >= 1 for x in integers.values()))
    solver.add(z3.Or([z3.BoolVal(False), *(identity.left != identity.right for identity in found)]))
    answer = solver.check()
    if answer != z3.sat:
        return ("unsat" if answer == z3.unsat else "unknown"), None
    model = solver.model()
    return "sat", {name: model.eval(x, model_completion=True).as_long() for name, x in integers.items()}
