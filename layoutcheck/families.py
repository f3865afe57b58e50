"""From the families of atom files to their verdicts for all parameters: what each operand's texts ask.

The one module that knows both the files and `symbolic`; the concrete rows are checked elsewhere, as any atom is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from . import notation
from .atoms.load import Entry
from .atoms.rules_form import element_bits
from .atoms.schema import Copy, Mma, Record
from .errors import LayoutcheckError
from .expr import Expr, names, parse

if TYPE_CHECKING:
    from .symbolic.family import FamilyVerdict
    from .symbolic.questions import Family, Operand, Question

_DIMENSIONS = {"a": (0, 2), "b": (1, 2), "c": (0, 1), "d": (0, 1)}


class FamilyReport(msgspec.Struct, frozen=True):
    """The verdicts on one family of a file, the last one on all questions together."""

    path: str
    name: str
    verdicts: tuple[FamilyVerdict, ...]


def reports(entries: Sequence[Entry], *, timeout: float = 10.0) -> list[FamilyReport]:
    """The families among the entries whose layouts have parameters, each once."""
    out: list[FamilyReport] = []
    seen: set[int] = set()
    for entry in entries:
        if id(entry.record) not in seen and has_parameters(entry.record):
            seen.add(id(entry.record))
            out.append(FamilyReport(entry.source.path, entry.record.name, verdicts(entry.record, timeout=timeout)))
    return out


def has_parameters(record: Record) -> bool:
    """Whether a family's layouts mention a parameter: else there is nothing to say beyond its rows."""
    if record.family is None or not isinstance(record, Mma | Copy):
        return False
    return any(_mentions(text) for text in _layouts(record))


def _layouts(record: Mma | Copy) -> list[str]:
    texts = (record.a, record.b, record.c, record.d) if isinstance(record, Mma) else (record.src, record.dst)
    return [text for text in texts if text and text not in ("src", "dst")]


def _mentions(text: str) -> bool:
    try:
        source = notation.read(text)
    except LayoutcheckError:
        return False
    return any(names(e) for e in (*_flat(source.shape), *_flat(source.stride)))


def _flat(tree: notation.Tree) -> list[Expr]:
    return [tree] if isinstance(tree, Expr) else [leaf for child in tree for leaf in _flat(child)]


def verdicts(record: Record, condition: str | None = None, *, timeout: float = 10.0) -> tuple[FamilyVerdict, ...]:
    """The verdicts on one family, for all parameters that meet its `requires` (or `condition` instead)."""
    from .symbolic import family as symbolic
    from .symbolic import requires

    if not isinstance(record, Mma | Copy):
        return ()
    text = condition if condition is not None else record.family.requires if record.family else ""
    try:
        operands = list(_mma(record) if isinstance(record, Mma) else _copy(record))
        parameters = symbolic.free_names(operands, text)
        families, unread = symbolic.read(operands, parameters)
        needed = requires.read(text, parameters, [e for of in families for e in of.beside])
        done = symbolic.answers(list(_asked(record, families)), needed, timeout)
    except LayoutcheckError as error:
        return (symbolic.FamilyVerdict("", "all", "unsupported", note=str(error)),)
    found = tuple(answer.verdict for answer in done)
    return (*unread, *found) if unread else (*found, symbolic.together(done, needed, timeout))


def _asked(record: Mma | Copy, families: list[Family]) -> Iterator[tuple[Family, Question]]:
    from .symbolic.equal import k_alike, same_bits
    from .symbolic.questions import questions
    from .symbolic.recast import recast

    by_name = {of.operand.name: of for of in families}
    copy = isinstance(record, Copy)
    for of in families:
        for question in questions(of):
            if not (copy and question.name in ("covering", "bijective")):
                yield of, question
    for first, second, both in (("a", "b", k_alike), ("src", "dst", same_bits)):
        if first in by_name and second in by_name:
            yield by_name[first], both(by_name[first], by_name[second])
    for width in record.val_bits if isinstance(record, Copy) else ():
        for of in families:
            yield of, recast(of, parse(width))


def _mma(record: Mma) -> Iterator[Operand]:
    from .symbolic.questions import Operand

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
    from .symbolic.questions import Operand

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


def as_data(report: FamilyReport) -> dict[str, Any]:
    """A family as the JSON report shows it; the proofs' scripts are left out."""
    rows = [msgspec.to_builtins(msgspec.structs.replace(v, steps=())) for v in report.verdicts]
    for row in rows:
        row.pop("steps")
    return {"path": report.path, "name": report.name, "verdicts": rows}


def lines(report: FamilyReport) -> Iterator[str]:
    """A family as text: a line for each question of each operand, with what refutes it below."""
    yield f"{report.path}: {report.name}: for all parameters"
    for v in report.verdicts:
        about = f"[{v.operand.upper()}] " if v.operand else ""
        how = "; ".join(filter(None, (v.by, v.certified)))
        yield f"  {about}{v.question}: {v.verdict}" + (f" ({how})" if how else "")
        if v.precondition is not None:
            compared = f"; requires is {v.requires}" if v.requires else ""
            known = "" if v.necessary else " (sufficient)"
            yield f"    holds{' exactly' if v.necessary else ''} where: {v.precondition}{known}{compared}"
        yield from (f"    {line}" for line in _evidence(v))


def _evidence(v: FamilyVerdict) -> Iterator[str]:
    if v.witness:
        data = ", ".join(f"{key} {value}" for key, value in v.witness.items() if key != "parameters")
        yield f"wrong under requires: {_env(v.witness['parameters'])}: {data}"
    if v.truncation:
        right = "is right" if v.truncation["right"] else "is wrong"
        yield f"C++ computes {v.truncation['layout']}, which {right}: {v.truncation['because']}"
    if v.beyond:
        yield f"right, and outside requires: {_env(v.beyond)}"
    if v.unexplained:
        yield f"right, and not explained by it: {'; '.join(map(_env, v.unexplained))}"
    if v.note:
        yield f"note: {v.note}"


def _env(env: dict[str, int]) -> str:
    return ", ".join(f"{name} {value}" for name, value in env.items())
