"""What the tool says, and how it knows: verdicts on claims, diagnostics on files, one report for both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from .claim import Claim, Witness
from .source import Source, Span

if TYPE_CHECKING:
    from .indexmap import MapClaim, MapWitness

Status = Literal["proved", "refuted", "unknown", "unsupported", "disagree"]
Severity = Literal["error", "warning"]


class Verdict(msgspec.Struct, frozen=True):
    """An answer to a claim. `by` names the theorem or engine, `certified` the independent second one.

    "disagree" (LC901) means that two engines contradict each other, or a witness does not replay.
    """

    status: Status
    claim: Claim | MapClaim
    by: str = ""
    certified: str | None = None
    witness: Witness | MapWitness | None = None
    seconds: float = 0.0
    note: str = ""


class Diagnostic(msgspec.Struct, frozen=True):
    """One finding: what rule, where, about which atom and operand, with its counterexample."""

    code: str
    severity: Severity
    span: Span
    message: str
    atom: str = ""
    operand: str = ""
    counterexample: tuple[str, ...] = ()
    witness: dict[str, Any] | None = None
    verdict: Verdict | None = None
    suppressed: str = ""
    hint: str = ""
    members: Members | None = None


class Members(msgspec.Struct, frozen=True):
    """Of a family given by values: the smallest parameters with an error on the operand (or this warning), how many
    instances have one, of all.
    """

    parameters: dict[str, str]
    failing: int
    instances: int


class Instance(msgspec.Struct, frozen=True):
    """One thing that was checked: an MMA atom, or a copy atom at one width. `notes`: what was not asked; `oracle`: how
    the layouts stand to the instruction's own, None where they were not compared; `parameters`: of its family.
    """

    source: Source
    name: str
    kind: str
    claims: int = 0
    certified: int = 0
    codes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    oracle: dict[str, Any] | None = None
    parameters: dict[str, str] = {}


def listed(parameters: dict[str, str]) -> str:
    """`m = 9, n = 4`."""
    return ", ".join(f"{name} = {value}" for name, value in parameters.items())


class Report(msgspec.Struct, frozen=True):
    """Everything one run found: in the order of the files, then of the place in each file."""

    instances: tuple[Instance, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    errors: tuple[tuple[str, str], ...] = ()
    sources: tuple[Source, ...] = ()
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    families: tuple[Any, ...] = ()  # FamilyReport: what holds for all parameters


def exit_code(report: Report, *, strict: bool = False, allow_unknown: bool = False) -> int:
    """2 unreadable input or engines that disagree; 1 a finding; 3 something unknown or unsupported; else 0."""
    live = [d for d in report.diagnostics if not d.suppressed]
    if report.errors or any(d.code == "LC901" for d in live):
        return 2
    undecided = [d for d in live if d.code in ("LC902", "LC903")]
    counted = [d for d in live if d not in undecided and (strict or d.severity == "error")]
    if counted:
        return 1
    return 3 if undecided and not allow_unknown else 0
