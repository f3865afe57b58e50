"""Public bugs as index maps: a failing and a mended file each; line 1 names the rule and the smallest parameters."""

from __future__ import annotations

from pathlib import Path

import pytest

from layoutcheck import check
from layoutcheck.atoms.check import check_source
from layoutcheck.source import read_file
from layoutcheck.swizzle import Swizzle
from layoutcheck.verdict import Diagnostic, listed

FOLDER = Path(__file__).parent / "cases" / "maps"
FILES = sorted(FOLDER.glob("*.atom.yaml"))


def found(path: Path, **narrow: str) -> list[Diagnostic]:
    wanted = {name: frozenset((value,)) for name, value in narrow.items()}
    return check_source(read_file(str(path)), certify=True, timeout=20, narrow=wanted)[1]


def bad(row: int) -> Path:
    return next(p for p in FILES if p.name.startswith(f"{row}-") and ".bad." in p.name)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name.removesuffix(".atom.yaml"))
def test_says_what_its_first_line_expects(path: Path) -> None:
    code, _, parameters = path.read_text().splitlines()[0].removeprefix("# expect: ").partition(" ")
    said = found(path)
    if code == "nothing":
        assert not said
        return
    (diagnostic,) = said
    assert diagnostic.code == code
    assert diagnostic.members is not None
    assert parameters in listed(diagnostic.members.parameters)


def test_every_row_has_both_files() -> None:
    rows = {30, 53, 55, 56, 58, 59, 70, 73, 75, 76}
    for kind in ("bad", "good"):
        assert {int(p.name[:2]) for p in FILES if f".{kind}." in p.name} == rows


def test_group_of_8_on_a_grid_of_9() -> None:
    (said,) = found(bad(75), m="9")
    assert said.witness == {"kind": "outside", "at": {"pid": 33}, "image": [9, 0], "onto": [9, 4]}
    assert "36 of 36 images are distinct" in said.counterexample
    assert 33 // 32 * 8 + 33 % 8 == 9
    assert not found(bad(75), m="16")


def test_18_groups_on_8_xcds() -> None:
    (said,) = found(bad(76), n="18")
    assert said.witness == {"kind": "collision", "at": [{"pid": 1}, {"pid": 16}], "image": [2]}
    assert "16 of 18 images are distinct" in said.counterexample
    assert len({p % 8 * 2 + p // 8 for p in range(18)}) == 16
    assert not found(bad(76), n="16")


def test_seven_loads_of_eight_bytes() -> None:
    (said,) = found(bad(30), owned="56")
    assert said.witness == {"kind": "missing", "image": [48]}


@pytest.mark.parametrize("bits", [1, 2, 3])
@pytest.mark.parametrize("base", [2, 3, 4])
def test_a_swizzle_recast_to_twice_the_width(bits: int, base: int) -> None:
    """Row 26: base and bits exchanged; where they are equal after the recast, nothing shows."""
    right, wrong = Swizzle(bits, base - 1, 3), Swizzle(base - 1, bits, 3)
    differs = next((x for x in range(512) if right(x) != wrong(x)), None)
    result = check.equal(*(f"S<{s.bits},{s.base},3> o 0 o 512:1" for s in (right, wrong)))
    assert result.verdict == ("proved" if differs is None else "refuted")
    assert (differs is None) == (bits == base - 1)
    if (bits, base) == (2, 4):
        assert result.witness == {"index": 32, "left": 32, "right": 36}
    elif differs is not None:
        assert result.witness is not None
        at = result.witness["index"]
        assert (right(at), wrong(at)) == (result.witness["left"], result.witness["right"])
