"""What is said of a family: a verdict for each question of each operand. Knows no engine: reports show it."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from ..verdict import Status
from .scripts import Step

QUESTIONS = {
    "congruent": "shape and stride have one profile",
    "positive": "every division is exact, every extent at least 1 and every stride at least 0",
    "threads": "the thread mode has as many threads as issue the instruction",
    "counts": "threads times values is the tile's size times the copies",
    "injective": "no element is held more often than declared",
    "covering": "every element of the tile is held",
    "bijective": "each element of the tile is held as often as declared, and nothing else",
    "registers": "the values fill the registers",
    "form": "each (lane, value) holds the element that the closed form says",
    "k-alike": "A and B hold the same k in every (thread, value)",
    "equal": "both layouts have the same offset at every flat index",
    "recast": "the bits can be read as values of that width",
    "same-bits": "source and destination name the same bits, each once",
    "all": "every question together",
}

EMPTY = "no parameters meet requires: nothing is claimed"


def holds_where(precondition: str, *, exactly: bool = False) -> str:
    """`holds exactly where 64 % mn == 0`, `never holds`, `always holds`."""
    if precondition == "never" and not exactly:
        return "is not known to hold anywhere"
    if precondition in ("never", "always"):
        return f"{precondition} holds"
    return f"holds {'exactly ' if exactly else ''}where {precondition}"


Compared = Literal["exact", "too-weak", "too-strong"]


class FamilyVerdict(msgspec.Struct, frozen=True):
    """The answer to one question.

    `precondition` is a text of the grammar of expr, `always` or `never`: that it suffices is known by `sufficient`,
    that nothing weaker does by `necessary` (None: it is not known). `requires` compares the file's own condition with
    it: `witness` is an instance under it that fails, with thread and value, `beyond` a right one outside.
    `about` is what the question speaks of beside the operand: a width, closed forms. `unexplained` are instances that
    are right although the precondition does not hold. `steps` are the SMT-LIB scripts of the proof.
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
    about: str = ""
    seconds: float = 0.0
    steps: tuple[Step, ...] = ()


def worked(witness: dict[str, Any]) -> str:
    """Why an instance is wrong, as text: its message, or its numbers by name."""
    if "message" in witness:
        return str(witness["message"])
    numbers = ((key, value) for key, value in witness.items() if key not in ("parameters", "reason", "further"))
    return ", ".join(f"{key} {_plain(value)}" for key, value in numbers)


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(f"{key} {inner}" for key, inner in value.items())
    if isinstance(value, list | tuple):
        between = " and " if any(isinstance(inner, dict) for inner in value) else ", "
        shown = between.join(map(_plain, value))
        return shown if between == " and " else f"({shown})"
    return str(value)


class Outside(msgspec.Struct, frozen=True):
    """What is wrong at parameters that a file names as outside: the first question that fails, the conditions of the
    precondition that are not met, and what C++ computes where a division is not exact. No question: nothing is wrong,
    or a note says why it was not asked.
    """

    parameters: dict[str, int]
    operand: str = ""
    question: str = ""
    witness: dict[str, Any] = {}
    unmet: tuple[str, ...] = ()
    truncation: dict[str, Any] | None = None
    note: str = ""


class FamilyReport(msgspec.Struct, frozen=True):
    """The verdicts on one family of a file, the last one on all questions together."""

    path: str
    name: str
    requires: str
    verdicts: tuple[FamilyVerdict, ...]
    outside: tuple[Outside, ...] = ()

    @property
    def proved(self) -> bool:
        """Whether every question is proved for all parameters that meet `requires`."""
        return bool(self.verdicts) and (self.verdicts[-1].question, self.verdicts[-1].verdict) == ("all", "proved")
