"""Bad input through the real command: one clear message at its place, the documented exit code, never a traceback.

In the texts below `§` stands before each place where a finding is expected, in the order of the findings.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from layoutcheck.atoms.check import check_source
from layoutcheck.source import Source

COMMAND = [sys.executable, "-m", "layoutcheck", "verify"]


def run(*args: str, cwd: Path, stdin: bytes = b"") -> tuple[int, str, str]:
    """Exit code, standard output and standard error of the command in a child process."""
    done = subprocess.run([*COMMAND, *args], cwd=cwd, input=stdin, capture_output=True, timeout=60)
    out, err = done.stdout.decode(), done.stderr.decode()
    assert "Traceback" not in out + err
    assert "internal error" not in out + err
    return done.returncode, out, err


MMA = {
    "name": "name: x.f16",
    "kind": "kind: mma",
    "arch": "arch: gfx942",
    "mnk": "mnk: [16, 16, 16]",
    "thr": 'thr: "64:1"',
    "a": 'a: "((16,4),4):((1,64),16)"',
    "b": 'b: "((16,4),4):((1,64),16)"',
    "c": 'c: "((16,4),4):((16,4),1)"',
    "elements": "elements: {a: f16, b: f16, c: f32}",
    "registers": "registers: {a: 2, b: 2, c: 4}",
}
COPY = {
    "name": "name: lds_read_trans.16b",
    "kind": "kind: copy",
    "arch": "arch: gfx950",
    "bits": "bits: 64",
    "thr": 'thr: "16:1"',
    "src": 'src: "(16,64):(64,1)"',
    "dst": 'dst: "(16,(16,4)):(16,(1,256))"',
    "ref": "ref: dst",
    "val_bits": "val_bits: [16]",
}
FAMILY = {
    "name": 'name: "f.{mn}x{k}.{t}"',
    "kind": "kind: mma",
    "family": 'family: {rows: [{mn: 16, k: 16, t: f16}, {mn: 32, k: 8, t: f16}], requires: "64 % mn == 0"}',
    "arch": "arch: gfx942",
    "mnk": "mnk: [mn, mn, k]",
    "thr": 'thr: "64:1"',
    "a": 'a: "((mn, 64/mn), k/(64/mn)) : ((1, mn*(k/(64/mn))), mn)"',
    "b": 'b: "((mn, 64/mn), k/(64/mn)) : ((1, mn*(k/(64/mn))), mn)"',
    "c": 'c: "((mn, 64/mn), (4, mn/4/(64/mn))) : ((mn, 4), (1, 4*(64/mn)))"',
    "elements": "elements: {a: t, b: t, c: f32}",
}


def file(*atoms: dict[str, str]) -> str:
    return "layoutcheck: 1\natoms:\n" + "".join("- " + "\n  ".join(filter(None, a.values())) + "\n" for a in atoms)


def mma(**lines: str) -> str:
    """A file with one MMA atom whose lines are replaced, left out (""), or added."""
    return file(MMA | lines)


def copy(**lines: str) -> str:
    return file(COPY | lines)


def family(**lines: str) -> str:
    return file(FAMILY | lines)


GOOD = file(MMA, COPY, FAMILY)


class Case(NamedTuple):
    name: str
    text: str
    findings: tuple[tuple[str, str], ...]  # code and a part of the message, one for each mark


def case(name: str, text: str, *findings: tuple[str, str]) -> Case:
    return Case(name, text, findings)


def marked(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text without its marks, and the places they stood at."""
    places = []
    while (at := text.find("§")) >= 0:
        before = re.split("\r\n|[\r\n]", text[:at])
        places.append((len(before), len(before[-1]) + 1))
        text = text[:at] + text[at + 1 :]
    return text, places


def grid(names: str, shapes: dict[str, str], code: str, what: str, start: dict[str, str] = MMA) -> list[Case]:
    """Every field of `names` with every value of `shapes`, each wrong in the same way."""
    return [
        case(
            f"{field} is {shape}",
            file(start | {field: f"{field}: {value}"}),
            (code, what.format(field=field, shape=shape)),
        )
        for field in names.split()
        for shape, value in shapes.items()
    ]


def without(base: dict[str, str], key: str) -> str:
    text = file({k: v for k, v in base.items() if k != key})
    return text.replace("- ", "- §", 1)


SHORT = [
    # the file as a whole
    case("empty", "§", ("LC102", "an empty file: expected `layoutcheck: 1` and `atoms:`")),
    case("only a comment", "§# nothing\n", ("LC102", "an empty file")),
    case("list", "# a\n§- 1\n- 2\n", ("LC102", "a YAML sequence: expected a mapping")),
    case("string", "§hello\n", ("LC102", "a YAML scalar: expected a mapping")),
    case("number", "§42\n", ("LC102", "a YAML scalar: expected a mapping")),
    case("null", "§~\n", ("LC102", "a YAML scalar: expected a mapping")),
    case("broken yaml", "layoutcheck: 1\natoms: [§}\n", ("LC101", "did not find expected node content")),
    case("unclosed quote", 'layoutcheck: 1\natoms: "x\n§', ("LC101", "unexpected end of stream")),
    case("tab", "layoutcheck: 1\natoms:\n§\t- name: x\n", ("LC101", "cannot start any token")),
    case("control character", "layoutcheck: 1\n# é\natoms: [é§\x07]\n", ("LC101", "control characters")),
    case("two documents", GOOD + "§---\n" + GOOD, ("LC102", "more than one YAML document")),
    case("deep lists in lists", "layoutcheck: 1\natoms: " + "[" * 49 + "§[" + "]" * 50, ("LC101", "deeper than 50")),
    case("ten thousand dashes", "- " * 50 + "§- " + "- " * 9949, ("LC101", "nested deeper than 50 levels")),
    case("version 2", GOOD.replace("layoutcheck: 1", "layoutcheck: §2"), ("LC102", "format version '2'")),
    case("version in a list", GOOD.replace("layoutcheck: 1", "layoutcheck: §[1]"), ("LC102", "format version")),
    case("no version", "§" + GOOD.replace("layoutcheck: 1\n", ""), ("LC102", "missing key 'layoutcheck'")),
    case("no atoms key", "§layoutcheck: 1\n", ("LC102", "missing key 'atoms'")),
    case("no atoms", "layoutcheck: 1\natoms: §[]\n", ("LC109", "no atoms")),
    case("atoms null", "layoutcheck: 1\natoms:§\n", ("LC102", "`atoms` is a scalar: expected a list")),
    case("atoms a mapping", "layoutcheck: 1\natoms: §{a: 1}\n", ("LC102", "`atoms` is a mapping: expected a list")),
    case("atom a text", "layoutcheck: 1\natoms: [§x]\n", ("LC102", "an atom is a mapping, not a scalar")),
    # unknown keys, kinds and names
    case("unknown key at the top", GOOD + "§atom: 1\n", ("LC102", "unknown key 'atom', did you mean 'atoms'?")),
    case("unknown key of an mma", mma(x="§regsters: 1"),
         ("LC102", "unknown key 'regsters', did you mean 'registers'?")),
    case("unknown key of a copy", copy(x="§valbits: 1"), ("LC102", "unknown key 'valbits', did you mean 'val_bits'?")),
    case("unknown key far from all", mma(x="§zzz: 1"), ("LC102", "unknown key 'zzz'")),
    case("two unknown keys", mma(x="§zz: 1", y="§yy: {q: 1}"), ("LC102", "key 'zz'"), ("LC102", "key 'yy'")),
    case("unknown key of elements", mma(elements="elements: {a: f16, §e: f16}"), ("LC102", "unknown key 'e'")),
    case("unknown key of family", family(family="family: {rows: [{mn: 16, k: 16, t: f16}], §require: 1}"),
         ("LC102", "unknown key 'require', did you mean 'requires'?")),
    case("unknown key of ignore", mma(x='ignore: [{code: LC301, §reasn: "x"}]'),
         ("LC102", "unknown key 'reasn', did you mean 'reason'?")),
    case("unknown key of oracle", mma(x="oracle: {§sorce: x}"),
         ("LC102", "unknown key 'sorce', did you mean 'source'?")),
    case("key that looks like a message", mma(x='§"x` - at `$.elements": 1'), ("LC102", "unknown key 'x` - at")),
    case("unknown kind", mma(kind="kind: §mna"),
         ("LC102", "unknown kind 'mna' (known: mma, copy, pack_map, pack_layout, rewrite, map), did you mean 'mma'?")),
    case("kind null", mma(kind="kind:§"), ("LC102", "unknown kind")),
    case("kind a list", mma(kind="kind: §[mma]"), ("LC102", "unknown kind")),
    case("unknown arch", mma(arch="arch: §gfx94"), ("LC102", "unknown arch 'gfx94', did you mean 'gfx942'?")),
    case("unknown element", mma(elements="elements: {a: §fp16, b: f16, c: f32}"),
         ("LC102", "unknown element type 'fp16'")),
    case("element of no bits", mma(elements="elements: {a: §i0, b: f16, c: f32}"),
         ("LC102", "unknown element type 'i0'")),
    case("element of 5000 digits", mma(elements=f"elements: {{a: §f{'9' * 5000}, b: f16}}"),
         ("LC102", "unknown element")),
    case("unknown rule", mma(x="ignore: [§{code: LC999, reason: x}]"), ("LC102", "no rule 'LC999' to suppress")),
    # quotes
    case("unquoted layout in a block", mma(thr="thr: 64 §: 1"), ("LC101", 'quote the layout, as in thr: "64:1"')),
    case("unquoted layout with spaces", mma(a="a: ((16,4),4) §: ((1,64),16)"), ("LC101", "quote the layout")),
    case("unquoted layout with tuples", mma(a="a: (_16,_4) §: (_1,_16)"), ("LC101", "quote the layout")),
    case("broken otherwise", mma(x="x: y §: z"), ("LC101", "mapping values are not allowed")),
    case("unquoted layout in a flow mapping", mma(x="pitch: {a: (4,§8):(8,§1)}"),
         ("LC102", "unknown key '8):(8': an unquoted layout inside {...} falls apart, quote it"),
         ("LC102", "unknown key '1)': an unquoted layout inside {...} falls apart, quote it")),
    # twice
    case("duplicate key at the top", GOOD + "§atoms: []\n", ("LC102", "duplicate key 'atoms' (first on line 2)")),
    case("duplicate key of an atom", mma(x='§thr: "32:1"'), ("LC102", "duplicate key 'thr' (first on line 7)")),
    case("duplicate key inside", mma(registers="registers: {a: 2, §a: 3}"), ("LC102", "duplicate key 'a'")),
    case("duplicate name", file(MMA, MMA | {"name": "name: §x.f16"}),
         ("LC102", "'x.f16' stands twice (first on line 3)")),
    case("duplicate name in a family", family(name='name: §"f.{t}"'), ("LC102", "'f.f16' stands twice")),
    # aliases
    case("merge key", mma(x="§<<: {wave: 64}"), ("LC102", "merge keys (<<) are refused: write the fields out")),
    case("alias without anchor", mma(b="b: §*t"), ("LC101", "alias *t has no anchor before it")),
    case("alias in its own anchor", mma(x="oracle: &o {a: §*o}"), ("LC102", "alias *o stands inside its own anchor")),
    # layouts
    case("no layout", mma(thr='thr: "64§"'), ("LC103", "expected ':' between shape and stride but found the end")),
    case("unbalanced", mma(a='a: "((16,4),4§:((1,64),16)"'), ("LC103", "expected ',' or ')' but found ':'")),
    case("single quotes", mma(a="a: '((16,4),4):((1,64)§;16)'"), ("LC103", "unexpected character ';'")),
    case("no name here", mma(a='a: "((16,4),4):((1,64),§q)"'), ("LC103", "unknown name 'q'")),
    case("not congruent", mma(a='a: "((16,4),4):(§1,16)"'), ("LC104", "shape (16,4) and stride 1 are not congruent")),
    case("zero extent", mma(a='a: "((16,4),§0):((1,64),16)"'), ("LC105", "extent 0 is not positive")),
    case("negative extent", mma(a='a: "((16,4),§-4):((1,64),16)"'), ("LC105", "extent -4 is not positive")),
    case("negative stride", mma(a='a: "((16,4),4):((1,§-64),16)"'), ("LC106", "stride -64 is negative")),
    case("no pair", mma(a='a: §"(16,4,4):(1,64,16)"'), ("LC107", "rank 3: expected the pair")),
    case("inexact", mma(a='a: "((16,4),7§/2):((1,64),16)"'),
         ("LC108", "7 / 2 is not exact: C++ would truncate it to 3")),
    case("layout of 5000 digits", mma(thr=f'thr: "§{"9" * 5000}:1"'), ("LC103", "text of 5002 characters")),
    case("extent of 500 digits", mma(thr=f'thr: "§{"9" * 500}:1"'), ("LC103", "a number of 500 digits")),
    case("layout of 10000 levels", mma(a=f'a: "§{"(" * 10_000}"'), ("LC103", "text of 10000 characters")),
    case("layout of 65 levels", mma(a=f'a: "{"(" * 64}§("'), ("LC103", "nested deeper than 64 levels")),
    case("layout of half the digits in the world", family(
        family=f"family: {{rows: [{{mn: 16, k: 16, t: f16, n: {'9' * 390}}}]}}",
        a=f'a: "§(({",".join("n" * 40)}),4):(({",".join("1" * 40)}),-1)"',
    ), ("LC103", "extents of more than 9000 bits")),
    # numbers
    case("zero k", mma(mnk="mnk: [16, 16, §0]"), ("LC102", "mnk: 0 is below 1")),
    case("negative m", mma(mnk="mnk: [§-16, 16, 16]"), ("LC102", "mnk: -16 is below 1")),
    case("m of 5000 digits", mma(mnk=f"mnk: [§{'9' * 5000}, 16, 16]"), ("LC102", "mnk: text of 5000 characters")),
    case("m of 500 digits", mma(mnk=f"mnk: [§{'9' * 500}, 16, 16]"), ("LC102", "mnk: a number of 500 digits")),
    case("m a float", mma(mnk="mnk: [1§.5, 16, 16]"), ("LC102", "mnk: unexpected character '.'")),
    case("m a word", mma(mnk="mnk: [§m, 16, 16]"), ("LC102", "mnk: unknown name 'm'")),
    case("m inexact", mma(mnk="mnk: [33§/2, 16, 16]"), ("LC108", "33 / 2 is not exact: C++ would truncate it to 16")),
    case("two numbers", mma(mnk="mnk: §[16, 16]"), ("LC102", "mnk: expected a list of length 3, got 2")),
    case("zero bits", copy(bits="bits: §0"), ("LC102", "bits: 0 is below 1")),
    case("negative val_bits", copy(val_bits="val_bits: [16, §-8]"), ("LC102", "val_bits: -8 is below 1")),
    case("no val_bits", copy(val_bits="val_bits: §[]"), ("LC109", "no val_bits")),
    case("negative wave", mma(x="wave: §-1"), ("LC102", "wave: -1 is below 1")),
    case("huge wave", mma(x=f"wave: §1{'0' * 300}"), ("LC201", "wave is 1000")),
    case("zero blocks", mma(x="blocks: §0"), ("LC102", "blocks: 0 is below 1")),
    case("pitch below the element", mma(x="pitch: {c: §8}"), ("LC102", "pitch 8 is less than the element's 32 bits")),
    *[case(f"{field} {value[:3]}", mma(**{field: f"{field}: {{a: §{value}}}"}), ("LC102", f"{field}.a: {message}"))
      for field in ("registers", "pitch", "lanes", "replication")
      for value, message in (("0", "0 is below 1"), ("-2", "-2 is below 1"), ("9" * 5000, "text of 5000 characters"))],
    case("zero replication of a copy", copy(x="replication: {src: §0}"), ("LC102", "replication.src: 0 is below 1")),
    # families
    case("row breaks requires", family(family='family: {rows: [{mn: 16, k: 16, t: f16}, §{mn: 24, k: 8, t: f16}],'
         ' requires: "64 % mn == 0"}'), ("LC102", "this row breaks its family's `requires: 64 % mn == 0`")),
    case("requires divides by zero", family(
        family='family: {rows: [{mn: 16, k: 16, t: f16}], requires: "mn §% 0 == 0"}'),
         ("LC102", "requires: division by zero: 16 % 0")),
    case("requires is inexact", family(family='family: {rows: [{mn: 16, k: 16, t: f16}], requires: "mn §/ 5 == 3"}'),
         ("LC108", "16 / 5 is not exact")),
    case("requires names nothing", family(family='family: {rows: [{mn: 16, k: 16, t: f16}], requires: "mn == §q"}'),
         ("LC102", "requires: unknown name 'q' (known: k, mn)")),
    case("requires is no expression", family(
        family='family: {rows: [{mn: 16, k: 16, t: f16}], requires: "mn == §= 1"}'),
         ("LC102", "requires: expected a number or a name but found '='")),
    case("requires calls", family(family="family: {rows: [{mn: 16, k: 16, t: f16}], requires: __import__§(1)}"),
         ("LC102", "requires: unexpected '('")),
    case("no rows", family(family="family: §{rows: []}"), ("LC109", "a family without rows has no instance")),
    case("no rows key", family(family='family: §{requires: "1"}'),
         ("LC102", "a family has either `rows` or `params`, here is neither")),
    case("row lacks a parameter of the name", family(family="family: {rows: [§{mn: 16, k: 16}]}"),
         ("LC102", "the name 'f.{mn}x{k}.{t}' mentions a parameter that the row does not have")),
    case("row lacks a number", family(name='name: "f.{mn}"', mnk="mnk: [mn, mn, §q]"),
         ("LC102", "mnk: unknown name 'q' (known: k, mn)"), ("LC102", "mnk: unknown name 'q'")),
    case("row with a negative number", family(family="family: {rows: [{mn: 16, k: -16, t: f16}]}",
         mnk="mnk: [mn, mn, §k]", a=MMA["a"], b=MMA["b"]), ("LC102", "mnk: -16 is below 1")),
    case("row with 5000 digits", family(family=f"family: {{rows: [{{mn: 16, k: §{'9' * 5000}, t: f16}}]}}"),
         ("LC102", "a parameter of 5000 characters, the limit is 400")),
    case("division by zero in a layout", family(family="family: {rows: [{mn: 16, k: 16, t: f16, z: 0}]}",
         a='a: "((16,4),4§/z):((1,64),16)"'), ("LC103", "division by zero: 4 / 0")),
    case("a filled text keeps its places", family(family="family: {rows: [{mn: 16, k: 16, t: f16}]}",
         a='a: "(({mn},4),4):((1,6§;4),16)"'), ("LC103", "unexpected character ';'")),
    # marks of other systems
    case("CRLF", mma(mnk="mnk: [16, §0, 16]").replace("\n", "\r\n"), ("LC102", "mnk: 0 is below 1")),
    case("lone CR", mma(mnk="mnk: [16, §0, 16]").replace("\n", "\r"), ("LC102", "mnk: 0 is below 1")),
    case("BOM", "\ufeff" + mma(mnk="mnk: [16, §0, 16]"), ("LC102", "mnk: 0 is below 1")),
    case("BOM on the line", "§\ufeffhello", ("LC102", "a YAML scalar")),
]  # fmt: skip

TYPES = [
    *grid("name arch type instruction wave blocks thr a b c d", {"a list": "§[1]", "a mapping": "§{q: 1}"},
          "LC102", "{field}: expected a text, got {shape}"),
    *grid("name blocks thr a b c", {"nothing": "§~"}, "LC102", "{field}: expected a text, got nothing"),
    *grid("mnk ignore", {"a text": "§5", "nothing": "§null", "a mapping": "§{q: 1}"},
          "LC102", "{field}: expected a list, got {shape}"),
    *grid("elements registers pitch lanes replication", {"a text": "§5", "a list": "§[1]", "nothing": "§null"},
          "LC102", "{field}: expected a mapping, got {shape}"),
    *grid("oracle family", {"a text": "§5", "a list": "§[1]"}, "LC102", "{field}: expected a mapping, got {shape}"),
    *grid("elements registers pitch lanes replication", {"a list inside": "{a: §[1]}"},
          "LC102", "{field}.a: expected a text, got a list"),
    *grid("oracle", {"a text inside": "{a: §5}"}, "LC102", "oracle.a: expected a mapping, got a text"),
    *grid("mnk", {"with a list": "[1, §[2], 3]"}, "LC102", "mnk[1]: expected a text, got a list"),
    *grid("ignore", {"with a text": "[§5]"}, "LC102", "ignore[0]: expected a mapping, got a text"),
    *grid("ignore", {"without a code": "[§{reason: x}]"}, "LC102", "missing key 'code'"),
    *grid("family", {"with a text": "{rows: [§5]}"}, "LC102", "family.rows[0]: expected a mapping, got a text"),
    *grid("family", {"with text rows": "{rows: §5}"}, "LC102", "family.rows: expected a list, got a text"),
    *grid("family", {"with a list inside": "{rows: [{q: §[1]}]}"}, "LC102", "expected a text, got a list"),
    *grid("bits thr src dst ref", {"a list of a copy": "§[1]"}, "LC102", "{field}: expected a text, got a list", COPY),
    *grid("val_bits", {"a text": "§16", "nothing": "§~"}, "LC102", "val_bits: expected a list, got {shape}", COPY),
    *[case(f"{kind} without {key}", without(base, key), ("LC102", f"missing key '{key}'"))
      for kind, base in (("mma", MMA), ("copy", COPY)) for key in base if key not in ("arch", "elements", "registers")],
]  # fmt: skip

CASES = SHORT + TYPES


@pytest.fixture(scope="module")
def together(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """The findings of all bad files by name: one run, as JSON, with a good file as the last."""
    folder = tmp_path_factory.mktemp("bad")
    for i, one in enumerate(CASES):
        (folder / f"{i}.atom.yaml").write_bytes(marked(one.text)[0].encode())
    (folder / "good.atom.yaml").write_text(GOOD)
    files = [f"{i}.atom.yaml" for i in range(len(CASES))]
    code, out, err = run("-o", "json", *files, "good.atom.yaml", cwd=folder)
    report = json.loads(out)
    assert (code, err, report["errors"]) == (1, "", [])
    assert report["counts"]["files"] == len(files) + 1
    assert [r["codes"] for r in report["results"] if r["path"] == "good.atom.yaml"] == [[]] * 4
    found: dict[str, list[dict[str, Any]]] = {one.name: [] for one in CASES}
    assert len(found) == len(CASES)
    for d in report["diagnostics"]:
        found[CASES[int(d["path"].partition(".")[0])].name].append(d)
    return found


@pytest.mark.parametrize("one", CASES, ids=lambda one: one.name)
def test_each_finding_and_its_place(one: Case, together: dict[str, list[dict[str, Any]]]) -> None:
    _, places = marked(one.text)
    places += places[-1:] * (len(one.findings) - len(places))  # the same place once for each row
    found = together[one.name]
    assert [(d["code"], d["line"], d["column"]) for d in found] == [
        (code, *place) for (code, _), place in zip(one.findings, places, strict=True)
    ]
    for d, (_, message) in zip(found, one.findings, strict=True):
        assert message in d["message"]
        assert "\n" not in d["message"]


@pytest.mark.parametrize("one", SHORT, ids=lambda one: one.name)
def test_exit_code_and_text_of_one_file(one: Case, tmp_path: Path) -> None:
    text, places = marked(one.text)
    (tmp_path / "bad.atom.yaml").write_bytes(text.encode())
    (tmp_path / "good.atom.yaml").write_text(GOOD)
    code, out, err = run("bad.atom.yaml", "good.atom.yaml", cwd=tmp_path)
    assert (code, err) == (1, "")
    lines = out.splitlines()
    for (rule, message), (line, column) in zip(one.findings, places, strict=False):
        assert any(head.startswith(f"bad.atom.yaml:{line}:{column}: {rule} ") and message in head for head in lines), (
            out[:500]
        )
    assert re.search(r"instances? in 2 files: \d+ findings? ", lines[-1])
    assert max(map(len, lines)) < 2100


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "good.atom.yaml").write_text(GOOD)
    (tmp_path / "empty").mkdir()
    (tmp_path / "atom.yaml").mkdir()
    for name, data in UNREADABLE_BYTES.items():
        (tmp_path / f"{name}.atom.yaml").write_bytes(data)
    return tmp_path


UNREADABLE_BYTES = {
    "nul": b"layoutcheck: 1\0\n",
    "elf": b"\x7fELF\x02\x01\x01\0",
    "latin1": b"# caf\xe9\n",
    "utf16": "layoutcheck: 1".encode("utf-16-le"),
    "huge": b"#" * (16 << 20) + b"#",
}
UNREADABLE = [
    ("missing.atom.yaml", "missing.atom.yaml: No such file or directory"),
    ("good.atom.yaml/below.atom.yaml", "good.atom.yaml/below.atom.yaml: Not a directory"),
    ("empty", "empty: nothing to check: no atom.yaml, *.atom.yaml or *.atom.yml in this folder"),
    ("atom.yaml", "atom.yaml: nothing to check"),
    ("nul.atom.yaml", "nul.atom.yaml: a binary file, not text (NUL byte at offset 14)"),
    ("elf.atom.yaml", "elf.atom.yaml: a binary file, not text (NUL byte at offset 7)"),
    ("latin1.atom.yaml", "latin1.atom.yaml: not UTF-8 (byte 0xe9 at offset 5)"),
    ("utf16.atom.yaml", "utf16.atom.yaml: a binary file, not text (NUL byte at offset 1)"),
    ("huge.atom.yaml", "huge.atom.yaml: larger than 16 MiB"),
]


@pytest.mark.parametrize(("path", "message"), UNREADABLE, ids=[path for path, _ in UNREADABLE])
def test_unreadable(path: str, message: str, folder: Path) -> None:
    code, out, err = run(path, "good.atom.yaml", cwd=folder)
    first, *_, last = out.splitlines()
    assert (code, err) == (2, "")
    assert first.startswith(f"error: {message}")
    assert last.startswith("4 instances in 1 file: 1 not read (")


def test_unreadable_as_json(folder: Path) -> None:
    code, out, err = run("-o", "json", *(path for path, _ in UNREADABLE), "good.atom.yaml", cwd=folder)
    report = json.loads(out)
    assert (code, err) == (2, "")
    assert [e["path"] for e in report["errors"]] == [path for path, _ in UNREADABLE]
    for error, (_, message) in zip(report["errors"], UNREADABLE, strict=True):
        assert error["message"].startswith(message)
    assert (report["counts"]["unreadable"], report["counts"]["files"]) == (len(UNREADABLE), 1)


def test_unreadable_outweighs_findings(folder: Path) -> None:
    (folder / "bad.atom.yaml").write_text("42")
    code, out, _ = run("bad.atom.yaml", "missing.atom.yaml", cwd=folder)
    assert code == 2
    assert "bad.atom.yaml:1:1: LC102" in out


def test_a_folder_named_like_a_file_is_searched(tmp_path: Path) -> None:
    (tmp_path / "atom.yaml").mkdir()
    (tmp_path / "atom.yaml" / "x.atom.yml").write_text(GOOD)
    for where in ("atom.yaml", "."):
        code, out, _ = run(where, cwd=tmp_path)
        assert (code, out.splitlines()[-1][:22]) == (0, "4 instances in 1 file:")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--no-such"], "No such option"),
        (["-o", "xml", "."], "'xml' is not one of 'text', 'json'"),
        (["--timeout", "soon", "."], "'soon' is not a valid float"),
        (["--timeout", "nan", "."], "nan is not between 0.001 and 86400 seconds"),
        (["--timeout", "inf", "."], "inf is not between 0.001 and 86400 seconds"),
        (["--timeout", "0", "."], "0.0 is not between 0.001 and 86400 seconds"),
    ],
    ids=str,
)
def test_usage(args: list[str], message: str, tmp_path: Path) -> None:
    code, out, err = run(*args, cwd=tmp_path)
    assert (code, out) == (2, "")
    assert message in err


@pytest.mark.parametrize(
    ("data", "args", "code", "start"),
    [
        (GOOD.encode(), [], 0, "4 instances in 1 file: no findings"),
        (b"42", [], 1, "<stdin>:1:1: LC102 schema a YAML scalar"),
        (b"\xef\xbb\xbf42", ["--stdin-filename", "a b.atom.yaml"], 1, "a b.atom.yaml:1:1: LC102 schema"),
        (b"", [], 1, "<stdin>:1:1: LC102 schema an empty file"),
        (b"\0", [], 2, "error: <stdin>: a binary file"),
        (b"\xff", ["--stdin-filename", "mine.atom.yaml"], 2, "error: mine.atom.yaml: not UTF-8 (byte 0xff"),
    ],
    ids=["good", "number", "named", "empty", "binary", "named and not UTF-8"],
)
def test_stdin(data: bytes, args: list[str], code: int, start: str, tmp_path: Path) -> None:
    found, out, err = run("-", *args, cwd=tmp_path, stdin=data)
    assert (found, err) == (code, "")
    assert out.startswith(start)


def test_what_a_file_says_cannot_steer_the_terminal(tmp_path: Path) -> None:
    text = mma(name='name: "x\\e[31m\\r"', a='a: "(4\\e,1):(1,1)"', x='"\\e]0;": 1')
    for more in ("", '\n  ignore: [{code: LC103, reason: "\\e[2J"}]'):
        _, out, err = run("-", "-v", cwd=tmp_path, stdin=text.replace('\n  "\\e]0;": 1', more).encode())
        assert (re.findall(r"[^\n\ufffd -~]", out), err) == ([], "")
    _, out, _ = run("-", "-v", "--stdin-filename", "x\x1b[2J", cwd=tmp_path, stdin=text.encode())
    assert re.findall(r"[^\n\ufffd -~]", out) == []


def test_aliases_are_fine(tmp_path: Path) -> None:
    text = mma(
        a=f"a: &t {MMA['a'][3:]}", b="b: *t", registers="registers: &r {a: 2, b: 2}", x="lanes: {a: &n 64, b: *n}"
    )
    assert run("-", "-q", cwd=tmp_path, stdin=text.encode())[:2] == (0, "")


def test_an_alias_bomb(tmp_path: Path) -> None:
    lines = ["a0: &a0 [1, 2]"] + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 30)]
    code, out, _ = run("-", cwd=tmp_path, stdin="\n".join(lines).encode())
    assert code == 1
    assert re.match(r"<stdin>:6:\d+: LC102 schema aliases expand to more than 200000 nodes", out)


@pytest.mark.parametrize("text", ["[" * 10_000, "{a: " * 10_000, "[" * 10_000 + "]" * 10_000, "{" * 10_000])
def test_ten_thousand_levels(text: str, tmp_path: Path) -> None:
    code, out, _ = run("-", cwd=tmp_path, stdin=text.encode())
    assert code == 1
    assert re.match(r"<stdin>:1:\d+: LC101 yaml-syntax .*(deeper than|maximum nesting depth)", out)


def test_thousands_of_atoms(tmp_path: Path) -> None:
    count = 3000
    atoms = [MMA | {"name": f"name: x{i}", "a": 'a: "((16,5),4):((1,64),16)"'} for i in range(count)]
    (tmp_path / "many.atom.yaml").write_text(file(*atoms))
    code, out, _ = run("-o", "json", "many.atom.yaml", cwd=tmp_path)
    report = json.loads(out)
    assert code == 1
    assert report["counts"]["codes"] == {"LC202": count}
    assert [d["line"] for d in report["diagnostics"]] == [8 + 10 * i for i in range(count)]
    code, out, _ = run("many.atom.yaml", cwd=tmp_path)
    assert code == 1
    assert out.splitlines()[-1].startswith(f"{count} instances in 1 file: {count} findings")


def test_a_long_line(tmp_path: Path) -> None:
    text = "layoutcheck: 1\natoms: [{" + "a: 1, " * 50_000 + ": :"
    code, out, _ = run("-", cwd=tmp_path, stdin=text.encode())
    assert code == 1
    assert re.match(r"<stdin>:2:3000\d\d: LC101 ", out)
    assert max(map(len, out.splitlines())) < 200


def test_a_closed_pipe_is_quiet(tmp_path: Path) -> None:
    """The exit code still tells what was found, whether the pipe breaks early or at the end."""
    many = [MMA | {"name": f"name: x{i}", "kind": "kind: no"} for i in range(1000)]
    (tmp_path / "many.atom.yaml").write_text(file(*many))
    (tmp_path / "good.atom.yaml").write_text(GOOD)
    for args, code in ((["many.atom.yaml"], 1), (["-o", "json", "many.atom.yaml"], 1), (["good.atom.yaml"], 0)):
        read, write = os.pipe()
        os.close(read)
        with os.fdopen(write) as out:
            done = subprocess.run([*COMMAND, *args], cwd=tmp_path, stdout=out, stderr=subprocess.PIPE, timeout=60)
        assert (done.returncode, done.stderr) == (code, b"")


@pytest.mark.skipif(os.name != "posix", reason="the shell's way to close a stream")
@pytest.mark.parametrize(
    ("closing", "path", "code", "out"),
    [("<&-", "-", 2, "error: <stdin>: standard input is closed"), (">&-", "good.atom.yaml", 0, "")],
    ids=["stdin", "stdout"],
)
def test_closed_streams(closing: str, path: str, code: int, out: str, folder: Path) -> None:
    shell = ["/bin/sh", "-c", f'exec "$@" {closing}', "sh", *COMMAND, path]
    done = subprocess.run(shell, cwd=folder, capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (code, b"")
    assert done.stdout.decode().startswith(out)


@pytest.mark.skipif(os.name != "posix", reason="SIGINT is sent otherwise elsewhere")
def test_ctrl_c_while_it_waits(tmp_path: Path) -> None:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([*COMMAND, "-"], cwd=tmp_path, **pipes) as child:
        assert child.stdin is not None
        child.stdin.write(b"#" * (1 << 20))  # more than a pipe holds: done only once the child is reading
        child.stdin.flush()
        time.sleep(0.3)  # a signal between two reads is seen at the next one only: let it wait, and ask again
        for _ in range(10):
            child.send_signal(signal.SIGINT)
            try:
                child.wait(timeout=5)
                break
            except subprocess.TimeoutExpired:
                continue
        assert child.returncode == 130
        assert child.stderr is not None
        assert child.stderr.read().strip() in (b"", b"Aborted!")


HARD = """layoutcheck: 1
atoms:
- {name: x, kind: copy, bits: 281474976710656, thr: "1:1", ref: dst, val_bits: [1],
   src: "(1,(16,16,16,16,16,16,16,16,16,16,16,16)):(1,(SRC))",
   dst: "(1,(16,16,16,16,16,16,16,16,16,16,16,16)):(1,(DST))"}
"""


@pytest.mark.skipif(os.name != "posix", reason="SIGINT is sent otherwise elsewhere")
@pytest.mark.parametrize("delay", [0.03, 0.08, 0.15, 0.3, 1.0, 2.5])
def test_ctrl_c_while_it_works(delay: float, tmp_path: Path) -> None:
    """At start-up, in a search and inside the solver: 130, at once and without a word."""
    draw = random.Random(40)
    for side in ("SRC", "DST"):
        strides = ",".join(str(draw.getrandbits(40) | 1 << 39) for _ in range(12))
        text = (tmp_path / "atom.yaml").read_text() if side == "DST" else HARD
        (tmp_path / "atom.yaml").write_text(text.replace(side, strides))
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([*COMMAND, "--timeout", "60", "atom.yaml"], cwd=tmp_path, **pipes) as child:
        time.sleep(delay)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=20)
    if delay >= 0.3:  # before, Python itself may not have come to our first line: it ends by the signal, or with 1
        assert (child.returncode, out, err) == (130, b"", b"")
    elif child.returncode == 1:
        assert b"KeyboardInterrupt" in err
        assert b"cli.py" not in err
    else:
        assert child.returncode in (130, -signal.SIGINT)


@st.composite
def mutants(draw: st.DrawFn) -> str:
    """The good file with a few slips of a hand."""
    text = GOOD
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        end = at + draw(st.integers(1, 12))
        match draw(st.sampled_from(["delete", "double", "insert", "swap"])):
            case "delete":
                text = text[:at] + text[end:]
            case "double":
                text = text[:end] + text[at:]
            case "insert":
                text = (
                    text[:at]
                    + draw(st.text("():,[]{}'\"#&*!|>-?%@`<0179ax \t\r\né/=", min_size=1, max_size=3))
                    + text[at:]
                )
            case _:
                lines = text.split("\n")
                i, j = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
                lines[i], lines[j] = lines[j], lines[i]
                text = "\n".join(lines)
    return text


@settings(max_examples=400, deadline=None)
@given(mutants())
def test_any_slip_is_told_at_a_place_in_the_text(text: str) -> None:
    source = Source("x", text)
    _, found = check_source(source, certify=True, timeout=1.0)
    lines = re.split("\r\n|[\r\n]", text)
    for d in found:
        assert d.code != "LC901"
        assert 1 <= d.span.line <= len(lines)
        assert 1 <= d.span.column <= len(lines[d.span.line - 1]) + 1
    assert [(d.span.line, d.span.column) for d in found] == sorted((d.span.line, d.span.column) for d in found)
