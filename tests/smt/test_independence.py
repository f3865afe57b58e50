"""The theorems and the solver side share the question and the layout, and nothing else."""

from __future__ import annotations

import ast
from itertools import combinations
from pathlib import Path

import layoutcheck

PACKAGE = Path(layoutcheck.__file__).parent
SHARED = {"layoutcheck", "claim", "layout", "inttuple", "errors", "swizzle", "decide", "smt"}
EMPTY = ("decide", "smt")  # packages, whose __init__ must import nothing


def file_of(module: str) -> Path:
    path = PACKAGE.joinpath(*module.split(".")) if module != "layoutcheck" else PACKAGE
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def imports(module: str) -> set[str]:
    """Modules of the package that `module` imports anywhere, inside functions too; names relative to it."""
    path = file_of(module)
    here = path.relative_to(PACKAGE).parts[:-1]
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            names = (
                [alias.name for alias in node.names] if isinstance(node, ast.Import) else [getattr(node, "module", "")]
            )
            assert not any((name or "").startswith("layoutcheck") for name in names)
            continue
        base = ".".join([*here[: len(here) - node.level + 1], *([node.module] if node.module else [])])
        for alias in node.names:
            inner = f"{base}.{alias.name}" if base else alias.name
            found.add(inner if file_of(inner).exists() else base)
    return found


def reachable(module: str) -> set[str]:
    seen: set[str] = set()
    todo = [module]
    while todo:
        for name in imports(todo.pop()) - seen:
            seen.add(name)
            todo.append(name)
    return seen


def test_the_walk_sees_imports() -> None:
    assert {"decide.theorems", "smt.certify", "verdict"} <= reachable("decide.portfolio")
    assert {"smt.queries", "smt.bits", "claim", "swizzle"} <= reachable("smt.certify")


def test_engines_share_only_the_question() -> None:
    for engine in ("theorems", "gf2", "search", "points"):
        mine = reachable(f"decide.{engine}") | {f"decide.{engine}"}
        for certifier in ("smt.certify", "smt.smtlib"):
            shared = mine & (reachable(certifier) | {certifier})
            assert shared <= SHARED, (engine, certifier, shared - SHARED)
            assert "claim" in shared


def test_engines_of_index_maps_share_only_the_map() -> None:
    engines = ("decide.columns", "smt.maps", "smt.rawmaps")
    for one, other in combinations(engines, 2):
        shared = (reachable(one) | {one}) & (reachable(other) | {other})
        assert shared <= {"indexmap", "expr", "errors", "decide", "smt", "smt.solver", "layoutcheck"}, (
            one,
            other,
            shared,
        )


def test_engines_do_not_share_code_with_each_other() -> None:
    names = ("theorems", "gf2", "search", "points")
    for one in names:
        assert not reachable(f"decide.{one}") & {f"decide.{other}" for other in names}


def test_packages_import_nothing() -> None:
    for package in EMPTY:
        assert imports(package) == set()
