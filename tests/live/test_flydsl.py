"""The installed FlyDSL, asked in child processes: what it publishes is graded, and neither aborts nor hangs stop us."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from layoutcheck import cli, published
from layoutcheck.errors import InputError
from layoutcheck.live import flydsl
from layoutcheck.source import Source

DATA: dict[str, Any] = json.loads(
    gzip.decompress((Path(__file__).parents[1] / "data" / "flydsl_atoms.json.gz").read_bytes())
)
MMA = {row[0]: row for row in DATA["mma"]}
RDNA4 = [t for t in MMA if "gfx120x" in t and ("(f16, f16)" in t or "(bf16, bf16)" in t)]


def copies() -> dict[str, list[Any]]:
    return {f"!fly.copy_atom<{row[0]}, {row[1]}>": row for row in DATA["copy"]}


def check(texts: list[str]) -> list[dict[str, Any]]:
    checked, _ = published.check_types(Source("types", "\n".join(texts)), certify=True, timeout=10)
    assert [c.text for c in checked] == texts
    return [c.as_dict() for c in checked]


def test_flydsl_is_here() -> None:
    assert flydsl.installed(), flydsl.MISSING


def test_a_few_of_each() -> None:
    lowered = {t: row for t, row in MMA.items() if row[1] == "ok"}
    texts = [*RDNA4, *list(lowered)[::9], *DATA["mma_rejected"][:3], *DATA["mma_abort"][:3]]
    answers = flydsl.publish(texts)
    for text, answer in zip(texts, answers, strict=True):
        if text in lowered:
            assert answer.status == "ok"
            assert [answer.layouts[x] for x in ("thr", "a", "b", "c")] == lowered[text][2:]
    assert [a.status for a in answers[-6:]] == ["rejected"] * 3 + ["crashed"] * 3
    assert all(a.signal for a in answers[-3:])
    graded = check(texts)
    assert [(g["status"], g["grade"], g["codes"]) for g in graded[:2]] == [("ok", "relabelled", ["LC407"])] * 2
    assert all(g["permutation"] == {"k": [[4, 8], [5, 9], [6, 10], [7, 11]]} for g in graded[:2])


def test_no_instruction_though_every_invariant_holds() -> None:
    text = "!fly_rocdl.cdna3.mfma<16x16x1000, (f16, f16) -> f32>"
    (answer,) = check([text])
    assert (answer["status"], answer["codes"], answer["grade"]) == ("finding", ["LC405"], "no-oracle")


def test_scaled_atoms() -> None:
    fp8 = "!fly_rocdl.cdna4.mfma_scale<16x16x128, (f8E4M3FN, f8E4M3FN) -> f32, opselA = 0, opselB = 0>"
    fp4 = fp8.replace("f8E4M3FN", "f4E2M1FN")
    wide = next(t for t in MMA if "gfx1250.wmma_scale<16x16x128, (f8E4M3FN, f8E4M3FN)" in t and "= 32" in t)
    broken, right, kept, lowered = check([fp8, fp4, wide, wide.replace("blockSize = 32", "blockSize = 16")])
    assert (broken["codes"], broken["status"]) == (["LC403"], "finding")
    assert broken["scale_blocks"] == {"32": "broken", "16": "kept"}
    assert (right["grade"], right["codes"]) == ("exact", [])
    assert (kept["codes"], kept["scale_blocks"]) == (["LC407"], {"32": "kept", "16": "broken"})
    assert (lowered["codes"], lowered["status"]) == (["LC403"], "ok")  # compilers' word only: a warning


def test_what_is_no_atom_is_rejected() -> None:
    assert [c["status"] for c in check(["i32", "!fly_rocdl.cdna3.buffer_copy<32>", "no type at all"])] == [
        "rejected"
    ] * 3


def test_jsonl_and_exit_codes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "types.txt"
    path.write_text(f"# two that are relabelled\n{RDNA4[0]}\n\n{DATA['mma_rejected'][0]}\n")
    assert cli.main(["verify", "--types", str(path), "-o", "jsonl"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    keys = {"type", "status", "codes", "grade", "permutation", "scale_blocks", "witness"}
    assert [set(line) for line in lines] == [keys] * 2
    out = tmp_path / "types.jsonl"
    assert cli.main(["verify", "--types", str(path), "-o", "jsonl", "--output-file", str(out)]) == 0
    assert [json.loads(line) for line in out.read_text().splitlines()] == lines
    assert capsys.readouterr().out == ""
    path.write_text(DATA["mma_abort"][0])
    assert cli.main(["verify", "--types", str(path)]) == 1
    assert "LC904" in capsys.readouterr().out
    path.write_text("\n")
    assert cli.main(["verify", "--types", str(path)]) == 2
    assert cli.main(["verify", "--types", str(path), "--catalog"]) == 2
    assert cli.main(["verify", "-o", "jsonl"]) == 2


def test_without_flydsl_it_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(flydsl, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="not installed"):
        flydsl.publish(["i32"])
    assert cli.main(["show", RDNA4[0]]) == 0
    assert "the catalog (flydsl is not installed here)" in capsys.readouterr().out
    assert cli.main(["verify", "--catalog", "--against", "flydsl"]) == 2
    assert "flydsl is not installed here" in capsys.readouterr().err


def test_a_worker_that_hangs_is_ended_and_the_next_text_answered() -> None:
    """The worker itself, with a stand-in for the bindings: one text sleeps, one aborts."""
    script = (
        "import os, sys, time, types, json, io\n"
        "for name in ('flydsl', 'flydsl._mlir', 'flydsl._mlir.ir', 'flydsl._mlir.dialects',\n"
        "             'flydsl._mlir.dialects.fly', 'flydsl._mlir.dialects.fly_rocdl'):\n"
        "    sys.modules[name] = types.ModuleType(name)\n"
        "from layoutcheck.live import worker\n"
        "worker.SECONDS = 1\n"
        "def answer(text):\n"
        "    if text == 'hang': time.sleep(60)\n"
        "    if text == 'abort': os.abort()\n"
        "    return {'status': 'ok'}\n"
        "worker.answer = answer\n"
        "sys.stdin = io.StringIO(json.dumps(['a', 'hang', 'b', 'abort', 'abort', 'c']))\n"
        "worker.main()\n"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    answers = [json.loads(line) for line in out.splitlines()]
    assert [a["status"] for a in answers] == ["ok", "crashed", "ok", "crashed", "crashed", "ok"]
    assert [a.get("signal") for a in answers] == [None, "SIGALRM", None, "SIGABRT", "SIGABRT", None]


def test_against_shows_where_the_catalog_parts_from_the_compiler(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["verify", "--catalog", "--against", "flydsl", "-o", "json"]) == 1
    report = json.loads(capsys.readouterr().out)
    drift = [d for d in report["diagnostics"] if d["code"] == "LC408"]
    atoms = Counter(d["atom"].split(".")[0] + "." + d["atom"].split(".")[1] for d in drift)
    assert atoms == {
        "cdna4.mfma_scale": 16,  # 4 pairs of 8-bit types, two shapes, A and B
        "gfx1250.wmma": 10,  # C of 16 bits
        "gfx1250.wmma_scale": 20,  # each 8-bit operand: 4 * 2 + 12
        "gfx1250.wmma_scale16": 20,
    }
    one = next(d for d in drift if d["atom"].startswith("cdna4.mfma_scale.16x16x128.f8E4M3FN.f8E4M3FN"))
    assert one["witness"]["published"] == "((16,4),32):((1,512),16)"
    assert one["witness"]["file"] != one["witness"]["compiler"]


def test_a_placeholder_is_unsupported_and_no_finding() -> None:
    texts = [t for t, row in copies().items() if row[2] is None]
    assert texts
    assert {(s["status"], *s["codes"]) for s in check(texts)} == {("ok", "LC903")}


@pytest.mark.slow
def test_every_type_text_gets_a_status() -> None:
    copy = copies()
    crashing = [f"!fly.copy_atom<{op}, {width}>" for op, width in DATA["copy_abort"]]
    refused = [f"!fly.copy_atom<{op}, 32>" for op in DATA["copy_rejected"]]
    texts = [*MMA, *DATA["mma_rejected"], *DATA["mma_abort"], *copy, *crashing, *refused]
    assert (len(MMA), len(DATA["mma_rejected"]), len(DATA["mma_abort"])) == (572, 2885, 50)
    said = dict(zip(texts, check(texts), strict=True))
    status = {t: s["status"] for t, s in said.items()}
    assert {status[t] for t in MMA} == {"ok", "finding"}
    assert {status[t] for t in DATA["mma_rejected"]} == {"rejected"}
    assert {status[t] for t in DATA["mma_abort"]} == {"crashed"}
    assert {status[t] for t in copy} == {"ok", "finding"}
    assert {status[t] for t in crashing} == {"crashed"}
    assert {status[t] for t in refused} == {"rejected"}
    assert all(said[t]["grade"] == "relabelled" and status[t] == "ok" for t in RDNA4)
    for text, row in copy.items():  # the bits it claims, against those it moves
        if row[2] is None:  # placeholder layouts, which claim no bits: nothing may be found in them
            assert ".tdm<" in text
            assert (status[text], said[text]["codes"]) == ("ok", ["LC903"])
            continue
        legal = row[2] > 0 and row[2] % row[1] == 0
        assert legal or status[text] == "finding"
    lowered = [t for t, row in MMA.items() if row[1] == "ok"]
    vendor = [t for t in lowered if any(x in t for x in ("cdna3", "gfx11.", "gfx120x"))]
    grades = Counter(said[t]["grade"] for t in vendor)
    assert grades == {"exact": 35, "relabelled": 2, "no-oracle": 2}  # no-oracle: two that mix OCP and FNUZ, LC405
    assert [t for t in vendor if said[t]["codes"] == ["LC405"]] == [t for t in vendor if "(f8E4M3FN, f8E4M3FNUZ)" in t]
