"""LC201 to LC206: how many threads, values, registers and bits. Nothing here looks at strides."""

from __future__ import annotations

from math import gcd

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


def wrong_extent(atom: Atom, broken: list[str]) -> Finding | None:
    """The one slip behind LC203 on every operand that has a dimension, by one factor, and on no other operand."""
    tiled = [o for o in atom.operands if o.map is not None and o.tile is not None]
    if len(broken) < 2 or len(tiled) < len(atom.operands):
        return None
    ratios = {_ratio(o.product, o.tile_size * o.replication) for o in tiled if o.name in broken}
    for dimension in ("k", "m", "n", "block"):
        having = [o for o in tiled if dimension in o.dimensions]
        if len(ratios) > 1 or [o.name for o in having] != broken:
            continue
        at = "mnk".find(dimension)
        field, path = ("blocks", ("blocks",)) if at < 0 else (dimension.upper(), ("mnk", str(at)))
        extent = having[0].tile[having[0].dimensions.index(dimension)]  # type: ignore[index]
        times, over = next(iter(ratios))
        covered, rest = divmod(extent * times, over)
        if rest:
            continue
        message = f"{field} is {extent}; {_listed(broken)} hold the elements of {covered}"
        witness = {"dimension": dimension, "extent": extent, "covered": covered, "operands": broken}
        return Finding(message, atom.entry.place(*path), witness=witness)
    return _blocks(atom, broken, ratios, tiled)


def _blocks(atom: Atom, broken: list[str], ratios: set[tuple[int, int]], tiled: list[Operand]) -> Finding | None:
    """Every operand holds a whole number of products where one is said."""
    times, over = next(iter(ratios))
    if len(ratios) > 1 or over > 1 or broken != [o.name for o in tiled] or "block" in tiled[0].dimensions:
        return None
    message = f"mnk is one product; {_listed(broken)} hold the elements of {times}: blocks: {times}?"
    witness = {"dimension": "block", "extent": 1, "covered": times, "operands": broken}
    return Finding(message, atom.entry.place("mnk"), witness=witness)


def wrong_threads(atom: Atom, broken: list[str]) -> Finding | None:
    """The one slip behind LC202 on every operand, by one number."""
    counts = {(o.threads, o.lanes) for o in atom.operands if o.name in broken}
    if atom.thr is None or any(lanes != atom.thr.size for _, lanes in counts):
        return None  # their lanes are declared
    if len(broken) < 2 or len(counts) > 1 or broken != [o.name for o in atom.operands if o.name != "ref"]:
        return None
    threads, lanes = next(iter(counts))
    message = f"thr has {lanes} threads; {_listed(broken)} have {threads}"
    return Finding(message, atom.entry.place("thr"), witness={"threads": threads, "lanes": lanes, "operands": broken})


def wrong_bits(atom: Atom, broken: list[str]) -> Finding | None:
    """The one slip behind LC206 on both sides of a copy, by one number."""
    counts = {(o.values, o.width) for o in atom.operands if o.name in broken}
    if len(broken) < 2 or len(counts) > 1:
        return None
    values, width = next(iter(counts))
    message = f"bits is {width}; {_listed(broken)} have {values} bits a thread"
    return Finding(message, atom.entry.place("bits"), witness={"bits": values, "moved": width, "operands": broken})


def _listed(names: list[str]) -> str:
    return f"{', '.join(name.upper() for name in names[:-1])} and {names[-1].upper()}"


def _ratio(a: int, b: int) -> tuple[int, int]:
    return a // gcd(a, b), b // gcd(a, b)


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
