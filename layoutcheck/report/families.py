"""The verdicts on families, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from ..symbolic.verdict import QUESTIONS, FamilyReport, FamilyVerdict


def as_data(report: FamilyReport) -> dict[str, Any]:
    """A family as the JSON report shows it; the proofs' scripts are left out."""
    rows = [msgspec.to_builtins(msgspec.structs.replace(v, steps=())) for v in report.verdicts]
    for row in rows:
        row.pop("steps")
        row["means"] = QUESTIONS[row["question"]]
    return {"path": report.path, "name": report.name, "requires": report.requires, "verdicts": rows}


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
