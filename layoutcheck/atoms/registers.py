"""LC209, LC210 and fragments: the registers as the lowering sees them, memrefs and the intrinsic's operand types."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ..claim import Claim, Differs, leaves_of
from .model import Finding, Fragment, Operand
from .schema import Copy, Mma

if TYPE_CHECKING:
    from .rules_form import Form
    from .rules_map import Ask


def read(form: Form, record: Mma | Copy, operand: Operand) -> Operand:
    """An operand with its fragment and its intrinsic's type, as far as they are given and readable."""
    key = operand.name
    fragments, intrinsics = record.fragments, record.intrinsic
    if key == "d" and getattr(fragments, "d", None) is None and getattr(intrinsics, "d", None) is None:
        return operand
    facts = set()
    text = getattr(fragments, key)
    if text is not None:
        fragment = _fragment(form, record, operand, text)
        if fragment:
            operand = replace(operand, fragment=fragment)
            facts.add("fragment")
    text = getattr(intrinsics, key)
    if text is not None:
        from .rules_form import element_name

        bits = type_bits(element_name(form, text))
        if bits is None:
            message = f"intrinsic: '{text}' is no type such as f32, i64 or vector<4xf16>"
            form.report("LC102", message, "intrinsic", key, operand=key)
        else:
            operand = replace(operand, intrinsic=bits, intrinsic_span=form.entry.place("intrinsic", key))
            facts.add("intrinsic")
    return replace(operand, facts=operand.facts | facts)


def _fragment(form: Form, record: Mma | Copy, operand: Operand, text: str) -> Fragment | None:
    """A layout, or the whole `!fly.memref<f32, register, 4:1>`, whose element type then counts."""
    from .rules_form import element_bits, element_name

    path = ("fragments", operand.name)
    if operand.bits:
        widths = [operand.bits]
    else:  # a copy atom is used at each of its widths
        widths = [w for t in getattr(record, "val_bits", ()) if (w := _quietly(form, t))]
    memref = re.match(r"\s*!fly\.memref\s*<\s*(\w+)\s*,\s*#?[\w.<>]*?register[\w.<>]*?\s*,(?=[^,]*:)?", text)
    if memref:
        bits = element_bits(element_name(form, memref.group(1)))
        if bits is None:
            form.report("LC102", f"unknown element type '{memref.group(1)}'", *path, operand=operand.name)
            return None
        widths = [bits]
        text = " " * memref.end() + text[memref.end() :].rstrip().removesuffix(">")
    layout, _ = form.layout(text, *path, operand=operand.name)
    return Fragment(layout, form.entry.place(*path), tuple(widths)) if layout else None


def _quietly(form: Form, text: str) -> int | None:
    """A width that is reported elsewhere when it is none."""
    before = len(form.found)
    value = form.number(text, "val_bits")
    del form.found[before:]
    return value


def type_bits(text: str) -> int | None:
    """The bits of `f32`, `i64`, `vector<4xf16>`, `vector<2x4xi8>`; None for anything else."""
    from .rules_form import element_bits

    text = text.strip()
    if text.startswith("vector<") and text.endswith(">"):
        *extents, element = (part.strip() for part in text[7:-1].split("x"))
        if not extents or not all(e.isascii() and e.isdigit() and len(e) < 10 and int(e) for e in extents):
            return None
        bits = element_bits(element)
        for extent in extents:
            bits = bits and bits * int(extent)
        return bits
    return element_bits(text)


def promotable(operand: Operand, ask: Ask) -> Finding | None:
    """LC209: the fragment against size:1, which is what stride 1 means once coalesced; size 1 always is."""
    assert operand.fragment is not None
    layout, where = operand.fragment.layout, operand.fragment.span
    verdict = ask(Claim("equal", leaves_of(layout), other=((layout.size, 1),)))
    if not isinstance(verdict.witness, Differs):
        return None
    (index,), left, right = verdict.witness.at, verdict.witness.left, verdict.witness.right
    message = f"the fragment {layout} is no run of registers: element {index} lies at {left}, not at {right}"
    witness = {"kind": "differs", "at": {"element": index}, "offset": left, "needed": right, "cosize": layout.cosize}
    return Finding(message, where, (), witness, verdict)


def intrinsic_width(operand: Operand) -> Finding | None:
    """LC210: the intrinsic's operand type against |val| * pitch."""
    assert operand.values is not None
    assert operand.pitch is not None
    assert operand.intrinsic_span is not None
    bits = operand.values * operand.pitch
    if bits == operand.intrinsic:
        return None
    message = f"the intrinsic's type has {operand.intrinsic} bits; {operand.values} values * {operand.pitch} = {bits}"
    return Finding(message, operand.intrinsic_span, witness={"intrinsic": operand.intrinsic, "bits": bits})
