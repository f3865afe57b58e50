"""An operand of a family: its texts parsed, and what a question about it is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import NamedTuple

import msgspec

from ..expr import Expr
from ..expr import parse as parse_expression
from ..layout import Layout
from .conditions import Precondition, Way
from .instances import Env, Failure
from .layout import SymbolicLayout, bare, in_order, mentioned, parse
from .normal import Ratio, normal
from .scripts import Step


class Operand(msgspec.Struct, frozen=True):
    """One operand of a family as its file says it: a (thread, value) layout into a column-major tile.

    `threads` is |thr|, `copies` how many (thread, value) pairs hold each element, `registers` 32-bit registers a
    thread, `pitch` the bits from one value to the next. What is empty is not asked.
    """

    name: str
    layout: str
    tile: tuple[str, ...]
    threads: str = ""
    copies: str = "1"
    registers: str = ""
    pitch: str = ""


class Ways(NamedTuple):
    """Where a question holds; `complete`: nowhere else, by the theorem `by`."""

    precondition: Precondition
    complete: bool
    by: str


class Question(NamedTuple):
    """A yes-or-no question about every instance of the `families`.

    `prove` gives the steps that show it for one way; `on` asks the engine about the layouts of one instance, where each
    of the families has one.
    """

    operand: str
    name: str
    families: tuple[Family, ...]
    where: Callable[[], Ways]
    prove: Callable[[Way], list[Step] | None]
    on: Callable[[tuple[Layout, ...], Env], Failure | None]
    about: str = ""  # what it also speaks of, as written: a width, closed forms
    points: int = 200  # instances at which the precondition is compared with the engine


class Family(NamedTuple):
    """An operand with its texts parsed; `layout.divisions` are those of all of them."""

    operand: Operand
    names: tuple[str, ...]
    layout: SymbolicLayout
    tile: tuple[Expr, ...]
    copies: Expr
    threads: Expr | None
    registers: Expr | None
    pitch: Expr | None

    @property
    def size(self) -> Expr:
        """The product of the tile's extents."""
        return reduce(lambda a, b: Expr("*", 0, args=(a, b)), self.tile)

    @property
    def beside(self) -> tuple[Expr, ...]:
        """Every expression that is not in the layout."""
        return tuple(e for e in (*self.tile, self.copies, self.threads, self.registers, self.pitch) if e is not None)

    @property
    def texts(self) -> tuple[Expr, ...]:
        """Every expression."""
        return (*(e for leaf in self.layout.leaves for e in (leaf.extent_text, leaf.stride_text)), *self.beside)

    def value(self, expression: Expr) -> Ratio:
        """The normal form of an expression."""
        return normal(expression, self.names).value


def family(operand: Operand, names: tuple[str, ...]) -> Family:
    """The operand's texts parsed. Raises NotationError, LayoutError or Unsupported."""

    def read(text: str) -> Expr | None:
        return bare(parse_expression(text)) if text else None

    tile = tuple(bare(parse_expression(text)) for text in operand.tile)
    copies = bare(parse_expression(operand.copies))
    rest = (read(operand.threads), read(operand.registers), read(operand.pitch))
    beside = tuple(e for e in (*tile, copies, *rest) if e is not None)
    return Family(operand, names, parse(operand.layout, names, beside), tile, copies, *rest)


def free_names(operands: Sequence[Operand], condition: str = "") -> tuple[str, ...]:
    """The names that the texts mention, in the order in which they first do."""
    found: dict[str, None] = {}
    for o in operands:
        found |= dict.fromkeys(mentioned(o.layout))
        for text in (*o.tile, o.threads, o.copies, o.registers, o.pitch):
            found |= dict.fromkeys(_mentioned(text))
    return tuple(found | dict.fromkeys(_mentioned(condition)))


def _mentioned(text: str) -> list[str]:
    return in_order(parse_expression(text)) if text.strip() else []
