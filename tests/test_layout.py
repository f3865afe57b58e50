"""Layouts against a second, independent reading of the definition (SEMANTICS.md section 1)."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from layoutcheck import inttuple
from layoutcheck.errors import CoordinateError, LayoutError
from layoutcheck.inttuple import IntTuple
from layoutcheck.layout import Layout, Order, split

ORDERS: tuple[Order, ...] = ("colex", "lex")
SHAPES: list[IntTuple] = [
    4, (4,), (2, 3), (1, 3), ((2, 3),), ((2, 3), 2), (2, (3, 2)), ((2, 2), (3, 1)), (((2,), 3), 2), (2, (1, (3, 2)))
]  # fmt: skip


def flat(shape: IntTuple) -> list[int]:
    return [shape] if isinstance(shape, int) else [leaf for mode in shape for leaf in flat(mode)]


def shaped_like(shape: IntTuple, numbers: list[int]) -> Any:
    """The numbers, taken from the front, nested like `shape`."""
    return numbers.pop(0) if isinstance(shape, int) else tuple(shaped_like(mode, numbers) for mode in shape)


def points(shape: IntTuple, order: Order) -> list[tuple[int, ...]]:
    """Every digit tuple, by counting: no division anywhere. Python's product runs the last digit fastest."""
    extents = flat(shape)
    if order == "lex":
        return list(product(*map(range, extents)))
    return [digits[::-1] for digits in product(*map(range, extents[::-1]))]


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    shape = draw(
        st.recursive(st.integers(1, 4), lambda inner: st.lists(inner, min_size=1, max_size=3).map(tuple), max_leaves=5)
    )
    strides = [draw(st.integers(0, 2**70)) for _ in flat(shape)]
    return Layout(shape, shaped_like(shape, strides), draw(st.sampled_from(ORDERS)))


def check_everywhere(layout: Layout) -> None:
    strides = flat(layout.stride)
    everywhere = points(layout.shape, layout.order)
    assert layout.size == len(everywhere)
    offsets = [sum(c * d for c, d in zip(digits, strides, strict=True)) for digits in everywhere]
    assert [layout(x) for x in range(layout.size)] == offsets
    assert [layout(shaped_like(layout.shape, list(digits))) for digits in everywhere] == offsets
    assert layout.cosize == max(offsets) + 1


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("shape", SHAPES, ids=inttuple.text)
def test_evaluation_is_the_sum_of_digit_times_stride(shape: IntTuple, order: Order) -> None:
    for strides in product((0, 1, 3, 5), repeat=len(flat(shape))):
        check_everywhere(Layout(shape, shaped_like(shape, list(strides)), order))


@given(layouts())
def test_evaluation_of_any_layout(layout: Layout) -> None:
    check_everywhere(layout)


@given(layouts())
def test_lex_is_the_mirror_of_colex(layout: Layout) -> None:
    other: Order = "lex" if layout.order == "colex" else "colex"
    mirrored = Layout(inttuple.mirror(layout.shape), inttuple.mirror(layout.stride), other)
    assert [layout(x) for x in range(layout.size)] == [mirrored(x) for x in range(layout.size)]
    assert layout.digits == mirrored.digits


@given(layouts(), st.data())
def test_a_coordinate_may_stop_at_any_level(layout: Layout, data: st.DataObject) -> None:
    """Flat indices of the modes give the sum of the modes' own offsets."""
    modes = [layout.mode(i) for i in range(layout.rank)]
    at = tuple(data.draw(st.integers(0, mode.size - 1)) for mode in modes)
    coordinate = at[0] if isinstance(layout.shape, int) else at
    assert layout(coordinate) == sum(mode(x) for mode, x in zip(modes, at, strict=True))


@given(layouts())
def test_split_counts_the_modes(layout: Layout) -> None:
    shape = inttuple.modes(layout.shape)
    extents = tuple(layout.mode(i).size for i in range(layout.rank))
    assert [split(x, shape, layout.order) for x in range(layout.size)] == points(extents, layout.order)


@pytest.mark.parametrize(
    ("shape", "stride", "code", "message"),
    [
        (4, (1,), "LC104", "shape 4 and stride (1) are not congruent"),
        ((4,), 1, "LC104", "shape (4) and stride 1 are not congruent"),
        ((4, 8), (1, (4, 1)), "LC104", "shape (4,8) and stride (1,(4,1)) are not congruent"),
        ((4, 8), (1,), "LC104", "shape (4,8) and stride (1) are not congruent"),
        (0, 1, "LC105", "extent 0 is not positive"),
        ((4, (-2, 1)), (1, (0, 0)), "LC105", "extent -2 is not positive"),
        (4, -1, "LC106", "stride -1 is negative"),
    ],
)
def test_what_is_no_layout(shape: IntTuple, stride: IntTuple, code: str, message: str) -> None:
    with pytest.raises(LayoutError) as error:
        Layout(shape, stride)
    assert (error.value.code, str(error.value)) == (code, message)


@pytest.mark.parametrize("depth", [inttuple.MAX_DEPTH, inttuple.MAX_DEPTH + 1, 5000])
def test_depth_is_bounded(depth: int) -> None:
    shape: IntTuple = 3
    for _ in range(depth):
        shape = (shape,)
    if depth <= inttuple.MAX_DEPTH:
        assert Layout(shape, shape)(2) == 6
        return
    with pytest.raises(LayoutError) as error:
        Layout(shape, shape)
    assert error.value.code == "LC103"


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    "coordinate",
    [
        -1,
        24,
        (0,),
        (0, 0, 0),
        (2, 0, 0),
        (4, 0),
        (0, 6),
        (0, (2, 0)),
        (0, (0, 3)),
        ((0,), 0),
        ((0, 0), 0),
        (0, (0, -1)),
    ],
    ids=str,
)
def test_coordinates_outside(coordinate: Any, order: Order) -> None:
    with pytest.raises(CoordinateError):
        Layout((4, (2, 3)), (1, (4, 8)), order)(coordinate)


def test_mode_and_text() -> None:
    layout = Layout(((16, 4), (4,)), ((1, 64), (16,)), "lex")
    assert layout.mode(0) == Layout((16, 4), (1, 64), "lex")
    assert layout.mode(1) == Layout((4,), (16,), "lex")
    assert (layout.rank, str(layout)) == (2, "((16,4),(4)):((1,64),(16))")
