"""`eval pack LAYOUT`: what threads and registers hold under a pack layout."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from . import vector_layout
from .errors import InputError, Refused
from .packmap import PackLayout
from .result import Evaluated, Packed


def pack(text: str, *, shape: str | None = None, threads: int | None = None) -> Evaluated:
    """The layout's shapes and maps. A vector shape it does not fit, or threads it leaves uneven, is a refusal.

    Raises InputError, NotationError, LayoutError for texts that are no shape or layout.
    """
    start = perf_counter()
    layout = PackLayout.parse(text)
    try:
        if shape is not None:
            vector_layout.validate(layout, _extents(shape))
        replication = layout.replication(threads) if layout.chain else None
    except Refused as refused:
        return Evaluated(
            question="pack", verdict="refused", by="precondition of pack", seconds=perf_counter() - start,
            value=str(layout), layouts=(text,), order=("lex",), note=str(refused), refused=refused.name,
            numbers=refused.numbers,
        )  # fmt: skip
    link = layout.broken_link
    note = "" if link is None else f"no chain: thread stride {link[1][1]} after leaf {link[0][0]}:{link[0][1]}"
    threads_, values = ([_row(leaf) for leaf in leaves] for leaves in (layout.thread_map, layout.value_map))
    return Packed(
        question="pack", verdict="proved", by="definition of a pack layout", seconds=perf_counter() - start,
        value=str(layout), layouts=(text,), order=("lex",), note=note,
        distributed_shape=layout.distributed_shape, undistributed_shape=layout.undistributed_shape,
        thread_map=threads_, value_map=values, chain=layout.chain, replication=replication,
        steps=(
            f"vector {'x'.join(map(str, layout.undistributed_shape))}, "
            f"per thread {'x'.join(map(str, layout.distributed_shape))}",
            *(f"mode {x.mode}: thread digit (t div {x.stride}) mod {x.extent}, times {x.data_stride}"
              for x in layout.thread_map),
            *(f"mode {x.mode}: value digit below {x.extent}, times {x.data_stride}" for x in layout.value_map),
            f"chain: {layout.chain}; each element is held by {replication or 'an unknown number of'} threads",
        ),
    )  # fmt: skip


def _row(leaf: Any) -> dict[str, int]:
    row = {"mode": leaf.mode, "extent": leaf.extent, "stride": leaf.stride, "data_stride": leaf.data_stride}
    return row if leaf.stride else {key: value for key, value in row.items() if key != "stride"}


def _extents(text: str) -> list[int]:
    try:
        extents = [int(part) for part in text.lower().split("x")]
    except ValueError:
        raise InputError(f"{text!r} is no vector shape such as 8x32") from None
    if min(extents) < 1:
        raise InputError(f"extent {min(extents)} is not positive")
    return extents
