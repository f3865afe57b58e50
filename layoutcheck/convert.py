"""The result of `check conversion`: the kind, its witness, the rounds of a shuffle, and IREE's answer beside it."""

from __future__ import annotations

from time import perf_counter

from . import conversion, notation, vector_layout
from .conversion import Conversion, Side
from .errors import InputError, Refused
from .layout import Layout
from .packmap import PackLayout
from .result import Converted, Evaluated


def convert(texts: tuple[str, ...], *, subgroup: int = 64, timeout: float = 10.0, certify: bool = True) -> Evaluated:
    """Decide a conversion. Raises InputError unless there are two layouts of one kind."""
    if len(texts) != 2:
        raise InputError(f"conversion takes 2 arguments, {len(texts)} given")
    start = perf_counter()
    layouts = [notation.parse(text) for text in texts]
    if layouts[0].order != layouts[1].order:
        raise InputError("a pack layout and a (thread, value) layout number elements in different orders")
    try:
        _same_size(layouts)
        source, target = map(conversion.side, layouts)
        found = conversion.classify(source, target, subgroup, timeout)
    except Refused as refused:
        return Evaluated(
            question="conversion", verdict="refused", by="precondition of conversion", seconds=perf_counter() - start,
            layouts=texts, order=(layouts[0].order,), note=str(refused), refused=refused.name, numbers=refused.numbers,
        )  # fmt: skip
    second = _second(found, source, target, subgroup, timeout) if certify else None
    agree = second is None or second.kind == found.kind
    schedule = None
    if found.kind == "shuffle":
        from .rounds import rounds

        schedule = rounds(source, target, subgroup)
    return Converted(
        question="conversion", verdict="proved" if agree else "disagree", by=found.by,
        certified=second.by if second else None, witness=found.witness, seconds=perf_counter() - start, layouts=texts,
        order=(layouts[0].order,), note=conversion.KINDS[found.kind], kind=found.kind, subgroup=subgroup,
        rounds=schedule and schedule.rounds, lower_bound=schedule and schedule.lower_bound,
        iree_needs_shared_memory=iree_answer(*layouts), needs_shared_memory=found.kind == "shared",
    )  # fmt: skip


def _second(found: Conversion, source: Side, target: Side, subgroup: int, timeout: float) -> Conversion | None:
    """Every point where they are few, else z3 for what the cells said; None when that takes too long."""
    if found.by == "every point":
        return None
    looked = conversion.by_points(source, target, subgroup)
    if looked is None and "cells" in found.by:
        from .smt.conversion import by_z3

        return by_z3(source, target, subgroup, min(timeout, 2.0))
    return looked


def _same_size(layouts: list[Layout]) -> None:
    if layouts[0].order == "lex" and layouts[0].size != layouts[1].size:
        text = f"the source has {layouts[0].size} elements, the target {layouts[1].size}"
        raise Refused("sizes-differ", text, source=layouts[0].size, target=layouts[1].size)


def iree_answer(source: Layout, target: Layout) -> bool | None:
    """needsSharedMemoryForConversion of two pack layouts; None for others."""
    if source.order != "lex":
        return None
    return vector_layout.needs_shared_memory(PackLayout.of(source), PackLayout.of(target))
