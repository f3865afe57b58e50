"""LC201 to LC206: how many threads, values, registers and bits. Nothing here looks at strides."""

from __future__ import annotations

from .model import Atom, Finding, Operand


def wave_size(atom: Atom) -> Finding | None:
    """LC201, asked of the atom: threads against the architecture."""
    assert atom.thr is not None
    assert atom.arch is not None
    if atom.kind != "mma" or is_universal(atom):
        return None
    allowed, arch = atom.arch.threads, atom.arch
    either = " or ".join(map(str, allowed))
    if atom.wave is not None and atom.wave not in allowed:
        message = f"wave is {atom.wave}; {arch.key} ({arch.name}) issues with {either} threads"
        return Finding(message, atom.entry.place("wave"), witness={"threads": atom.wave, "allowed": list(allowed)})
    expected = (atom.wave,) if atom.wave is not None else allowed
    if atom.thr.size in expected:
        return None
    said = f"wave is {atom.wave}" if atom.wave is not None else f"{arch.key} ({arch.name}) issues with {either} threads"
    message = f"thr has {atom.thr.size} threads; {said}"
    return Finding(message, atom.entry.place("thr"), witness={"threads": atom.thr.size, "allowed": list(expected)})


def is_universal(atom: Atom) -> bool:
    """Whether the type is one of a single thread, on every architecture."""
    return "!fly.universal_" in (getattr(atom.entry.record, "type", None) or "")


def thread_count(operand: Operand) -> Finding | None:
    """LC202: |thr| of the operand against its lanes."""
    if operand.threads == operand.lanes or operand.lanes is None:
        return None
    message = f"{operand.threads} threads; the atom has {operand.lanes}"
    return Finding(message, operand.span, witness={"threads": operand.threads, "lanes": operand.lanes})


def tile_size(operand: Operand) -> Finding | None:
    """LC203: |thr| * |val| against the tile. LC204, asked before, takes the products that repeat it whole."""
    expected = operand.tile_size * operand.replication
    if operand.product == expected:
        return None
    tile = "x".join(map(str, operand.tile or ()))
    held = f" held {operand.replication} times" if operand.replication > 1 else ""
    pairs = f"{operand.threads} threads * {operand.values} values = {operand.product} pairs"
    message = f"{pairs}; the {tile} tile{held} needs {expected}"
    return Finding(message, operand.span, witness={"product": operand.product, "expected": expected})


def register_width(operand: Operand) -> Finding | None:
    """LC205: the bits of a lane's values against its registers, and against its fragment."""
    assert operand.values is not None
    assert operand.pitch is not None
    bits, room = operand.values * operand.pitch, (operand.registers or 0) * 32
    if operand.registers is None or bits == room:
        return _fragment_width(operand, bits) if operand.width is None else None  # a copy: LC206
    registers = f"{operand.registers} register{'s' if operand.registers > 1 else ''}"
    message = f"{operand.values} values * {operand.pitch} bits = {bits} bits a lane; {registers} hold {room}"
    return Finding(message, operand.span, witness={"bits": bits, "registers": room})


def copy_width(operand: Operand) -> Finding | None:
    """LC206: the bits of a thread against the bits that the atom moves."""
    assert operand.width is not None
    if operand.values == operand.width:
        return _fragment_width(operand, operand.width)
    message = f"{operand.values} bits a thread; the atom moves {operand.width}"
    return Finding(message, operand.span, witness={"bits": operand.values, "moved": operand.width})


def _fragment_width(operand: Operand, needed: int) -> Finding | None:
    """A fragment that can be one SSA value (LC209 tells the others), but of other bits than the operand's."""
    fragment = operand.fragment
    if fragment is None or not fragment.widths or fragment.layout.size != fragment.layout.cosize:
        return None
    elements = fragment.layout.size
    if needed in (elements * width for width in fragment.widths):
        return None
    widths = " or ".join(map(str, fragment.widths))
    message = f"a register fragment of {elements} elements of {widths} bits; the operand has {needed} bits a lane"
    witness = {"elements": elements, "widths": list(fragment.widths), "bits": needed}
    return Finding(message, fragment.span, witness=witness)
