"""Change one number of any operand of the catalog: the oracle's grade must be the one that the definition gives.

The definition is evaluated here, at every point, from the instruction's map: nothing of the decider is used. Each
mutant that is another function must also be told by some rule; the score is printed.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import pytest
from msgspec.structs import replace

from layoutcheck import instructions
from layoutcheck.atoms.check import check_entry
from layoutcheck.atoms.entry import Entry, fill
from layoutcheck.atoms.schema import Mma
from layoutcheck.instructions import Instruction
from layoutcheck.layout import Layout

from .test_mutation import ENTRIES, grid, mutants

Grid = list[list[int]]


def instruction_of(entry: Entry) -> Instruction | None:
    record = entry.record
    if not isinstance(record, Mma) or record.instruction is None:
        return None
    rows = instructions.named(fill(record.arch or "", entry.texts), fill(record.instruction, entry.texts))
    a, b, c = (
        entry.texts.get(t, t) for t in (record.elements.a or "", record.elements.b or "", record.elements.c or "")
    )
    return next(r for r in rows if instructions.has_types(r, (a, b, c)))


@cache
def table(layout: Layout) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(layout((t, v)) for v in range(layout.mode(1).size)) for t in range(layout.mode(0).size))


def images(pairs: list[tuple[Any, Any, int, int, int]]) -> tuple[dict[str, dict[int, set[int]]], bool]:
    """For each axis, what every coordinate of the hardware becomes, over all operands; and whether all are inside."""
    out: dict[str, dict[int, set[int]]] = {}
    inside = True
    for names, (mine, theirs), first, second, threads in pairs:
        for t in range(threads):
            for left, right in zip(mine[t], theirs[t], strict=True):
                for axis, x, y in ((names[0], left % first, right % first), (names[1], left // first, right // first)):
                    out.setdefault(axis, {}).setdefault(y, set()).add(x)
                inside = inside and left < first * second
    return out, inside


def permutes(out: dict[str, dict[int, set[int]]]) -> bool:
    """Whether every axis is a permutation."""
    for of in out.values():
        if any(len(x) > 1 for x in of.values()):
            return False
        if len({next(iter(x)) for x in of.values()}) < len(of):
            return False
    return True


def definition(mine: dict[str, Grid], hardware: dict[str, Grid], mnk: tuple[int, int, int]) -> str:
    """exact, relabelled, transposed or wrong, by the text of SEMANTICS."""
    if any([len(mine[x]), len(mine[x][0])] != [len(hardware[x]), len(hardware[x][0])] for x in mine):
        return "wrong"
    if all([list(row) for row in hardware[x]] == mine[x] for x in mine):
        return "exact"
    m, n, k = mnk
    tiles = {"a": ("mk", m, k), "b": ("nk", n, k), "c": ("mn", m, n)}
    straight, inside = images(
        [(names, (mine[x], hardware[x]), p, q, len(mine[x])) for x, (names, p, q) in tiles.items() if x in mine]
    )
    if inside and permutes(straight):
        return "relabelled"
    if m != n or set(mine) != set("abc"):
        return "wrong"
    turned = [[o // m + m * (o % m) for o in row] for row in hardware["c"]]
    swapped = {"a": hardware["b"], "b": hardware["a"], "c": turned}
    other, inside = images([(names, (mine[x], swapped[x]), p, q, len(mine[x])) for x, (names, p, q) in tiles.items()])
    return "transposed" if inside and permutes(other) else "wrong"


def cases() -> list[tuple[Entry, Instruction]]:
    """One entry for each combination of layouts and instruction maps."""
    seen = {}
    for entry in ENTRIES:
        row = instruction_of(entry)
        if row is not None and isinstance(entry.record, Mma):
            maps = tuple(str(o.map) for operands in row.operands.values() for o in operands.values())
            key = (entry.record.a, entry.record.b, entry.record.c, maps, row.scale)
            seen.setdefault(key, (entry, row))
    return list(seen.values())


def test_every_mutant_gets_the_grade_of_the_definition(capsys: pytest.CaptureFixture[str]) -> None:
    wrong: list[Any] = []
    grades: Counter[str] = Counter()
    told = 0
    for entry, row in cases():
        assert isinstance(entry.record, Mma)
        threads = 64 if 64 in row.operands and entry.record.thr == "64:1" else 32
        known = {x: row.operands[threads]["d" if x == "c" else x].map for x in "abc"}
        hardware = {x: [list(r) for r in table(h)] for x, h in known.items() if h is not None}
        written = {x: grid(getattr(entry.record, x)) for x in "abc"}
        for operand in hardware:
            for text in mutants(getattr(entry.record, operand)):
                mutant = grid(text)
                changed = {x: mutant if x == operand else written[x] for x in hardware}
                if mutant is None:
                    continue  # no layout at all: LC105 and LC106, not the oracle
                expected = definition({x: g for x, g in changed.items() if g}, hardware, row.mnk)
                atom = replace(entry, record=replace(entry.record, **{operand: text}, ignore=[]))
                (instance,), found = check_entry(atom, certify=False, timeout=10, hint=False)
                grade = (instance.oracle or {}).get("grade")
                if len(hardware) < 3 and expected in ("exact", "relabelled"):
                    expected = "no-oracle"
                grades[expected] += 1
                codes = {d.code for d in found}
                silent = expected in ("exact", "no-oracle") and not codes - {"LC407"}
                spoken = expected == "relabelled" and codes <= {"LC407", "LC403"} and len(codes) == 1
                caught = expected in ("wrong", "transposed") and bool(codes)
                told += silent or spoken or caught
                if grade != expected or not (silent or spoken or caught):
                    wrong.append((entry.name, operand, text, grade, expected, codes))
    total = sum(grades.values())
    with capsys.disabled():
        right = total - len(wrong)
        print(f"\nmutation score with the oracle: {right} of {total} graded as defined {dict(grades)}, {told} told")
    assert not wrong, wrong[:5]
    assert total > 500
    assert min(grades[g] for g in ("exact", "wrong")) > 0
