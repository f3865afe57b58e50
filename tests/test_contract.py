"""The invariants that an atom's author has to keep: for each, an atom that holds it and one that breaks it."""

from __future__ import annotations

import pytest

from layoutcheck.atoms.check import check_source
from layoutcheck.source import Source

MMA = {
    "kind": "mma", "arch": "gfx942", "mnk": "[16, 16, 16]", "thr": '"64:1"', "a": '"((16,4),4):((1,64),16)"',
    "b": '"((16,4),4):((1,64),16)"', "c": '"((16,4),4):((16,4),1)"', "elements": "{a: f16, b: f16, c: f32}",
    "registers": "{a: 2, b: 2, c: 4}",
}  # fmt: skip
RDNA3 = MMA | {
    "arch": "gfx1100", "thr": '"32:1"', "a": '"((16,2),16):((1,0),16)"', "b": '"((16,2),16):((1,0),16)"',
    "c": '"((16,2),8):((16,1),2)"', "elements": "{a: f16, b: f16, c: f16}", "registers": "{a: 8, b: 8, c: 8}",
    "replication": "{a: 2, b: 2}", "pitch": "{c: 32}",
}  # fmt: skip
COPY = {
    "kind": "copy", "bits": "128", "thr": '"1:1"', "src": '"(1,128):(1,1)"', "dst": '"(1,128):(1,1)"', "ref": "dst",
    "val_bits": "[32]",
}  # fmt: skip
BLOCK = COPY | {"bits": "8", "thr": '"16:1"', "src": '"(16,8):(0,1)"', "dst": '"(16,8):(0,1)"', "val_bits": "[8]"}
PACK = {"kind": "pack_layout", "layout": '"((4, 2), (4, 8)) : ((1, 0), (0, 4))"', "shape": "[8, 32]", "threads": "64"}


def said(fields: dict[str, str]) -> set[tuple[str, str]]:
    text = "layoutcheck: 1\natoms:\n- name: x\n" + "".join(f"  {key}: {value}\n" for key, value in fields.items())
    return {(d.code, d.operand) for d in check_source(Source("atom", text), certify=True, timeout=10)[1]}


@pytest.mark.parametrize("atom", [MMA, RDNA3, COPY, PACK], ids=["mfma", "wmma", "copy", "pack"])
def test_a_right_atom_is_silent(atom: dict[str, str]) -> None:
    assert said(atom) == set()


@pytest.mark.parametrize(
    ("atom", "change", "expected"),
    [
        (MMA, {"a": '"((16,4),8):((1,64),16)"', "registers": "{b: 2, c: 4}"}, {("LC203", "a")}),
        (MMA, {"b": '"((16,2),4):((1,64),16)"'}, {("LC202", "b")}),
        (MMA, {"c": '"((16,2),8):((16,8),1)"'}, {("LC202", "c")}),
        (MMA, {"d": '"((16,4),4):((16,4),2)"'}, {("LC301", "d"), ("LC303", "d")}),
        (MMA, {"thr": '"32:1"'}, {("LC201", "")}),
        (MMA, {"registers": "{a: 4, b: 2, c: 4}"}, {("LC205", "a")}),
        (MMA, {"fragments": '{c: "8:1"}'}, {("LC205", "c")}),
        (MMA, {"intrinsic": '{a: "vector<4xf16>", b: "vector<8xf16>"}'}, {("LC210", "b")}),
        (MMA, {"mnk": "[16, 16, 32]"}, {("LC203", "")}),
        (MMA, {"mnk": "[32, 16, 16]"}, {("LC203", "")}),
        (MMA, {"blocks": "2"}, {("LC203", "")}),
        (MMA, {"mnk": "[32, 16, 32]"}, {("LC203", "a"), ("LC203", "b"), ("LC203", "c"), ("LC405", "")}),
        (COPY, {"placeholder": "later", "dst": "'(1,128):(1,2)'"}, {("LC102", ""), ("LC304", "dst"), ("LC207", "dst")}),
        (COPY, {"val_bits": "[48]"}, {("LC207", "src")}),
        (RDNA3, {"pitch": "{c: 16}"}, {("LC205", "c")}),
        (RDNA3, {"wave": "64"}, {("LC201", "")}),
        (COPY, {"bits": "64"}, {("LC206", "")}),
        (COPY, {"fragments": '{dst: "8:1"}'}, {("LC206", "dst")}),
        (COPY, {"fragments": '{dst: "!fly.memref<f32, register, 8:1>"}'}, {("LC206", "dst")}),
        (COPY, {"dst": '"(2,128):(128,1)"'}, {("LC202", "dst")}),
        (COPY, {"thr": '"2:1"'}, {("LC202", "")}),
        (BLOCK, {}, {("LC204", "src"), ("LC204", "dst")}),
        (PACK, {"layout": '"((4, 2), (4, 32)) : ((1, 0), (0, 4))"', "shape": "[8, 128]"}, {("LC307", "")}),
        (PACK, {"threads": "31"}, {("LC307", "")}),
        (PACK, {"tensor": "[8, 33]"}, {("LC306", "")}),
        (PACK, {"shape": "vector<8x16xf16>"}, {("LC306", "")}),
        (PACK, {"shape": "[256]"}, {("LC306", "")}),
    ],
)  # fmt: skip
def test_a_broken_one_is_named(atom: dict[str, str], change: dict[str, str], expected: set[tuple[str, str]]) -> None:
    assert said(atom | change) == expected


@pytest.mark.parametrize(
    ("atom", "change"),
    [
        (MMA, {"fragments": '{a: "4:1", c: "(2,2):(1,2)"}', "intrinsic": "{a: i64, c: vector<4xf32>}"}),
        (MMA, {"d": '"((16,4),4):((16,4),1)"'}),
        (COPY, {"fragments": '{dst: "4:1"}'}),
        (COPY, {"fragments": '{dst: "!fly.memref<f16, register, 8:1>"}'}),
        (BLOCK, {"replication": "{src: 16, dst: 16}"}),
        (PACK, {"tensor": "tensor<7x?xf16>"}),
        (PACK, {"threads": "32"}),
    ],
)
def test_what_is_legal_is_silent(atom: dict[str, str], change: dict[str, str]) -> None:
    assert said(atom | change) == set()


@pytest.mark.parametrize(
    ("state", "code"),
    [
        ("{soffset: {type: i32, default: 0}, soffset: {type: i32, default: 0}}", "LC702"),
        ("{offset: {type: i32, default: 0}}", "LC701"),
        ("{soffset: {type: i32}}", "LC703"),
        ("{soffset: {type: i64, default: 0}}", "LC704"),
        ("{soffset: {type: i32, default: 4294967296}}", "LC704"),
        ("{soffset: {default: 0}}", "LC102"),
        ("{soffset: i32}", "LC102"),
    ],
)
def test_state(state: str, code: str) -> None:
    assert {c for c, _ in said(COPY | {"arch": "gfx942", "state": state})} == {code}


@pytest.mark.parametrize("type_", ["i32", "i64"])
def test_a_scale_may_have_either_type_on_gfx1250(type_: str) -> None:
    state = f"{{imm_offset: {{type: {type_}, default: 0}}}}"
    assert said(COPY | {"arch": "gfx1250", "state": state}) == set()
    assert ("LC705", "") in said(MMA | {"state": state})


FORM = '{{{}: "lane % 16", {}: "4*(lane // 16) + v"}}'.format
ORACLE = MMA | {"oracle": f"{{a: {FORM('m', 'k')}, b: {FORM('n', 'k')}, c: {FORM('n', 'm')}}}"}
del ORACLE["arch"]
SWAPPED = '"((16,4),4):((1,16),64)"'


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, set()),
        ({"a": SWAPPED, "b": SWAPPED}, {("LC407", "a")}),
        ({"a": SWAPPED}, {("LC402", "a")}),
        ({"c": '"((16,4),4):((16,1),4)"'}, {("LC401", "c")}),
        ({"c": '"((16,4),4):((1,64),16)"'}, {("LC404", "c")}),
        ({"a": SWAPPED, "oracle": f"{{a: {FORM('m', 'k')}}}"}, {("LC903", "a")}),
        ({"oracle": f"{{a: {FORM('m', 'k')}}}"}, set()),
        ({"oracle": '{a: {m: "lane % 16", k: "4*(lane // 16) + w"}}'}, {("LC102", "")}),
        ({"oracle": '{a: {m: "lane % 16", k: "lane / 3"}}'}, {("LC108", "")}),
    ],
)
def test_closed_forms_in_the_file_are_an_oracle(change: dict[str, str], expected: set[tuple[str, str]]) -> None:
    assert said(ORACLE | change) == expected


REASON = 'reason: "meant"'
COPIES = COPY | {"bits": "4", "thr": '"4:1"', "src": '"(4,4):(0,1)"', "dst": '"(4,4):(0,4)"', "val_bits": "[1]"}


@pytest.mark.parametrize(
    ("atom", "change", "code", "left"),
    [
        (MMA, {"thr": '"(8,8):(8,1)"', "mnk": "[16, 16, 32]"}, "LC202", {("LC203", "")}),
        (COPY, {"thr": '"(4,4):(4,1)"', "bits": "64"}, "LC202", {("LC206", "")}),
        (MMA, {"thr": '"32:1"'}, "LC201", {("LC202", "")}),
        (MMA, {"a": '"((16,2),4):((1,64),16)"', "registers": "{a: 2}"}, "LC202", {("LC203", "a")}),
        (COPIES, {}, "LC204", {("LC304", "dst")}),
        (PACK, {"layout": '"((4,4), 4) : ((1,2), 8)"', "shape": "[16, 4]", "threads": "32"}, "LC305", {("LC307", "")}),
        # what follows from the finding that is suppressed
        (MMA, {"a": '"((16,4),4):((1,16),16)"'}, "LC301", set()),
        (RDNA3, {"replication": "{b: 2}"}, "LC204", set()),
    ],
)  # fmt: skip
def test_a_suppressed_finding_hides_no_other(
    atom: dict[str, str], change: dict[str, str], code: str, left: set[tuple[str, str]]
) -> None:
    entry = atom | change | {"ignore": f"[{{code: {code}, {REASON}}}]"}
    text = "layoutcheck: 1\natoms:\n- name: x\n" + "".join(f"  {key}: {value}\n" for key, value in entry.items())
    found = check_source(Source("atom", text), certify=True, timeout=10)[1]
    assert {d.code for d in found if d.suppressed} == {code}
    assert {(d.code, d.operand) for d in found if not d.suppressed} >= left
    assert bool(left) == any(not d.suppressed for d in found)


def test_a_suppressed_extent_leaves_what_no_instruction_has() -> None:
    text = "layoutcheck: 1\natoms:\n- name: x\n" + "".join(
        f"  {key}: {value}\n" for key, value in (MMA | {"mnk": "[16, 16, 32]"}).items()
    )
    found = check_source(Source("atom", f"{text}  ignore: [{{code: LC203, {REASON}}}]\n"), certify=True, timeout=10)[1]
    assert "LC405" in {d.code for d in found if not d.suppressed}


def test_lanes_that_are_declared_are_not_put_down_to_thr() -> None:
    assert said(MMA | {"lanes": "{a: 32, b: 32, c: 32}"}) >= {("LC202", "a"), ("LC202", "b"), ("LC202", "c")}


def test_forgotten_blocks_are_one_finding() -> None:
    layout = '"((4,16),4):((1,16),4)"'
    assert said(MMA | {"mnk": "[4, 4, 4]", "a": layout, "b": layout, "c": layout}) == {("LC203", "")}
