"""The swizzle: by the definition, bit by bit; as CuTe and FlyDSL write it."""

from __future__ import annotations

import subprocess
import sys
from itertools import product

import pytest

from layoutcheck import Layout, parse
from layoutcheck.errors import NotationError, Unsupported
from layoutcheck.swizzle import Swizzle

from .reference import swizzled


def test_by_the_definition() -> None:
    for bits, base, shift, start in product(range(4), range(3), range(-4, 5), (0, 5)):
        swizzle = Swizzle(bits, base, shift, start)
        if not swizzle.permutes:
            continue
        for value in range(300):
            assert swizzle(value) == swizzled(value, swizzle)
            assert swizzle.xor(swizzle.xor(value)) == value
        assert {swizzle.xor(v) for v in range(1 << swizzle.width)} == set(range(1 << swizzle.width))


def test_where_shift_is_too_small_it_may_not_permute() -> None:
    assert not Swizzle(2, 0, 1).permutes
    assert not Swizzle(1, 0, 0).permutes
    assert len({Swizzle(1, 0, 0)(v) for v in range(4)}) < 4


def test_case_26() -> None:
    """CASES.md row 26: S<3,2,3> where S<2,3,3> was meant; offset 32 tells them apart."""
    assert Swizzle(2, 3, 3)(32) == 32
    assert Swizzle(3, 2, 3)(32) == 36


TEXTS = {
    "S<3,4,3> o 0 o (8,8):(8,1)": Layout((8, 8), (8, 1), "colex", Swizzle(3, 4, 3)),
    "Sw<3,4,3> o _0 o (_8,_8):(_8,_1)": Layout((8, 8), (8, 1), "colex", Swizzle(3, 4, 3)),
    "S<2,0,-3> o 16 o 64:1": Layout(64, 1, "colex", Swizzle(2, 0, -3, 16)),
    "!fly.composed_layout<S<3,4,3> o 16 o (8,8):(8,1)>": Layout((8, 8), (8, 1), "colex", Swizzle(3, 4, 3, 16)),
    "16 o 64:1": Layout(64, 1, "colex", Swizzle(0, 0, 0, 16)),
}


@pytest.mark.parametrize("text", TEXTS)
def test_texts(text: str) -> None:
    assert parse(text) == TEXTS[text]
    assert parse(str(parse(text))) == TEXTS[text]


BROKEN = [
    ("S<x,4,3> o 0 o 3:1", 2),
    ("S<9,2000,3> o 0 o 3:1", 2),
    ("S<-1,4,3> o 0 o 3:1", 2),
    ("S<3,4,3> o 0 o 3", 16),
    ("S<3,4> o 3:1", 3),
    ("9" * 500 + " o 3:1", 0),
]


@pytest.mark.parametrize(("text", "column"), BROKEN)
def test_broken_texts(text: str, column: int) -> None:
    with pytest.raises(NotationError) as caught:
        parse(text)
    assert caught.value.column == column


def test_no_swizzle_in_iree_texts() -> None:
    with pytest.raises(NotationError):
        parse("#iree_map.pack_map<S<3,4,3> o 0 o (8,8):(8,1)>")


def test_evaluation_and_modes() -> None:
    layout = parse("S<1,0,1> o 2 o (4,2):(1,4)")
    assert [layout(x) for x in range(8)] == [swizzled(x, Swizzle(1, 0, 1, 2)) for x in range(8)]
    assert layout((3, 1)) == layout(7)
    with pytest.raises(Unsupported):
        layout.mode(0)


_FLYDSL = """
import sys
from flydsl._mlir import ir
from flydsl._mlir.dialects import fly
with ir.Context():
    for text in sys.argv[1:]:
        print(ir.Type.parse(text))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="FlyDSL's wheel is for Linux on x86-64")
def test_flydsl_prints_what_we_read() -> None:
    """FlyDSL's parser accepts our text inside its type and prints it back. In a child process: it aborts at times."""
    texts = [f"!fly.composed_layout<{parse(text)}>" for text in TEXTS if parse(text).swizzle != Swizzle(0, 0, 0, 16)]
    ran = subprocess.run([sys.executable, "-c", _FLYDSL, *texts], capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    printed = ran.stdout.split("\n")[:-1]
    assert [parse(line) for line in printed] == [parse(text) for text in texts]
    assert printed == texts
