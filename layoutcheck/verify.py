"""`verify`: from paths to a report. Finds atom files, reads each once, and never lets one stop the others."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import TYPE_CHECKING

from .atoms.check import Outcome, check_source
from .atoms.entry import Entry
from .atoms.load import load
from .catalog import root
from .decide.portfolio import TIMEOUT
from .errors import InputError
from .source import Source, decode, read_file
from .verdict import Diagnostic, Instance, Report

if TYPE_CHECKING:
    from .atoms.families import Narrow
    from .symbolic.verdict import FamilyReport

STDIN = "-"
_SHOWN = 20  # values of a parameter in a message


def atom_files(folder: str, onerror: Callable[[OSError], None] | None = None) -> Iterator[str]:
    """`atom.yaml`, `*.atom.yaml` and their `.yml` twins below a folder, sorted; hidden folders are skipped."""
    for path, folders, files in os.walk(folder, onerror=onerror):
        folders[:] = sorted(f for f in folders if not f.startswith("."))
        for name in sorted(files):
            if is_atom_file(name):
                yield os.path.normpath(os.path.join(path, name))


def is_atom_file(name: str) -> bool:
    """Whether a file name is one that folders are searched for."""
    stem, _, suffix = name.rpartition(".")
    return suffix in ("yaml", "yml") and (stem == "atom" or stem.endswith(".atom"))


def verify(
    paths: tuple[str, ...],
    *,
    catalog: bool = False,
    stdin_filename: str = "<stdin>",
    certify: bool = True,
    timeout: float = TIMEOUT,
    narrow: Narrow | None = None,
    families: bool = False,
    explain: bool = False,
) -> Report:
    """Check atom files, folders of them, standard input (`-`) and, on request, the built-in catalog.

    `narrow`: of the families that have these parameters, only the instances with these values; raises InputError where
    there are none. `families`: hold each family to all parameters that meet its `requires`, not its rows alone, as is
    done for free parameters anyway; `explain`: only say for which parameters it is right.
    """
    start = perf_counter()
    sources: list[Source] = []
    errors: list[tuple[str, str]] = []
    instances: list[Instance] = []
    diagnostics: list[Diagnostic] = []
    for path in _expand(paths, catalog, errors, families):
        try:
            source = _stdin(stdin_filename) if path == STDIN else read_file(path)
        except InputError as error:
            errors.append((stdin_filename if path == STDIN else path, str(error)))
            continue
        sources.append(source)
        mine, found = check_file(source, certify=certify, timeout=timeout, narrow=narrow)
        instances += mine
        diagnostics += found
    if not sources and not errors:
        errors.append((" ".join(paths), "nothing to check: no atom.yaml, *.atom.yaml or *.atom.yml here"))
    if sources and narrow:
        _must_have(narrow, sources, instances, diagnostics)
    symbolic: tuple[FamilyReport, ...] = ()
    if families or explain or any(d.code == "LC903" for d in diagnostics):
        from .families import settle

        symbolic, diagnostics = settle(
            sources, diagnostics, every=families, explain=explain, narrow=narrow, timeout=timeout
        )
    return Report(
        tuple(instances), tuple(diagnostics), tuple(errors), tuple(sources), perf_counter() - start, families=symbolic
    )


def check_file(
    source: Source, *, certify: bool, timeout: float, narrow: Narrow | None = None
) -> tuple[list[Instance], list[Diagnostic]]:
    """Everything about one atom file, its rewrites included."""
    return check_source(source, certify=certify, timeout=timeout, outside=_rewrite, narrow=narrow)


def _rewrite(entry: Entry, certify: bool, timeout: float) -> Outcome:
    from .rewritefile import check

    return check(entry, certify, timeout)


def _must_have(narrow: Narrow, sources: list[Source], instances: list[Instance], found: list[Diagnostic]) -> None:
    """Raises InputError for a parameter that no family has, and for values that no instance has."""
    missing = [name for name in narrow if not any(name in instance.parameters for instance in instances)]
    if not missing:
        return
    entries = [entry for source in sources for entry in load(source)[0]]
    rows = [entry.texts for entry in entries]
    free = any(entry.domain is not None and entry.domain.free for entry in entries)
    none = "no instance among those that were tried" if free else "no instance"
    hint = ""
    if any(d.code.startswith("LC1") for d in found):
        hint = "; the files have findings that may be why: ask without --param"
    for name in missing:
        known = list(dict.fromkeys(row[name] for row in rows if name in row))
        asked = f"--param {name}={'|'.join(sorted(narrow[name]))}"
        if not known:
            names = ", ".join(dict.fromkeys(parameter for row in rows for parameter in row))
            raise InputError(
                f"{asked}: no family has a parameter {name}{f' (there are {names})' if names else ''}{hint}"
            )
        if not narrow[name] & set(known):
            more = ", ..." if len(known) > _SHOWN else ""
            values = f"{name}: {', '.join(known[:_SHOWN])}{more}"
            raise InputError(f"{asked}: {none} has that value ({values}){hint}")
    together = " and ".join(f"{name}={'|'.join(sorted(narrow[name]))}" for name in narrow)
    raise InputError(f"--param: {none} has {together} together{hint}")


def _stdin(name: str) -> Source:
    if sys.stdin is None:  # closed by the caller
        raise InputError(f"{name}: standard input is closed")
    return decode(name, sys.stdin.buffer.read())


def _expand(
    paths: tuple[str, ...], catalog: bool, errors: list[tuple[str, str]], families: bool = False
) -> Iterator[str]:
    """Each file once, in the order given; a folder without atom files is said, not passed over."""
    seen: set[str] = set()
    if catalog:
        yield from atom_files(os.path.join(root(), "atoms"))
        yield from atom_files(os.path.join(root(), "families")) if families else ()
    for path in paths:
        found = [path]
        if path != STDIN and os.path.isdir(path):
            before = len(errors)
            found = list(atom_files(path, lambda e: errors.append((e.filename, f"{e.filename}: {e.strerror}"))))
            if not found and len(errors) == before:
                errors.append(
                    (path, f"{path}: nothing to check: no atom.yaml, *.atom.yaml or *.atom.yml in this folder")
                )
        for file in found:
            key = os.path.realpath(file)
            if key not in seen:
                seen.add(key)
                yield file
