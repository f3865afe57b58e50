"""The JSON report, version 1 (docs/report.md describes every field)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec

from ..codes import RULES
from ..verdict import Diagnostic, Report, Verdict
from . import families

VERSION = 1


def render(report: Report) -> str:
    """The whole report as one JSON text."""
    import json

    return json.dumps(as_dict(report), indent=2)


def as_dict(report: Report) -> dict[str, Any]:
    """{"version": 1, "results": [...], "diagnostics": [...], "counts": {...}}."""
    return {
        "version": VERSION,
        "results": [_result(report, i) for i in range(len(report.instances))],
        "diagnostics": [_diagnostic(d) for d in report.diagnostics],
        "errors": [{"path": path, "message": message} for path, message in report.errors],
        "counts": counts(report),
        "notes": list(report.notes),
        **({"families": [families.as_data(family) for family in report.families]} if report.families else {}),
        "seconds": round(report.seconds, 4),
    }


def counts(report: Report) -> dict[str, Any]:
    """How many files, instances, findings by severity and code."""
    live = [d for d in report.diagnostics if not d.suppressed]
    return {
        "files": len(report.sources),
        "instances": len(report.instances),
        "errors": sum(d.severity == "error" for d in live),
        "warnings": sum(d.severity == "warning" for d in live),
        "suppressed": len(report.diagnostics) - len(live),
        "unreadable": len(report.errors),
        "codes": dict(sorted(Counter(d.code for d in live).items())),
    }


def _result(report: Report, i: int) -> dict[str, Any]:
    instance = report.instances[i]
    return {
        "path": instance.source.path,
        "name": instance.name,
        "kind": instance.kind,
        "codes": list(instance.codes),
        "claims": instance.claims,
        "certified": instance.certified,
        "notes": list(instance.notes),
        "oracle": instance.oracle,
        "parameters": instance.parameters,
    }


def _diagnostic(d: Diagnostic) -> dict[str, Any]:
    return {
        "path": d.span.path,
        "line": d.span.line,
        "column": d.span.column,
        "code": d.code,
        "rule": RULES[d.code].name,
        "severity": d.severity,
        "atom": d.atom or None,
        "operand": d.operand or None,
        "message": d.message,
        "counterexample": list(d.counterexample),
        "witness": d.witness,
        "verdict": _verdict(d.verdict),
        "suppressed": d.suppressed or None,
        "hint": d.hint or None,
        "members": d.members and msgspec.structs.asdict(d.members),
    }


def _verdict(verdict: Verdict | None) -> dict[str, Any] | None:
    if verdict is None:
        return None
    return {
        "status": verdict.status,
        "claim": verdict.claim.kind,
        "means": verdict.claim.means,
        "by": verdict.by,
        "certified": verdict.certified,
        "note": verdict.note or None,
        "seconds": round(verdict.seconds, 6),
    }
