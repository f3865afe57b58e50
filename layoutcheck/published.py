"""What a compiler publishes, checked by all rules: `verify --types`; and `verify --against` for files with types."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from time import perf_counter
from typing import Any

import msgspec

from . import instructions, thrval
from .atoms.check import check_entry
from .atoms.entry import Entry, fill
from .atoms.families import Narrow
from .atoms.load import load
from .atoms.rules_form import MMA_TYPE, build
from .atoms.schema import Copy, Mma, PerOperand
from .catalog import atom_type
from .claim import Claim, Differs, Sizes, digits_of, leaves_of
from .codes import RULES
from .decide import portfolio
from .errors import InputError, LayoutcheckError
from .layout import Layout
from .live.flydsl import Published, publish
from .notation import parse
from .source import Node, Source, Span, decode, read_file
from .verdict import Diagnostic, Instance, Report, exit_code

# The architectures of a dialect, in the order in which they are asked for the instruction, and its wave.
TARGETS: tuple[tuple[str, tuple[str, ...], int], ...] = (
    ("cdna3", ("gfx942", "gfx950", "gfx90a", "gfx908"), 64),
    ("cdna4", ("gfx950",), 64),
    ("gfx11", ("gfx1100",), 32),
    ("gfx120x", ("gfx1201",), 32),
    ("gfx1250", ("gfx1250",), 32),
)
_FAMILY = re.compile(r"fly_rocdl\.(\w+)\.")


class Checked(msgspec.Struct, frozen=True):
    """One type text and all that is to be said of it."""

    text: str
    answer: Published
    found: tuple[Diagnostic, ...] = ()
    instance: Instance | None = None

    @property
    def status(self) -> str:
        """ok, finding, rejected or crashed."""
        if self.answer.status != "ok":
            return self.answer.status
        return "finding" if any(d.severity == "error" for d in self.found) else "ok"

    def as_dict(self) -> dict[str, Any]:
        """The line of `-o jsonl`."""
        oracle = (self.instance.oracle if self.instance else None) or {}
        witness: object = next((d.witness for d in self.found if d.witness), None)
        if self.answer.status == "crashed":
            witness = {"signal": self.answer.signal, "message": self.answer.message}
        elif self.answer.status == "rejected":
            witness = {"message": self.answer.message}
        return {
            "type": self.text,
            "status": self.status,
            "codes": sorted({d.code for d in self.found}),
            "grade": oracle.get("grade", "no-oracle"),
            "permutation": oracle.get("permutation", {}),
            "scale_blocks": oracle.get("scale_blocks"),
            "witness": witness,
        }


def types_source(path: str) -> Source:
    """The file of type texts; `-` is standard input. Raises InputError."""
    if path != "-":
        return read_file(path)
    if sys.stdin is None:
        raise InputError("<stdin>: standard input is closed")
    return decode("<stdin>", sys.stdin.buffer.read())


def check_types(source: Source, *, certify: bool, timeout: float) -> tuple[list[Checked], Report]:
    """Ask the installed FlyDSL about every type text of a source, one a line; blank lines and `#` are passed over."""
    start = perf_counter()
    lines = [(i, line.strip()) for i, line in enumerate(source.text.splitlines(), 1)]
    asked = [(i, text) for i, text in lines if text and not text.startswith("#")]
    answers = publish([text for _, text in asked])
    checked = [
        _check(source, line, text, answer, certify, timeout)
        for (line, text), answer in zip(asked, answers, strict=True)
    ]
    instances = tuple(c.instance for c in checked if c.instance)
    errors = () if asked else ((source.path, f"{source.path}: nothing to check: no type text"),)
    found = tuple(d for c in checked for d in c.found)
    return checked, Report(instances, found, errors, (source,), perf_counter() - start)


def types_exit_code(checked: list[Checked], report: Report, *, strict: bool, allow_unknown: bool) -> int:
    """As for files; a crashed type counts as a finding."""
    code = exit_code(report, strict=strict, allow_unknown=allow_unknown)
    return 1 if code in (0, 3) and any(c.status == "crashed" for c in checked) else code


def _check(source: Source, line: int, text: str, answer: Published, certify: bool, timeout: float) -> Checked:
    if answer.status == "crashed":
        message = " ".join(filter(None, ("the compiler died with", answer.signal, answer.message)))
        found = Diagnostic("LC904", RULES["LC904"].severity, Span(source.path, line), message, text)
        return Checked(text, answer, (found,))
    if answer.status != "ok":
        return Checked(text, answer)
    record = _mma(text, answer) if answer.kind == "mma" else _copy(text, answer)
    if record is None:
        message = f"the type text {text!r} is not understood"
        return Checked(text, answer, (Diagnostic("LC903", "warning", Span(source.path, line), message, text),))
    entry = Entry(source, record, Node("scalar", line, 1, text), text, {}, {})
    instances, diagnostics = check_entry(entry, certify=certify, timeout=timeout)
    return Checked(text, answer, tuple(diagnostics), instances[0] if instances else None)


def _mma(text: str, answer: Published) -> Mma | None:
    """An MMA type as an atom; what a type cannot say (replication, pitch) is the instruction's."""
    match = re.search(MMA_TYPE, text)
    if match is None:
        return None
    m, n, k, a, b, c = match.groups()
    family = _FAMILY.search(text)
    archs, wave = next(((t[1], t[2]) for t in TARGETS if family and t[0] == family.group(1)), ((), 0))
    arch = next((x for x in archs if _instructions(x, text)), archs[0] if archs else None)
    replication: dict[str, str] = {}
    pitch: dict[str, str] = {}
    for row in _instructions(arch, text)[:1] if arch else []:
        for name in "abc":
            operand = row.operands[wave][name]
            replication |= {name: str(operand.replication)} if (operand.replication or 1) > 1 else {}
            pitch |= {name: str(operand.pitch)} if operand.pitch != operand.bits else {}
    layouts: dict[str, Any] = dict(answer.layouts)
    return Mma(
        name=text,
        mnk=(m, n, k),
        elements=PerOperand(a, b, c),
        arch=arch,
        wave=str(wave) if arch else None,
        type=text,
        replication=PerOperand(**replication),
        pitch=PerOperand(**pitch),
        **layouts,
    )


def _instructions(arch: str, text: str) -> list[instructions.Instruction]:
    match = re.search(MMA_TYPE, text)
    assert match is not None
    m, n, k, a, b, c = match.groups()
    rows = instructions.of_shape(arch, (int(m), int(n), int(k)))
    return [i for i in rows if not i.sparse and i.blocks == 1 and instructions.has_types(i, (a, b, c))]


def _copy(text: str, answer: Published) -> Copy | None:
    """A copy atom: layouts in bits, and the one width it is used at."""
    layouts: dict[str, Any] = dict(answer.layouts)
    bits = re.search(r"(\d+)\s*(?:b\s*)?>\s*,\s*\d+\s*>\s*$", text)
    width = str(parse(layouts["dst"]).mode(1).size) if bits is None else bits.group(1)
    facts = atom_type(text)
    named = text if facts and facts.placeholder else None  # then its layouts claim nothing: LC903
    return Copy(name=text, bits=width, val_bits=[str(answer.val_bits)], type=named, **layouts)


def against(report: Report, *, certify: bool, timeout: float, narrow: Narrow | None = None) -> Report:
    """A report with LC408 and LC904 added: the layouts of its files against what the installed FlyDSL publishes now."""
    start = perf_counter()
    entries = [entry for source in report.sources for entry in load(source, narrow)[0]]
    named = [entry for entry in entries if _type_of(entry)]
    texts = [_asked(entry) for entry in named]
    found: list[Diagnostic] = []
    for entry, answer in zip(named, publish(texts), strict=True):
        mine = list(_drift(entry, answer, certify, timeout))
        ignored = {i.code: i.reason for i in entry.record.ignore}
        found += [msgspec.structs.replace(d, suppressed=ignored.get(d.code, "")) for d in mine]
    drifted = {(d.span.path, d.atom) for d in found if d.code == "LC408" and not d.suppressed}
    bare = {(e.source.path, e.name) for e in entries if not _type_of(e)}
    instances = tuple(_noted(i, drifted, bare) for i in report.instances)
    # `ignore: LC408` is used here, however silent it was in the plain check
    kept = [d for d in report.diagnostics if not (d.code == "LC905" and "LC408" in d.message)]
    everything = sorted([*kept, *found], key=lambda d: (_rank(report, d), d.span.line, d.span.column, d.code))
    seconds = report.seconds + perf_counter() - start
    return msgspec.structs.replace(report, instances=instances, diagnostics=tuple(everything), seconds=seconds)


def _rank(report: Report, diagnostic: Diagnostic) -> int:
    return next((i for i, s in enumerate(report.sources) if s.path == diagnostic.span.path), 0)


def _noted(instance: Instance, drifted: set[tuple[str, str]], bare: set[tuple[str, str]]) -> Instance:
    name = instance.name.partition(" @")[0]
    codes, notes = instance.codes, instance.notes
    if (instance.source.path, name) in drifted:
        codes = tuple(sorted({*codes, "LC408"}))
    if (instance.source.path, name) in bare:
        notes = (*notes, "no type text: not compared with the compiler")
    return msgspec.structs.replace(instance, codes=codes, notes=notes)


def _type_of(entry: Entry) -> str:
    return getattr(entry.record, "type", None) or ""


def _asked(entry: Entry) -> str:
    text = fill(_type_of(entry), entry.texts)
    if isinstance(entry.record, Copy) and not text.startswith("!fly.copy_atom"):
        return f"!fly.copy_atom<{text}, 1>"
    return text


def _drift(entry: Entry, answer: Published, certify: bool, timeout: float) -> Iterator[Diagnostic]:
    where = entry.place("type")
    if answer.status == "crashed":
        message = f"the compiler died with {answer.signal} {answer.message}".rstrip()
        yield Diagnostic("LC904", RULES["LC904"].severity, where, message, entry.name)
        return
    severity = RULES["LC408"].severity
    if answer.status != "ok":
        yield Diagnostic("LC408", severity, where, f"the compiler rejects the type: {answer.message}", entry.name)
        return
    atom, _ = build(entry)
    mine = {o.name: (o.map, o.span) for o in atom.operands} | {"thr": (atom.thr, entry.place("thr"))}
    for name, text in answer.layouts.items():
        layout, span = mine.get(name, (None, where))
        if layout is None:
            continue
        try:
            theirs = parse(text)
        except LayoutcheckError:
            message = f"the compiler publishes {text}, which is no layout"
            yield Diagnostic("LC408", severity, span, message, entry.name, name, witness={"published": text})
            continue
        difference = _difference(layout, theirs, certify, timeout)
        if difference:
            message, witness = difference
            witness |= {"kind": "drift", "published": text}
            message = f"the compiler publishes {text}: {message}"
            yield Diagnostic("LC408", severity, span, message, entry.name, name, witness=witness)


def _difference(mine: Layout, theirs: Layout, certify: bool, timeout: float) -> tuple[str, dict[str, Any]] | None:
    """The first (thread, value) where two layouts differ, in words and as data."""
    if thrval.is_pair(mine) and thrval.is_pair(theirs):
        counts = [(thrval.threads(x).size, thrval.values(x).size) for x in (mine, theirs)]
        if counts[0] != counts[1]:
            (a, b), (c, d) = counts
            return f"{c} threads and {d} values, the file has {a} and {b}", {"file": [a, b], "compiler": [c, d]}
    claim = Claim("equal", leaves_of(mine), other=leaves_of(theirs))
    verdict = portfolio.decide(claim, certify=certify, timeout=timeout)
    match verdict.witness:
        case Differs(at, left, right):
            if not thrval.is_pair(mine):
                witness = {"at": at[0], "file": left, "compiler": right}
                return f"at {at[0]} the file has {left}, the compiler {right}", witness
            thread, value = thrval.thread_value(mine, digits_of(leaves_of(mine), at[0]))
            message = f"thread {thread} value {value} is at offset {right}, in the file at {left}"
            return message, {"thread": thread, "value": value, "file": left, "compiler": right}
        case Sizes(left, right):
            return f"{right} points, the file has {left}", {"file": left, "compiler": right}
    if verdict.status == "proved":
        return None
    return f"not compared: {verdict.note}", {}
