"""Against the real iree-opt: what it prints of attributes, and the layouts its analysis propagates.

It runs in child processes (it may crash), many functions a file. Where we refuse, the test shows that the tool's
answer breaks the law, or says by which name the precondition fails.
"""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Callable
from math import prod
from random import Random
from typing import NamedTuple

import pytest

from layoutcheck import algebra, vector_layout
from layoutcheck.errors import LayoutcheckError, Refused
from layoutcheck.inttuple import IntTuple
from layoutcheck.layout import Layout
from layoutcheck.packmap import PackLayout, PackMap

from .iree import random_layout, to_layout, vector

ANALYSIS = "-pass-pipeline=builtin.module(any(iree-codegen-test-vector-layout-analysis))"
REMARK = re.compile(r":(\d+):\d+: remark: layout of result #0 is (#iree_map\.pack_layout<.*>)$", re.MULTILINE)


def run(iree_opt: str, text: str, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([iree_opt, *options, "-"], input=text, capture_output=True, text=True, timeout=120)


# ---------------------------------------------------------------- attributes

INVALID = {  # facts of its own invalid test
    "(0, 8) : (1, 4)": "shape leaf values must be positive",
    "(-1, 8) : (1, 4)": "shape leaf values must be positive",
    "(4, 8) : (-1, 4)": "stride leaf values must be non-negative",
    "(4, 8) : (1, (2, 3))": "must be congruent",
    "((2, 4), 8) : (1, 4)": "must be congruent",
    "(4, 8) : (1, 4": "unbalanced",
    "() : ()": "expected",
    "(9223372036854775808) : (1)": "too large",
}


@pytest.mark.parametrize("text", INVALID)
@pytest.mark.parametrize("kind", ["pack_map", "pack_layout"])
def test_both_refuse(text: str, kind: str, iree_opt: str) -> None:
    attribute = f"#iree_map.{kind}<{text}>"
    done = run(iree_opt, f"func.func @f() attributes {{layout = {attribute}}} {{ return }}\n")
    assert done.returncode != 0
    assert INVALID[text] in done.stderr
    with pytest.raises(LayoutcheckError):
        (PackMap if kind == "pack_map" else PackLayout).parse(attribute)


def test_both_print_the_same(iree_opt: str) -> None:
    rng = Random(8)
    texts = [nested_text(rng) for _ in range(400)]
    texts += [
        "(8) : (1)",
        "(((2, 2), 4), 8) : (((1, 4), 16), 2)",
        "((2, 4), 8) : ((4, 1), 8)",
        "(1, 8) : (0, 1)",
        "8 : 1",
        "(2147483648) : (1)",
    ]
    attributes = [f"#iree_map.{kind}<{text}>" for text in texts for kind in ("pack_map", "pack_layout")]
    source = "".join(f"func.func private @f{i}() attributes {{layout = {a}}}\n" for i, a in enumerate(attributes))
    done = run(iree_opt, source, "--mlir-print-local-scope")
    assert done.returncode == 0, done.stderr
    printed = dict(re.findall(r"@f(\d+)\(\) attributes \{layout = (#iree_map.*>)\}", done.stdout))
    for i, attribute in enumerate(attributes):
        ours = PackMap.parse(attribute) if "pack_map" in attribute else PackLayout.parse(attribute)
        assert str(ours) == printed[str(i)], attribute
    print(f"\n{len(attributes)} attributes printed alike")


def nested_text(rng: Random) -> str:
    def tree(depth: int) -> tuple[str, str]:
        if depth == 0 or rng.random() < 0.4:
            return str(rng.choice((1, 2, 3, 4, 8))), str(rng.choice((0, 1, 2, 4, 8, 16, 5)))
        return group(depth)

    def group(depth: int) -> tuple[str, str]:
        children = [tree(depth - 1) for _ in range(rng.randint(1, 3))]
        return tuple("(" + ", ".join(c[i] for c in children) + ")" for i in (0, 1))  # type: ignore[return-value]

    return " : ".join(group(3))


# ---------------------------------------------------------------- propagation


class Program(NamedTuple):
    """Lines of a function body, the number of the one that is asked about, and our answer."""

    kind: str
    signature: str
    body: list[str]
    asked: int
    ours: Callable[[], PackLayout]
    law: Callable[[PackLayout], bool]


def no_law(_: PackLayout) -> bool:
    return False


def transposed(rng: Random) -> Program:
    a = random_layout(rng, rng.randint(2, 4), 2)
    shape, order = a.undistributed_shape, rng.sample(range(len(a.undistributed_shape)), len(a.undistributed_shape))
    result = tuple(shape[i] for i in order)
    line = f"%r = vector.transpose %z, {order} : {vector(shape)} to {vector(result)}"
    body = [to_layout("%z", "%a", a), line]
    return Program("permute", f"%a: {vector(shape)}", body, 1, lambda: vector_layout.permute(a, order), no_law)


def reduced(rng: Random) -> Program:
    a = random_layout(rng, rng.randint(2, 4), 2)
    shape = a.undistributed_shape
    drop = [False] * len(shape)
    for i in rng.sample(range(len(shape)), rng.randint(1, len(shape) - 1)):
        drop[i] = True
    kept = vector(tuple(s for s, d in zip(shape, drop, strict=True) if not d))
    dims = [i for i, d in enumerate(drop) if d]
    body = [to_layout("%z", "%a", a), f"%r = vector.multi_reduction <add>, %z, %c {dims} : {vector(shape)} to {kept}"]
    return Program(
        "project", f"%a: {vector(shape)}, %c: {kept}", body, 1, lambda: vector_layout.project(a, drop), no_law
    )


def reshaped(rng: Random) -> Program:
    a = random_layout(rng, rng.randint(1, 3), 2)
    size, result = prod(a.undistributed_shape), []
    while size > 1:
        factor = rng.choice([f for f in range(2, size + 1) if size % f == 0])
        result.append(factor)
        size //= factor
    rng.shuffle(result)
    wanted = tuple(result)
    line = f"%r = vector.shape_cast %z : {vector(a.undistributed_shape)} to {vector(wanted)}"

    def law(b: PackLayout) -> bool:
        same = b.undistributed_shape == wanted
        return same and all(a.layout(i) == b.layout(i) for i in range(a.layout.size))

    body = [to_layout("%z", "%a", a), line]
    signature = f"%a: {vector(a.undistributed_shape)}"
    return Program("reshape", signature, body, 1, lambda: vector_layout.reshape(a, wanted), law)


def broadcast(rng: Random) -> Program:
    b = random_layout(rng, rng.randint(2, 3), 2)
    shape = b.undistributed_shape
    leading = rng.randint(1, len(shape) - 1)
    small = vector(shape[leading:])
    body = [
        f"%s = arith.addf %a, %a : {small}",
        f"%t = vector.broadcast %s : {small} to {vector(shape)}",
        to_layout("%r", "%t", b),
    ]
    drop = [i < leading for i in range(len(shape))]
    return Program("broadcast", f"%a: {small}", body, 0, lambda: vector_layout.project(b, drop), no_law)


def contracted(rng: Random) -> Program:
    """Two operands that share a dimension which the result keeps, at times with other strides in one of them."""
    a, b = random_layout(rng, 3, 2), random_layout(rng, 1, 2)
    batch, k = a.map.mode(0), a.map.mode(2)
    if rng.random() < 0.3 and any(d for _, d in batch.leaves):
        batch = Layout(batch.shape, scaled(batch.stride), "lex")
    b = PackLayout.of(algebra.concat(batch, b.map.mode(0), k))
    (p, m, kk), (_, n, _) = a.undistributed_shape, b.undistributed_shape
    maps = "affine_map<(p,i,j,k)->(p,i,k)>, affine_map<(p,i,j,k)->(p,j,k)>, affine_map<(p,i,j,k)->(p,i,j)>"
    left, right, result = vector((p, m, kk)), vector((p, n, kk)), vector((p, m, n))
    line = (
        f"%r = vector.contract {{indexing_maps = [{maps}], iterator_types = "
        f'["parallel","parallel","parallel","reduction"]}} %x, %y, %c : {left}, {right} into {result}'
    )
    body = [to_layout("%x", "%a", a), to_layout("%y", "%b", b), line]

    def ours() -> PackLayout:
        return vector_layout.recombine([a, b], [(0, 1, 3), (0, 2, 3)], (0, 1, 2))

    return Program("recombine", f"%a: {left}, %b: {right}, %c: {result}", body, 2, ours, no_law)


def scaled(stride: IntTuple) -> IntTuple:
    return 3 * stride if isinstance(stride, int) else tuple(map(scaled, stride))


def test_the_analysis_agrees_or_the_reason_has_a_name(iree_opt: str) -> None:
    rng, count = Random(2), Counter()
    for _ in range(7):
        programs = [make(rng) for make in (transposed, reduced, reshaped, broadcast, contracted) for _ in range(30)]
        remarks = propagated(iree_opt, programs)
        for program, theirs in zip(programs, remarks, strict=True):
            count[program.kind, compare(program, theirs)] += 1
    print("\n" + "\n".join(f"{kind}: {what} {n}" for (kind, what), n in sorted(count.items())))
    assert sum(count.values()) >= 1000
    assert sum(n for (_, what), n in count.items() if what == "agrees") >= 500


def propagated(iree_opt: str, programs: list[Program]) -> list[PackLayout | str]:
    """The layout that the analysis remarks on the asked line of each program, or what else happens."""
    lines: list[str] = []
    asked = []
    for i, program in enumerate(programs):
        lines.append(f"func.func @f{i}({program.signature}) {{")
        asked.append(len(lines) + program.asked + 1)
        lines += [*program.body, "return", "}"]
    done = run(iree_opt, "\n".join(lines) + "\n", ANALYSIS)
    found = {int(line): PackLayout.parse(text) for line, text in REMARK.findall(done.stderr)}
    wrong = [int(line) for line in re.findall(r":(\d+):\d+: error:", done.stderr)]
    out: list[PackLayout | str] = []
    for program, line in zip(programs, asked, strict=True):
        body = range(line - program.asked, line - program.asked + len(program.body))
        silent = "reports an error" if any(at in body for at in wrong) else "says nothing"
        out.append(found.get(line, silent))
    return out


def compare(program: Program, theirs: PackLayout | str) -> str:
    said = theirs if isinstance(theirs, str) else "answers"
    try:
        ours = program.ours()
    except Refused as refused:
        if isinstance(theirs, PackLayout) and program.kind == "reshape":
            assert not program.law(theirs), (program.body, theirs)
        return f"we refuse ({refused.name}), the tool {said}"
    if isinstance(theirs, str):
        return f"the tool {said}"
    assert str(theirs) == str(ours), program.body
    return "agrees"
