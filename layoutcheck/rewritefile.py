"""Entries of kind rewrite in atom files: their parts read at their places, decided, and told as findings."""

from __future__ import annotations

from typing import NamedTuple

from .atoms import pack
from .atoms.check import Outcome
from .atoms.convert import suggestion
from .atoms.entry import Entry, fill
from .atoms.rules_form import Form
from .atoms.schema import Rewrite
from .codes import RULES
from .errors import Disagreement, InputError
from .layout import Layout, overflow
from .rewrites.case import Broken, Decision, Given, by, decide
from .rewrites.prove import Texts, build, check_options
from .rewrites.table import REWRITES
from .verdict import Diagnostic

_UNCERTIFIED = "some proofs are not certified: the second engine did not answer (-v counts them)"
_PLACES = ("dst", "to", "perm", "layout", "layouts", "inner")  # where a finding stands: the first that is there


def check(entry: Entry, certify: bool, timeout: float) -> Outcome:
    """The findings on one entry."""
    record = entry.record
    assert isinstance(record, Rewrite)
    form = Form(entry)
    given = _given(form, record) if _options(form, record) else None
    if given is None or form.found:
        return Outcome(form.found)
    try:
        problem = build(record.op, given)
        decision = decide(problem, certify=certify, timeout=timeout)
    except InputError as error:
        form.report("LC102", str(error), "offset" if record.offset else "op")
        return Outcome(form.found)
    except Disagreement as error:
        form.report("LC901", str(error), "op")
        return Outcome(form.found)
    claims = 1 + len(problem.more)
    second = claims if decision.certified else 0
    bare = certify and decision.status == "proved" and not second
    notes = tuple(filter(None, (problem.note, _UNCERTIFIED if bare else "")))
    finding = _finding(entry, record, decision, problem.broken)
    return Outcome([finding] if finding else [], claims, second, notes)


def _options(form: Form, record: Rewrite) -> bool:
    """Whether the entry has the parts that its operation takes, and no others; else LC102."""
    if record.op not in REWRITES:
        hint = suggestion(record.op, list(REWRITES))
        form.report("LC102", f"unknown op '{record.op}' (known: {', '.join(REWRITES)}){hint}", "op")
        return False
    layouts = tuple(filter(None, (record.layout,))) + tuple(record.layouts)
    threads = None if record.threads is None else 1
    to, perm = (None if part is None else "given" for part in (record.to, record.perm))
    texts = Texts(record.src, record.dst, to, perm, layouts, threads, record.outer, record.inner, record.offset)
    try:
        check_options(record.op, texts)
    except InputError as error:
        form.report("LC102", str(error), "op")
        return False
    return True


def _given(form: Form, record: Rewrite) -> Given:
    """The parts; every one that cannot be read is a finding of the form."""
    src, dst, outer, inner, layout = (_layout(form, name) for name in ("src", "dst", "outer", "inner", "layout"))
    several = [_layout(form, "layouts", str(i)) for i in range(len(record.layouts))]
    to = _numbers(form, record.to.split("x") if isinstance(record.to, str) else record.to, "to", 1)
    perm = _numbers(form, record.perm, "perm", 0)
    offset = None if record.offset is None else fill(record.offset, form.entry.texts)
    layouts = tuple(x for x in (layout, *several) if x)
    threads = form.number(record.threads, "threads")
    return Given(src, dst, to, perm, layouts, threads, outer, inner, offset, form.entry.env)


def _layout(form: Form, field: str, item: str | None = None) -> Layout | None:
    """One field's layout, read lex; LC110 where 64-bit integers do not hold it."""
    text = getattr(form.entry.record, field)
    text = text if item is None else text[int(item)]
    if text is None:
        return None
    path = (field,) if item is None else (field, item)
    layout = pack.read(form, text, *path)
    large = layout and overflow(layout)
    if large:
        form.report("LC110", large[0], *path)
    return layout


def _numbers(form: Form, parts: list[str] | None, field: str, least: int) -> tuple[int, ...] | None:
    if parts is None:
        return None
    numbers = [form.number(part.strip(), field, str(i), least=least) for i, part in enumerate(parts)]
    if not numbers:
        form.report("LC102", f"{field}: a list without numbers", field)
    return tuple(n for n in numbers if n is not None)


class _Told(NamedTuple):
    code: str
    message: str
    lines: tuple[str, ...]


def _finding(entry: Entry, record: Rewrite, decision: Decision, broken: Broken | None) -> Diagnostic | None:
    if decision.status == "proved":
        return None
    told = _told(record.op, decision, broken)
    fields = ("offset",) if told.code == "LC506" and record.offset else _PLACES
    field = next(name for name in fields if getattr(record, name))
    witness = {"kind": "rewrite", **(broken.numbers if broken else {}), **(decision.witness or {})}
    severity = RULES[told.code].severity
    return Diagnostic(told.code, severity, entry.place(field), told.message, entry.name, "", told.lines, witness)


def _told(op: str, decision: Decision, broken: Broken | None) -> _Told:
    if decision.status in ("unknown", "disagree"):
        code = "LC902" if decision.status == "unknown" else "LC901"
        told = decision.note or f"{decision.by} and {decision.certified} contradict each other"
        return _Told(code, f"{op} was not decided: {told}", ())
    assert broken is not None
    lines = []
    if decision.witness:
        w = decision.witness
        lines = [f"thread {w['thread']}, index {w['index']}: expected element {w['expected']}, actual {w['actual']}"]
    who = f"{decision.status}: {by(decision, op)}"
    lines.append("; ".join(filter(None, (who, decision.certified))))
    return _Told(broken.code, f"{op}: {broken.text}", tuple(lines))
