"""Text for a terminal: each finding with its line and caret, the counterexample, how it was decided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..codes import RULES
from ..source import Source
from ..verdict import Diagnostic, Members, Report, Verdict, listed

_WIDTH = 100  # columns of a source line that are shown, around the caret


def render(report: Report, *, quiet: bool = False, verbose: bool = False) -> Iterator[str]:
    """The lines of a report. `quiet` leaves out the summary, `verbose` adds what was proved and suppressed."""
    return map(printable, _lines(report, quiet=quiet, verbose=verbose))


def _lines(report: Report, *, quiet: bool, verbose: bool) -> Iterator[str]:
    sources = {source.path: source for source in report.sources}
    for path, message in report.errors:
        yield f"error: {message}" if message.startswith(path) else f"error: {path}: {message}"
    for diagnostic in report.diagnostics:
        if not diagnostic.suppressed:
            yield from _finding(diagnostic, sources.get(diagnostic.span.path), verbose)
    if verbose:
        yield from _details(report)
    if not quiet:
        for note, count in Counter(n for i in report.instances for n in i.notes).items():
            yield f"note: {note} ({_count(count, 'instance')})"
        yield from (f"note: {note}" for note in report.notes)
        yield from (f"note: {line}" for line in _proved(report))
        yield summary(report)


def _finding(diagnostic: Diagnostic, source: Source | None, verbose: bool) -> Iterator[str]:
    span, rule = diagnostic.span, RULES[diagnostic.code]
    about = " ".join(filter(None, (diagnostic.atom, f"[{diagnostic.operand.upper()}]" if diagnostic.operand else "")))
    warning = "warning: " if diagnostic.severity == "warning" else ""
    head = f"{span.path}:{span.line}:{span.column}: {warning}{diagnostic.code} {rule.name}"
    yield f"{head} {about + ': ' if about else ''}{printable(diagnostic.message)}"
    if source and source.line(span.line):
        yield from clip(source.line(span.line), span.column)
    if diagnostic.members:
        yield f"    {_members(diagnostic.members)}"
    for line in diagnostic.counterexample:
        yield f"    {line}"
    if diagnostic.verdict:
        yield f"    {decided(diagnostic.verdict)}"
    if diagnostic.hint:
        yield f"    {diagnostic.hint}"


def _members(its: Members) -> str:
    smallest = f"the smallest of {its.failing} instances that fail here"
    which = "the only instance that fails here" if its.failing == 1 else smallest
    return f"at {listed(its.parameters)}, {which}, of {its.instances}"


def clip(line: str, column: int) -> Iterator[str]:
    """The part of a source line around a column (from 1), and a caret below it."""
    start = max(0, column - 1 - _WIDTH * 2 // 3) if len(line) > _WIDTH else 0
    shown = printable(line[start : start + _WIDTH].replace("\t", " "))
    left = "..." if start else ""
    right = "..." if start + _WIDTH < len(line) else ""
    yield f"    | {left}{shown}{right}".rstrip()
    yield f"    | {' ' * (len(left) + column - 1 - start)}^"


def printable(text: str) -> str:
    """Without control characters, so that a file's content cannot steer a terminal; clipped."""
    clipped = text if len(text) <= 2000 else text[:2000] + "..."
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in clipped)


def decided(verdict: Verdict) -> str:
    """`refuted: <theorem>; witness replayed`."""
    second = verdict.certified or ("not certified" if verdict.status == "proved" else "")
    return f"{verdict.status}: {'; '.join(filter(None, (verdict.by, second, verdict.note)))}"


def _proved(report: Report) -> Iterator[str]:
    if report.families:
        from . import families

        yield from (families.proved(family) for family in report.families if family.proved)


def _details(report: Report) -> Iterator[str]:
    from . import families

    for family in report.families:
        yield from families.lines(family)
    for instance in report.instances:
        state = ", ".join(instance.codes) or "ok"
        how = f"{instance.claims} claims, {instance.certified} certified"
        name = f"{instance.name} ({listed(instance.parameters)})" if instance.parameters else instance.name
        yield f"{instance.source.path}: {name}: {state} ({how})"
    for d in report.diagnostics:
        if d.suppressed:
            yield f"{d.span.path}:{d.span.line}: {d.code} suppressed: {printable(d.suppressed)}"


def summary(report: Report) -> str:
    """`78 instances in 5 files: no findings (0.31 s)`."""
    live = [d for d in report.diagnostics if not d.suppressed]
    errors = sum(d.severity == "error" for d in live)
    parts = [_count(errors, "finding")] if errors else []
    warnings = len(live) - errors
    parts += [_count(warnings, "warning")] if warnings else []
    parts += [f"{len(report.errors)} not read"] if report.errors else []
    suppressed = len(report.diagnostics) - len(live)
    parts += [f"{suppressed} suppressed"] if suppressed else []
    done = f"{_count(len(report.instances), 'instance')} in {_count(len(report.sources), 'file')}"
    return f"{done}: {', '.join(parts) or 'no findings'} ({report.seconds:.2f} s)"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
