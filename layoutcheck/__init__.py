"""layoutcheck: decides, exactly, whether GPU layouts are right.

from layoutcheck import Layout, check
check.injective("(4,8):(1,1)").witness
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import check
    from .layout import Layout
    from .notation import parse
    from .result import Result

__version__ = "0.1.0"
__all__ = ["Layout", "Result", "check", "parse"]

_HOME = {"Layout": "layout", "Result": "result", "parse": "notation"}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for: importing the package alone costs nothing."""
    if name == "check":
        return import_module(".check", __name__)
    if name in _HOME:
        return getattr(import_module(f".{_HOME[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
