"""The time that a question has, for the loops over orders, ways and powers that can outlast it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from time import perf_counter

from ..errors import Unsupported

LATE = "the time is over"

_deadline: ContextVar[float] = ContextVar("deadline", default=inf)


class OutOfTime(Unsupported):
    """The time is over: nothing is known."""


@contextmanager
def until(deadline: float) -> Iterator[None]:
    """Inside, `tick` raises OutOfTime after `deadline` (of perf_counter)."""
    token = _deadline.set(deadline)
    try:
        yield
    finally:
        _deadline.reset(token)


def tick() -> None:
    """Raises OutOfTime when the time is over."""
    if perf_counter() > _deadline.get():
        raise OutOfTime(LATE)
