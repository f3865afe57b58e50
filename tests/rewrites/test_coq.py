"""The Coq development: no holes, nothing assumed, and compiled wherever Coq is (in CI it has to be)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from layoutcheck.rewrites import coq
from layoutcheck.rewrites.definitions import FUNCTIONS
from layoutcheck.rewrites.theorems import THEOREMS

from .evaluate import apply, random_value

ALL = (*coq.FILES, coq.ASSUMPTIONS)
REQUIRED = os.environ.get("LAYOUTCHECK_REQUIRE_COQ") == "1"


def proved() -> list[str]:
    return re.findall(r"^Theorem (\w+) : \w+_statement\.", coq.text("Proofs.v"), re.M)


def test_the_folder_holds_these_files() -> None:
    assert sorted(name for name in os.listdir(coq.folder()) if name.endswith(".v")) == sorted(ALL)


@pytest.mark.parametrize("name", ALL)
def test_nothing_is_left_open_or_assumed(name: str) -> None:
    assert coq.holes(coq.text(name)) == []


@pytest.mark.parametrize(
    "text", ["Axiom a : False.", "Proof. Admitted.", "admit.", "Parameter p : Z.", "Hypothesis h : 1 = 1.", "Abort."]
)
def test_a_hole_is_seen(text: str) -> None:
    assert coq.holes(f"(* fine *) {text}")
    assert not coq.holes(f"(* {text} *)")


def test_every_statement_is_proved_and_asked_about() -> None:
    statements = re.findall(r"^Definition (\w+_statement)", coq.text("Statements.v"), re.M)
    assert sorted(re.findall(r"^Theorem \w+ : (\w+_statement)\.", coq.text("Proofs.v"), re.M)) == sorted(statements)
    assert sorted(re.findall(r"Print Assumptions (\w+)\.", coq.text(coq.ASSUMPTIONS))) == sorted(proved())
    together = re.search(r"Definition all :=\s*\((.*?)\)\.\s*Print Assumptions all\.", coq.text("Proofs.v"), re.S)
    assert together is not None
    assert sorted(re.findall(r"\w+", together.group(1))) == sorted(proved())


def test_the_catalogue_names_what_there_is() -> None:
    named = [name for theorem in THEOREMS.values() for name in theorem.coq]
    assert sorted(named) == sorted(proved())


def test_it_compiles_and_assumes_nothing() -> None:
    if shutil.which("coqc") is None and not REQUIRED:
        pytest.skip("coqc is not installed: Coq is not re-checked here")
    assert coq.check(600) == coq.Checked("checked")


def as_coq(value: object) -> str:
    """A leaf list, or a number."""
    if isinstance(value, int):
        return f"({value})"
    pairs = []
    while value:
        extent, stride, value = value  # type: ignore[misc]
        pairs.append(f"({extent}, {stride})")
    return f"[{'; '.join(pairs)}]"


def test_its_definitions_are_the_prover_s(tmp_path: Path) -> None:
    program = shutil.which("coqc")
    if program is None:
        assert not REQUIRED
        pytest.skip("coqc is not installed: Coq is not re-checked here")
    names = {"N": "N", "V": "V", "P": "P", "E": "E", "coal": "coalesce", "horner": "horner", "values": "values"}
    rng, lines = Random(8), ["Require Import ZArith List.", "Require Import Definitions.", "Import ListNotations."]
    lines.append("Open Scope Z_scope.")
    for _ in range(40):
        for ours, theirs in names.items():
            sorts, sort = FUNCTIONS[ours]
            args = tuple(random_value(x, rng) for x in sorts)
            same = f"{theirs} {' '.join(map(as_coq, args))} = {as_coq(apply(ours, args))}"
            assert sort in ("Int", "Leaves")
            lines.append(f"Goal {same}. Proof. vm_compute. reflexivity. Qed.")
    shutil.copy(Path(coq.folder()) / "Definitions.v", tmp_path)
    (tmp_path / "Agree.v").write_text("\n".join(lines))
    for file in ("Definitions.v", "Agree.v"):
        done = subprocess.run([program, "-q", file], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(coq.folder(), tmp_path / "coq")
    monkeypatch.setattr(coq, "folder", lambda: str(tmp_path / "coq"))
    return tmp_path / "coq"


def test_an_axiom_is_told_before_compiling(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: "/nowhere/coqc")
    with open(copy / "Proofs.v", "a") as file:
        file.write("Axiom easy : forall x : Z, x = 0.\n")
    assert coq.check(10) == coq.Checked("assumes", "Axiom")


def fake(path: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    program = path / "coqc"
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{path}{os.pathsep}{os.environ['PATH']}")


def test_what_coq_assumes_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path, monkeypatch, 'case "$2" in Proofs.v) echo "Axioms:"; echo "easy : False";; esac')
    assert coq.check(10) == coq.Checked("assumes", "Axioms: easy : False")


def test_a_silent_compiler_proves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path, monkeypatch, "exit 0")
    assert coq.check(10).status == "assumes"


def test_an_error_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path, monkeypatch, 'echo "Error: no" >&2; exit 1')
    assert coq.check(10) == coq.Checked("failed", "Definitions.v: Error: no")


def test_a_slow_compiler_is_out_of_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path, monkeypatch, "exec sleep 60")
    assert coq.check(0.2) == coq.Checked("out of time", "Definitions.v")


def test_without_coq_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert coq.check(10) == coq.Checked("not installed")


def test_the_check_is_a_program(tmp_path: Path) -> None:
    env = os.environ | {"PATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "layoutcheck.rewrites.coq"], capture_output=True, text=True, env=env, check=False
    )
    assert (done.returncode, done.stdout) == (1, "Coq: not installed\n")
