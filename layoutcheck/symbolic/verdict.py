"""What is said of a family: a verdict for each question of each operand. Knows no engine: reports show it."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from ..verdict import Status
from .scripts import Step

Compared = Literal["exact", "too-weak", "too-strong"]


class FamilyVerdict(msgspec.Struct, frozen=True):
    """The answer to one question.

    `precondition` is a text of the grammar of expr, `always` or `never`: that it suffices is known by `sufficient`,
    that nothing weaker does by `necessary` (None: it is not known). `requires` compares the file's own condition with
    it: `witness` is an instance under it that fails, with thread and value, `beyond` a right one outside.
    `unexplained` are instances that are right although the precondition does not hold. `steps` are the SMT-LIB scripts
    of the proof.
    """

    operand: str
    question: str
    verdict: Status
    by: str = ""
    certified: str | None = None
    precondition: str | None = None
    sufficient: str | None = None
    necessary: str | None = None
    requires: Compared | None = None
    witness: dict[str, Any] | None = None
    beyond: dict[str, int] | None = None
    unexplained: tuple[dict[str, int], ...] = ()
    truncation: dict[str, Any] | None = None
    note: str = ""
    seconds: float = 0.0
    steps: tuple[Step, ...] = ()


class FamilyReport(msgspec.Struct, frozen=True):
    """The verdicts on one family of a file, the last one on all questions together."""

    path: str
    name: str
    requires: str
    verdicts: tuple[FamilyVerdict, ...]
