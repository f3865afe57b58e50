"""The instances of a family given by values: all are checked, the smallest that fails is told."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from ..codes import RULES
from ..verdict import Diagnostic, Instance, Members
from .entry import Entry
from .families import Domain

Checked = tuple[list[Instance], list[Diagnostic]]


def check(entries: list[Entry], domain: Domain, one: Callable[[Entry, bool], Checked]) -> Checked:
    """Every instance, smallest first, by `one` (with hints or without); of each kind of finding those of the smallest
    instance that has it, and how many have it. Nothing is claimed of the values of a free parameter that were not
    tried: LC903, unless one that was tried is refuted.
    """
    checked = [one(entry, False) for entry in entries]
    instances = [instance for mine, _ in checked for instance in mine]
    having: dict[str, list[int]] = {}
    for i, (_, found) in enumerate(checked):
        for kind in sorted({_kind(d) for d in found}):
            having.setdefault(kind, []).append(i)
    if len(having.get("LC905", ())) < len(entries):
        having.pop("LC905", None)  # what one instance does not need, another may
    found = []
    for kind, numbers in having.items():
        first = entries[numbers[0]]
        plain = [d for d in checked[numbers[0]][1] if _kind(d) == kind]
        hinted = [d for d in one(first, True)[1] if _kind(d) == kind] if kind == "error" else []
        members = Members(first.texts, len(numbers), len(entries))
        found += [replace(d, members=members) for d in hinted or plain]
    if domain.free and "error" not in having:
        found.append(_unbounded(entries, domain))
    return instances, found


def _kind(found: Diagnostic) -> str:
    """What counts as one kind: every error, each code of a warning, each that is suppressed."""
    if found.suppressed:
        return f"suppressed {found.code}"
    return "error" if found.severity == "error" and found.code != "LC901" else found.code


def tried_in_part(diagnostic: Diagnostic) -> bool:
    """Whether it says that not all values of a free parameter were tried."""
    return diagnostic.witness is not None and diagnostic.witness.get("kind") == "free"


def _unbounded(entries: list[Entry], domain: Domain) -> Diagnostic:
    first = entries[0]
    upto = ", ".join(f"{name} <= {max(entry.env[name] for entry in entries)}" for name in domain.free)
    verb = "is" if len(domain.free) == 1 else "are"
    message = (
        f"{', '.join(domain.free)} {verb} free: {len(entries)} instances were checked ({upto}), "
        "nothing is claimed of the others; a max bounds the family"
    )
    where = first.parameter(domain.free[0])
    tried = {"kind": "free", "parameters": list(domain.free), "tried": len(entries)}
    return Diagnostic("LC903", RULES["LC903"].severity, where, message, first.record.name, witness=tried)
