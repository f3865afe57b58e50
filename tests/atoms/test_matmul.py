"""The oracle against the definition: permutations tried or composed by hand, every point evaluated here."""

from __future__ import annotations

import random
from itertools import permutations, product
from math import prod

import pytest

from layoutcheck import instructions
from layoutcheck.atoms import matmul
from layoutcheck.atoms.matmul import Pair
from layoutcheck.atoms.oracle import points_of, stored
from layoutcheck.layout import Layout
from layoutcheck.notation import parse
from layoutcheck.smt.relabel import confirm

Perm = tuple[int, ...]


def relabel(offset: int, axes: tuple[tuple[str, int], ...], by: dict[str, Perm]) -> int:
    """An offset with each coordinate permuted."""
    result, step = 0, 1
    for axis, extent in axes:
        coordinate = offset // step % extent
        result += step * by[axis][coordinate]
        step *= extent
    return result


def pairs(
    layouts: dict[str, tuple[int, ...]], hardware: dict[str, Layout], mnk: tuple[int, int, int]
) -> dict[str, Pair]:
    m, n, k = mnk
    axes = {"a": (("m", m), ("k", k)), "b": (("n", n), ("k", k)), "c": (("m", m), ("n", n))}
    return {x: Pair(layouts[x], points_of(hardware[x]), axes[x], hardware[x].mode(0).size) for x in "abc"}


SMALL = {"a": parse("((2,2),1):((1,2),0)"), "b": parse("((2,2),1):((1,2),0)"), "c": parse("((2,2),1):((2,1),0)")}


def test_every_small_triple_against_the_definition() -> None:
    """2x2x2 on four threads: every bijective A and B with six C each, and every right triple there is."""
    everything = list(permutations(range(4)))
    axes = {"a": (("m", 2), ("k", 2)), "b": (("n", 2), ("k", 2)), "c": (("m", 2), ("n", 2))}
    hardware = {x: points_of(layout) for x, layout in SMALL.items()}
    flips = [(0, 1), (1, 0)]
    legal = set()
    turned = set()
    for m, n, k in product(flips, repeat=3):
        by = {"m": m, "n": n, "k": k}
        legal.add(tuple(tuple(relabel(x, axes[o], by) for x in hardware[o]) for o in "abc"))
        c = tuple(x // 2 + 2 * (x % 2) for x in hardware["c"])
        turned.add(
            tuple(
                tuple(relabel(x, axes[o], by) for x in h)
                for o, h in zip("abc", (hardware["b"], hardware["a"], c), strict=True)
            )
        )
    rng = random.Random(5)
    right = transposed = 0
    triples = [(a, b, c) for a in everything for b in everything for c in rng.sample(everything, 6)]
    for triple in [*triples, *legal, *turned]:
        result = matmul.grade(pairs(dict(zip("abc", triple, strict=True)), SMALL, (2, 2, 2)))
        if triple in legal:
            right += 1
            assert result.grade == ("exact" if triple == tuple(hardware[o] for o in "abc") else "relabelled")
        elif triple in turned:
            transposed += 1
            assert result.grade == "transposed"
        else:
            assert result.grade == "wrong"
    assert right >= 8
    assert transposed >= 8


ROWS = [
    (arch, i)
    for arch in ("gfx908", "gfx942", "gfx1100", "gfx1201", "gfx950", "gfx1250")
    for name in instructions.names(arch)
    for i in instructions.named(arch, name)
    if i.known and not i.sparse and i.blocks == 1
]


@pytest.mark.parametrize(("arch", "row"), ROWS, ids=lambda x: getattr(x, "name", x))
def test_a_shared_relabelling_is_found_and_another_is_not(arch: str, row: instructions.Instruction) -> None:
    m, n, k = row.mnk
    rng = random.Random(f"{arch}{row.name}{row.types}")
    by = {axis: tuple(rng.sample(range(extent), extent)) for axis, extent in zip("mnk", row.mnk, strict=True)}
    for operands in row.operands.values():
        hardware = {"a": operands["a"].map, "b": operands["b"].map, "c": operands["d"].map}
        assert all(hardware.values())
        maps: dict[str, Layout] = {x: h for x, h in hardware.items() if h}
        axes = {"a": (("m", m), ("k", k)), "b": (("n", n), ("k", k)), "c": (("m", m), ("n", n))}
        moved = {x: tuple(relabel(o, axes[x], by) for o in points_of(maps[x])) for x in "abc"}
        result = matmul.grade(pairs(moved, maps, row.mnk))
        assert result.grade == "relabelled"
        assert result.permutations == {axis: p for axis, p in by.items() if p != tuple(range(len(p)))}
        at = rng.randrange(len(moved["c"]))
        other = next(i for i in range(len(moved["c"])) if moved["c"][i] != moved["c"][at])
        swapped = list(moved["c"])
        swapped[at], swapped[other] = swapped[other], swapped[at]
        result = matmul.grade(pairs(moved | {"c": tuple(swapped)}, maps, row.mnk))
        assert result.grade == "wrong"
        assert_conflict(result, row.mnk)


def assert_conflict(result: matmul.Result, mnk: tuple[int, int, int]) -> None:
    """The conflict really excludes a permutation: one source with two images, or two with one, or outside."""
    assert result.conflict is not None
    images = result.conflict.images
    extent = dict(zip("mnk", mnk, strict=True))[result.conflict.axis]
    if len(images) == 1:
        assert images[0][1] >= extent
    else:
        (s, i), (t, j) = images
        assert (s == t) != (i == j)


def test_k_must_be_the_same_in_a_and_b() -> None:
    (row,) = instructions.named("gfx1201", "v_wmma_f32_16x16x16_f16")
    maps = {x: row.operands[32][x].map for x in "abc"}
    own = {x: h for x, h in maps.items() if h}
    swap = (*range(4), *range(8, 12), *range(4, 8), *range(12, 16))
    by = {"m": tuple(range(16)), "n": tuple(range(16)), "k": swap}
    moved = {x: points_of(h) for x, h in own.items()}
    moved["a"] = tuple(relabel(o, (("m", 16), ("k", 16)), by) for o in moved["a"])
    result = matmul.grade(pairs(moved, own, (16, 16, 16)))
    assert result.grade == "wrong"
    assert all(result.own.values())
    assert result.own["a"] != result.own["b"]


def test_cycles_and_blocks() -> None:
    assert matmul.cycles((0, 2, 1, 3)) == [[1, 2]]
    assert matmul.cycles((1, 2, 0, 4, 3)) == [[0, 1, 2], [3, 4]]
    swap = (*range(16, 32), *range(16))
    assert matmul.blocks_kept(swap, 16)
    assert not matmul.blocks_stay(swap, 16)
    assert matmul.blocks_stay(swap, 32)
    torn = (*range(8), *range(16, 24), *range(8, 16), *range(24, 32))
    assert not matmul.blocks_kept(torn, 16)
    assert matmul.blocks_kept(torn, 32)


def test_sparse_a_stores_two_of_each_four() -> None:
    (row,) = instructions.named("gfx942", "v_smfmac_f32_16x16x32_f16")
    a = row.operands[64]["a"]
    assert a.map is not None
    wide = stored(a)
    for t in range(64):
        for v in range(2):
            m, group = a.map((t, v)) % 16, a.map((t, v)) // 16
            assert [wide((t, 2 * v + s)) for s in range(2)] == [m + 16 * (2 * group + s) for s in range(2)]


def test_z3_confirms_what_every_point_says() -> None:
    hardware, layout = parse("((16,2),(4,2)):((1,64),(16,128))"), parse("((16,2),8):((1,128),16)")
    axes = (("m", 16), ("k", 16))
    swap = (*range(4), *range(8, 12), *range(4, 8), *range(12, 16))
    assert confirm(layout, hardware, axes, {"k": swap}, 10) is True
    assert confirm(layout, hardware, axes, {}, 10) is False
    rng = random.Random(1)
    for _ in range(20):
        wrong = list(swap)
        i, j = rng.sample(range(16), 2)
        wrong[i], wrong[j] = wrong[j], wrong[i]
        assert confirm(layout, hardware, axes, {"k": tuple(wrong)}, 10) is False
    assert confirm(parse("(3,5):(1,3)"), parse("(3,5):(1,3)"), (("m", 15),), {}, 10) is None
    assert prod(e for _, e in axes) == hardware.size
