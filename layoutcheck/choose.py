"""`--select` and `--ignore`: which findings of a report are told. Nothing is chosen before it has been asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from msgspec.structs import replace

from .codes import RULES
from .errors import InputError
from .verdict import Report

ALWAYS = ("LC901", "LC902", "LC903")  # what was not decided is never left out
UNREAD = ("LC101", "LC102", "LC103")  # without these nothing else could be asked: only --ignore leaves them out


def codes(text: str) -> tuple[str, ...]:
    """The codes or beginnings of codes (LC3) in a list with commas. Raises InputError for one that names no rule."""
    wanted = tuple(part.strip().upper() for part in text.split(",") if part.strip())
    for code in wanted:
        if not any(rule.startswith(code) for rule in RULES):
            raise InputError(f"no rule '{code}' (`layoutcheck show --list rules`)")
    return wanted


def choose(report: Report, select: str | None, ignore: str | None) -> Report:
    """The report without the findings that are not selected, or ignored; a note counts them."""
    if not select and not ignore:
        return report
    wanted, unwanted = codes(select or "LC"), codes(ignore or "")

    def told(code: str) -> bool:
        if code in ALWAYS:
            return True
        return (code.startswith(wanted) or code in UNREAD) and not (unwanted and code.startswith(unwanted))

    hidden = Counter(d.code for d in report.diagnostics if not told(d.code))
    if not hidden:
        return report
    note = "not told (--select, --ignore): " + ", ".join(f"{n} {code}" for code, n in sorted(hidden.items()))
    return replace(
        report,
        diagnostics=tuple(d for d in report.diagnostics if told(d.code)),
        instances=tuple(replace(i, codes=tuple(filter(told, i.codes))) for i in report.instances),
        notes=(*report.notes, note),
    )


def statistics(report: Report) -> Iterator[str]:
    """How often each rule was found broken, most often first: `  12  LC301 not-injective`."""
    counts = Counter(d.code for d in report.diagnostics if not d.suppressed)
    for code, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        yield f"{count:>4}  {code} {RULES[code].name}"
