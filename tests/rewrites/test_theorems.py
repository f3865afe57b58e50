"""The catalogue, and `run_theorems`: what is told of a theorem is what the engines said."""

from __future__ import annotations

import json
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import msgspec
import pytest

from layoutcheck import cli
from layoutcheck.errors import InputError
from layoutcheck.packmap import PackLayout, read
from layoutcheck.report.results import render_json
from layoutcheck.rewrites import coq, parametric, proving, theorems
from layoutcheck.rewrites.chains import Step
from layoutcheck.rewrites.export import export
from layoutcheck.rewrites.proving import Proven, render, run_theorems
from layoutcheck.rewrites.statements import STATEMENTS
from layoutcheck.rewrites.theorems import THEOREMS, explain_theorem, facts, lookup
from layoutcheck.smt import scripts

from .evaluate import apply, leaves


@pytest.fixture(scope="module")
def everything() -> list[Proven]:
    return run_theorems(timeout=60)


def test_every_theorem_closes(everything: list[Proven]) -> None:
    assert [result.question for result in everything] == list(THEOREMS)
    for result in everything:
        assert (result.verdict, result.z3, result.cvc5) == ("proved", "proved", "proved"), result
        assert "cvc5" in (result.certified or "")
        assert result.seconds > 0
        assert not result.note
        if THEOREMS[result.question].identities:
            assert "hold on all 42 structures" in result.identities


def test_coq_is_told_as_it_is(everything: list[Proven]) -> None:
    import shutil

    expected = "checked here" if shutil.which("coqc") else "not re-checked here (no coqc here)"
    for result in everything:
        assert result.coq == (expected if THEOREMS[result.question].coq else "not stated there (trivial)")


def test_every_statement_serves_a_theorem() -> None:
    assert {name for theorem in THEOREMS.values() for name in facts(theorem)[0]} == set(STATEMENTS)


def test_one_can_be_asked_for() -> None:
    (result,) = run_theorems(["Broadcast-Stretched"], certify=False)
    assert (result.question, result.verdict, result.cvc5, result.coq) == (
        "broadcast_stretched", "proved", "not asked", "not asked",
    )  # fmt: skip
    assert result.certified is None
    text = "\n".join(render(result))
    assert "proved: theorem broadcast_stretched" in text
    assert "Not machine-checked" in text


@pytest.mark.parametrize("name", ["shapecast", "", "x" * 5000, "LC501", "\0"])
def test_an_unknown_name_is_one_message(name: str) -> None:
    with pytest.raises(InputError, match="no theorem") as error:
        lookup([name])
    assert len(str(error.value)) < 500
    with pytest.raises(InputError):
        list(explain_theorem(name))


def test_a_chain_file_with_holes_is_one_message(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    chains = theorems.load()
    missing = {name: chain for name, chain in chains.items() if name != "step"}
    unknown = chains | {"step": msgspec.structs.replace(chains["step"], step=Step(use=("bezout(x=1)",)))}
    for broken, text in ((missing, "no chain for 'step'"), (unknown, "'bezout' is no lemma and no statement")):
        monkeypatch.setattr(theorems, "load", lambda broken=broken: broken)
        assert cli.main(["prove", "step"]) == 2
        assert capsys.readouterr().err == f"error: {text}\n"


def test_a_near_name_is_suggested() -> None:
    with pytest.raises(InputError, match="did you mean 'shape_cast'"):
        lookup(["shapecast"])


def said(monkeypatch: pytest.MonkeyPatch, z3: Any, cvc5: Any) -> Proven:
    monkeypatch.setattr(scripts, "z3", lambda text, seconds: z3)
    monkeypatch.setattr(scripts, "cvc5", lambda text, seconds: cvc5)
    monkeypatch.setattr(coq, "check", lambda *_: coq.Checked("not installed"))
    monkeypatch.setattr(parametric, "run", lambda *_, **__: parametric.Outcome("holds", 1, {"step": 1}))
    (result,) = run_theorems(["step"])
    return result


def test_verdicts_follow_the_solvers(monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(monkeypatch, "unknown", "unsat").verdict == "unknown"
    assert said(monkeypatch, "sat", "sat").verdict == "unknown"
    assert said(monkeypatch, "unsat", "sat").verdict == "disagree"
    assert said(monkeypatch, "sat", "unsat").verdict == "disagree"
    late = said(monkeypatch, "unsat", "unknown")
    assert (late.verdict, late.certified) == ("proved", None)
    assert late.cvc5.startswith("unknown")
    absent = said(monkeypatch, "unsat", None)
    assert (absent.verdict, absent.cvc5, absent.certified) == ("proved", "not installed", None)
    assert absent.coq == "not re-checked here (no coqc here)"


def test_no_time_is_unknown() -> None:
    (result,) = run_theorems(["coalesce"], timeout=1e-9)
    assert result.verdict == "unknown"


@pytest.mark.parametrize("status", ["failed", "assumes"])
def test_coq_that_does_not_confirm_is_not_passed_over(status: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coq, "check", lambda *_: coq.Checked(status, "Axioms: easy"))
    result, trivial = run_theorems(["identity", "fold"])
    assert result.verdict == "unknown"
    assert "easy" in result.note
    assert trivial.verdict == "proved"


def test_a_broken_identity_is_a_disagreement(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = parametric.Identity("step", "coordinate", 1, 2)
    outcome = parametric.Outcome("broken", 1, {"step": 1}, broken, {"c00": 1})
    monkeypatch.setattr(parametric, "run", lambda *_, **__: outcome)
    monkeypatch.setattr(coq, "check", lambda *_: coq.Checked("not installed"))
    step, identity = run_theorems(["step", "identity"])
    assert (step.verdict, identity.verdict) == ("disagree", "proved")


def test_coq_has_its_own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[float, list[str]]] = []

    def check(seconds: float, names: list[str], _: object) -> coq.Checked:
        given.append((seconds, names))
        return coq.Checked("checked")

    monkeypatch.setattr(coq, "check", check)
    run_theorems(["step", "identity"], timeout=0.5)
    run_theorems(["step"], timeout=90)
    assert given == [(60, ["step", "identity"]), (90, ["step"])]


def test_an_interruption_does_not_wait_for_coq(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[bool] = []

    def slow(seconds: float, names: object, stop: Any) -> coq.Checked:
        ended.append(stop.wait(60))
        return coq.Checked("out of time")

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(coq, "check", slow)
    monkeypatch.setattr(scripts, "z3", interrupt)
    with pytest.raises(KeyboardInterrupt):
        run_theorems(["step"])
    assert ended == [True]


def test_results_are_plain_data(everything: list[Proven]) -> None:
    rows = json.loads(render_json(everything))["results"]
    assert rows[0]["question"] == "append"
    assert set(rows[0]) >= {"statement", "precondition", "scope", "z3", "cvc5", "coq", "seconds"}
    assert msgspec.json.decode(msgspec.json.encode(everything[0]), type=Proven) == everything[0]


@pytest.mark.parametrize("name", THEOREMS)
def test_a_page_says_what_is_checked_and_what_is_not(name: str) -> None:
    page = "\n".join(explain_theorem(name))
    for part in ("Holds when", "Why", "Not machine-checked", "Machine-checked", "lemmas:", "Coq:"):
        assert part in page
    assert all(f"    {formal}: " in page for formal in THEOREMS[name].formal)


def positions(text: str) -> dict[tuple[int, int], int]:
    pairs = list(read(text).leaves)
    count = prod(s for s, d in pairs if d == 0)
    threads = range(2 * max((s * d for s, d in pairs), default=1))
    return {(t, k): apply("P", (leaves(pairs), t, k)) for t, k in product(threads, range(count))}


def examples(name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    good, bad = THEOREMS[name].good, THEOREMS[name].bad
    return (good.layouts if good else ()), (bad.layouts if bad else ())


def agree(texts: tuple[str, ...]) -> bool:
    first, second = map(positions, texts)
    return all(first[at] == second[at] for at in first.keys() & second.keys()) and bool(first.keys() & second.keys())


@pytest.mark.parametrize("name", ["coalesce", "shape_cast", "reshape"])
def test_examples_are_what_they_say(name: str) -> None:
    good, bad = examples(name)
    assert agree(good)
    assert not bad or not agree(bad)


def test_the_numbers_of_the_counterexample() -> None:
    _, (source, target) = examples("shape_cast")
    assert (positions(source)[15, 2], positions(target)[15, 2]) == (62, 47)


def test_transpose_examples() -> None:
    for texts, right in zip(examples("transpose_given"), (True, False), strict=True):
        source, target = (PackLayout.parse(text) for text in texts)
        threads = range(16)
        same = all(source.own(t, 0)[::-1] == target.own(t, 0) for t in threads if prod(source.distributed_shape) == 1)
        swapped = all(
            source.own(t, k)[::-1] == target.own(t, k) for t in threads for k in range(prod(source.distributed_shape))
        )
        assert (same and swapped) == right


def test_broadcast_examples() -> None:
    for texts, right in zip(examples("broadcast"), (True, False), strict=True):
        source, target = map(positions, texts)
        size = prod(s for s, _ in read(texts[0]).leaves)
        count = prod(s for s, d in read(texts[0]).leaves if d == 0)
        assert all(source[t, k % count] == p % size for (t, k), p in target.items() if (t, 0) in source) == right


def test_decode_examples() -> None:
    for texts, right in zip(examples("decode"), (True, False), strict=True):
        pairs = sorted(read(texts[0]).leaves, key=lambda leaf: leaf[1])
        made = [
            sum(c * d for c, (_, d) in zip(at, pairs, strict=True)) for at in product(*(range(s) for s, _ in pairs))
        ]
        digits = list(product(*(range(s) for s, _ in pairs)))
        assert all(tuple(t // d % s for s, d in pairs) == at for t, at in zip(made, digits, strict=True)) == right


def test_export_writes_everything(tmp_path: Path) -> None:
    paths = export(str(tmp_path / "out"))
    assert all(Path(path).is_file() for path in paths)
    names = {str(Path(path).relative_to(tmp_path / "out")) for path in paths}
    assert {"README.md", "lemmas/euclid.smt2", "goals/step.1.smt2", "coq/Proofs.v"} <= names
    for path in paths:
        if path.endswith("smt2"):
            text = Path(path).read_text()
            assert text.count("(check-sat)") == 1
    assert scripts.cvc5((tmp_path / "out/goals/decode.cell.1.smt2").read_text(), 20) == "unsat"


def test_export_to_what_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError):
        export(str(tmp_path / "file"))
    with pytest.raises(InputError):
        export(str(tmp_path / "file" / "below"))


def test_modules_that_are_not_needed_stay_away() -> None:
    import subprocess
    import sys

    code = "import sys, layoutcheck.rewrites.theorems, layoutcheck.rewrites.proving as p; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert not {"z3", "cvc5", "sympy"} & set(loaded)
    assert proving.Proven.__struct_fields__
