"""Texts for the real iree-opt, and random layouts that its rewrites take."""

from __future__ import annotations

from random import Random

from layoutcheck.layout import Layout
from layoutcheck.packmap import PackLayout


def vector(shape: tuple[int, ...], kind: str = "f16") -> str:
    """A vector type."""
    return f"vector<{'x'.join(map(str, shape))}x{kind}>"


def to_layout(name: str, of: str, layout: PackLayout, kind: str = "f16") -> str:
    """`name` is `of`, laid out."""
    return f"{name} = iree_vector_ext.to_layout {of} to layout({layout}) : {vector(layout.undistributed_shape, kind)}"


def random_layout(rng: Random, rank: int, leaves: int) -> PackLayout:
    """Up to `leaves` leaves a mode; thread strides a chain with gaps, in any order over the leaves."""
    shape = [[rng.choice((2, 2, 3, 4)) for _ in range(rng.randint(1, leaves))] for _ in range(rank)]
    strides = [[0] * len(mode) for mode in shape]
    places = [(i, k) for i in range(rank) for k in range(len(shape[i])) if rng.random() < 0.5]
    rng.shuffle(places)
    stride = 1
    for i, k in places:
        strides[i][k] = stride
        stride *= shape[i][k] * rng.choice((1, 1, 2))
    return PackLayout.of(Layout(tuple(map(tuple, shape)), tuple(map(tuple, strides)), "lex"))
