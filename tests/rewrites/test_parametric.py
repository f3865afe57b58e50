"""Rewrites as polynomial identities: they hold on every structure, and wrong variants are refuted with numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from layoutcheck.errors import Disagreement
from layoutcheck.rewrites import parametric
from layoutcheck.rewrites.parametric import Identity, Symbolic, SymbolicLeaf, check, put, run, structures

from .evaluate import apply, leaves


def test_structures_are_counted() -> None:
    assert sum(1 for _ in structures(2, 2)) == 42
    assert sum(1 for _ in structures(3, 3)) == 2954
    assert len(set(structures(3, 3))) == 2954


def test_the_small_ones_hold() -> None:
    outcome = run(2, 2)
    assert outcome.status == "holds"
    assert outcome.structures == 42
    assert set(outcome.identities) == {"shape_cast", "transpose", "broadcast", "step", "delinearize"}


@pytest.mark.slow
def test_all_structures_hold() -> None:
    outcome = run(3, 3, seconds=3600)
    assert (outcome.status, outcome.structures) == ("holds", 2954)
    print(f"{outcome.structures} structures, identities: {dict(outcome.identities)}")


def split_with_outer_stride(layout: Symbolic, of: Mapping[str, Any]) -> Iterator[Identity]:
    """The outer part keeps the stride of the whole."""
    whole, parts = parametric.split(layout, 0, 0, of)
    outer = parts[0][0]._replace(stride=layout[0][0].stride)
    yield from parametric.same("split", whole, put(parts, 0, 0, (outer,)))


def swapped_parts(layout: Symbolic, of: Mapping[str, Any]) -> Iterator[Identity]:
    whole, parts = parametric.split(layout, 0, 0, of)
    outer, inner, *others = parts[0]
    yield from parametric.same("split", whole, ((inner, outer, *others), *parts[1:]))


def unexpanded_permutation(layout: Symbolic, of: Mapping[str, Any]) -> Iterator[Identity]:
    """The permutation of modes applied to leaves: with several leaves a mode, others move."""
    flat = [leaf for mode in layout for leaf in mode]
    moved = (flat[1], flat[0], *flat[2:])
    wanted = parametric.row_major([(parametric.size(m), parametric.coordinate(m)) for m in layout[::-1]])
    yield Identity("transpose", "position", wanted, parametric.position((moved,)))


def missing_data_stride(layout: Symbolic, of: Mapping[str, Any]) -> Iterator[Identity]:
    """Digits added up as they are."""
    total = sum(leaf.digit for leaf in layout[0])
    yield Identity("step", "coordinate", parametric.coordinate(layout[0]), total)


def trailing_mode(layout: Symbolic, of: Mapping[str, Any]) -> Iterator[Identity]:
    """The new mode at the end instead of the front."""
    target = (*layout, (SymbolicLeaf(of["n"], 0, of["h"], False),))
    yield Identity("broadcast", "position", of["h"] + parametric.position(layout), parametric.position(target))


def forgotten_gap(layout: Symbolic, of: Mapping[str, Any]) -> Iterator[Identity]:
    """The stride of the second cell without the gap before it."""
    s, t = layout[0][0], layout[0][1]
    whole = of["q00"] + of["g00"] * (s.digit + s.extent * t.digit)
    yield Identity("delinearize", "thread", whole, of["q00"] + of["g00"] * s.digit + s.extent * t.digit)


@pytest.mark.parametrize(
    ("structure", "rewrite"),
    [
        (("TT", "V"), split_with_outer_stride),
        (("TV",), swapped_parts),
        (("VT", "V"), swapped_parts),
        (("TV", "TV"), unexpanded_permutation),
        (("TV", "T"), missing_data_stride),
        (("V", "T"), trailing_mode),
        (("TT",), forgotten_gap),
    ],
)
def test_a_wrong_variant_is_refuted_with_numbers(structure: parametric.Structure, rewrite: parametric.Rewrite) -> None:
    outcome = check(structure, rewrite)
    assert outcome.status == "broken"
    assert outcome.broken is not None
    assert outcome.at is not None
    assert isinstance(outcome.broken.left, int)
    assert outcome.broken.left != outcome.broken.right
    again = list(rewrite(parametric.symbolic(structure, outcome.at), outcome.at))
    assert any(x.left == outcome.broken.left and x.right == outcome.broken.right for x in again)


def test_a_value_leaf_has_no_stride_to_get_wrong() -> None:
    assert check(("VT",), split_with_outer_stride).status == "holds"


def test_polynomials_are_the_definition_on_digits() -> None:
    """With digits in range, thread and index decode to themselves: the position is P."""
    numbers = {"s00": 3, "d00": 8, "s01": 2, "d01": 0, "s10": 8, "d10": 1}
    pairs = [(3, 8), (2, 0), (8, 1)]
    for c00 in range(3):
        for c01 in range(2):
            for c10 in range(8):
                of = numbers | {"c00": c00, "c01": c01, "c10": c10}
                layout = parametric.symbolic(("TV", "T"), of)
                thread, index = parametric.thread(layout), parametric.value(layout)
                assert apply("P", (leaves(pairs), thread, index)) == parametric.position(layout)


def test_engines_that_contradict_each_other_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parametric, "_apart", lambda *_: ("sat", dict.fromkeys(parametric.names(("T",)), 1)))
    with pytest.raises(Disagreement):
        check(("T",))
    monkeypatch.setattr(parametric, "_apart", lambda *_: ("unsat", None))
    with pytest.raises(Disagreement):
        check(("TV",), swapped_parts)
    monkeypatch.setattr(parametric, "_apart", lambda *_: ("sat", dict.fromkeys(parametric.names(("TV",)), 1)))
    with pytest.raises(Disagreement, match="does not tell"):
        check(("TV",), swapped_parts_that_need_numbers)


def swapped_parts_that_need_numbers(layout: Symbolic, of: Mapping[str, Any]) -> Iterator[Identity]:
    yield Identity("split", "position", of["x"] * of["w"], of["x"])


def test_out_of_time_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parametric, "_apart", lambda *_: ("unknown", None))
    assert run(1, 1).status == "unknown"
