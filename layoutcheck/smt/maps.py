"""Index maps by z3 on mixed-radix digits, so that what aligns stays linear."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from ..indexmap import Beyond, IndexMap, MapAnswer, MapClaim, MapWitness, SameImage, image, replays, undefined
from .digits import Encoding
from .solver import quiet

_BY = "z3 on mixed-radix digits"


def decide(claim: MapClaim, timeout: float) -> MapAnswer | None:
    """What z3 says within `timeout` seconds of a claim but "onto"; a refusal's witness replays. None: it cannot say.

    "bounded" and "injective" take for granted that the map is defined at every point.
    """
    if claim.kind == "onto":
        return None
    deadline = perf_counter() + timeout
    import z3

    first = Encoding(z3, "a", claim.map)
    encodings, wrong = [first], _outside(first, claim.map.onto)
    if claim.kind == "defined":
        wrong = first.undefined
    elif claim.kind == "injective":
        encodings, wrong = _same(z3, first, claim.map)
    if not wrong:
        return MapAnswer(True, _BY)
    solver = quiet(z3.SimpleSolver())
    for encoding in encodings:
        solver.add(encoding.constraints())
    solver.add(wrong if claim.kind == "injective" else z3.Or(wrong))
    left = deadline - perf_counter()
    if left <= 0:
        return None
    solver.set("timeout", max(1, int(left * 1000)))
    answer = str(solver.check())
    if answer == "unsat":
        return MapAnswer(True, _BY)
    if answer != "sat":
        return None
    witness = _witness(claim, [_point(e, solver.model()) for e in encodings])
    return MapAnswer(False, _BY, witness) if replays(claim, witness) else None


def _outside(encoding: Encoding, onto: tuple[int, ...]) -> list[Any]:
    """One of these holds where an image lies outside; empty where the bounds of the terms rule it out."""
    beyond = []
    for form, n in zip(encoding.images, onto, strict=True):
        low, high = encoding.reach(form)
        term = encoding.term(form)
        beyond += [term < 0] * (low < 0) + [term >= n] * (high >= n)
    return beyond


def _same(z3: Any, first: Encoding, index_map: IndexMap) -> tuple[list[Encoding], list[Any]]:
    """Two points, and what makes them two with one image: all of it has to hold."""
    second = Encoding(z3, "b", index_map)
    differ = [first.term(first.coordinates[c]) != second.term(second.coordinates[c]) for c in index_map.coordinates]
    equal = [first.term(x) == second.term(y) for x, y in zip(first.images, second.images, strict=True)]
    return [first, second], [*equal, z3.Or(differ)]


def _point(encoding: Encoding, model: Any) -> tuple[int, ...]:
    return tuple(
        model.eval(encoding.term(form), model_completion=True).as_long() for form in encoding.coordinates.values()
    )


def _witness(claim: MapClaim, at: list[tuple[int, ...]]) -> MapWitness | None:
    """What z3's model shows, by plain evaluation."""
    wrong = next(filter(None, (undefined(claim.map, x) for x in at)), None)
    if claim.kind == "defined" or wrong:
        return wrong
    where = image(claim.map, at[0])
    return Beyond(at[0], where) if claim.kind == "bounded" else SameImage(min(at), max(at), where)
