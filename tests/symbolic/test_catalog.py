"""The catalog's families: proved, exact, and the formulas that FlyDSL's published layouts come from."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from layoutcheck import inttuple
from layoutcheck.notation import parse
from layoutcheck.symbolic.layout import parse as symbolic
from layoutcheck.symbolic.layout import truncated
from layoutcheck.symbolic.operand import Operand
from layoutcheck.symbolic.outside import outside

from ..conftest import DATA
from .families import asked, entries, report, reports, verdict

EXACT = {
    "cdna3.mfma": "64 % mn == 0 and mn*k % 64 == 0 and mn*mn % 256 == 0",
    "cdna4.mfma_scale": "64 % mn == 0 and mn*k % 64 == 0 and mn*mn % 256 == 0",
    "gfx11.wmma": "always",
    "gfx120x.wmma": "k % 2 == 0",
    "gfx1250.wmma.16x16x{k}.{w}": "k % (2*w) == 0",
    "gfx1250.wmma.16x16x{k}.{w}.c16": "k % (2*w) == 0",
    "gfx1250.wmma_scale": "m == 16 and k % (2*w) == 0",
    "copy": "bits % w == 0",
    "lds_read_trans": "g % w == 0 and bits % g == 0",
}


def test_every_family_is_analysed() -> None:
    assert len(reports()) == len(entries()) == len(EXACT)


@pytest.mark.parametrize("name", EXACT)
def test_proved_for_all_parameters_under_requires_which_is_exact(name: str) -> None:
    found = report(name).verdicts
    assert {v.verdict for v in found} == {"proved"}
    assert found[-1].question == "all"
    assert found[-1].precondition == EXACT[name]
    assert found[-1].necessary
    assert found[-1].requires == ("exact" if report(name).requires else None)


@pytest.mark.parametrize("name", [n for n in EXACT if "." in n])
def test_operands_of_every_getter_are_bijective_both_ways(name: str) -> None:
    for operand in "abc":
        found = verdict(report(name).verdicts, "bijective", operand)
        assert found.verdict == "proved"
        assert found.sufficient
        assert found.necessary


def texts(name: str) -> dict[str, str]:
    record = next(e.record for e in entries() if e.record.name.startswith(name))
    return {operand: getattr(record, operand) for operand in "abc"}


def published() -> Iterator[tuple[str, int, int, int, str, tuple[str, str, str]]]:
    """(FlyDSL type, m, n, k, the whole type, layouts of A, B and C) of every MMA type that FlyDSL accepts."""
    table: dict[str, Any] = json.loads(gzip.decompress((DATA / "flydsl_atoms.json.gz").read_bytes()))
    for text, _, _, a, b, c in table["mma"]:
        found = re.match(r"!fly_rocdl\.([\w.]+)<(\d+)x(\d+)x(\d+), \((\w+), (\w+)\) -> (\w+)", text)
        if found:
            yield found[1], int(found[2]), int(found[3]), int(found[4]), text, (a, b, c)


def formulas(family: str, text: str, m: int, k: int) -> tuple[tuple[str, str, str], tuple[dict[str, int], ...]]:
    """The catalog's formulas for a type, and the parameters of A, B and C."""
    elements = re.search(r"\((\w+), (\w+)\) -> (\w+)", text)
    assert elements
    bits = [int(re.sub(r"E\w+|\D", "", e)) for e in elements.groups()]
    w = [{32: 2, 16: 8, 8: 8}.get(b, 32 if family.endswith("scale") else 8) for b in bits]
    if family == "cdna3.mfma" or family == "cdna4.mfma_scale":
        chosen, envs = texts(family), ({"mn": m, "k": k},) * 3
    elif family == "gfx1250.wmma_scale":
        chosen, envs = texts(family), ({"m": m, "k": k, "w": w[0]}, {"m": m, "k": k, "w": w[1]}, {"m": m})
    elif family == "gfx1250.wmma":
        name = f"{family}.16x16x{{k}}.{{w}}" + (".c16" if bits[2] == 16 else "")
        chosen = next(texts(e.record.name) for e in entries() if e.record.name == name)
        envs = ({"k": k, "w": w[0]}, {"k": k, "w": w[1]}, {})
    else:
        chosen, envs = texts(family), ({"k": k},) * 3
    return (chosen["a"], chosen["b"], chosen["c"]), envs


PUBLISHED = list(published())


def test_there_are_types_of_every_getter() -> None:
    kinds = {family for family, *_ in PUBLISHED}
    assert kinds == {
        "cdna3.mfma", "cdna4.mfma_scale", "gfx11.wmma", "gfx120x.wmma", "gfx1250.wmma", "gfx1250.wmma_scale"
    }  # fmt: skip
    assert len(PUBLISHED) > 500


def test_the_formulas_give_every_published_layout() -> None:
    """C++'s truncating division included: 33 sizes of cdna3.mfma, among them those whose layouts have no value."""
    same_text = same_function = 0
    for family, m, _, k, text, layouts in PUBLISHED:
        chosen, envs = formulas(family, text, m, k)
        for formula, env, wanted in zip(chosen, envs, layouts, strict=True):
            found = truncated(symbolic(formula, tuple(env)), env)
            shown = f"{inttuple.text(found.shape)}:{inttuple.text(found.stride)}"
            if shown == wanted:
                same_text += 1
                continue
            # ((16,2),(2,1)) for ((16,2),2), and the one of 32 rows with k in one mode
            mine, theirs = parse(shown), parse(wanted)
            assert [mine(i) for i in range(mine.size)] == [theirs(i) for i in range(theirs.size)], (text, shown, wanted)
            same_function += 1
    assert same_text + same_function == 3 * len(PUBLISHED)
    assert same_function < 50 < same_text


def operand(name: str, letter: str, tile: tuple[str, ...], threads: str, copies: str = "1") -> Operand:
    return Operand(letter, texts(name)[letter], tile, threads, copies)


@pytest.mark.parametrize(
    ("name", "letter", "tile", "threads", "env", "unmet"),
    [
        ("cdna3.mfma", "a", ("mn", "k"), "64", {"mn": 32, "k": 1}, ["mn*k % 64 == 0"]),
        ("cdna3.mfma", "a", ("mn", "k"), "64", {"mn": 4, "k": 4}, ["mn*k % 64 == 0"]),
        ("cdna3.mfma", "c", ("mn", "mn"), "64", {"mn": 4}, ["mn*mn % 256 == 0"]),
        ("cdna3.mfma", "c", ("mn", "mn"), "64", {"mn": 5}, ["64 % mn == 0", "mn*mn % 256 == 0"]),
        ("cdna4.mfma_scale", "b", ("mn", "k"), "64", {"mn": 32, "k": 3}, ["mn*k % 64 == 0"]),
        ("gfx120x.wmma", "a", ("16", "k"), "32", {"k": 7}, ["k % 2 == 0"]),
        ("gfx1250.wmma.", "b", ("16", "k"), "32", {"k": 8, "w": 8}, ["k % (2*w) == 0"]),
        ("gfx1250.wmma_scale", "a", ("m", "k"), "32", {"m": 24, "k": 64, "w": 8}, ["32 % m == 0"]),
        ("gfx1250.wmma_scale", "c", ("m", "16"), "32", {"m": 32}, ["m == 16"]),
    ],
)
def test_sizes_outside_are_named(
    name: str, letter: str, tile: tuple[str, ...], threads: str, env: dict[str, int], unmet: list[str]
) -> None:
    found = outside(asked(operand(name, letter, tile, threads)), env)
    assert set(unmet) <= set(found.unmet)


def test_32x16x128_holds_elements_of_c_twice() -> None:
    """FlyDSL accepts it; its C keeps the stride of 16 rows."""
    found = outside(asked(operand("gfx1250.wmma_scale", "c", ("m", "16"), "32")), {"m": 32}).witness
    assert found["reason"] == "held-twice"
    layout = parse("((16,2),16):((16,16),1)")
    assert {layout((p["thread"], p["value"])) for p in found["at"]} == {found["offset"]}


def test_the_catalog_names_sizes_outside() -> None:
    """What FlyDSL accepts and people write: each is wrong in an operand, and the tool says where."""
    rows = {tuple(row.parameters.values()): row for r in reports() for row in r.outside if r.name.startswith("cdna3")}
    assert set(rows) == {(32, 1), (4, 4), (5, 7), (32, 3)}
    every = [row for r in reports() for row in r.outside]
    assert len(every) > 10
    assert all(row.question and row.witness and not row.note for row in every)
