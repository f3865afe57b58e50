"""The catalog's families as data for the tests: every operand with its condition, and every proof's scripts."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from layoutcheck import catalog, families
from layoutcheck.atoms.load import Entry, load
from layoutcheck.source import read_file
from layoutcheck.symbolic.operand import Operand, Question, family, free_names
from layoutcheck.symbolic.questions import questions
from layoutcheck.symbolic.verdict import FamilyReport, FamilyVerdict
from layoutcheck.verify import atom_files

FILES = list(atom_files(str(Path(catalog.root()) / "families")))


@lru_cache(maxsize=1)
def entries() -> tuple[Entry, ...]:
    """The first entry of each family of the catalog."""
    found: dict[tuple[str, str], Entry] = {}
    for path in FILES:
        loaded, problems = load(read_file(path))
        assert not problems
        for entry in loaded:
            found.setdefault((path, entry.record.name), entry)
    return tuple(found.values())


@lru_cache(maxsize=1)
def reports() -> tuple[FamilyReport, ...]:
    return tuple(families.reports(entries(), {}))


def report(name: str) -> FamilyReport:
    return next(r for r in reports() if r.name.startswith(name))


def verdict(found: tuple[FamilyVerdict, ...], question: str, operand: str = "a") -> FamilyVerdict:
    return next(v for v in found if (v.operand, v.question) == (operand, question))


def asked(operand: Operand) -> list[Question]:
    """Every question about one operand."""
    return list(questions(family(operand, free_names([operand]))))


CDNA3 = "64 % mn == 0 and mn*k % 64 == 0"
CDNA3_A = Operand("a", "((mn, 64/mn), k/(64/mn)) : ((1, mn*(k/(64/mn))), mn)", ("mn", "k"), threads="64")
CDNA3_C = Operand("c", "((mn, 64/mn), (4, mn/4/(64/mn))) : ((mn, 4), (1, 4*(64/mn)))", ("mn", "mn"), threads="64")


def changed(layout: str) -> Operand:
    """CDNA3's A with another text."""
    return Operand("a", layout, ("mn", "k"), threads="64")
