"""Every rewrite by name: its statement, and what builds an instance of it from its parts."""

from __future__ import annotations

from collections.abc import Callable

from . import broadcast, elementwise, fold, loop, shape_cast, step, transpose
from .case import Given, Problem, Rewrite

_ROWS: tuple[tuple[Rewrite, Callable[[Given], Problem]], ...] = (
    (shape_cast.SHAPE_CAST, shape_cast.build),
    (shape_cast.RESHAPE, shape_cast.build),
    (transpose.TRANSPOSE, transpose.build),
    (broadcast.BROADCAST, broadcast.build),
    (step.STEP, step.build),
    (elementwise.ELEMENTWISE, elementwise.build),
    (elementwise.SELECT, elementwise.build),
    (loop.LOOP, loop.build),
    (fold.FOLD, fold.build),
)
REWRITES: dict[str, Rewrite] = {row.name: row for row, _ in _ROWS}
BUILD: dict[str, Callable[[Given], Problem]] = {row.name: build for row, build in _ROWS}
