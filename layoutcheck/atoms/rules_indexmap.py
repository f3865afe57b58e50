"""LC108, LC110 and LC301 to LC303 of an index map: each refutation as a finding that can be recomputed by hand."""

from __future__ import annotations

from collections.abc import Iterator, Set
from math import prod

from .. import expr
from ..decide import maps
from ..indexmap import Beyond, IndexMap, NoPoint, Point, SameImage, TooFew, Undefined
from ..verdict import Verdict
from .entry import fill, unfilled
from .maps import kinds
from .model import Atom, Finding, named
from .schema import Map

_CODES = {"defined": "LC108", "bounded": "LC303", "injective": "LC301", "onto": "LC302"}


def decided(
    atom: Atom, ignored: Set[str], certify: bool, timeout: float
) -> Iterator[tuple[str, Verdict, Finding | None]]:
    """For each claim of the file the rule, the verdict, and what is wrong.

    Where an image is outside or taken twice, that another element is not reached is the same slip and is not told; if
    the first is `ignored`, only where there are as many points as elements, so that one follows from the other.
    """
    its, record = atom.index_map, atom.entry.record
    if its is None or not isinstance(record, Map):
        return
    decision = maps.decide(its, kinds(record), certify=certify, timeout=timeout)
    refuted = False
    for kind, verdict in decision.verdicts.items():
        if kind == "onto" and refuted:
            continue
        code, found = _CODES[kind], None
        if isinstance(verdict.witness, Undefined):
            code = verdict.witness.code
        refuted = refuted or (verdict.status == "refuted" and (code not in ignored or its.size == prod(its.onto)))
        if verdict.status == "refuted":
            found = _Teller(atom, record, its, verdict, decision.distinct).finding()
        yield code, verdict, found


class _Teller:
    """One refutation of an index map in words."""

    def __init__(self, atom: Atom, record: Map, its: IndexMap, verdict: Verdict, distinct: int | None) -> None:
        self.entry, self.record, self.its, self.verdict = atom.entry, record, its, verdict
        counted = f"{distinct} of {its.size} images are distinct"
        self.counted = () if distinct is None else (counted,)

    def finding(self) -> Finding | None:
        """What is wrong, by the witness."""
        match self.verdict.witness:
            case Undefined() as witness:
                return self.undefined(witness)
            case Beyond(at, image):
                return self.beyond(at, image)
            case SameImage(a, b, image):
                return self.same(a, b, image)
            case NoPoint(image):
                message = f"nothing goes to {_shown(image)} of {_shown(self.its.onto)}"
                place = self.entry.place("to")
                return Finding(message, place, self.counted, {"kind": "missing", "image": list(image)}, self.verdict)
            case TooFew(points, elements):
                message = f"{points} points cannot reach {elements} elements"
                place, data = self.entry.place("onto"), {"kind": "sizes", "points": points, "elements": elements}
                return Finding(message, place, (), data, self.verdict)
        return None

    def undefined(self, witness: Undefined) -> Finding:
        """LC108, LC110: no value, or another one in C++."""
        at, part = self.at(witness.at), witness.part
        column = unfilled(self.record.to[part], self.entry.texts, witness.column)
        place = self.entry.place("to", str(part), offset=column)
        data = {"kind": "undefined", "at": at, "part": part}
        lines = (f"to[{part}] there: {self.put(part, witness.at)}",)
        return Finding(f"{named(at)}: {witness.message}", place, lines, data, self.verdict)

    def beyond(self, at: Point, image: Point) -> Finding:
        """LC303: the first coordinate that leaves `onto`."""
        part = next(i for i, (x, n) in enumerate(zip(image, self.its.onto, strict=True)) if not 0 <= x < n)
        why = "a negative coordinate" if image[part] < 0 else f"outside {_shown(self.its.onto)}"
        message = f"{named(self.at(at))} goes to {_shown(image)}, {why}"
        data = {"kind": "outside", "at": self.at(at), "image": list(image), "onto": list(self.its.onto)}
        lines = (f"to[{part}]: {self.put(part, at)} = {image[part]}", *self.counted)
        return Finding(message, self.entry.place("to", str(part)), lines, data, self.verdict)

    def same(self, a: Point, b: Point, image: Point) -> Finding:
        """LC301: two points, and the arithmetic of both."""
        message = f"{named(self.at(a))} and {named(self.at(b))} both go to {_shown(image)}"
        lines = [f"to[{i}]: {self.put(i, at)} = {image[i]}" for at in (a, b) for i in range(len(image))]
        data = {"kind": "collision", "at": [self.at(a), self.at(b)], "image": list(image)}
        return Finding(message, self.entry.place("to"), (*lines, *self.counted), data, self.verdict)

    def at(self, point: Point) -> dict[str, int]:
        """{"c0": 33}."""
        return dict(zip(self.its.coordinates, point, strict=True))

    def put(self, part: int, point: Point) -> str:
        """An expression as written, with numbers for its names."""
        text = fill(self.record.to[part], self.entry.texts)
        numbers = self.entry.env | self.at(point)
        for token in reversed(expr.tokens(text)):
            if token.kind == "name":
                end = token.column + len(token.text)
                text = f"{text[: token.column]}{numbers[token.text]}{text[end:]}"
        return text


def _shown(image: Point) -> str:
    """`2`, `(9, 0)`."""
    return str(image[0]) if len(image) == 1 else f"({', '.join(map(str, image))})"
