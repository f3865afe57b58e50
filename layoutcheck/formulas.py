"""An atom's formulas as questions: what its texts say of each operand, and under which condition."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from . import notation
from .atoms.families import below_one, condition_of
from .atoms.rules_form import element_bits
from .atoms.schema import Copy, Mma, Record
from .errors import LayoutcheckError, Unsupported
from .expr import Expr, names, parse
from .symbolic.verdict import FamilyVerdict

if TYPE_CHECKING:
    from .symbolic.operand import Family, Operand, Question
    from .symbolic.requires import Requires

_DIMENSIONS = {"a": (0, 2), "b": (1, 2), "c": (0, 1), "d": (0, 1)}


def has_parameters(record: Record) -> bool:
    """Whether the texts of a family mention a parameter: else there is nothing to say beyond its rows."""
    from .symbolic.operand import free_names

    if record.family is None or not isinstance(record, Mma | Copy):
        return False
    try:
        return bool(free_names(list(operands_of(record))) or _beside(record))
    except LayoutcheckError:
        return False


def _flat(tree: notation.Tree) -> list[Expr]:
    return [tree] if isinstance(tree, Expr) else [leaf for child in tree for leaf in _flat(child)]


def verdicts(record: Record, condition: str | None = None, *, timeout: float = 10.0) -> tuple[FamilyVerdict, ...]:
    """The verdicts on one family, for all parameters that meet its `requires` (or `condition` instead)."""
    from .symbolic import family as symbolic

    if not isinstance(record, Mma | Copy):
        return ()
    try:
        needed, questions, unread = questions_of(
            record, condition if condition is not None else condition_of(record.family)
        )
        done = symbolic.answers(questions, needed, timeout)
    except LayoutcheckError as error:
        return (FamilyVerdict("", "all", "unsupported", note=str(error)),)
    return symbolic.concluded(unread, done, needed, timeout)


def questions_of(record: Mma | Copy, text: str) -> tuple[Requires, list[Question], list[FamilyVerdict]]:
    """A condition and the questions of a record, and what cannot be asked. Raises NotationError, Unsupported."""
    low = below_one(record.family)
    if low is not None:
        raise Unsupported(f"{low} may be below 1: for all parameters says for all positive ones")
    from .symbolic import family as symbolic
    from .symbolic import requires
    from .symbolic.operand import free_names

    operands = list(operands_of(record))
    parameters = tuple(dict.fromkeys((*free_names(operands, text), *_beside(record))))
    families, unread = symbolic.read(operands, parameters)
    needed = requires.read(text, parameters, [e for of in families for e in of.texts])
    return needed, list(asked(record, families)), unread


def _beside(record: Mma | Copy) -> list[str]:
    """The parameters that stand beside the operands: in widths, and in closed forms."""
    if isinstance(record, Copy):
        return [name for width in record.val_bits for name in sorted(names(parse(width)))]
    forms = (getattr(record.oracle, operand) for operand in "abc") if record.oracle else ()
    said = (name for form in forms if form for text in form.values() for name in sorted(names(parse(text))))
    return [name for name in said if name not in ("lane", "v")]


def operands_of(record: Mma | Copy) -> Iterator[Operand]:
    """What the texts of a record say of each operand. Raises NotationError."""
    return _mma(record) if isinstance(record, Mma) else _copy(record)


def asked(record: Mma | Copy, families: list[Family]) -> Iterator[Question]:
    """The questions that a record asks of its operands, alone and together."""
    from .symbolic.alike import k_alike
    from .symbolic.bits import recast, same_bits
    from .symbolic.forms import form
    from .symbolic.questions import questions

    by_name = {of.operand.name: of for of in families}
    copy = isinstance(record, Copy)
    for of in families:
        for question in questions(of):
            if not (copy and question.name in ("covering", "bijective")):
                yield question
    oracle = None if isinstance(record, Copy) else record.oracle
    for operand in ("a", "b", "c") if oracle else ():
        closed = getattr(oracle, operand)
        if closed and operand in by_name and not set(closed) - set("mnk"):
            ordered = {d: closed[d] for d in ("mnk"[i] for i in _DIMENSIONS[operand]) if d in closed}
            yield form(by_name[operand], ordered)
    for first, second, both in (("a", "b", k_alike), ("src", "dst", same_bits)):
        if first in by_name and second in by_name:
            yield both(by_name[first], by_name[second])
    for width in record.val_bits if isinstance(record, Copy) else ():
        for of in families:
            yield recast(of, width)


def _mma(record: Mma) -> Iterator[Operand]:
    from .symbolic.operand import Operand

    threads = _size(record.thr)
    for name, dimensions in _DIMENSIONS.items():
        layout = getattr(record, name)
        if layout is None:
            continue
        blocks = () if record.blocks == "1" else (record.blocks,)
        registers, pitch = getattr(record.registers, name) or "", _pitch(record, name)
        yield Operand(
            name, layout, (*(record.mnk[i] for i in dimensions), *blocks),
            threads=getattr(record.lanes, name) or threads, copies=getattr(record.replication, name) or "1",
            registers=registers if pitch and _numeric(registers) else "", pitch=pitch,
        )  # fmt: skip


def _pitch(record: Mma, name: str) -> str:
    """Bits from one value to the next, where the file says so for every row alike."""
    said = getattr(record.pitch, name)
    bits = element_bits(getattr(record.elements, name) or "")
    return said or (str(bits) if bits else "")


def _numeric(text: str) -> bool:
    """Whether a count does not depend on a row's type: `ra` may be a name that no layout has."""
    return text.isdigit()


def _copy(record: Copy) -> Iterator[Operand]:
    from .symbolic.operand import Operand

    threads = _size(record.thr)
    for name in ("src", "dst"):
        text = getattr(record, name)
        layout = getattr(record, text) if text in ("src", "dst") else text
        copies = getattr(record.replication, name) or "1"
        yield Operand(name, layout, (f"({threads})*({record.bits})",), threads=threads, copies=copies)


def _size(layout: str) -> str:
    """|thr| as an expression."""
    return "*".join(_text(e) for e in _flat(notation.read(layout).shape))


def _text(expression: Expr) -> str:
    if expression.op == "int":
        return str(expression.value)
    if expression.op == "name":
        return expression.name
    if expression.op == "neg":
        return f"(-{_text(expression.args[0])})"
    return f"({f' {expression.op} '.join(map(_text, expression.args))})"
