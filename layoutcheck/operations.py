"""`eval OP ARGS`: one operation of the algebra with its law, its certificate, and a claimed result beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

from . import algebra, certificates, inttuple, notation
from .certificates import Obligation, Opinion, certify, obligations
from .errors import InputError, Refused
from .laws import LAWS
from .layout import Layout
from .result import Evaluated
from .steps import steps

RUN: dict[str, Callable[..., Layout]] = {
    "coalesce": algebra.coalesce,
    "coalesce-modes": algebra.coalesce_modes,
    "flatten": algebra.flatten,
    "filter": algebra.filter_,
    "permute": algebra.permute,
    "project": algebra.project,
    "concat": algebra.concat,
    "identity": algebra.identity,
    "compose": algebra.compose,
    "compose-modes": algebra.compose_modes,
    "reshape": algebra.reshape,
    "complement": algebra.complement,
    "right-inverse": algebra.right_inverse,
    "left-inverse": algebra.left_inverse,
    "logical-divide": algebra.logical_divide,
    "zipped-divide": algebra.zipped_divide,
    "tiled-divide": algebra.tiled_divide,
    "flat-divide": algebra.flat_divide,
    "logical-product": algebra.logical_product,
    "zipped-product": algebra.zipped_product,
    "tiled-product": algebra.tiled_product,
    "blocked-product": algebra.blocked_product,
    "raked-product": algebra.raked_product,
    "upcast": algebra.upcast,
    "downcast": algebra.downcast,
}
_LAW_DECIDES = frozenset({"compose", "compose-modes", "complement", "right-inverse", "left-inverse"})


def evaluate(
    name: str,
    texts: Sequence[str],
    *,
    claimed: str | None = None,
    explain: bool = False,
    extended: bool = False,
    certified: bool = True,
    timeout: float = 10.0,
) -> Evaluated:
    """The operation's result ("proved", with who certified it), its refusal, or what the law says of `claimed`.

    Raises InputError for a wrong number of arguments, NotationError and LayoutError for texts that are no layout.
    """
    start = perf_counter()
    args = arguments(name, texts)
    keywords: dict[str, Any] = {"domain": "extended"} if extended and name == "compose" else {}
    nested = {"profile": "iree"} if name == "compose" and args[0].order == "lex" else {}
    try:
        value: Layout | Refused = RUN[name](*args, **keywords, **nested)
    except Refused as refused:
        value = refused
    shown = tuple(steps(name, args, value, **keywords)) if explain else ()
    if claimed is not None:
        found = _claimed(name, args, value, notation.parse(claimed), keywords, timeout)
        if found is not None:
            return _result(name, texts, args, found, claimed, shown, start)
    if isinstance(value, Refused):
        return _refusal(name, texts, args, value, shown, start)
    opinion = certify(obligations(name, args, value, **keywords), timeout) if certified else Opinion("proved")
    if opinion.status == "refuted":  # the result itself: two of our engines disagree
        opinion = Opinion("disagree", opinion.by, opinion.witness)
    elif opinion.status == "unknown":  # as for a claim: proved, and not certified
        opinion = Opinion("proved")
    return _result(name, texts, args, opinion, notation.show(value), shown, start)


def _claimed(
    name: str, args: list[Any], value: Layout | Refused, claim: Layout, keywords: dict[str, Any], timeout: float
) -> Opinion | None:
    """What the law says of a claimed result; None where the operation is refused and the law names no candidate."""
    order = next((x.order for x in args if isinstance(x, Layout)), claim.order)
    claim = claim if claim.order == order else Layout(claim.shape, claim.stride, order)
    duties: list[Obligation]
    if name in _LAW_DECIDES:
        if name == "compose" and not keywords and args[1].cosize > args[0].size:
            return None
        if name == "complement" and (len(args) < 2 or args[1] is None) and isinstance(value, Refused):
            return None
        if name == "compose-modes" and (isinstance(value, Refused) or claim.rank != value.rank):
            return None
        duties = obligations(name, args, claim, **keywords)
    elif isinstance(value, Refused):
        return None
    else:
        duties = [certificates.same(claim, value)]
    return certify(duties, timeout)


def _result(
    name: str, texts: Sequence[str], args: list[Any], opinion: Opinion, value: str, shown: tuple[str, ...], start: float
) -> Evaluated:
    law = LAWS[name]
    return Evaluated(
        question=name, verdict=opinion.status, by=f"law {name}", certified=opinion.by or None, witness=opinion.witness,
        seconds=perf_counter() - start, value=value, layouts=tuple(texts), order=_orders(args), law=law.statement,
        steps=shown,
    )  # fmt: skip


def _refusal(
    name: str, texts: Sequence[str], args: list[Any], refused: Refused, shown: tuple[str, ...], start: float
) -> Evaluated:
    return Evaluated(
        question=name, verdict="refused", by=f"precondition of {name}", seconds=perf_counter() - start,
        layouts=tuple(texts), order=_orders(args), note=str(refused), law=LAWS[name].statement,
        refused=refused.name, numbers=refused.numbers, steps=shown,
    )  # fmt: skip


def _orders(args: list[Any]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(x.order for x in args if isinstance(x, Layout)))


def arguments(name: str, texts: Sequence[str]) -> list[Any]:
    """The texts read as the law's arguments."""
    wanted = LAWS[name].args.split()
    least = sum(not w.startswith("[") for w in wanted)
    many = wanted[-1].endswith("...")
    if len(texts) < least or (len(texts) > len(wanted) and not many):
        raise InputError(f"eval {name} takes {LAWS[name].args}: {len(texts)} arguments given")
    kinds = wanted + [wanted[-1]] * (len(texts) - len(wanted))
    args: list[Any] = []
    for kind, text in zip(kinds, texts, strict=False):
        args.append(_argument(kind.strip("[].").upper(), text, args[0].order if args else "colex"))
    return args


def _argument(kind: str, text: str, order: Any) -> Any:
    match kind:
        case "N":
            return _number(text)
        case "PERMUTATION":
            return [_number(part) for part in text.strip("()[] ").split(",")]
        case "FLAGS":
            return [bool(_number(part)) for part in text.strip("()[] ").split(",")]
        case "SHAPE":
            return _shape(text)
        case "TILER":
            return tiler(text, order)
    layout = notation.parse(text)
    return in_order(layout, text, order)


def in_order(layout: Layout, text: str, order: Any) -> Layout:
    """A plain text beside an #iree_map text is read in its order."""
    return Layout(layout.shape, layout.stride, order) if order == "lex" and "#" not in text else layout


def _number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InputError(f"{text!r} is no number") from None


def _shape(text: str) -> Any:
    from .targets import shape_of

    return shape_of(text)


def tiler(text: str, order: Any) -> Layout | list[Layout]:
    """A layout; `(2,4)`: the first 2 and 4 of each mode; `<2:1,4:2>`: one layout for each mode."""
    inner = text.strip()
    if inner.startswith("<") and inner.endswith(">"):
        return [in_order(notation.parse(part), part, order) for part in _split(inner[1:-1])]
    if ":" in text:
        return in_order(notation.parse(text), text, order)
    shape = _shape(text)
    if isinstance(shape, int):
        return Layout(shape, 1, order)
    return [algebra.identity(mode, order) for mode in inttuple.modes(shape)]


def _split(text: str) -> list[str]:
    parts, depth = [""], 0
    for c in text:
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return parts
