"""Against the real iree-opt: the code it emits for shape_cast, broadcast, transpose and step is what we model."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from math import prod
from random import Random

from layoutcheck import vector_layout
from layoutcheck.packmap import PackLayout
from layoutcheck.rewrites import broadcast, case, fold, model, shape_cast, step, transpose
from layoutcheck.rewrites.case import Given

from ..iree import random_layout, to_layout, vector

PASS = ("--iree-transform-dialect-interpreter", "-")
DRIVER = """
builtin.module attributes { transform.with_named_sequence } {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %f = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.iree.test_gpu_vector_distribution %f : !transform.any_op
    transform.yield
  }
}
"""
STEPS = (  # facts of its own test, a gap, no threads at all, sizes without twos
    "((32, 4)) : ((1, 0))",
    "((4, 8)) : ((0, 1))",
    "((4, 2, 4)) : ((0, 1, 0))",
    "((2, 4, 2, 4)) : ((8, 0, 1, 0))",
    "((4, 4)) : ((16, 0))",
    "(8) : (0)",
    "((3, 5, 2)) : ((20, 2, 0))",
    "((7, 9)) : ((9, 1))",
)


def emitted(iree_opt: str, functions: list[str]) -> dict[str, str]:
    """The distributed body of each function."""
    text = "\n".join(functions) + DRIVER
    done = subprocess.run([iree_opt, *PASS], input=text, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return dict(re.findall(r"func\.func @(\w+)\(.*?\{\n(.*?)\n  \}", done.stdout, re.DOTALL))


# ---------------------------------------------------------------- step


def run_step(body: str, thread: int) -> list[int]:
    """What the emitted operations compute in one thread."""
    shape = re.search(r"to_simd \S+ : vector<([\dx]+)xindex>", body)
    assert shape
    constant = re.search(r"dense<(.*?)>", body)  # none where it is 0
    values = [int(x) for x in re.findall(r"\d+", constant.group(1) if constant else "0")]
    values *= prod(map(int, shape.group(1).split("x"))) // len(values)
    env = {"%thread_id_x": thread, **{n: int(v) for n, v in re.findall(r"(%\w+) = arith.constant (\d+) : index", body)}}
    for name, of, into in re.findall(r"(%\w+)(?::\d+)? = affine.delinearize_index (\S+) into \((.*?)\)", body):
        rest = env[of]
        entries = [int(x) for x in into.split(",")]
        for i, entry in reversed(list(enumerate(entries, 1))):
            rest, env[f"{name}#{i}"] = divmod(rest, entry)
    for name, at, by in re.findall(r"(%\w+) = affine.linearize_index disjoint \[(.*?)\] by \((.*?)\)", body):
        digits, extents = [env[x] for x in at.split(", ")], [int(x) for x in by.split(", ")]
        env[name] = model.flat(digits, extents)
    base = re.search(r"vector.broadcast (%[\w#]+) : index", body)
    return [v + (env[base.group(1)] if base else 0) for v in values]


def test_step(iree_opt: str) -> None:
    rng = Random(1)
    layouts = [*map(PackLayout.parse, STEPS), *(random_layout(rng, 1, 3) for _ in range(60))]
    functions = []
    for i, one in enumerate(layouts):
        kind = vector(one.undistributed_shape, "index")
        functions.append(
            f"func.func @f{i}() -> {kind} {{\n  %s = vector.step : {kind}\n  {to_layout('%l', '%s', one, 'index')}\n"
            f"  return %l : {kind}\n}}"
        )
    bodies = emitted(iree_opt, functions)
    for i, one in enumerate(layouts):
        body, leaves = bodies[f"f{i}"], one.layout.leaves
        into = re.search(r"delinearize_index \S+ into \((.*?)\)", body)
        entries = tuple(int(x) for x in into.group(1).split(",")) if into else ()
        assert entries == step.basis(one.layout).entries, one
        for thread in (0, 1, 2, 5, 16, 31, 63, 64, 1000):
            wanted = [model.position(leaves, thread, k) for k in range(model.values(leaves))]
            assert run_step(body, thread) == wanted, (one, thread)
            assert step.offset(one.layout, thread) + step.constant(one.layout, 0) == wanted[0]
    print(f"\n{len(layouts)} steps emitted as modelled")


def test_step_without_a_chain_is_not_emitted(iree_opt: str) -> None:
    for text in ("((2, 2)) : ((1, 3))", "((4, 8)) : ((1, 1))"):
        one = PackLayout.parse(text)
        kind = vector(one.undistributed_shape, "index")
        body = f"func.func @f() -> {kind} {{\n%s = vector.step : {kind}\n{to_layout('%l', '%s', one, 'index')}\n"
        program = f"{body}return %l : {kind}\n}}{DRIVER}"
        done = subprocess.run([iree_opt, *PASS], input=program, capture_output=True, text=True, timeout=120)
        assert done.returncode != 0 or "delinearize_index" not in done.stdout
        assert step.precondition(one.layout) is not None


# ---------------------------------------------------------------- shape_cast, transpose, broadcast


def test_parts_that_are_cast_and_transposed(iree_opt: str) -> None:
    rng, functions, wanted = Random(2), [], {}
    facts = [
        ("((32, 4)) : ((1, 0))", (4, 32)),
        ("((4), (8, 4)) : ((8), (1, 0))", (128,)),
        ("((2, 2), (2, 2)) : ((1, 0), (2, 0))", (2, 8)),
    ]
    casts = [(PackLayout.parse(text), shape) for text, shape in facts]
    for _ in range(60):
        one = random_layout(rng, rng.randint(1, 3), 3)
        casts.append((one, (one.layout.size,) if rng.random() < 0.5 else halves(rng, one.layout.size)))
    for i, (one, shape) in enumerate(casts):
        if shape_cast.cut(one.layout, shape) or local(one) == local(vector_layout.reshape(one, shape)):
            continue  # the second: see test_a_fold_across_types
        lines = [to_layout("%l", "%a", one), f"%r = vector.shape_cast %l : {held(one)} to {vector(shape)}"]
        functions.append(function(f"cast{i}", one, lines, vector(shape)))
        wanted[f"cast{i}"] = local(one), local(vector_layout.reshape(one, shape)), None
    for i in range(60):
        one = random_layout(rng, rng.randint(2, 3), 3)
        perm = rng.sample(range(one.layout.rank), one.layout.rank)
        result = tuple(one.undistributed_shape[k] for k in perm)
        order = list(transpose.expand(one.layout, perm))
        moved = [k for k in order if local(one)[k] > 1]
        if moved == sorted(moved) and tuple(local(one)[k] for k in order) == local(one):
            continue
        lines = [to_layout("%l", "%a", one), f"%r = vector.transpose %l, {perm} : {held(one)} to {vector(result)}"]
        functions.append(function(f"turn{i}", one, lines, vector(result)))
        wanted[f"turn{i}"] = local(one), tuple(local(one)[k] for k in order), order
    bodies = emitted(iree_opt, functions)
    count = Counter()
    for name, (before, after, order) in wanted.items():
        body = bodies[name]
        assert re.search(r"to_simt .* -> (vector<\S+>)", body).group(1) == vector(before)  # type: ignore[union-attr]
        assert re.search(r"to_simd \S+ : (vector<\S+>)", body).group(1) == vector(after)  # type: ignore[union-attr]
        turned = re.search(r"vector.transpose \S+, (\[.*?\])", body)
        assert (turned.group(1) if turned else None) == (None if order is None else str(order))
        count[name.rstrip("0123456789")] += 1
    print(f"\n{dict(count)} emitted as modelled")
    assert min(count.values()) > 20


def halves(rng: Random, size: int) -> tuple[int, ...]:
    first = rng.choice([f for f in range(1, size + 1) if size % f == 0])
    return (first, size // first)


def held(one: PackLayout) -> str:
    return vector(one.undistributed_shape)


def local(one: PackLayout) -> tuple[int, ...]:
    return tuple(extent for part in model.parts(one.layout) for extent in part)


def function(name: str, one: PackLayout, lines: list[str], result: str) -> str:
    body = "\n  ".join(lines)
    return f"func.func @{name}(%a: {held(one)}) -> {result} {{\n  {body}\n  return %r : {result}\n}}"


def test_a_fold_across_types(iree_opt: str) -> None:
    """to_simd(to_simt x) becomes x though the types differ: the module is then invalid. Ours refuses that fold."""
    one, result = PackLayout.parse("(2, 4) : (1, 2)"), PackLayout.parse("(4, 2) : (2, 1)")
    lines = [to_layout("%l", "%a", one), f"%r = vector.transpose %l, [1, 0] : {held(one)} to {held(result)}"]
    program = function("f", one, lines, held(result)) + DRIVER
    done = subprocess.run([iree_opt, *PASS], input=program, capture_output=True, text=True, timeout=120)
    assert done.returncode != 0
    assert "doesn't match function result type" in done.stderr
    problem = fold.build(Given(outer=result.layout, inner=one.layout))
    assert problem.broken is not None
    assert case.decide(problem).status == "refused"


def test_leading_dimensions_are_broadcast(iree_opt: str) -> None:
    rng, functions, wanted = Random(3), [], {}
    facts = [("((8, 4)) : ((4, 0))", "((4, 2), (8, 4)) : ((1, 0), (4, 0))")]
    pairs = [(PackLayout.parse(small), PackLayout.parse(large)) for small, large in facts]
    for _ in range(40):
        large = random_layout(rng, rng.randint(2, 3), 3)
        lead = rng.randint(1, large.layout.rank - 1)
        pairs.append((vector_layout.project(large, [i < lead for i in range(large.layout.rank)]), large))
    for i, (small, large) in enumerate(pairs):
        assert broadcast.differs(small.layout, large.layout) is None
        lines = [
            to_layout("%l", "%a", small),
            f"%b = vector.broadcast %l : {held(small)} to {held(large)}",
            to_layout("%r", "%b", large),
        ]
        functions.append(function(f"f{i}", small, lines, held(large)))
        wanted[f"f{i}"] = f"{vector(local(small))} to {vector(local(large))}"
    bodies = emitted(iree_opt, functions)
    for name, types in wanted.items():
        assert re.search(rf"vector.broadcast \S+ : {re.escape(types)}", bodies[name]), bodies[name]


def test_a_stretched_dimension_is_an_error_in_the_tool(iree_opt: str) -> None:
    """Its analysis gives the source the destination's mode; ours answers, here with the place that goes wrong."""
    small, large = (PackLayout.parse(text) for text in ("((4,2),1):((1,0),0)", "((4,2),(2,4,2)):((1,0),(0,4,0))"))
    lines = [
        to_layout("%l", "%a", small),
        f"%b = vector.broadcast %l : {held(small)} to {held(large)}",
        to_layout("%r", "%b", large),
    ]
    program = function("f", small, lines, held(large)) + DRIVER
    done = subprocess.run([iree_opt, *PASS], input=program, capture_output=True, text=True, timeout=120)
    assert done.returncode != 0
    assert "Vector shape mismatch at dim 1: expected 16, got 1" in done.stderr
    assert case.decide(broadcast.build(Given(src=small.layout, dst=large.layout))).status == "refuted"
