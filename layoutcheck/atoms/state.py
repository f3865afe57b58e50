"""LC701 to LC705: the mutable state of an atom, which lowers to one LLVM struct."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from .. import catalog
from ..catalog import Arch
from .convert import suggestion
from .entry import Entry, fill
from .schema import Copy, Mma

if TYPE_CHECKING:
    from .rules_form import Form

_SCALES = ("scale_a", "scale_b")  # the fields of MMA atoms; all others are a copy's


class Slot(msgspec.Struct, frozen=True):
    """One slot of the struct: the field's name, its LLVM type, and its initial value."""

    field: str
    type: str
    default: str | None


def slots(entry: Entry) -> tuple[Slot, ...]:
    """The struct's slots, in the order of the file."""
    state = getattr(entry.record, "state", None) or {}
    return tuple(
        Slot(fill(name, entry.texts), fill(f.type or "?", entry.texts), f.default) for name, f in state.items()
    )


def struct(entry: Entry) -> str:
    """The type that the state lowers to: `!llvm.struct<(i32, i32)>`; `!llvm.struct<()>` for a stateless atom."""
    return f"!llvm.struct<({', '.join(slot.type for slot in slots(entry))})>"


def check(form: Form, record: Mma | Copy, arch: Arch | None) -> None:
    """Every finding about an atom's state."""
    if record.state is None:
        return
    reason = _stateless(form, record, arch)
    if reason and record.state:
        form.report("LC705", reason, "state")
        return
    known = _fields(record, arch)
    for name, field in record.state.items():
        if name not in known:
            whose = f"{arch.key} ({arch.name})" if arch else "any architecture"
            hint = suggestion(name, list(known)) or f" (known: {', '.join(known)})"
            form.report(
                "LC701", f"no {record_kind(record)} atom of {whose} has a state field '{name}'{hint}", "state", name
            )
        if field.default is None:
            form.report("LC703", f"state field '{name}' has no default", "state", name)
        if field.type is None:
            form.report("LC102", f"missing key 'type' in state field '{name}'", "state", name)
        else:
            _type(form, name, fill(field.type, form.entry.texts), field.default, known.get(name))


def _stateless(form: Form, record: Mma | Copy, arch: Arch | None) -> str | None:
    """Why the atom can have no state, when that is known."""
    facts = catalog.atom_type(fill(record.type, form.entry.texts)) if record.type else None
    if facts:
        return None if facts.state else f"{fill(record.type or '', form.entry.texts)} is stateless"
    assert record.state is not None
    if arch and not arch.state:
        return f"the atoms of {arch.key} ({arch.name}) have no state"
    if isinstance(record, Mma) and not any(name in _SCALES for name in record.state):
        return "an MMA atom has no state, but for the scales of a block-scaled one"
    if isinstance(record, Mma) and arch and not any(name in arch.state for name in _SCALES):
        return f"the MMA atoms of {arch.key} ({arch.name}) have no state"
    return None


def record_kind(record: Mma | Copy) -> str:
    return "MMA" if isinstance(record, Mma) else "copy"


def _fields(record: Mma | Copy, arch: Arch | None) -> dict[str, tuple[str, ...]]:
    """The fields that an atom of this kind can have, each with the types that some atom gives it."""
    fields: dict[str, tuple[str, ...]] = {}
    for facts in (arch,) if arch else catalog.archs().values():
        for name, types in facts.state.items():
            if (name in _SCALES) == isinstance(record, Mma):
                fields[name] = tuple(dict.fromkeys((*fields.get(name, ()), *types.split(" or "))))
    return fields


def _type(form: Form, name: str, given: str, default: str | None, known: tuple[str, ...] | None) -> None:
    """LC704: the type against the architecture's, the default against the type."""
    if known is not None and given not in known:
        form.report(
            "LC704", f"state field '{name}' is {given}; it has to be {' or '.join(known)}", "state", name, "type"
        )
        return
    bits = int(given[1:]) if given[:1] == "i" and given[1:].isdigit() and len(given) < 6 else None
    if default is None or bits is None:
        return
    value = form.number(default, "state", name, "default", least=-(1 << 63))
    if value is not None and not -(1 << bits - 1) <= value < 1 << bits:
        message = f"the default {value} of state field '{name}' does not fit {given}"
        form.report("LC704", message, "state", name, "default")
