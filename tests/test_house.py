"""The walls of the house: who may import whom, and what start-up may load (the engines: smt/test_independence.py)."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import layoutcheck

ROOT = Path(layoutcheck.__file__).parent
MODULES = {
    ".".join(("layoutcheck", *p.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__"): p
    for p in ROOT.rglob("*.py")
}


def imports(module: str) -> set[str]:
    """The layoutcheck modules and outer packages that a module names anywhere, functions included."""
    path = MODULES[module]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package.split(".")[: len(package.split(".")) - node.level + 1]) if node.level else ""
            stem = ".".join(filter(None, (base, node.module)))
            found |= {f"{stem}.{a.name}" if f"{stem}.{a.name}" in MODULES else stem for a in node.names}
    return {name if name in MODULES else name.partition(".")[0] for name in found}


def reached(module: str) -> set[str]:
    """Everything a module imports, directly or not."""
    seen: set[str] = set()
    todo = [module]
    while todo:
        for name in imports(todo.pop()) - seen:
            seen.add(name)
            if name in MODULES:
                todo.append(name)
    return seen


@pytest.mark.parametrize("module", [m for m in MODULES if m.startswith("layoutcheck.report")])
def test_reports_know_no_engine_and_read_no_file(module: str) -> None:
    assert not {m for m in reached(module) if m == "z3" or ".decide" in m or ".smt" in m or ".atoms" in m}
    assert "open(" not in MODULES[module].read_text()


def test_nothing_imports_the_cli() -> None:
    users = [m for m in MODULES if "layoutcheck.cli" in imports(m)]
    assert users == ["layoutcheck.__main__"]


@pytest.mark.parametrize(
    "module", ["layoutcheck.layout", "layoutcheck.notation", "layoutcheck.claim", "layoutcheck.decide.portfolio"]
)
def test_layouts_and_engines_know_nothing_of_atoms(module: str) -> None:
    assert not {m for m in reached(module) if ".atoms" in m or ".report" in m or m.endswith(".catalog")}


@pytest.mark.parametrize("module", [m for m in MODULES if m.startswith("layoutcheck.rewrites")])
def test_rewrites_know_nothing_of_atoms(module: str) -> None:
    assert not {m for m in reached(module) if ".atoms" in m or ".report" in m}


@pytest.mark.parametrize("module", [m for m in MODULES if m.startswith("layoutcheck.atoms")])
def test_atoms_know_nothing_of_rewrites(module: str) -> None:
    assert not {m for m in reached(module) if ".rewrite" in m}


def loaded(code: str) -> set[str]:
    script = f"import sys; {code}; print(*sys.modules)"
    return set(
        subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout.split()
    )


def test_heavy_packages_are_loaded_where_first_needed() -> None:
    heavy = {"z3", "yaml", "sympy", "networkx", "rich", "importlib.metadata", "importlib.resources"}
    assert not loaded("import layoutcheck.cli") & heavy
    assert not loaded("import layoutcheck") & (heavy | {"click", "msgspec"})
    assert not loaded("import layoutcheck.rewrites.prove") & heavy
    assert not {m for m in loaded("import layoutcheck.cli, layoutcheck.verify") if "rewrite" in m}
    assert "z3" not in loaded("from layoutcheck.verify import verify; verify((), catalog=True, certify=False)")
