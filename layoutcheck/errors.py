"""Every error a caller can cause: each names the broken precondition and carries the place."""

from __future__ import annotations

from typing import Any


class LayoutcheckError(Exception):
    """Base of all errors raised for a caller's mistake; `str()` is one clear sentence."""


class NotationError(LayoutcheckError):
    """A text that is no layout (or expression). `column` counts code points from 0 in that text."""

    def __init__(self, message: str, column: int = 0) -> None:
        super().__init__(message)
        self.column = column


class TooLarge(NotationError):
    """A value beyond what is evaluated."""


class InexactDivision(NotationError):
    """A `/` whose operands do not divide, where C++ would truncate in silence."""


class Overflow(NotationError):
    """A value that a 64-bit integer does not hold, where C++ would wrap around in silence."""


class LayoutError(LayoutcheckError):
    """A shape and stride that are no layout: `code` is the rule that says which condition fails."""

    def __init__(self, code: str, message: str, column: int = 0) -> None:
        super().__init__(message)
        self.code = code
        self.column = column


class CoordinateError(LayoutcheckError):
    """A coordinate outside the layout's domain, or nested otherwise than the shape."""


class Disagreement(LayoutcheckError):
    """Two engines contradict each other, or a witness does not replay: a defect of this tool (LC901)."""


class Unsupported(LayoutcheckError):
    """A question that is well formed and outside what the tool decides."""


class InputError(LayoutcheckError):
    """A file that cannot be read or decoded, or nothing to check: exit code 2."""


class Refused(LayoutcheckError):
    """An operation asked for outside its precondition: `name` says which part fails, `numbers` with what."""

    def __init__(self, name: str, message: str, **numbers: Any) -> None:
        super().__init__(message)
        self.name = name
        self.numbers = numbers
