"""vector.transpose: one thread's part is transposed by the permutation expanded over its distributed dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from .. import algebra
from ..errors import InputError
from ..layout import Layout
from ..smt.distribution import Held, Window
from . import model
from .case import Broken, Case, Given, Problem, Rewrite, chains

TRANSPOSE = Rewrite(
    "transpose",
    "src, perm, [dst]",
    "P(dst, t, k) = the place after the transpose of P(src, t, k before it), for every thread t >= 0 and index k",
    "coalesceModes(dst) = coalesceModes(permute(src, perm)); always, when dst is derived",
    "LC505",
)


def build(given: Given) -> Problem:
    """src and perm, and dst where it is given. Raises Refused: not-a-permutation."""
    assert given.src is not None
    assert given.perm is not None
    derived = algebra.coalesce_modes(algebra.permute(given.src, given.perm))
    if given.dst is None:
        return Problem(None, case(given.src, given.perm, derived), derived)
    broken = differs(derived, given.dst)
    fits = model.sizes(derived) == model.sizes(given.dst)
    instance = case(given.src, given.perm, given.dst) if fits else None
    return Problem(broken, instance, theorem="" if broken else "transpose_given")


def differs(derived: Layout, dst: Layout) -> Broken | None:
    """The precondition: dst is the source with its modes permuted, mode by mode the same function."""
    wanted, got = model.sizes(derived), model.sizes(dst)
    if wanted != got:
        text = f"the transpose has shape {_by(wanted)}, the destination {_by(got)}"
        return Broken("LC505", text, {"transpose": list(wanted), "destination": list(got)})
    stored = algebra.coalesce_modes(dst)
    if stored == derived:
        return None
    i = next(i for i in range(dst.rank) if stored.mode(i) != derived.mode(i))
    text = f"mode {i} of the destination is {stored.mode(i)}, of the permuted source {derived.mode(i)}"
    return Broken("LC505", text, {"mode": i, "transpose": str(derived.mode(i)), "destination": str(stored.mode(i))})


def expand(src: Layout, perm: Sequence[int]) -> tuple[int, ...]:
    """The permutation of the distributed dimensions that the rewrite emits: each mode brings its own along."""
    ends = [0, *accumulate(map(len, model.parts(src)))]
    return tuple(dim for mode in perm for dim in range(ends[mode], ends[mode + 1]))


def case(src: Layout, perm: Sequence[int], dst: Layout, emitted: Sequence[int] | None = None) -> Case:
    """The obligation; `emitted` is the permutation of one thread's part, by default the expanded one.

    Raises InputError when it permutes other dimensions than a thread's part has.
    """
    shape, places = model.distributed(src)
    order = tuple(expand(src, perm) if emitted is None else emitted)
    if sorted(order) != list(range(len(shape))):
        raise InputError(f"{list(order)} is no permutation of the {len(shape)} distributed dimensions")
    local = tuple(shape[dim] for dim in order)
    before, after = model.sizes(src), tuple(model.sizes(src)[mode] for mode in perm)

    def spot(thread: int, index: int) -> tuple[int, int]:
        at = dict(zip(order, model.digits(index, local), strict=True))
        own = model.flat([at[dim] for dim in range(len(shape))], shape)
        element = model.digits(model.position(src.leaves, thread, own), before)
        return model.position(dst.leaves, thread, index), model.flat([element[mode] for mode in perm], after)

    weight = {mode: model.suffix(after, i) for i, mode in enumerate(perm)}
    low = {dim: model.suffix(local, i) for i, dim in enumerate(order)}
    threads = tuple(Window(p.stride, p.extent, p.weight * weight[p.mode]) for p in places if p.stride)
    values = tuple(Window(p.step * low[p.dim], p.extent, p.weight * weight[p.mode]) for p in places if not p.stride)
    held = model.values(dst.leaves), model.values(src.leaves)
    return Case(model.held(dst.leaves), Held(threads, values), held, spot, chains(src, dst))


def _by(shape: Sequence[int]) -> str:
    return "x".join(map(str, shape))
