"""From an entry to an atom: layouts read and resolved, numbers evaluated, findings of form (LC102-LC111)."""

from __future__ import annotations

import re

from msgspec.structs import replace

from .. import catalog, expr, instructions, inttuple, notation
from ..codes import RULES
from ..errors import InexactDivision, InputError, LayoutError, NotationError
from ..layout import Layout, Order
from ..source import Span
from ..verdict import Diagnostic
from . import registers as registers_
from . import state
from .convert import suggestion
from .entry import Entry, fill, unfilled
from .model import DIMENSIONS, Atom, Operand
from .schema import Copy, Map, Mma, Rewrite

_ELEMENT = re.compile(r"(?:bf|f|i|u|s|si|ui|iu|xf|tf)([1-9]\d{0,3})(?:E\d+M\d+\w*)?", re.ASCII)
_KNOWN = ["f16", "bf16", "f32", "f64", "i8", "i4", "i32", "xf32", "f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ"]
_WIDTHS = (1, 2, 4, 6, 8, 16, 32, 64, 128)
_KNOWN += ["f6E2M3FN", "f6E3M2FN", "f4E2M1FN"]
MMA_TYPE = r"<\s*(\d+)x(\d+)x(\d+)\s*,\s*\(\s*(\w+)\s*,\s*(\w+)\s*\)\s*->\s*(\w+)"
_COPY_TYPE = r"<(?:[^<>]*,\s*)?(\d+)\s*>|<\s*\w+\s*,\s*(?=[a-z])([^>]+>?)\s*>"


class Form:
    """Collects the findings of form of one entry while its parts are read."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.found: list[Diagnostic] = []

    def report(self, code: str, message: str, *path: str, offset: int | None = None, operand: str = "") -> None:
        where = self.entry.place(*path, offset=offset)
        self.found.append(Diagnostic(code, RULES[code].severity, where, message, self.entry.name, operand))

    def number(self, text: str | None, *path: str, least: int = 1) -> int | None:
        """A field's integer; None (and a finding) when it has none or is below `least`."""
        if text is None:
            return None
        field = ".".join(step for step in path if not step.isdigit())
        try:
            value = expr.evaluate(expr.parse(fill(text, self.entry.texts)), self.entry.env)
        except InexactDivision as error:
            self.report("LC108", str(error), *path, offset=self.column(text, error))
            return None
        except NotationError as error:
            self.report("LC102", f"{field}: {error}", *path, offset=self.column(text, error))
            return None
        if value < least:
            self.report("LC102", f"{field}: {value} is below {least}", *path)
            return None
        return value

    def column(self, text: str, error: NotationError | LayoutError) -> int:
        """Where an error in the filled text stands in the text as written."""
        return unfilled(text, self.entry.texts, error.column)

    def layout(
        self, text: str, *path: str, order: Order = "colex", operand: str | None = None
    ) -> tuple[Layout | None, notation.Resolved | None]:
        """A field's layout; every finding about its form. Resolved when at least its numbers are known.

        `order` is the one that the field's layouts have: colex in atoms, lex in IREE's kinds.
        """
        filled = fill(text, self.entry.texts)
        if operand is None:
            operand = "" if path[-1] == "thr" else path[-1]
        try:
            resolved = notation.resolve(notation.read(filled), self.entry.env)
            errors = notation.form_errors(resolved)
            if resolved.source.order == "lex" != order:
                message = "an atom's layouts are colex; an iree_map text is lex: write it as plain shape:stride"
                errors = [LayoutError("LC103", message)]
            elif order == "lex" and filled.lstrip().startswith("!"):
                message = "a pack map is lex; a Fly layout is colex: write it as plain shape:stride"
                errors = [LayoutError("LC103", message)]
            elif resolved.source.swizzle:
                errors.append(LayoutError("LC903", "a swizzled layout is not modelled in an atom: nothing is claimed"))
            for error in errors:
                self.report(error.code, str(error), *path, offset=self.column(text, error), operand=operand)
            return (None if errors else Layout(resolved.shape, resolved.stride, order)), resolved
        except InexactDivision as error:
            self.report("LC108", str(error), *path, offset=self.column(text, error), operand=operand)
        except NotationError as error:
            self.report("LC103", str(error), *path, offset=self.column(text, error), operand=operand)
        return None, None


def build(entry: Entry) -> tuple[Atom, list[Diagnostic]]:
    """The atom of an entry, with every finding of form. Parts that cannot be read are absent."""
    form = Form(entry)
    if isinstance(entry.record, Mma):
        atom = _mma(form, entry.record)
    elif isinstance(entry.record, Copy):
        atom = _copy(form, entry.record)
    elif isinstance(entry.record, Rewrite):
        raise InputError(f"{entry.name} is a rewrite: it has no operands (`verify` checks it)")
    elif isinstance(entry.record, Map):
        from . import maps

        atom = maps.build(form, entry.record)
    else:
        from . import pack

        atom = pack.build(form, entry.record)
    return atom, _blamed(entry, form.found)


def _blamed(entry: Entry, found: list[Diagnostic]) -> list[Diagnostic]:
    """One finding at the parameter where a bad value of it breaks every layout and number that it stands in."""
    for name, text in entry.texts.items():
        value = entry.env.get(name)
        unknown = [d for d in found if value is None and f"unknown name '{name}'" in d.message]
        broken = unknown if value is None or value > 0 else found
        if len(broken) > 1:
            why = f"{text[:40]!r}, where an integer is needed" if value is None else f"{value}: {broken[0].message}"
            place, rest = entry.parameter(name), [d for d in found if d not in broken]
            return [Diagnostic("LC102", "error", place, f"parameter {name} is {why}", entry.name), *rest]
    return found


def _common(form: Form, record: Mma | Copy) -> tuple[Layout | None, catalog.Arch | None]:
    """The thread layout and the architecture of an atom."""
    thr, _ = form.layout(record.thr, "thr")
    if thr is not None and [leaf for leaf in thr.leaves if leaf[0] > 1] not in ([], [(thr.size, 1)]):
        form.report("LC202", f"thr is {thr}: the threads of an instruction are numbered n:1", "thr")
        thr = None
    if record.arch is None:
        return thr, None
    key = fill(record.arch, form.entry.texts)
    arch = catalog.archs().get(key)
    if arch is None:
        hint = suggestion(key, list(catalog.archs())) or f" (known: {', '.join(catalog.archs())})"
        form.report("LC102", f"unknown arch '{key}'{hint}", "arch")
    return thr, arch


def _mma(form: Form, record: Mma) -> Atom:
    thr, arch = _common(form, record)
    dims = [form.number(text, "mnk", str(i)) for i, text in enumerate(record.mnk)]
    blocks = form.number(record.blocks, "blocks")
    extents = dict(zip("mnk", dims, strict=True))
    operands = []
    for name in ("a", "b", "c", "d"):
        if getattr(record, name) is None:
            continue
        sides = [extents[x] for x in DIMENSIONS[name]] + ([blocks] if blocks != 1 else [])
        if name == "a" and extents["k"] and _is_sparse(form, record, arch):
            sides[1] = extents["k"] // 2  # two of each four consecutive k are stored
        known = [s for s in sides if s is not None]
        tile = tuple(known) if len(known) == len(sides) else None
        dimensions = DIMENSIONS[name] + (("block",) if len(sides) > 2 else ())
        operands.append(_mma_operand(form, record, name, tile, dimensions, thr))
    if record.d is None:
        _without_d(form, record)
    wave = form.number(record.wave, "wave")
    _compare_mma_type(form, record, dims)
    state.check(form, record, arch)
    facts = _facts(thr=thr is not None, arch=arch is not None)
    return Atom(form.entry, "mma", tuple(operands), thr, arch, wave, facts=facts)


def _without_d(form: Form, record: Mma) -> None:
    """LC102: numbers of an operand that the atom does not have would never be checked."""
    for field in ("registers", "pitch", "lanes", "replication", "fragments", "intrinsic"):
        if getattr(record, field).d is not None:
            form.report("LC102", f"{field}.d: the atom has no d (C and D share `c`)", field, "d")


def _is_sparse(form: Form, record: Mma, arch: catalog.Arch | None) -> bool:
    if record.instruction is None or arch is None:
        return False
    return any(i.sparse for i in instructions.named(arch.key, fill(record.instruction, form.entry.texts)))


def _mma_operand(
    form: Form,
    record: Mma,
    name: str,
    tile: tuple[int, ...] | None,
    dimensions: tuple[str, ...],
    thr: Layout | None,
) -> Operand:
    """One operand with its own numbers; D takes C's where it has none of its own."""

    def own(field: str) -> tuple[str | None, str]:
        values = getattr(record, field)
        if name == "d" and values.d is None:
            return values.c, "c"
        return getattr(values, name), name

    bits = _bits(form, *own("elements"))
    registers, lanes, replication, pitch = (
        form.number(text, field, key)
        for field in ("registers", "lanes", "replication", "pitch")
        for text, key in [own(field)]
    )
    if pitch and bits and pitch < bits:
        form.report("LC102", f"pitch {pitch} is less than the element's {bits} bits", "pitch", name, operand=name)
        bits = pitch = None
    operand = _operand(form, name, getattr(record, name))
    known = _facts(
        tile=tile is not None, counted=tile is not None, bits=bool(pitch or bits), registers=registers is not None
    )
    operand = replace(
        operand,
        tile=tile,
        dimensions=dimensions,
        bits=bits,
        pitch=pitch or bits,
        registers=registers,
        lanes=lanes or (thr.size if thr else None),
        replication=replication or 1,
        facts=operand.facts | known,
    )
    return registers_.read(form, record, operand)


def _operand(form: Form, name: str, text: str) -> Operand:
    """The map of one field, and |thr| and |val| as far as the modes' extents are good."""
    layout, resolved = form.layout(text, name)
    where = form.entry.place(name)
    if resolved is None:
        return Operand(name, where)
    if isinstance(resolved.shape, int) or len(resolved.shape) != 2:
        rank = 1 if isinstance(resolved.shape, int) else len(resolved.shape)
        message = f"the top level has rank {rank}: expected the pair (thread, value)"
        form.report("LC107", message, name, operand=name)
        return Operand(name, where)
    threads, values = (
        inttuple.size(mode) if all(s > 0 for s in inttuple.leaves(mode)) else None for mode in resolved.shape
    )
    facts = _facts(map=layout is not None, thr=threads is not None, val=values is not None)
    return Operand(name, where, facts, layout, threads, values)


def _copy(form: Form, record: Copy) -> Atom:
    thr, arch = _common(form, record)
    bits = form.number(record.bits, "bits")
    operands = []
    for name in ("src", "dst", "ref"):
        text = getattr(record, name)
        if name == "ref" and text in ("src", "dst"):
            continue
        replication = form.number(getattr(record.replication, name, None), "replication", name) or 1
        operand = _operand(form, name, text)
        facts = operand.facts | _facts(width=bits is not None, counted=bits is not None, bits=True)
        lanes = thr.size if thr else None
        operand = replace(operand, width=bits, pitch=1, lanes=lanes, replication=replication, facts=facts)
        operands.append(operand if name == "ref" else registers_.read(form, record, operand))
    if not record.val_bits:
        form.report("LC109", "no val_bits: the atom is used at no width, so nothing is checked", "val_bits")
    facts = _facts(thr=thr is not None, arch=arch is not None)
    _compare_copy_type(form, record, bits)
    state.check(form, record, arch)
    return Atom(form.entry, "copy", tuple(operands), thr, arch, None, _widths(form, record), facts=facts)


def _widths(form: Form, record: Copy) -> tuple[tuple[int, Span], ...]:
    """The value widths in bits, each with its place."""
    widths = []
    for i, text in enumerate(record.val_bits):
        width = form.number(text, "val_bits", str(i))
        if width is not None:
            widths.append((width, form.entry.place("val_bits", str(i))))
    return tuple(widths)


def _facts(**known: bool) -> frozenset[str]:
    return frozenset(fact for fact, holds in known.items() if holds)


def element_name(form: Form, text: str) -> str:
    """An element type: `{t}` filled in, or the bare name of a row's parameter."""
    filled = fill(text, form.entry.texts)
    return form.entry.texts.get(filled, filled)


def _bits(form: Form, text: str | None, name: str) -> int | None:
    """The width of an element type; a finding when it is none."""
    if text is None:
        return None
    element = element_name(form, text)
    width = element_bits(element)
    if width is None:
        hint = suggestion(element, _KNOWN)
        form.report("LC102", f"unknown element type '{element}'{hint}", "elements", name)
    return width


def element_bits(element: str) -> int | None:
    """The width of an element type (f16, i8, f8E4M3FN); None when it is none."""
    match = _ELEMENT.fullmatch(element)
    return int(match.group(1)) if match and int(match.group(1)) in _WIDTHS else None


def _compare_mma_type(form: Form, record: Mma, dims: list[int | None]) -> None:
    """LC111: the type text against mnk and the elements."""
    if record.type is None:
        return
    text = fill(record.type, form.entry.texts)
    match = re.search(MMA_TYPE, text) if _balanced(text) else None
    if match is None:
        form.report("LC903", f"the type text {text!r} is not understood, so it is not compared", "type")
        return
    mnk = [int(x) if len(x) < expr.MAX_DIGITS else None for x in match.groups()[:3]]
    if None not in dims and mnk != dims:
        form.report("LC111", f"the type names {_by(mnk)}, mnk is {_by(dims)}", "type", offset=match.start(1))
    for name, said, column in zip("abc", match.groups()[3:], (4, 5, 6), strict=True):
        own = getattr(record.elements, name)
        if own is not None and element_name(form, own) != said:
            message = f"the type names {said} for {name}, elements has {element_name(form, own)}"
            form.report("LC111", message, "type", offset=match.start(column), operand=name)


def _balanced(text: str) -> bool:
    """Whether a type text closes what it opens, at its end and nowhere before."""
    if not text.strip():
        return False
    depth = [0]
    for character in text.strip().replace("->", ""):
        depth.append(depth[-1] + {"<": 1, ">": -1}.get(character, 0))
    return depth[-1] == 0 and min(depth[:-1]) >= 0 and text.strip().endswith(">")


def _by(dims: list[int | None]) -> str:
    return "x".join(map(str, dims))


def _compare_copy_type(form: Form, record: Copy, bits: int | None) -> None:
    """LC111: the bits in the type text against the field."""
    if record.type is None or bits is None:
        return
    text = fill(record.type, form.entry.texts)
    match = re.search(_COPY_TYPE, text) if _balanced(text) else None
    if match is None:
        form.report("LC903", f"the type text {text!r} is not understood, so it is not compared", "type")
        return
    named = match.group(1).lstrip("0") if match.group(1) else str(registers_.type_bits(match.group(2)))
    if named == "None":
        form.report("LC903", f"the type text {text!r} is not understood, so it is not compared", "type")
    elif named != str(bits):
        at = match.start(1 if match.group(1) else 2)
        form.report("LC111", f"the type names {match.group(1) or named} bits, `bits` is {bits}", "type", offset=at)
