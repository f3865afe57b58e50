"""From the families of atom files to their verdicts for all parameters: what each operand's texts ask.

The one module that knows both the files and `symbolic`; the concrete rows are checked elsewhere, as any atom is.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from . import files
from .atoms.families import condition_of
from .atoms.members import tried_in_part
from .atoms.schema import Copy, Mma, Record
from .codes import RULES
from .errors import InputError, LayoutcheckError
from .formulas import has_parameters, questions_of, verdicts
from .source import Source, Span
from .symbolic.verdict import FamilyReport, FamilyVerdict, Outside, holds_where, worked
from .verdict import Diagnostic

if TYPE_CHECKING:
    from .atoms.entry import Entry
    from .atoms.families import Narrow

_CODES = {  # the rule that an instance of a family breaks
    "inexact-division": "LC108", "no-layout": "LC105", "held-twice": "LC301", "held-otherwise": "LC301",
    "outside": "LC303", "pairs": "LC203", "counts": "LC203", "thread-count": "LC202", "register-bits": "LC205",
    "differs-from-form": "LC401", "no-tile": "LC102", "no-width": "LC102", "no-number": "LC102", "no-form": "LC102",
    "form-outside": "LC102",
}  # fmt: skip
_ASKED = {"k-alike": "LC402", "recast": "LC207", "same-bits": "LC304"}  # by the question, whatever the reason
_UNDECIDED = {"disagree": "LC901", "unknown": "LC902", "unsupported": "LC903"}
_RANK = ("disagree", "refuted", "unknown", "unsupported", "proved")


def reports(entries: Sequence[Entry], narrow: Narrow, *, timeout: float = 10.0) -> list[FamilyReport]:
    """The families among the entries whose layouts have parameters, each once; `narrow` are values that alone count."""
    return [_report(entry, narrow, timeout) for entry in _families(entries)]


def _families(entries: Sequence[Entry]) -> list[Entry]:
    """The first entry of each family whose layouts have parameters."""
    first = {id(entry.record): entry for entry in reversed(entries)}
    return [entry for entry in entries if first[id(entry.record)] is entry and has_parameters(entry.record)]


def _report(entry: Entry, narrow: Narrow, timeout: float) -> FamilyReport:
    condition = " and ".join(filter(None, (condition_of(entry.record.family), *_narrowed(entry, narrow))))
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
            yield outside(questions_of(record, condition_of(record.family))[1], env)
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

    diagnostics = [_emptied(d) for d in diagnostics]
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


def _emptied(diagnostic: Diagnostic) -> Diagnostic:
    """LC109 where no parameters at all meet a `requires` that those tried do not meet."""
    from .symbolic import models, requires
    from .symbolic.operand import free_names

    condition = str((diagnostic.witness or {}).get("requires", ""))
    if not condition or models.found(requires.read(condition, free_names([], condition))) != ():
        return diagnostic
    rule = RULES["LC109"]
    message = "no parameters meet `requires`: the family has no instance"
    return replace(diagnostic, code=rule.code, severity=rule.severity, message=message, witness=None)


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

    def field(v: FamilyVerdict) -> str:
        return {"recast": "val_bits", "form": "oracle"}.get(v.question, v.operand)

    def place(v: FamilyVerdict) -> Span:
        return entry.place("oracle", v.operand) if v.question == "form" else entry.place(field(v) or "family")

    told = {field(v) for v in report.verdicts if (place(v).path, place(v).line) in wrong}
    tiles = [entry.place(key) for key in ("mnk", "bits", "replication", "blocks", "thr")]
    sized = any((where.path, where.line) in wrong for where in tiles)
    for v in sorted(report.verdicts, key=lambda v: _RANK.index(v.verdict)):
        together = v.question == "all" and len(report.verdicts) > 1
        if v.verdict == "proved" or {field(v), v.operand} & told or together or (told and not v.operand):
            continue
        told.add(field(v))
        if v.witness and v.witness["reason"] == "no-tile":
            if sized:
                continue
            sized = True
        code = _code(v)
        lines = tuple(_lines(v.witness)) if v.witness else ((v.note,) if v.note else ())
        ignored = next((i.reason for i in entry.record.ignore if i.code == code), "")
        yield Diagnostic(
            code, RULES[code].severity, place(v), _message(report, v), report.name,
            v.operand, counterexample=lines, witness=v.witness, suppressed=ignored,
        )  # fmt: skip
    for i, row in enumerate(report.outside):
        if report.requires and not (row.question or row.note):
            message = f"`outside` names {_shown(row.parameters)}, where every operand is right"
            where = entry.place("family", "outside", str(i))
            yield Diagnostic("LC102", RULES["LC102"].severity, where, message, report.name)


def _lines(witness: dict[str, Any]) -> Iterator[str]:
    yield worked(witness)
    further = witness.get("further")
    if further:
        yield f"at {_shown(further['parameters'])}: {worked(further)}"


def _code(v: FamilyVerdict) -> str:
    if v.witness is None:
        return _UNDECIDED.get(v.verdict, "LC104")
    reason = v.witness["reason"]
    return _CODES.get(reason) or _ASKED.get(v.question, "LC302")


def _message(report: FamilyReport, v: FamilyVerdict) -> str:
    under = f"under `requires: {report.requires}`" if report.requires else "for all parameters"
    where = holds_where(v.precondition or "", exactly=v.necessary is not None).replace("exactly ", "")
    holds = f"; it {where}" if v.precondition and v.verdict != "unknown" else ""
    if v.witness:
        return f"{v.question} does not hold {under}: wrong at {_shown(v.witness['parameters'])}{holds}"
    return f"{v.question} {under} is {v.verdict}{holds}"


def _shown(env: dict[str, int]) -> str:
    return ", ".join(f"{name} {value}" for name, value in env.items())
