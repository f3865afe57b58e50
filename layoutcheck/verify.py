"""`verify`: from paths to a report. Finds atom files, reads each once, and never lets one stop the others."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import TYPE_CHECKING

from .atoms.check import check_source
from .catalog import root
from .decide.portfolio import TIMEOUT
from .errors import InputError
from .source import Source, decode, read_file
from .verdict import Diagnostic, Instance, Report

if TYPE_CHECKING:
    from .symbolic.verdict import FamilyReport

STDIN = "-"


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
    families: bool = False,
    explain: bool = False,
) -> Report:
    """Check atom files, folders of them, standard input (`-`) and, on request, the built-in catalog.

    `families`: hold each family to all parameters that meet its `requires`, not its rows alone; `explain`: only say
    for which parameters it is right.
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
        mine, found = check_source(source, certify=certify, timeout=timeout)
        instances += mine
        diagnostics += found
    if not sources and not errors:
        errors.append((" ".join(paths), "nothing to check: no atom.yaml, *.atom.yaml or *.atom.yml here"))
    symbolic: tuple[FamilyReport, ...] = ()
    if families or explain:
        from .families import of_sources

        symbolic, found = of_sources(sources, timeout=timeout)
        diagnostics += found if families else []
    return Report(
        tuple(instances), tuple(diagnostics), tuple(errors), tuple(sources), perf_counter() - start, families=symbolic
    )


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
