"""Change one number of any operand layout of the catalog: a mutant that is another function must be refuted
with a witness that replays, one that is the same function must pass. The score is printed.

The reference is the definition, evaluated here at every point.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from layoutcheck import catalog
from layoutcheck.atoms.check import check_entry
from layoutcheck.atoms.entry import Entry
from layoutcheck.atoms.load import load
from layoutcheck.atoms.schema import Mma
from layoutcheck.claim import Claim
from layoutcheck.decide import portfolio
from layoutcheck.notation import parse, read, resolve
from layoutcheck.source import read_file
from layoutcheck.verdict import Diagnostic
from layoutcheck.verify import atom_files

ENTRIES = [
    e
    for path in atom_files(str(Path(catalog.root()) / "atoms"))
    for e in load(read_file(path))[0]
    if not getattr(e.record, "placeholder", None)
]
STRUCTURAL = {"LC105", "LC106"}


def flat(tree: Any) -> list[int]:
    return [tree] if isinstance(tree, int) else [x for t in tree for x in flat(t)]


def grid(text: str) -> list[list[int]] | None:
    """offset[thread][value], or None where an extent is not positive or a stride negative."""
    resolved = resolve(read(text), {})
    shape, stride = resolved.shape, resolved.stride
    assert not isinstance(shape, int)
    assert not isinstance(stride, int)
    if min(flat(shape)) < 1 or min(flat(stride)) < 0:
        return None
    columns = []
    for s, d in zip(shape, stride, strict=True):
        offsets = [0]
        for extent, step in zip(flat(s), flat(d), strict=True):
            offsets = [v + c * step for c in range(extent) for v in offsets]
        columns.append(offsets)
    return [[t + v for v in columns[1]] for t in columns[0]]


def mutants(text: str) -> Iterator[str]:
    for match in re.finditer(r"\d+", text):
        n = int(match.group())
        for other in sorted({0, 1, n - 1, n + 1, 2 * n, n // 2} - {n, -1}):
            yield text[: match.start()] + str(other) + text[match.end() :]


def with_operand(entry: Entry, operand: str, text: str) -> Entry:
    changes: dict[str, Any] = {operand: text}
    return Entry(entry.source, replace(entry.record, **changes), entry.node, entry.name, entry.env, entry.texts)


def replays(entry: Entry, diagnostic: Diagnostic, offsets: list[list[int]] | None) -> bool:
    """Whether the diagnostic's own numbers refute the mutant, by the table of its points alone."""
    witness = diagnostic.witness
    if diagnostic.code in STRUCTURAL:
        return offsets is None
    assert offsets is not None
    threads, values = len(offsets), len(offsets[0])
    held = Counter(o for row in offsets for o in row)
    thr = parse(entry.record.thr).size
    match diagnostic.code:
        case "LC202":
            return witness == {"threads": threads, "lanes": thr} and threads != thr
        case "LC203":
            assert witness is not None
            return witness["product"] == threads * values != witness["expected"]
        case "LC204":
            assert witness is not None
            return set(held.values()) == {witness["held"]} and witness["held"] != witness["declared"]
        case "LC206":
            return witness == {"bits": values, "moved": int(entry.record.bits)}  # type: ignore[union-attr]
        case "LC301":
            assert witness is not None
            places = {(p["thread"], p["value"]) for p in witness["at"]}
            declared = int(getattr(entry.record.replication, diagnostic.operand) or 1)
            same = all(offsets[t][v] == witness["offset"] for t, v in places)
            return same and len(places) >= 2 and held[witness["offset"]] > declared
        case "LC303":
            assert witness is not None
            value = offsets[witness["at"]["thread"]][witness["at"]["value"]]
            return value == witness["offset"] >= witness["limit"] == tile(entry, diagnostic.operand)
        case "LC302":
            assert witness is not None
            return witness["offset"] not in held and witness["offset"] < tile(entry, diagnostic.operand)
        case "LC304":
            assert witness is not None
            counts = [
                Counter(o for row in grid(getattr(entry.record, s)) or [] for o in row)[witness["offset"]]
                for s in ("src", "dst")
            ]
            return counts == [witness["src"], witness["dst"]] and counts[0] != counts[1]
        case "LC207":
            assert witness is not None
            row = offsets[witness["at"]["thread"]]
            bit, width = witness["at"]["bit"], witness["width"]
            first = row[bit - bit % width]
            bad = first % width != 0 if bit % width == 0 else row[bit] != first + bit % width
            return bad and row[bit] == witness["offset"]
    return False


def tile(entry: Entry, operand: str) -> int:
    assert isinstance(entry.record, Mma)
    m, n, k = map(int, entry.record.mnk)
    return prod({"a": (m, k), "b": (n, k)}.get(operand, (m, n)))


def operands(entry: Entry) -> tuple[str, ...]:
    return ("a", "b", "c") if isinstance(entry.record, Mma) else ("src", "dst")


@pytest.mark.usefixtures("fresh_memo")
def test_every_mutant_gets_its_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    refuted = same = 0
    survivors = []
    seen = set()
    for entry in ENTRIES:
        for operand in operands(entry):
            original = getattr(entry.record, operand)
            base = grid(original)
            for text in mutants(original):
                key = (operand, text, original, entry.record.thr, getattr(entry.record, "mnk", None))
                if key in seen:
                    continue
                seen.add(key)
                offsets = grid(text)
                _, said = check_entry(with_operand(entry, operand, text), certify=True, timeout=10)
                # a mutant that no oracle is asked about leaves the original's suppression of LC407 unused
                found = [d for d in said if not d.suppressed and d.code != "LC905"]
                if offsets == base:
                    claim = Claim("equal", parse(original).digits, other=parse(text).digits)
                    verdict = portfolio.decide(claim)
                    same += not found and verdict.status == "proved" and verdict.certified is not None
                    ok = not found
                else:
                    # the finding may stand on the other side of a copy, against an unchanged layout
                    ok = any(
                        replays(
                            with_operand(entry, operand, text),
                            d,
                            grid(text) if d.operand == operand else base_of(entry, d),
                        )
                        for d in found
                    ) and all(d.severity == "error" for d in found)
                    refuted += ok
                if not ok:
                    survivors.append((entry.name, operand, text, [d.code for d in found]))
    total = len(seen)
    with capsys.disabled():
        score = f"{refuted} refuted with a replayed witness + {same} same function = {refuted + same} of {total}"
        print(f"\nmutation score: {score}")
    assert not survivors
    assert refuted + same == total
    assert total > 1000


def base_of(entry: Entry, diagnostic: Diagnostic) -> list[list[int]] | None:
    return grid(getattr(entry.record, diagnostic.operand))
