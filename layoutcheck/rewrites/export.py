"""`prove --export DIR`: everything a theorem rests on, for other solvers to read: lemmas, goals, Coq files."""

from __future__ import annotations

import os
from collections.abc import Iterator

from ..errors import InputError
from ..files import write
from . import coq
from .chains import load
from .goals import lemma_goal, script
from .induction import goals
from .lemmas import LEMMAS
from .theorems import THEOREMS

_README = """# Proofs of the rewrite theorems
* lemmas/*.smt2: facts about integers. `division` is proved with the solver's div and mod, the others from instances of
  earlier lemmas, with quotient and remainder as unknown functions.
* goals/*.smt2: one file for each case of each induction. Every assertion is a premise, the condition of the case, the
  induction hypothesis, or an instance of a lemma or of a statement before it; the comment above it says which.
* coq/*.v: the same theorems in Coq; `coqc Definitions.v && coqc Statements.v && coqc Proofs.v && coqc Assumptions.v`.

Every .smt2 file is to be `unsat`: `for f in lemmas/*.smt2 goals/*.smt2; do z3 "$f"; cvc5 "$f"; done`.
That the goals together prove a statement is structural induction; layoutcheck/rewrites/induction.py makes them.

"""


def lemma_files() -> Iterator[tuple[str, str]]:
    """(name, text) of each lemma as SMT-LIB 2."""
    for lemma in LEMMAS.values():
        yield f"{lemma.name}.smt2", script(lemma_goal(lemma), lemma.says)


def export(directory: str) -> list[str]:
    """Write all files below `directory`, each whole or not at all; the paths written. Raises InputError."""
    texts = [(f"lemmas/{name}", text) for name, text in lemma_files()]
    chains = load()
    texts += [(f"goals/{goal.name}.smt2", script(goal)) for name in chains for goal in goals(name, chains)]
    texts += [(f"coq/{name}", coq.text(name)) for name in coq.FILES]
    texts.append(("README.md", _README + "".join(_line(name) for name in THEOREMS)))
    for folder in ("lemmas", "goals", "coq"):
        try:
            os.makedirs(os.path.join(directory, folder), exist_ok=True)
        except OSError as error:
            raise InputError(f"{directory}: {error.strerror or error}") from None
    for name, text in texts:
        write(os.path.join(directory, *name.split("/")), text)
    return [os.path.join(directory, *name.split("/")) for name, _ in texts]


def _line(name: str) -> str:
    theorem = THEOREMS[name]
    return f"* {name}: statements {', '.join(theorem.formal)}; Coq {', '.join(theorem.coq) or 'none'}\n"
