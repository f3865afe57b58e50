"""PackMap and PackLayout: texts, evaluation, ownership, and the vector-layout interface."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from layoutcheck import vector_layout
from layoutcheck.errors import LayoutcheckError, Refused
from layoutcheck.packmap import PackLayout, PackMap

ROUNDTRIP = [  # facts of IREE's roundtrip test: text, and what a pack_layout prints when that differs
    ("(8) : (1)", None),
    ("(8) : (2)", None),
    ("(4, 8) : (1, 4)", None),
    ("(4, 8) : (8, 1)", None),
    ("(2, 4, 8) : (1, 2, 8)", None),
    ("((2, 4), 8) : ((1, 16), 4)", None),
    ("(((2, 2), 4), 8) : (((1, 4), 16), 2)", "((2, 2, 4), 8) : ((1, 4, 16), 2)"),
    ("(4, 8) : (0, 1)", None),
    ("(1, 8) : (0, 1)", None),
    ("((2, 4), 8) : ((4, 1), 8)", "(8, 8) : (1, 8)"),
]
INVALID = [  # facts of IREE's invalid test, and of its parser
    "(0, 8) : (1, 4)",
    "(-1, 8) : (1, 4)",
    "(4, 8) : (-1, 4)",
    "(4, 8) : (1, (2, 3))",
    "((2, 4), 8) : (1, 4)",
    "() : ()",
    "(4, 8)",
    "(4, 8) : (1, 4",
    "(9223372036854775808) : (1)",
    "(2*4) : (1)",
    "(_4) : (1)",
]


@pytest.mark.parametrize(("text", "stored"), ROUNDTRIP)
def test_texts_go_in_and_out(text: str, stored: str | None) -> None:
    assert str(PackMap.parse(f"#iree_map.pack_map<{text}>")) == f"#iree_map.pack_map<{text}>"
    assert str(PackLayout.parse(f"#iree_map.pack_layout<{text}>")) == f"#iree_map.pack_layout<{stored or text}>"
    assert str(PackMap.parse(text)) == f"#iree_map.pack_map<{text}>"


@pytest.mark.parametrize("kind", ["pack_map", "pack_layout"])
@pytest.mark.parametrize("text", INVALID)
def test_what_iree_refuses_is_refused(text: str, kind: str) -> None:
    with pytest.raises(LayoutcheckError):
        (PackMap if kind == "pack_map" else PackLayout).parse(f"#iree_map.{kind}<{text}>")


def test_an_integer_is_one_mode() -> None:
    assert str(PackMap.parse("8 : 1")) == "#iree_map.pack_map<8 : 1>"
    assert str(PackLayout.parse("8 : 1")) == "#iree_map.pack_layout<(8) : (1)>"


def test_properties_and_evaluation() -> None:
    m = PackMap.parse("((2, 4), 8) : ((16, 1), 4)")
    assert (m.rank, m.depth, m.size, m.cosize) == (2, 2, 64, 48)
    assert m.evaluate(5, 3) == m.evaluate(1, 1, 3) == m.evaluate(5 * 8 + 3) == m.evaluate(64 + 43) == 29
    assert str(m.mode(0)) == "(2,4):(16,1)"
    with pytest.raises(Refused, match="4 coordinates"):
        m.evaluate(0, 0, 0, 0)
    with pytest.raises(LayoutcheckError):
        m.evaluate(0, 0, 8)
    with pytest.raises(Refused):
        m.mode(2)


def test_every_element_is_owned_as_often_as_replication_says() -> None:
    rng = Random(1)
    for _ in range(300):
        layout = random_chain(rng)
        period, count = layout.period, dict.fromkeys(product(*map(range, layout.undistributed_shape)), 0)
        values = 1
        for extent in layout.distributed_shape:
            values *= extent
        for thread in range(2 * period):
            for v in range(values):
                count[layout.own(thread, v)] += 1
        assert set(count.values()) == {layout.replication(2 * period)}
        assert layout.replication(2 * period) == 2 * layout.replication()
        assert all(layout.own(t, 0) == layout.own(t + period, 0) for t in range(period))


def random_chain(rng: Random) -> PackLayout:
    """Up to three modes of up to two leaves, thread strides a chain with gaps."""
    shape = [[rng.choice((1, 2, 3, 4)) for _ in range(rng.randint(1, 2))] for _ in range(rng.randint(1, 3))]
    flat = [(i, k) for i, mode in enumerate(shape) for k in range(len(mode)) if rng.random() < 0.6]
    rng.shuffle(flat)
    strides = [[0] * len(mode) for mode in shape]
    stride = rng.choice((1, 1, 2))
    for i, k in flat:
        strides[i][k] = stride
        stride *= shape[i][k] * rng.choice((1, 1, 2))
    texts = ["(" + ",".join(f"({','.join(map(str, m))})" for m in x) + ")" for x in (shape, strides)]
    return PackLayout.parse(" : ".join(texts))


def test_interface() -> None:
    a = PackLayout.parse("((2, 4), (4, 8)) : ((0, 1), (0, 4))")
    assert vector_layout.rank(a) == 2
    vector_layout.validate(a, [8, None])
    vector_layout.validate(a, [7, 32], tensor=True)
    assert str(vector_layout.permute(a, [1, 0])) == "#iree_map.pack_layout<((4, 8), (2, 4)) : ((0, 4), (0, 1))>"
    assert str(vector_layout.project(a, [True, False])) == "#iree_map.pack_layout<((4, 8)) : ((0, 4))>"
    assert str(vector_layout.apply(a, [1, None])) == "#iree_map.pack_layout<((4, 8), 1) : ((0, 4), 0)>"
    assert str(vector_layout.reshape(a, [8, 4, 8])) == "#iree_map.pack_layout<((2, 4), 4, 8) : ((0, 1), 0, 4)>"
    hierarchical = PackLayout.parse("((8, 2, 2, 4)) : ((1, 0, 0, 8))")
    assert str(hierarchical) == "#iree_map.pack_layout<((8, 4, 4)) : ((1, 0, 8))>"
    assert str(vector_layout.reshape(hierarchical, [4, 32])) == (
        "#iree_map.pack_layout<(4, (2, 4, 4)) : (2, (1, 0, 8))>"
    )


@pytest.mark.parametrize(
    ("shape", "tensor", "name"),
    [([8], False, "rank-differs"), ([8, 31], False, "shape-differs"), ([9, 32], True, "shape-differs")],
)
def test_a_shape_that_does_not_fit(shape: list[int], tensor: bool, name: str) -> None:
    a = PackLayout.parse("((2, 4), (4, 8)) : ((0, 1), (0, 4))")
    with pytest.raises(Refused) as refused:
        vector_layout.validate(a, shape, tensor=tensor)
    assert refused.value.name == name


def test_recombine_refuses_what_it_cannot_know() -> None:
    row, column = PackLayout.parse("(4, 8) : (1, 4)"), PackLayout.parse("(4, 8) : (8, 1)")
    first, second = PackLayout.parse("(4) : (1)"), PackLayout.parse("(8) : (1)")
    made = vector_layout.recombine([row, first], [(0, 1), (0,)], (1, 0, 2))
    assert str(made) == "#iree_map.pack_layout<(8, 4, 1) : (4, 1, 0)>"
    for layouts, maps, name in (
        ([row, column], [(0, 1), (0, 1)], "modes-differ"),
        ([first, second], [(0,), (1,)], "threads-collide"),
        ([row], [(0, 1), (0,)], "maps-differ"),
    ):
        with pytest.raises(Refused) as refused:
            vector_layout.recombine(layouts, maps, (0, 1))
        assert refused.value.name == name


def test_shared_memory_as_iree_answers() -> None:
    a, b = PackLayout.parse("((2, 2)) : ((1, 0))"), PackLayout.parse("(2, 2) : (1, 0)")
    assert not vector_layout.needs_shared_memory(a, b)
    assert vector_layout.needs_shared_memory(a, PackLayout.parse("(4) : (1)"))
