"""The Coq development of proofs/coq, compiled in a folder of its own by the `coqc` at hand.

`python -m layoutcheck.rewrites.coq` checks everything and says so; exit code 0 only when it is all there and closed.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from threading import Event
from time import perf_counter

import msgspec

from .. import interrupt
from ..files import shipped

ASSUMPTIONS = "Assumptions.v"
FILES = ("Definitions.v", "Statements.v", "Proofs.v", ASSUMPTIONS)
CLOSED = "Closed under the global context"
HOLES = re.compile(
    r"\b(Admitted|admit|give_up|Abort|Axioms?|Parameters?|Conjecture|Hypothes[ie]s|Variables?|Context"
    r"|Unset\s+\w+\s+Checking|bypass_check|Declare\s+ML)\b"
)
_PAIR = r"\s*Proofs\.(\w+) : Statements\.(\w+_statement)\s*"
_QUESTION = re.compile(
    rf"\s*Require Statements Proofs\.\s*Definition all := \({_PAIR}(?:,{_PAIR})*\)\.\s*Print Assumptions all\.\s*"
)  # all of Assumptions.v
_COMMENT = re.compile(r"\(\*.*?\*\)", re.DOTALL)


class Checked(msgspec.Struct, frozen=True):
    """What Coq said: "checked", "not installed", "out of time", "failed", or "assumes" (an axiom), with its words."""

    status: str
    said: str = ""


def folder() -> str:
    """Where the development lies."""
    return os.path.join(shipped("proofs"), "coq")


def text(name: str) -> str:
    """One file of it."""
    with open(os.path.join(folder(), name), encoding="utf-8") as file:
        return file.read()


def holes(source: str) -> list[str]:
    """Words outside comments that leave something unproved or assume it."""
    return HOLES.findall(_COMMENT.sub(" ", source))


def unasked(theorems: Sequence[str]) -> list[str]:
    """Those of the theorems that Assumptions.v does not ask about, each with a statement of its own."""
    question = _COMMENT.sub(" ", text(ASSUMPTIONS))
    asked = dict(re.findall(_PAIR, question)) if _QUESTION.fullmatch(question) else {}
    return [name for name in theorems if list(asked.values()).count(asked.get(name)) != 1]


def check(seconds: float, theorems: Sequence[str] = (), stop: Event | None = None) -> Checked:
    """Compile the files in order, within `seconds` in all; what each of the theorems assumes is asked, and is nothing.

    `stop`, set by another thread, ends the compiler; so does the end of the process by Ctrl-C or SIGTERM.
    """
    program = shutil.which("coqc")
    if program is None:
        return Checked("not installed")
    found = [word for name in FILES for word in holes(text(name))]
    if found:
        return Checked("assumes", ", ".join(found))
    if missing := unasked(theorems):
        return Checked("failed", f"{ASSUMPTIONS} does not ask what {', '.join(missing)} assumes"[:300])
    stop, done = stop or Event(), Event()

    def end() -> None:
        stop.set()
        done.wait(2)

    interrupt.BEFORE_END.append(end)
    try:
        return _compiled(program, perf_counter() + seconds, stop)
    finally:
        done.set()
        interrupt.BEFORE_END.remove(end)


def _compiled(program: str, deadline: float, stop: Event) -> Checked:
    with tempfile.TemporaryDirectory(prefix="layoutcheck-coq-") as here:
        for name in FILES:
            shutil.copy(os.path.join(folder(), name), here)
            checked = _compile(program, name, here, deadline, stop)
            if checked.status != "checked":
                return checked
    return Checked("checked")


def _compile(program: str, name: str, here: str, deadline: float, stop: Event) -> Checked:
    try:
        coqc = subprocess.Popen(
            [program, "-q", name], cwd=here, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
            errors="replace", start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        return Checked("failed", error.strerror or str(error))
    with coqc:
        told = _wait(coqc, deadline, stop)
    if told is None:
        return Checked("out of time", name)
    if coqc.returncode:
        return Checked("failed", f"{name}: " + " ".join(told[1].split())[:300])
    said = [line for line in told[0].splitlines() if line.strip()]
    if said != [CLOSED] * (name == ASSUMPTIONS):
        return Checked("assumes", " ".join(said)[:300])
    return Checked("checked")


def _wait(coqc: subprocess.Popen[str], deadline: float, stop: Event) -> tuple[str, str] | None:
    """What it wrote to both outputs; None when it had to be ended."""
    try:
        while not stop.is_set() and perf_counter() < deadline:
            try:
                return coqc.communicate(timeout=0.05)
            except subprocess.TimeoutExpired:
                continue
        return None
    finally:
        _kill(coqc)


def _kill(coqc: subprocess.Popen[str]) -> None:
    """It and what it started, unless it has ended."""
    if coqc.poll() is not None:
        return
    if sys.platform == "win32":
        coqc.kill()
    else:
        os.killpg(coqc.pid, signal.SIGKILL)


def main() -> int:
    """Check all files, and what every theorem assumes; print the outcome."""
    from .theorems import THEOREMS

    checked = check(600.0, [name for theorem in THEOREMS.values() for name in theorem.coq])
    print(f"Coq: {checked.status}" + (f": {checked.said}" if checked.said else ""))
    return 0 if checked.status == "checked" else 1


if __name__ == "__main__":
    sys.exit(main())
