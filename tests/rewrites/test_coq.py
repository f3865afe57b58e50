"""The Coq development: no holes, nothing assumed, and compiled wherever Coq is (in CI it has to be)."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from layoutcheck.rewrites import coq
from layoutcheck.rewrites.definitions import FUNCTIONS
from layoutcheck.rewrites.theorems import THEOREMS

from .evaluate import apply, random_value

ALL = coq.FILES
REQUIRED = os.environ.get("LAYOUTCHECK_REQUIRE_COQ") == "1"


def proved() -> list[str]:
    return re.findall(r"^Theorem (\w+) : \w+_statement\.", coq.text("Proofs.v"), re.M)


def test_the_folder_holds_these_files() -> None:
    assert sorted(name for name in os.listdir(coq.folder()) if name.endswith(".v")) == sorted(ALL)


@pytest.mark.parametrize("name", ALL)
def test_nothing_is_left_open_or_assumed(name: str) -> None:
    assert coq.holes(coq.text(name)) == []


@pytest.mark.parametrize(
    "text",
    [
        "Axiom a : False.",
        "Proof. Admitted.",
        "admit.",
        "Parameter p : Z.",
        "Hypothesis h : 1 = 1.",
        "Abort.",
        "Unset Guard Checking.",
        "Unset  Universe Checking.",
        "#[bypass_check(guard)] Fixpoint f.",
    ],
)
def test_a_hole_is_seen(text: str) -> None:
    assert coq.holes(f"(* fine *) {text}")
    assert not coq.holes(f"(* {text} *)")


def test_every_statement_is_proved_and_asked_about() -> None:
    statements = re.findall(r"^Definition (\w+_statement)", coq.text("Statements.v"), re.M)
    assert sorted(re.findall(r"^Theorem \w+ : (\w+_statement)\.", coq.text("Proofs.v"), re.M)) == sorted(statements)
    assert coq.unasked(proved()) == []
    assert coq.unasked(["append", "nothing"]) == ["nothing"]
    assert sorted(re.findall(r"Statements\.(\w+)", coq.text(coq.ASSUMPTIONS))) == sorted(statements)


def test_the_catalogue_names_what_there_is() -> None:
    named = [name for theorem in THEOREMS.values() for name in theorem.coq]
    assert sorted(named) == sorted(proved())


def test_it_compiles_and_assumes_nothing() -> None:
    if shutil.which("coqc") is None and not REQUIRED:
        pytest.skip("coqc is not installed: Coq is not re-checked here")
    assert coq.check(600, proved()) == coq.Checked("checked")


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


TAMPERED = [  # file, text, what is put in its place, and what is said
    ("Proofs.v", r"(?s).*", "", "failed"),
    ("Proofs.v", r"Theorem step : step_statement\.", "Definition step := I. Theorem other : step_statement.", "failed"),
    ("Proofs.v", r"(?s)\Z", "Unset Guard Checking.", "assumes"),
    ("Proofs.v", r"Theorem step : step_statement\.\nProof\..*",
     "Definition step_statement := True.\nTheorem step : step_statement.\nProof. exact I. Qed.", "failed"),
    ("Assumptions.v", r"Proofs\.append : Statements\.append_statement,", "", "failed"),
    ("Assumptions.v", r"Proofs\.append : Statements\.append_statement",
     "Proofs.step : Statements.step_statement", "failed"),
    ("Assumptions.v", r"Proofs\.append : Statements\.append_statement",
     "Proofs.append : Statements.step_statement", "failed"),
    ("Assumptions.v", r"Print Assumptions all\.", "", "failed"),
    ("Assumptions.v", r"Print Assumptions all\.", 'Goal True. idtac "Closed under the global context".', "failed"),
    ("Assumptions.v", r"Definition all", "Print Assumptions I.\nDefinition all", "failed"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "old", "new", "status"), TAMPERED)
def test_a_tampered_copy_is_not_checked(name: str, old: str, new: str, status: str, copy: Path) -> None:
    if shutil.which("coqc") is None and not REQUIRED:
        pytest.skip("coqc is not installed: Coq is not re-checked here")
    text, number = re.subn(old, new, coq.text(name), count=1)
    assert number == 1
    names = [name for theorem in THEOREMS.values() for name in theorem.coq]
    (copy / name).write_text(text)
    assert coq.check(600, names).status == status


def test_an_axiom_of_the_library_is_told(copy: Path) -> None:
    if shutil.which("coqc") is None and not REQUIRED:
        pytest.skip("coqc is not installed: Coq is not re-checked here")
    proofs = (copy / "Proofs.v").read_text()
    hole = "Require Import Classical.\nTheorem step : step_statement.\nProof. pose proof (classic True) as C.\n"
    text = proofs.replace("Theorem step : step_statement.\nProof.", hole)
    assert text != proofs
    (copy / "Proofs.v").write_text(text)
    found = coq.check(600, ["step"])
    assert found.status == "assumes"
    assert "classic" in found.said


def fake(path: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    program = path / "coqc"
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{path}{os.pathsep}{os.environ['PATH']}")


def test_what_coq_assumes_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path, monkeypatch, 'case "$2" in Assumptions.v) echo "Axioms:"; echo "easy : False";; esac')
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


@pytest.mark.skipif(os.name != "posix", reason="signals are sent otherwise elsewhere")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_leaves_nothing(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No compiler, nothing that it started, no folder; and at once, without a word."""
    fake(tmp_path, monkeypatch, f"sleep 60 & echo $! > {tmp_path}/pid.new; mv {tmp_path}/pid.new {tmp_path}/pid; wait")
    env, pipes = os.environ | {"TMPDIR": str(tmp_path)}, {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-m", "layoutcheck", "prove", "step"], env=env, **pipes) as child:
        while not (tmp_path / "pid").exists():
            assert child.poll() is None
            time.sleep(0.02)
        child.send_signal(number)
        out, err = child.communicate(timeout=20)
    assert (child.returncode, out, err) == (128 + number, b"", b"")
    assert list(tmp_path.glob("layoutcheck-coq-*")) == []
    for _ in range(100):
        if not alive(int((tmp_path / "pid").read_text())):
            break
        time.sleep(0.05)
    else:
        pytest.fail("what the compiler started goes on")


def alive(pid: int) -> bool:
    """Whether it runs; one that has ended may wait for its parent to notice."""
    done = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return bool(done.stdout.strip()) and not done.stdout.startswith("Z")


def test_without_coq_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert coq.check(10) == coq.Checked("not installed")


def test_the_check_is_a_program(tmp_path: Path) -> None:
    env = os.environ | {"PATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "layoutcheck.rewrites.coq"], capture_output=True, text=True, env=env, check=False
    )
    assert (done.returncode, done.stdout) == (1, "Coq: not installed\n")
