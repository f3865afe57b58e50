"""`show ARCH INSTRUCTION`: every line against the vendor's table."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest

from layoutcheck import cli, instructions, registers

from .test_instructions import ARCHS, VENDOR


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("cdna3", "v_mfma_f32_4x4x4_16b_f16"),
        ("cdna3", "v_smfmac_f32_16x16x32_f16"),
        ("cdna2", "v_mfma_f64_4x4x4f64"),
        ("rdna3", "v_wmma_f16_16x16x16_f16"),
        ("rdna4", "v_wmma_i32_16x16x32_iu4"),
    ],
)
@pytest.mark.parametrize("by", ["register", "element"])
def test_csv_is_the_vendors_table(key: str, name: str, by: str, capsys: pytest.CaptureFixture[str]) -> None:
    arch = ARCHS[key][0]
    assert cli.main(["show", arch, name, "--by", by, "-o", "csv"]) == 0
    lines = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    row = next(r for r in VENDOR["instructions"] if (r["arch"], r["inst"]) == (key, name))
    for wave, operands in row["wave"].items():
        for operand, facts in operands.items():
            if operand == "c":
                continue
            letter = {"k": "index"}.get(operand, operand.upper())
            mine = {
                (line["register"], int(line["lane"])): line["element"]
                for line in lines
                if (line["wave"], line["operand"]) == (wave, letter)
            }
            table = VENDOR["maps"][facts["map"]]
            assert len(mine) == len(table) * len(table[0])
            for lane, offsets in enumerate(table):
                for value, offset in enumerate(offsets):
                    start = value * facts["pitch"]
                    register = f"v{start // 32}"
                    if facts["bits"] > 32:
                        register = f"v[{start // 32 + 1}:{start // 32}]"
                    elif facts["bits"] < 32:
                        register += f"[{start % 32 + facts['bits'] - 1}:{start % 32}]"
                    first, second = row["n" if operand == "b" else "m"], row["n" if operand == "d" else "k"]
                    i, j = offset % first, offset // first % (second // facts["group"])
                    numbers = [int(x) for x in re.findall(r"\d+", mine[register, lane])]
                    assert numbers[:2] == [i, j * facts["group"]]
                    if row["blocks"] > 1:
                        assert numbers[-1] == offset // (first * second)


@pytest.mark.parametrize("arch", instructions.FILES)
def test_every_instruction_can_be_shown(arch: str) -> None:
    for name in instructions.names(arch):
        lines = list(registers.show(arch, name))
        assert any(line.startswith("confidence ") for line in lines)
        assert len(lines) > 30


def test_json_has_the_facts(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["show", "gfx950", "v_mfma_scale_f32_16x16x128_f8f6f4", "-o", "json"]) == 0
    (result,) = json.loads(capsys.readouterr().out)["results"]
    assert {i["confidence"] for i in result["instruction"]} == {"A-", "B+", "B"}
    assert any(o["layout"] is None for i in result["instruction"] for o in i["operands"])
    assert {r["operand"] for r in result["registers"]} == {"A", "B", "D"}


def test_what_there_is_not(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["show", "gfx942", "v_mfma_f32_16x16x16_f17"]) == 2
    assert "did you mean 'v_mfma_f32_16x16x16_f16'" in capsys.readouterr().err
    assert cli.main(["show", "gfx9", "x"]) == 2
    assert cli.main(["show", "sm_90", "x"]) == 2
    assert cli.main(["show", "gfx942"]) == 2
    assert cli.main(["show"]) == 2


def test_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["show", "--list", "instructions", "-o", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)["results"]
    vendor = {arch: sum(r["arch"] == key for r in VENDOR["instructions"]) for key, a in ARCHS.items() for arch in a}
    assert {arch: sum(r["arch"] == arch for r in rows) for arch in vendor} == vendor
