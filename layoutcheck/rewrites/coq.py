"""The Coq development of proofs/coq, compiled in a folder of its own by the `coqc` at hand.

`python -m layoutcheck.rewrites.coq` checks everything and says so; exit code 0 only when it is all there and closed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from threading import Event
from time import perf_counter

import msgspec

from ..files import shipped

FILES = ("Definitions.v", "Statements.v", "Proofs.v")
ASSUMPTIONS = "Assumptions.v"
CLOSED = "Closed under the global context"
HOLES = re.compile(
    r"\b(Admitted|admit|give_up|Abort|Axioms?|Parameters?|Conjecture|Hypothes[ie]s|Variables?|Context)\b"
)
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


def check(seconds: float, names: Sequence[str] = FILES, stop: Event | None = None) -> Checked:
    """Compile the files in order, within `seconds` in all; every `Print Assumptions` must find nothing.

    `stop`, set by another thread, ends the compiler.
    """
    program = shutil.which("coqc")
    if program is None:
        return Checked("not installed")
    found = [word for name in names for word in holes(text(name))]
    if found:
        return Checked("assumes", ", ".join(found))
    deadline = perf_counter() + seconds
    with tempfile.TemporaryDirectory(prefix="layoutcheck-coq-") as here:
        for name in names:
            shutil.copy(os.path.join(folder(), name), here)
            checked = _compile(program, name, here, deadline, stop or Event())
            if checked.status != "checked":
                return checked
    return Checked("checked")


def _compile(program: str, name: str, here: str, deadline: float, stop: Event) -> Checked:
    try:
        coqc = subprocess.Popen(
            [program, "-q", name], cwd=here, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
            errors="replace",
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
    if said != [CLOSED] * text(name).count("Print Assumptions"):
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
        coqc.kill()


def main() -> int:
    """Check all files, and what every theorem assumes; print the outcome."""
    checked = check(600.0, (*FILES, ASSUMPTIONS))
    print(f"Coq: {checked.status}" + (f": {checked.said}" if checked.said else ""))
    return 0 if checked.status == "checked" else 1


if __name__ == "__main__":
    sys.exit(main())
