"""The instances of a family given by values: all are checked, the smallest that fails is told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from msgspec.structs import replace

from ..codes import RULES
from ..verdict import Diagnostic, Instance, Members
from .entry import Entry
from .families import Domain

_ERROR = "error"

Checked = tuple[list[Instance], list[Diagnostic]]


def check(entries: list[Entry], domain: Domain, one: Callable[[Entry, bool], Checked]) -> Checked:
    """Every instance, smallest first, by `one` (with hints or without); the errors of each operand at the smallest
    instance that has one, and how many have one; so too each warning. Nothing is claimed of the values of a free
    parameter that were not tried: LC903, unless one that was tried is refuted.
    """
    checked = [one(entry, False) for entry in entries]
    notes = tuple(f"no text mentions the parameter {name}: one value stands for all" for name in domain.unused)
    instances = [replace(instance, notes=(*instance.notes, *notes)) for mine, _ in checked for instance in mine]
    having: dict[str, list[int]] = {}
    for i, (_, found) in enumerate(checked):
        for kind in sorted({_kind(d) for d in found}):
            having.setdefault(kind, []).append(i)
    found = []
    for kind, numbers in having.items():
        first = entries[numbers[0]]
        plain = [d for d in checked[numbers[0]][1] if _kind(d) == kind]
        hinted = [d for d in one(first, True)[1] if _kind(d) == kind] if kind.startswith(_ERROR) else []
        members = Members(first.texts, len(numbers), len(entries))
        found += [replace(d, members=members) for d in hinted or plain]
    if domain.free and not any(kind.startswith(_ERROR) for kind in having):
        found.append(_unbounded(entries, domain))
    return instances, found


def _kind(found: Diagnostic) -> str:
    """What counts as one kind: the errors of an operand, each warning, each code that is suppressed."""
    if found.suppressed:
        return f"suppressed {found.code}"
    if found.severity == "error" and found.code != "LC901":
        return f"{_ERROR} {found.operand}"
    return f"{found.code} {found.span.line}:{found.span.column}"


def used_by_none(found: list[Diagnostic], instances: int, *, narrowed: bool) -> list[Diagnostic]:
    """The findings of a family's instances without those of a suppression (LC905) that one of them needs, or might."""
    unused = Counter(d.span for d in found if d.code == "LC905")

    def needless(d: Diagnostic) -> bool:
        return not narrowed and (d.members.failing if d.members else unused.pop(d.span, 0)) == instances

    return [d for d in found if d.code != "LC905" or needless(d)]


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
