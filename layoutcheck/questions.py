"""From a question about layouts to claims, and from the verdicts to a Result with its witness as plain data."""

from __future__ import annotations

from time import perf_counter
from typing import Any, TypedDict

import msgspec

from . import claim as c
from . import notation
from .claim import Claim, leaves_of
from .decide import portfolio
from .errors import InputError, Unsupported
from .grade import grade, mode_claims
from .indexmap import MapWitness
from .layout import Layout, Order
from .result import Result
from .swizzle import Swizzle
from .verdict import Verdict

Text = Layout | str
_MOST_BITS = 9000  # of a size, as of a layout


class How(TypedDict, total=False):
    """Keywords that every question takes."""

    engine: str | None
    timeout: float
    certify: bool


def as_layout(layout: Text) -> Layout:
    return layout if isinstance(layout, Layout) else notation.parse(layout)


def claims(question: str, sides: list[Layout], size: int | None) -> list[Claim]:
    this, leaves, swizzle = sides[0], leaves_of(sides[0]), _swizzle(sides[0])
    n = this.size if size is None else size
    match question:
        case "injective" | "onto" | "bijective":
            return [Claim(question, leaves, n if question != "injective" else 0, swizzle=swizzle)]
        case "bounds":
            return [Claim("bounded", leaves, n, swizzle=swizzle)]
        case "delinearizable":
            if swizzle:
                raise Unsupported("thread strides of a swizzled layout are not defined")
            return [Claim("chain", leaves)]
        case "complement":
            if any(map(_swizzle, sides)):
                raise Unsupported("a swizzled layout and its complement do not add up")
            together = leaves + leaves_of(sides[1])
            return [Claim("bijective", together, c.size(together) if size is None else size)]
        case "equal-modes":
            return mode_claims(sides[0], sides[1])
    kind: c.Kind = "equal" if question == "equal" else "disjoint"
    return [Claim(kind, leaves, 0, 1, leaves_of(sides[1]), swizzle, _swizzle(sides[1]))]


def _swizzle(layout: Layout) -> Swizzle | None:
    """The swizzle, unless it does nothing."""
    swizzle = layout.swizzle
    return swizzle if swizzle and (swizzle.bits or swizzle.offset) else None


def ask(question: str, sides: list[Layout], size: int | None, how: How) -> Result:
    start = perf_counter()
    validate(size, how)
    if question == "equal-modes":
        return by_mode(question, sides, None, how)
    verdict = portfolio.decide(claims(question, sides, size)[0], **how)
    result = _result(question, sides, verdict)
    if question == "equal" and verdict.status in ("proved", "refuted"):
        certify, left = how.get("certify", True), how.get("timeout", portfolio.TIMEOUT) - (perf_counter() - start)
        found = grade(sides[0], sides[1], verdict.status == "proved", certify=certify, timeout=max(left, 0.0))
        result = msgspec.structs.replace(result, grade=found)
    return msgspec.structs.replace(result, seconds=perf_counter() - start)


def validate(size: int | None, how: How) -> None:
    if size is not None and (size < 1 or size.bit_length() > _MOST_BITS):
        raise InputError("a size is at least 1" if size < 1 else f"a size beyond 2^{_MOST_BITS}")
    engine = how.get("engine")
    if engine is not None and engine not in portfolio.ENGINES:
        raise InputError(f"no engine '{engine}': there are {', '.join(portfolio.ENGINES)}")
    timeout = how.get("timeout", portfolio.TIMEOUT)
    if not 0 < timeout < 1e6:
        raise InputError(f"a time limit of {timeout:g} s is not between 0 and a million")


def by_mode(question: str, sides: list[Layout], permuting: int | None, how: How) -> Result:
    start = perf_counter()
    validate(None, how)
    texts, orders = tuple(map(notation.show, sides)), tuple(side.order for side in sides)
    if sides[0].rank != sides[1].rank:
        witness: dict[str, Any] = {"ranks": [sides[0].rank, sides[1].rank]}
        return Result(question, "refuted", "ranks", "witness replayed", witness, perf_counter() - start, layouts=texts)
    limit = start + how.get("timeout", portfolio.TIMEOUT)
    verdicts = []
    for claim in mode_claims(sides[0], sides[1], permuting):
        rest = How(engine=how.get("engine"), certify=how.get("certify", True), timeout=limit - perf_counter())
        verdicts.append(portfolio.decide(claim, **rest))
    for status in ("disagree", "refuted", "unsupported", "unknown"):  # one of these speaks for the whole
        for mode, verdict in enumerate(verdicts):
            if verdict.status == status:
                result = _result(question, sides, verdict)
                found = result.witness and {"mode": mode, **result.witness}
                return msgspec.structs.replace(result, witness=found, seconds=perf_counter() - start)
    by = "; ".join(dict.fromkeys(v.by for v in verdicts))
    certified = (
        "; ".join(dict.fromkeys(v.certified or "" for v in verdicts)) if all(v.certified for v in verdicts) else None
    )
    note = next((v.note for v in verdicts if v.note), "")
    seconds = perf_counter() - start
    return Result(question, "proved", by, certified, None, seconds, None, None, texts, orders, note)


def _result(question: str, sides: list[Layout], verdict: Verdict) -> Result:
    orders = tuple(side.order for side in sides)
    texts = tuple(map(notation.show, sides))
    witness = None if verdict.witness is None else witness_data(verdict.witness, orders)
    return Result(question, verdict.status, verdict.by, verdict.certified, witness, verdict.seconds, None, None, texts,
                  orders, verdict.note)  # fmt: skip


def witness_data(witness: c.Witness | MapWitness, orders: tuple[Order, ...] = ("colex",)) -> dict[str, Any]:
    """A witness as plain data: leaf coordinates in the order of the text."""
    left, right = orders[0], orders[-1]
    match witness:
        case c.Collision(a, b, value):
            return {"a": _text_order(a, left), "b": _text_order(b, left), "value": value}
        case c.Shared(a, b, value):
            return {"a": _text_order(a, left), "b": _text_order(b, right), "value": value}
        case c.Missing(value):
            return {"missing": value}
        case c.Outside(at, value, limit):
            return {"at": _text_order(at, left), "value": value, "limit": limit}
        case c.Differs(at, mine, theirs):
            return {"index": at[0], "left": mine, "right": theirs}
        case c.Sizes(mine, theirs):
            return {"sizes": [mine, theirs]}
        case c.Link(leaf, after):
            return {"leaf": list(leaf), "next": list(after)}
        case c.Held(value, count, expected, _):
            return {"value": value, "left": count, "right": expected}
        case _:  # an index map's: its coordinates stand in the order of the text
            data: dict[str, Any] = msgspec.to_builtins(witness)
            return data


def _text_order(digits: c.Digits, order: Order) -> list[int]:
    return list(digits if order == "colex" else reversed(digits))
