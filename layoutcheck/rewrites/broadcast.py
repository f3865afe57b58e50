"""vector.broadcast: one thread's part is broadcast to the shape of its part of the destination."""

from __future__ import annotations

from .. import algebra
from ..layout import Layout
from ..smt.distribution import Held, Window
from . import model
from .case import Broken, Case, Given, Problem, Rewrite, chains

BROADCAST = Rewrite(
    "broadcast",
    "[src], dst",
    "P(src, t, b(k)) = the element that P(dst, t, k) reads, for every thread t >= 0 and index k; b is the broadcast of "
    "one thread's part",
    "a thread's parts are broadcastable; every mode of src above 1 is dst's, and has no values or as many distributed "
    "dimensions to its right as in dst; always, for a scalar",
    "LC504",
)


def build(given: Given) -> Problem:
    """src (none: a scalar) and dst."""
    assert given.dst is not None
    if given.src is None:
        held = Held((), ())
        values = model.values(given.dst.leaves)
        return Problem(None, Case(held, held, (values, values), lambda _t, _k: (0, 0), True), note="a scalar source")
    pair = given.src, given.dst
    broken = differs(*pair)
    instance = case(*pair) if _fits(*pair) is None else None
    return Problem(broken, instance, theorem="broadcast_stretched" if not broken and _stretched(*pair) else "")


def _stretched(src: Layout, dst: Layout) -> bool:
    """Whether a mode of src is repeated, beside the leading ones that it does not have."""
    return model.sizes(src) != model.sizes(dst)[dst.rank - src.rank :]


def differs(src: Layout, dst: Layout) -> Broken | None:
    """The precondition."""
    broken = _fits(src, dst)
    if broken:
        return broken
    lead = dst.rank - src.rank
    for i, size in enumerate(model.sizes(src)):
        mine, wanted = algebra.coalesce(src.mode(i)), algebra.coalesce(dst.mode(i + lead))
        if size > 1 and mine != wanted:
            text = f"mode {i} of the source is {mine}, mode {i + lead} of the destination {wanted}"
            return Broken("LC504", text, {"mode": i, "source": str(mine), "destination": str(wanted)})
        right = _right(src, i), _right(dst, i + lead)
        if size > 1 and right[0] != right[1] and model.values(model.modes(src)[i]) > 1:
            text = (
                f"mode {i} of the source has values, and {right[0]} distributed dimensions to its right; "
                f"in the destination there are {right[1]}"
            )
            return Broken("LC504", text, {"mode": i, "source": right[0], "destination": right[1]})
    return None


def _right(layout: Layout, mode: int) -> int:
    return sum(map(len, model.parts(layout)[mode + 1 :]))


def _fits(src: Layout, dst: Layout) -> Broken | None:
    """What keeps the vectors, or one thread's parts of them, from being broadcastable at all."""
    for what, shapes in (
        ("the source", (model.sizes(src), model.sizes(dst))),
        ("a thread's part of the source", (model.distributed(src)[0], model.distributed(dst)[0])),
    ):
        small, large = shapes
        tail = large[len(large) - len(small) :]
        if len(small) > len(large) or any(a not in (1, b) for a, b in zip(small, tail, strict=True)):
            text = f"{what} has shape {_by(small)}, the destination's {_by(large)}: no broadcast"
            return Broken("LC504", text, {"source": list(small), "destination": list(large)})
    return None


def case(src: Layout, dst: Layout) -> Case:
    """The obligation, in elements of the source: stretched and leading dimensions read the same one."""
    small, large = model.sizes(src), model.sizes(dst)
    (shape, mine), (local, theirs) = model.distributed(src), model.distributed(dst)
    lead, ahead = len(large) - len(small), len(local) - len(shape)

    def spot(thread: int, index: int) -> tuple[int, int]:
        at = model.digits(index, local)[ahead:]
        own = model.flat([x if extent > 1 else 0 for x, extent in zip(at, shape, strict=True)], shape)
        element = model.digits(model.position(dst.leaves, thread, index), large)[lead:]
        read = model.flat([x if extent > 1 else 0 for x, extent in zip(element, small, strict=True)], small)
        return read, model.position(src.leaves, thread, own)

    read = [p for p in theirs if p.mode >= lead and small[p.mode - lead] > 1]
    expected = Held(
        tuple(Window(p.stride, p.extent, p.weight * model.suffix(small, p.mode - lead)) for p in read if p.stride),
        tuple(
            Window(p.step * model.suffix(local, p.dim), p.extent, p.weight * model.suffix(small, p.mode - lead))
            for p in read
            if not p.stride
        ),
    )
    actual = Held(
        tuple(Window(p.stride, p.extent, p.weight * model.suffix(small, p.mode)) for p in mine if p.stride),
        tuple(
            Window(p.step * model.suffix(local, p.dim + ahead), p.extent, p.weight * model.suffix(small, p.mode))
            for p in mine
            if not p.stride
        ),
    )
    values = model.values(dst.leaves)
    return Case(expected, actual, (values, values), spot, chains(src, dst))


def _by(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))
