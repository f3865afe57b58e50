"""IREE's kinds, pack_map and pack_layout (lexicographic, SEMANTICS.md section 4): LC110 and LC305 to LC307."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .. import inttuple
from ..claim import Claim, Digits, Link, Outside, leaves_of
from ..layout import Layout
from ..layout import overflow as overflow_of
from .entry import fill
from .model import Atom, Extents, Finding, Operand
from .schema import PackLayout, PackMap, Shape

if TYPE_CHECKING:
    from .rules_form import Form
    from .rules_map import Ask


def build(form: Form, record: PackMap | PackLayout) -> Atom:
    """The one operand, `layout`, of a pack map, with the shapes and threads it is held against."""
    layout = read(form, record.layout, "layout")
    shapes = [s for s in (_extents(form, record.shape, "shape"),) if s]
    threads = None
    if isinstance(record, PackLayout):
        shapes += [s for s in (_extents(form, record.tensor, "tensor"),) if s]
        threads = form.number(record.threads, "threads")
    facts = {"map"} if layout else set()
    facts |= {"threads"} if threads else set()
    operand = Operand("", form.entry.place("layout"), frozenset(facts), layout, lanes=threads)
    kind = "pack_layout" if isinstance(record, PackLayout) else "pack_map"
    return Atom(form.entry, kind, (operand,), shapes=tuple(shapes))


def read(form: Form, text: str, *path: str) -> Layout | None:
    """A field's layout, lex; LC103 for a CuTe text with static integers, which is colex."""
    cute = re.search(r"(?<!\w)_\d", text)
    if cute:
        form.report("LC103", "unexpected '_': a pack map holds integers", *path, offset=cute.start())
        return None
    return form.layout(text, *path, order="lex", operand="")[0]


def _extents(form: Form, shape: Shape | None, field: str) -> Extents | None:
    """`[16, 64]`, `16x64`, `vector<16x64xf16>` or `tensor<?x64xf16>`; `?` is a dimension that is not known."""
    if shape is None:
        return None
    where = form.entry.place(field)
    if isinstance(shape, str):
        inner = re.sub(r"^\s*(?:vector|tensor)<|>\s*$", "", fill(shape, form.entry.texts)).strip()
        parts = inner.split("x")
        if (
            len(parts) > 1
            and re.fullmatch(r"[a-z]+\d+\w*|index", parts[-1].strip())
            and parts[-1] not in form.entry.env
        ):
            parts.pop()
    else:
        parts = list(shape)
    dims: list[int | None] = []
    for i, part in enumerate(parts):
        if part.strip() == "?":
            dims.append(None)
            continue
        value = form.number(part.strip(), field, str(i))
        if value is None:
            return None
        dims.append(value)
    if not dims:
        form.report("LC102", f"{field}: a shape without dimensions", field)
        return None
    return Extents("tensor" if field == "tensor" else "vector", tuple(dims), where)


def overflow(operand: Operand) -> Finding | None:
    """LC110: extents, strides, the size and the largest offset against 64-bit integers."""
    found = overflow_of(operand.layout)
    return Finding(found[0], operand.span, witness=found[1]) if found else None


def shape_fits(operand: Operand, extents: Extents) -> Finding | None:
    """LC306: the modes against the dimensions; those of a tensor may be smaller."""
    sizes = [inttuple.size(mode) for mode in inttuple.modes(operand.layout.shape)]
    dims, kind = extents.dims, extents.kind
    if len(sizes) != len(dims):
        message = f"the layout has {len(sizes)} mode{_s(sizes)}, the {kind} {len(dims)} dimension{_s(dims)}"
        return Finding(message, extents.span, witness={"modes": len(sizes), "rank": len(dims)})
    for i, (size, dim) in enumerate(zip(sizes, dims, strict=True)):
        if dim is not None and (dim > size if kind == "tensor" else dim != size):
            message = f"mode {i} of the layout covers {size}, dimension {i} of the {kind} is {dim}"
            return Finding(message, extents.span, witness={"dimension": i, "layout": size, kind: dim})
    return None


def _s(things: tuple[object, ...] | list[int]) -> str:
    return "" if len(things) == 1 else "s"


def chain(operand: Operand, ask: Ask) -> Finding | None:
    """LC305: the thread leaves, sorted by stride."""
    verdict = ask(Claim("chain", leaves_of(operand.layout)))
    if not isinstance(verdict.witness, Link):
        return None
    (s, d), (t, e) = verdict.witness.leaf, verdict.witness.next
    message = f"thread leaf {t}:{e} follows {s}:{d}, but {e} is no multiple of {s}*{d} = {s * d}"
    witness = {"kind": "link", "leaf": [s, d], "next": [t, e]}
    return Finding(message, operand.span, (), witness, verdict)


def threads_exist(operand: Operand, ask: Ask) -> Finding | None:
    """LC307: the largest thread number against the number of threads."""
    assert operand.lanes is not None
    layout = operand.layout
    verdict = ask(Claim("bounded", leaves_of(layout), n=operand.lanes))
    if not isinstance(verdict.witness, Outside):
        return None
    at = verdict.witness.at[::-1]  # leaves of a lex layout stand the other way round in a claim
    element = coordinate(layout, at)
    thread = verdict.witness.value
    named = "(" + ", ".join(map(str, element)) + ")"
    needs = layout.cosize
    message = f"element {named} belongs to thread {thread}; the layout needs {needs} threads, there are {operand.lanes}"
    terms = " + ".join(f"{c}*{d}" for c, (_, d) in zip(at, layout.leaves, strict=True) if d)
    witness = {"kind": "outside", "at": {"element": list(element)}, "offset": thread, "limit": operand.lanes}
    return Finding(message, operand.span, (f"element {named}: {terms} = {thread}",), witness, verdict)


def coordinate(layout: Layout, digits: Digits) -> tuple[int, ...]:
    """The data coordinate of leaf digits (in the order of the text): in each mode the rightmost leaf is fastest."""
    position = 0
    coordinates = []
    for mode in inttuple.modes(layout.shape):
        at = 0
        for extent in inttuple.leaves(mode):
            at = at * extent + digits[position]
            position += 1
        coordinates.append(at)
    return tuple(coordinates)
