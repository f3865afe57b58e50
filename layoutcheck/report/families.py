"""The verdicts on families, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from ..symbolic.verdict import QUESTIONS, FamilyReport, FamilyVerdict, Outside, holds_where, worked


def as_data(report: FamilyReport) -> dict[str, Any]:
    """A family as the JSON report shows it; the proofs' scripts are left out."""
    rows = [msgspec.to_builtins(msgspec.structs.replace(v, steps=())) for v in report.verdicts]
    for row in rows:
        row.pop("steps")
        row["means"] = QUESTIONS[row["question"]]
    beyond = msgspec.to_builtins(report.outside)
    return {"path": report.path, "name": report.name, "requires": report.requires, "verdicts": rows, "outside": beyond}


def proved(report: FamilyReport) -> str:
    """`cdna3.mfma.{mn}: proved for all parameters that meet 64 % mn == 0`."""
    return f"{report.name}: proved for all parameters" + (f" that meet {report.requires}" if report.requires else "")


def lines(report: FamilyReport) -> Iterator[str]:
    """A family as text: a line for each question of each operand, with what refutes it below."""
    under = f" that meet {report.requires}" if report.requires else ""
    yield f"{report.path}: {report.name}: for all parameters{under}"
    for v in report.verdicts:
        about = f"[{v.operand.upper()}] " if v.operand else ""
        how = "; ".join(filter(None, (v.by, v.certified)))
        question = f"{v.question} to {v.about} bits" if v.question == "recast" else v.question
        yield f"  {about}{question}: {v.verdict}" + (f" ({how})" if how else "")
        if v.precondition is not None:
            yield f"    {_holds(v)}"
        yield from (f"    {line}" for line in _evidence(v))
    yield from (line for row in report.outside for line in _outside(row))


def _outside(row: Outside) -> Iterator[str]:
    """`outside: mn 32, k 1: [A] positive fails, mn*k % 64 == 0 not met: 1 / 2 is not exact`."""
    if not row.question:
        yield f"  outside: {_env(row.parameters)}: {row.note or 'nothing is wrong'}"
        return
    unmet = f", {' and '.join(row.unmet)} not met" if row.unmet else ""
    why = worked(row.witness)
    about = f"[{row.operand.upper()}] " if row.operand else ""
    yield f"  outside: {_env(row.parameters)}: {about}{row.question} fails{unmet}: {why}"
    if row.truncation:
        yield f"    {_truncated(row.truncation, row.parameters)}"


def _holds(v: FamilyVerdict) -> str:
    """Where it holds, and what that says of `requires`: that it is too strong is told of all questions together."""
    told = v.requires and (v.question == "all" or v.requires != "too-strong")
    compared = f"; requires is {v.requires}" if told else ""
    if v.verdict == "unknown" and "z3" not in (v.sufficient or ""):
        where = holds_where(str(v.precondition))
        return (
            f"{where}{compared}"
            if v.precondition == "never"
            else f"by the theorem alone, not confirmed: {where}{compared}"
        )
    known = "" if v.necessary or v.precondition in ("always", "never") else ", perhaps elsewhere too"
    return f"{holds_where(str(v.precondition), exactly=v.necessary is not None)}{known}{compared}"


def _evidence(v: FamilyVerdict) -> Iterator[str]:
    if v.witness:
        data = f"{v.witness['reason']}: {worked(v.witness)}"
        yield f"wrong under requires: {_env(v.witness['parameters'])}: {data}"
        further = v.witness.get("further")
        if further:
            yield f"and at {_env(further['parameters'])}: {further['reason']}: {worked(further)}"
    if v.truncation:
        yield _truncated(v.truncation, v.witness["parameters"] if v.witness else {})
    if v.beyond and v.question == "all":
        yield f"right, and outside requires: {_env(v.beyond)}"
    if v.unexplained:
        yield f"right, and not explained by it: {'; '.join(map(_env, v.unexplained))}"
    if v.note:
        yield f"note: {v.note}"


def _truncated(truncation: dict[str, Any], told: dict[str, int]) -> str:
    right = "is right" if truncation["right"] else "is wrong"
    at = "" if truncation["parameters"] == told else f" at {_env(truncation['parameters'])}"
    return f"C++ computes {truncation['layout']}{at}, which {right}: {truncation['because']}"


def _env(env: dict[str, int]) -> str:
    return ", ".join(f"{name} {value}" for name, value in env.items())
