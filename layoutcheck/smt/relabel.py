"""z3 on "there is no (thread, value) where the layout and the relabelled hardware map differ".

Shares nothing with the decider but Layout.

A map of power-of-two extents is a sum over the bits of the flat index. With the permutations as tables, one query an
operand asks for a bit vector where some coordinate differs.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

from ..layout import Layout
from .solver import quiet

MOST = 256  # elements of a permutation that is written out as nested choices


def confirm(
    layout: Layout,
    hardware: Layout,
    axes: tuple[tuple[str, int], ...],
    permutations: Mapping[str, tuple[int, ...]],
    timeout: float,
) -> bool | None:
    """Whether `layout` is `hardware` with `permutations` of its axes, at every flat index; None when z3 cannot say.

    `axes` are (name, extent) of an offset's coordinates, fastest first. Answers where extents are powers of two.
    """
    extents = [e for _, e in axes] + [s for side in (layout, hardware) for s, _ in side.digits]
    if layout.size != hardware.size or any(e & (e - 1) for e in extents):
        return None
    if any(len(p) > MOST for p in permutations.values()):
        return None
    import z3

    offset = max(layout.cosize, hardware.cosize, prod(e for _, e in axes)).bit_length() + 1
    bits = max(1, layout.size.bit_length() - 1)
    width = max(offset, bits)
    x = z3.BitVec("x", width)
    left, right = (_sum(z3, x, side, width) for side in (layout, hardware))
    different = []
    shift = 0
    for i, (name, extent) in enumerate(axes):
        step = extent.bit_length() - 1
        mask = (1 << step) - 1 if i + 1 < len(axes) else (1 << width) - 1
        mine, theirs = (z3.LShR(side, shift) & mask for side in (left, right))
        image = theirs
        for source, target in enumerate(permutations.get(name, ())):
            if source != target:
                image = z3.If(theirs == source, z3.BitVecVal(target, width), image)
        different.append(mine != image)
        shift += step
    solver = quiet(z3.SolverFor("QF_BV"))
    solver.set("timeout", max(1, int(timeout * 1000)))
    solver.add(z3.ULT(x, layout.size), z3.Or(different))
    answer = str(solver.check())
    return None if answer == "unknown" else answer == "unsat"


def _sum(z3: Any, x: Any, layout: Layout, width: int) -> Any:
    """The offset at flat index `x`."""
    total = z3.BitVecVal(0, width)
    shift = 0
    for extent, stride in layout.digits:
        digit = z3.LShR(x, shift) & (extent - 1)
        total = total + digit * stride
        shift += extent.bit_length() - 1
    return total
