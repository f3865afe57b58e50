"""Bugs that really happened, each as the smallest atom file, with what must be said; and what must stay silent."""

from __future__ import annotations

from typing import Any

import pytest

from layoutcheck.atoms.check import check_source
from layoutcheck.source import Source
from layoutcheck.verdict import Diagnostic


def mma(mnk: str, thr: str, a: str, b: str, c: str, more: str = "") -> str:
    return (
        "layoutcheck: 1\natoms:\n- name: x\n  kind: mma\n"
        f"  mnk: {mnk}\n  thr: '{thr}'\n  a: '{a}'\n  b: '{b}'\n  c: '{c}'\n{more}"
    )


def copy(bits: int, thr: str, src: str, dst: str, widths: str, more: str = "") -> str:
    return (
        "layoutcheck: 1\natoms:\n- name: x\n  kind: copy\n"
        f"  bits: {bits}\n  thr: '{thr}'\n  src: '{src}'\n  dst: '{dst}'\n  ref: dst\n  val_bits: {widths}\n{more}"
    )


def found(text: str) -> list[Diagnostic]:
    return check_source(Source("case", text), certify=True, timeout=10)[1]


def said(text: str) -> set[tuple[str, str]]:
    return {(d.code, d.operand) for d in found(text)}


M16 = ("((16,4),4):((1,64),16)", "((16,4),4):((16,4),1)")
RDNA3 = ("[16, 16, 16]", "32:1", "((16,2),16):((1,0),16)", "((16,2),16):((1,0),16)")
TRANS16 = ("(16,64):(64,1)", "(16,(16,4)):(16,(1,256))")

CASES: dict[str, tuple[str, set[tuple[str, str]]]] = {
    "CUTLASS #1856, m16n8k256 A written row-major": (
        mma("[16, 8, 256]", "32:1", "(32,(8,4,2,2)):(64,(64,16,8,2048))", "(32,64):(1,32)", "(32,4):(1,32)"),
        {("LC301", "a"), ("LC303", "a")},
    ),
    "FlyDSL #485, RDNA3 C written as RDNA4: a clean bijection, so structure has nothing to say": (
        mma(*RDNA3, "((16,2),8):((16,8),1)", "  replication: {a: 2, b: 2}\n"),
        set(),
    ),
    "FlyDSL 0.5.0, cdna3.mfma 32x32x1": (
        mma("[32, 32, 1]", "64:1", "((32,2),0):((1,0),32)", "((32,2),0):((1,0),32)", "((32,2),(4,4)):((32,4),(1,8))"),
        {("LC105", "a"), ("LC105", "b")},
    ),
    "FlyDSL 0.5.0, cdna3.mfma 5x5x7 as published": (
        mma("[5, 5, 7]", "64:1", "((5,12),0):((1,0),5)", "((5,12),0):((1,0),5)", "((5,12),0):((1,0),5)",
            "  arch: gfx942\n"),
        {("LC105", operand) for operand in "abc"} | {("LC202", ""), ("LC405", "")},
    ),
    "the same with 60 threads and a positive extent": (
        mma("[5, 12, 7]", "60:1", "((5,12),7):((1,0),5)", "((12,5),7):((1,0),12)", "((5,12),1):((1,5),0)",
            "  arch: gfx942\n  replication: {a: 12, b: 5}\n"),
        {("LC201", ""), ("LC405", "")},
    ),
    "FlyDSL 0.5.0, lds_read_trans 16b at 32": (
        copy(64, "16:1", *TRANS16, "[32]"), {("LC207", "dst")}
    ),
    "FlyDSL 0.5.0, lds_read_trans 6b at 8": (
        copy(96, "16:1", "(16,96):(96,1)", "(16,(6,16)):(6,(1,96))", "[8]"), {("LC207", "dst")}
    ),
    "FlyDSL 0.5.0, buffer_copy<96> at 64": (
        copy(96, "1:1", "(1,96):(1,1)", "(1,96):(1,1)", "[64]"), {("LC207", "src")}
    ),
    "FlyDSL 0.5.0, buffer_copy<33> at 32": (
        copy(33, "1:1", "(1,33):(1,1)", "(1,33):(1,1)", "[32]"), {("LC207", "src")}
    ),
    "FlyDSL #650, a register vector of 256 bits against a 128-bit copy": (
        copy(128, "1:1", "(1,128):(1,1)", "(1,256):(1,1)", "[32]"), {("LC206", "dst")}
    ),
    "FlyDSL #1024, gfx1250 treated as wave64": (
        mma("[16, 16, 32]", "64:1", "((16,4),8):((1,128),16)", "((16,4),8):((1,128),16)", "((16,4),4):((16,4),1)",
            "  arch: gfx1250\n"),
        {("LC201", "")},
    ),
    "FlyDSL #583, not congruent": (
        mma("[4, 8, 8]", "4:1", "(4,8):(1,(4,1))", "(4,16):(1,4)", "(4,8):(1,4)"), {("LC104", "a")}
    ),
    "FlyDSL #583, a stride that is no tuple": (
        mma("[4, 8, 8]", "4:1", "(4,8):1", "(4,16):(1,4)", "(4,8):(1,4)"), {("LC104", "a")}
    ),
    "FlyDSL #583, zero threads": (
        mma("[4, 8, 8]", "4:1", "(0,8):(1,4)", "(4,16):(1,4)", "(4,8):(1,4)"), {("LC105", "a")}
    ),
    "FlyDSL #583, minus four threads": (
        mma("[4, 8, 8]", "4:1", "(-4,8):(1,4)", "(4,16):(1,4)", "(4,8):(1,4)"), {("LC105", "a")}
    ),
    "FlyDSL 0.5.0, gfx1250.wmma_scale<32x16x128> C": (
        mma("[32, 16, 128]", "32:1", "((16,2),128):((1,16),32)", "((16,2),64):((1,16),32)", "((16,2),16):((16,16),1)"),
        {("LC301", "c")},
    ),
    "the literal |thr|*|val| = M*K would reject this hardware-exact atom": (
        mma(*RDNA3, "((16,2),8):((16,1),2)", "  arch: gfx1100\n  wave: 32\n  replication: {a: 2, b: 2}\n"),
        set(),
    ),
    "the same without a word about its replication": (
        mma(*RDNA3, "((16,2),8):((16,1),2)", "  arch: gfx1100\n  wave: 32\n"), {("LC204", "a"), ("LC204", "b")}
    ),
    "CUTLASS #2901, ldmatrix 8-bit source: permuted rows, a bijection": (
        copy(128, "32:1", "((2,2,4,2),(16,8)):((128,1024,256,2048),(1,16))", "(32,128):(128,1)", "[16]"), set()
    ),
    "size-1 modes, nesting and padding of the profile change nothing": (
        mma("[16, 16, 16]", "64:1", "((16,(4,1)),(1,4,1)):((1,(64,7)),(5,16,9))", *M16), set()
    ),
    "a warpgroup of 128 threads on sm_90": (
        mma("[64, 8, 16]", "128:1", "((4,8,4),(2,2,2)):((128,1,16),(64,8,512))", "(128,128):(0,1)",
            "((4,8,4),(2,2)):((128,1,16),(64,8))", "  arch: sm_90\n  replication: {b: 128}\n"),
        set(),
    ),
    "universal atoms have one thread, on any architecture": (
        copy(32, "1:1", "(1,32):(1,1)", "(1,32):(1,1)", "[8, 32]", "  arch: gfx942\n"), set()
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_says(name: str) -> None:
    text, expected = CASES[name]
    assert said(text) == expected


def witness(name: str, code: str) -> dict[str, Any]:
    result = next(d.witness for d in found(CASES[name][0]) if d.code == code)
    assert result is not None
    return result


def test_row_major_collision_can_be_recomputed() -> None:
    name = "CUTLASS #1856, m16n8k256 A written row-major"
    collision = witness(name, "LC301")
    strides = {"thread": [64], "value": [64, 16, 8, 2048]}
    for place in collision["at"]:
        v = place["value"]
        digits = [v % 8, v // 8 % 4, v // 32 % 2, v // 64]
        total = place["thread"] * 64 + sum(c * d for c, d in zip(digits, strides["value"], strict=True))
        assert total == place["offset"] == collision["offset"]
    assert collision["at"][0] != collision["at"][1]
    assert collision["element"] == {"m": collision["offset"] % 16, "k": collision["offset"] // 16}
    assert witness(name, "LC303")["offset"] >= witness(name, "LC303")["limit"] == 16 * 256


def test_issue_witness_is_right_by_hand() -> None:
    text = mma("[16, 16, 16]", "64:1", "((16,4),4):((1,16),16)", *M16)
    diagnostic = found(text)[0]
    assert diagnostic.code == "LC301"
    assert diagnostic.witness is not None
    for place in diagnostic.witness["at"]:
        thread = place["thread"]
        assert thread % 16 + thread // 16 * 16 + place["value"] * 16 == diagnostic.witness["offset"]
    assert "thread" in diagnostic.message
    assert "value" in diagnostic.message
    assert "(m 0, k 1)" in diagnostic.message


def test_a_collision_lists_one_pair_more_than_declared() -> None:
    text = mma("[4, 4, 2]", "4:1", "(4,(4,2)):(1,(0,1))", "(4,2):(1,4)", "(4,4):(1,4)", "  replication: {a: 4}\n")
    collision = next(d for d in found(text) if d.operand == "a")
    assert collision.code == "LC301"
    assert collision.witness is not None
    pairs = {(p["thread"], p["value"]) for p in collision.witness["at"]}
    offsets = {thread + value // 4 for thread, value in pairs}
    assert len(pairs) == 5
    assert offsets == {collision.witness["offset"]}
    assert collision.witness["count"] == 8
    assert collision.counterexample[-1] == "and 3 more"


@pytest.mark.parametrize("more", ["registers: {d: 4}", "replication: {d: 7}", "pitch: {d: 32}", "lanes: {d: 4}"])
def test_numbers_of_an_operand_that_is_not_there(more: str) -> None:
    text = mma("[4, 4, 4]", "4:1", "(4,4):(1,4)", "(4,4):(1,4)", "(4,4):(1,4)", f"  {more}\n")
    assert {d.code for d in found(text)} == {"LC102"}
    assert not said(text.replace(f"  {more}", f"  d: '(4,4):(1,4)'\n  {more}").replace(more, "blocks: 1"))


@pytest.mark.parametrize("element", ["f17", "f33", "i5", "bf61"])
def test_no_such_element_type(element: str) -> None:
    text = mma("[4, 4, 4]", "4:1", "(4,4):(1,4)", "(4,4):(1,4)", "(4,4):(1,4)", f"  elements: {{a: {element}}}\n")
    assert said(text) == {("LC102", "")}


@pytest.mark.parametrize("tail", ["", ">>", ", junk = 1>>>"])
def test_a_type_text_that_does_not_close(tail: str) -> None:
    text = mma("[4, 4, 4]", "4:1", "(4,4):(1,4)", "(4,4):(1,4)", "(4,4):(1,4)")
    assert said(f'{text}  type: "!x.mma<4x4x4, (f16, f16) -> f32{tail}"\n') == {("LC903", "")}
    assert not said(f'{text}  type: "!x.mma<4x4x4, (f16, f16) -> f32>"\n')
