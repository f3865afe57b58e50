"""From the families of atom files to their verdicts for all parameters: what each operand's texts ask.

The one module that knows both the files and `symbolic`; the concrete rows are checked elsewhere, as any atom is.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from . import files, notation
from .atoms.members import tried_in_part
from .atoms.rules_form import element_bits
from .atoms.schema import Copy, Mma, Record
from .codes import RULES
from .errors import InputError, LayoutcheckError
from .expr import Expr, names, parse
from .source import Source, Span
from .symbolic.verdict import FamilyReport, FamilyVerdict, Outside, holds_where, worked
from .verdict import Diagnostic

if TYPE_CHECKING:
    from .atoms.entry import Entry
    from .atoms.families import Narrow
    from .symbolic.operand import Family, Operand, Question
    from .symbolic.requires import Requires

_CODES = {  # the rule that an instance of a family breaks
    "inexact-division": "LC108", "no-layout": "LC105", "held-twice": "LC301", "held-otherwise": "LC301",
    "outside": "LC303", "pairs": "LC203", "counts": "LC203", "thread-count": "LC202", "register-bits": "LC205",
    "differs-from-form": "LC401", "no-tile": "LC102", "no-width": "LC102", "no-number": "LC102", "no-form": "LC102",
    "form-outside": "LC102",
}  # fmt: skip
_ASKED = {"k-alike": "LC402", "recast": "LC207", "same-bits": "LC304"}  # by the question, whatever the reason
_UNDECIDED = {"disagree": "LC901", "unknown": "LC902", "unsupported": "LC903"}
_RANK = ("disagree", "refuted", "unknown", "unsupported", "proved")
_DIMENSIONS = {"a": (0, 2), "b": (1, 2), "c": (0, 1), "d": (0, 1)}


def reports(entries: Sequence[Entry], narrow: Narrow, *, timeout: float = 10.0) -> list[FamilyReport]:
    """The families among the entries whose layouts have parameters, each once; `narrow` are values that alone count."""
    return [_report(entry, narrow, timeout) for entry in _families(entries)]


def _families(entries: Sequence[Entry]) -> list[Entry]:
    """The first entry of each family whose layouts have parameters."""
    first = {id(entry.record): entry for entry in reversed(entries)}
    return [entry for entry in entries if first[id(entry.record)] is entry and has_parameters(entry.record)]


def _report(entry: Entry, narrow: Narrow, timeout: float) -> FamilyReport:
    condition = " and ".join(filter(None, (condition_of(entry.record), *_narrowed(entry, narrow))))
    found = verdicts(entry.record, condition, timeout=timeout)
    return FamilyReport(entry.source.path, entry.record.name, condition, found, tuple(_outside(entry.record)))


def _outside(record: Record) -> Iterator[Outside]:
    """What is wrong at each row that the file names as outside."""
    from .atoms.families import environment
    from .symbolic.outside import outside

    if record.family is None or not isinstance(record, Mma | Copy):
        return
    for env in map(environment, record.family.outside):
        try:
            yield outside(_asked(record, condition_of(record))[1], env)
        except LayoutcheckError as error:
            yield Outside(env, note=str(error))


def _narrowed(entry: Entry, narrow: Narrow) -> list[str]:
    own = {name: values for name, values in narrow.items() if name in entry.env}
    return ["(" + " or ".join(f"{name} == {value}" for value in sorted(own[name])) + ")" for name in own]


def settle(
    sources: Sequence[Source],
    diagnostics: Sequence[Diagnostic],
    *,
    every: bool = False,
    explain: bool = False,
    narrow: Narrow | None = None,
    timeout: float = 10.0,
) -> tuple[tuple[FamilyReport, ...], list[Diagnostic]]:
    """The families of atom files for all parameters, and the findings with what that adds: each operand that is not
    always right, where no instance has shown it.

    Without `every` the findings are those of families with a free parameter alone, and without `explain` only these are
    looked at. What was open about a free parameter is open no more when its family is proved or refuted.
    """
    from .atoms.load import load

    open_ = {(d.span.path, d.atom) for d in diagnostics if tried_in_part(d)}
    if not (every or explain or open_):
        return (), list(diagnostics)
    wrong = {(d.span.path, d.span.line) for d in diagnostics if d.severity == "error" and not d.suppressed}
    told: list[FamilyReport] = []
    added: list[Diagnostic] = []
    for source in sources:
        if "family" not in source.text:
            continue
        for entry in _families(load(source, narrow)[0]):
            free = (source.path, entry.record.name) in open_
            if every or explain or free:
                told.append(_report(entry, narrow or {}, timeout))
                found = _findings(told[-1], entry, wrong)
                added += [d for d in found if every or (free and d.severity == "error")]
    settled = {(report.path, report.name) for report in told if report.proved}
    settled |= {(d.span.path, d.atom) for d in added}
    return tuple(told), [d for d in diagnostics if not (tried_in_part(d) and (d.span.path, d.atom) in settled)] + added


def write(reports: Sequence[FamilyReport], folder: str) -> None:
    """Each step of each proof as one SMT-LIB 2 script in `folder`; `unsat` confirms it. Raises InputError."""
    scripts = {step.script: None for report in reports for v in report.verdicts for step in v.steps}
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror}") from None
    for number, script in enumerate(scripts, 1):
        files.write(os.path.join(folder, f"step-{number:04}.smt2"), script)


def _findings(report: FamilyReport, entry: Entry, wrong: set[tuple[str, int]]) -> Iterator[Diagnostic]:
    """One finding for each operand that is not always right, unless there is one where it stands (`wrong`: path, line).
    What operands say together is left out where one is wrong by itself, and a tile that is none where that is told."""

    def place(operand: str) -> Span:
        return entry.place(operand or "family")

    operands = {v.operand for v in report.verdicts}
    told = {o for o in operands if (place(o).path, place(o).line) in wrong}
    tiles = [entry.place(key) for key in ("mnk", "bits", "replication", "blocks")]
    sized = any((where.path, where.line) in wrong for where in tiles)
    for v in sorted(report.verdicts, key=lambda v: _RANK.index(v.verdict)):
        together = v.question == "all" and len(report.verdicts) > 1
        if v.verdict == "proved" or v.operand in told or together or (told and not v.operand):
            continue
        told.add(v.operand)
        if sized and v.witness and v.witness["reason"] == "no-tile":
            continue
        code = _code(v)
        lines = (worked(v.witness),) if v.witness else ((v.note,) if v.note else ())
        ignored = next((i.reason for i in entry.record.ignore if i.code == code), "")
        yield Diagnostic(
            code, RULES[code].severity, place(v.operand), _message(report, v), report.name,
            v.operand, counterexample=lines, witness=v.witness, suppressed=ignored,
        )  # fmt: skip
    for i, row in enumerate(report.outside):
        if not (row.question or row.note):
            message = f"`outside` names {_shown(row.parameters)}, where every operand is right"
            where = entry.place("family", "outside", str(i))
            yield Diagnostic("LC102", RULES["LC102"].severity, where, message, report.name)


def _code(v: FamilyVerdict) -> str:
    if v.witness is None:
        return _UNDECIDED.get(v.verdict, "LC104")
    reason = v.witness["reason"]
    return _CODES.get(reason) or _ASKED.get(v.question, "LC302")


def _message(report: FamilyReport, v: FamilyVerdict) -> str:
    under = f"under `requires: {report.requires}`" if report.requires else "for all parameters"
    holds = f"; it {holds_where(v.precondition)}" if v.precondition and v.verdict != "unknown" else ""
    if v.witness:
        return f"{v.question} does not hold {under}: wrong at {_shown(v.witness['parameters'])}{holds}"
    return f"{v.question} {under} is {v.verdict}{holds}"


def _shown(env: dict[str, int]) -> str:
    return ", ".join(f"{name} {value}" for name, value in env.items())


def condition_of(record: Record) -> str:
    """What all parameters of a family meet: its `requires`, and the values that its parameters may have."""
    family = record.family
    parts = [f"({family.requires})"] if family is not None and family.requires.strip() else []
    for name, values in (getattr(family, "params", None) or {}).items():
        if values.in_ is not None:
            parts.append("(" + " or ".join(f"{name} == {number}" for number in values.in_) + ")")
        bounds = ((values.min, ">="), (values.max, "<="))
        parts += [
            f"{name} {op} {number}" for number, op in bounds if number is not None and (op, number) != (">=", "1")
        ]
        if values.multiple_of is not None:
            parts.append(f"{name} % {values.multiple_of} == 0")
    return parts[0][1:-1] if len(parts) == 1 and family is not None and family.requires else " and ".join(parts)


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

    if not isinstance(record, Mma | Copy):
        return ()
    try:
        needed, questions, unread = _asked(record, condition if condition is not None else condition_of(record))
        done = symbolic.answers(questions, needed, timeout)
    except LayoutcheckError as error:
        return (FamilyVerdict("", "all", "unsupported", note=str(error)),)
    found = tuple(answer.verdict for answer in done)
    return (*unread, *found) if unread else (*found, symbolic.together(done, needed, timeout))


def _asked(record: Mma | Copy, text: str) -> tuple[Requires, list[Question], list[FamilyVerdict]]:
    """A condition and the questions of a record, and what cannot be asked. Raises NotationError, Unsupported."""
    from .symbolic import family as symbolic
    from .symbolic import requires
    from .symbolic.operand import free_names

    operands = list(operands_of(record))
    parameters = free_names(operands, text)
    families, unread = symbolic.read(operands, parameters)
    needed = requires.read(text, parameters, [e for of in families for e in of.texts])
    return needed, list(asked(record, families)), unread


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
            yield recast(of, parse(width))


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
