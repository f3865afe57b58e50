"""`explain` pages and lists, made from the one table of rules and the example files the tests run."""

from __future__ import annotations

import os
from collections.abc import Iterator

from .codes import RULES, Rule
from .errors import InputError
from .laws import LAWS, Law


def example_folder(rule: Rule) -> str:
    """Where a rule's two example files lie."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "examples", f"{rule.code}-{rule.name}")


def examples(rule: Rule) -> dict[str, str]:
    """{"bad": path, "good": path} of a rule, as far as it has files."""
    folder = example_folder(rule)
    files = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    return {name.partition(".")[0]: os.path.join(folder, name) for name in files if name.endswith((".yaml", ".yml"))}


def explain(code: str) -> Iterator[str]:
    """The page of one rule, of one law of the algebra, or of a theorem about rewrites; a name that is both a law and a
    theorem has both pages. Raises InputError for a name that is none.
    """
    law = LAWS.get(code.lower())
    if law:
        yield from law_page(law)
    if not code.upper().startswith("LC"):
        from .rewrites.theorems import THEOREMS, explain_theorem

        if code.lower().replace("-", "_") in THEOREMS:
            yield from ("", "") if law else ()
            yield from explain_theorem(code)
            return
    if law:
        return
    by_name = {rule.name: rule for rule in RULES.values()}
    rule = RULES.get(code.upper()) or by_name.get(code.lower())
    if rule is None:
        from .atoms.convert import suggestion

        raise InputError(f"no rule '{code}'{suggestion(code.upper(), list(RULES))} (`layoutcheck show --list rules`)")
    yield f"{rule.code} {rule.name} ({rule.severity})"
    yield ""
    yield f"Holds when: {rule.formula}."
    yield f"Why: {rule.why}"
    if rule.seen:
        yield f"Seen in: {rule.seen}."
    for kind, title in (("bad", "A failing example"), ("good", "Mended")):
        path = examples(rule).get(kind)
        if path:
            yield ""
            yield f"{title}:"
            with open(path, encoding="utf-8", errors="replace") as file:
                yield from (f"    {line.rstrip()}" for line in file)


def law_page(law: Law) -> Iterator[str]:
    """What an operation of `eval` promises, and when."""
    yield f"{law.name} {law.args}"
    yield ""
    yield f"Law: {law.statement}."
    yield f"Holds when ({'exact' if law.exact else 'sufficient'}): {law.precondition}."
    if law.refusals:
        yield f"Refused otherwise, by name: {', '.join(law.refusals)}."
    yield f"Source: {law.source}."


def listing(what: str) -> list[dict[str, object]]:
    """The rows of `show --list rules`, `atoms` or `instructions`."""
    if what == "rules":
        return [{"code": r.code, "name": r.name, "severity": r.severity, "formula": r.formula} for r in RULES.values()]
    if what == "instructions":
        from . import registers

        return registers.listing()
    from .atoms.load import load
    from .catalog import root
    from .source import read_file
    from .verify import atom_files

    rows: list[dict[str, object]] = []
    for path in atom_files(os.path.join(root(), "atoms")):
        for entry in load(read_file(path))[0]:
            arch = getattr(entry.record, "arch", None)
            widths = ",".join(getattr(entry.record, "val_bits", [])) or None
            rows.append(
                {"name": entry.name, "kind": type(entry.record).__name__.lower(), "arch": arch, "widths": widths}
            )
    return rows
