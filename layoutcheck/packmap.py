"""PackMap and PackLayout: IREE's `#iree_map.pack_map` and `pack_layout` as values (SEMANTICS.md section 4).

Lexicographic: the rightmost leaf is fastest. A PackLayout's leaves of stride 0 are values (registers), the others
threads. Source: IREE compiler/src/iree/compiler/Codegen/Dialect/Map.
"""

from __future__ import annotations

import re
from math import prod

import msgspec

from . import algebra, inttuple, notation
from .claim import Claim, Link
from .decide import theorems
from .errors import CoordinateError, NotationError, Refused
from .layout import Layout, Leaf

_I64 = 2**63
_ATTRIBUTE = re.compile(r"\s*#iree_map\.(pack_map|pack_layout)\s*<(.*)>\s*", re.DOTALL)
_NOT_PLAIN = re.compile(r"[^-0-9(),:\s]")


class PackMap(msgspec.Struct, frozen=True):
    """A lex layout. Raises Refused (not-lex) for a colex one.

    An integer at the top level is one mode: iree-opt 3.13.0 accepts it, later sources ask for a tuple.
    """

    layout: Layout

    def __post_init__(self) -> None:
        if self.layout.order != "lex" or self.layout.swizzle:
            raise Refused("not-lex", f"{self.layout} is read colex; a pack map is lex", order=self.layout.order)

    @classmethod
    def parse(cls, text: str) -> PackMap:
        """From the attribute's text, or plain `(4,8):(8,1)`. Raises NotationError or LayoutError with the column."""
        layout = read(text)
        for value in (*inttuple.leaves(layout.shape), *inttuple.leaves(layout.stride)):
            if value >= _I64:
                raise NotationError(f"{value} does not fit in 64 bits")
        return cls(layout)

    def __str__(self) -> str:
        return f"#iree_map.pack_map<{_text(self.layout.shape)} : {_text(self.layout.stride)}>"

    @property
    def rank(self) -> int:
        return self.layout.rank

    @property
    def depth(self) -> int:
        """Nesting: 1 for a flat tuple."""
        return inttuple.depth(self.layout.shape)

    @property
    def size(self) -> int:
        """Number of points; exact, where IREE's product wraps."""
        return self.layout.size

    @property
    def cosize(self) -> int:
        """1 + the largest index."""
        return self.layout.cosize

    def mode(self, i: int) -> Layout:
        """Mode `i`: IREE's getShapeMode and getStrideMode. Raises Refused: no-such-mode."""
        if not 0 <= i < self.rank:
            raise Refused("no-such-mode", f"mode {i} of {self.rank}", mode=i, modes=self.rank)
        return self.layout.mode(i)

    def evaluate(self, *at: int) -> int:
        """The index at a flat index (which wraps at the size), at one coordinate a mode, or at one a leaf.

        Raises Refused: coordinate-count (IREE shifts the given ones to the wrong modes); CoordinateError for a
        coordinate outside its leaf or mode.
        """
        leaves = self.layout.leaves
        if len(at) == 1 < len(leaves):
            if at[0] < 0:
                raise CoordinateError(f"coordinate {at[0]} is negative")
            return self.layout(at[0] % self.size)
        if len(at) == len(leaves):
            for c, (extent, _) in zip(at, leaves, strict=True):
                if not 0 <= c < extent:
                    raise CoordinateError(f"coordinate {c} is outside [0, {extent})")
            return sum(c * d for c, (_, d) in zip(at, leaves, strict=True))
        if len(at) == self.rank:
            return self.layout(at)
        text = f"{len(at)} coordinates for {self.rank} modes and {len(leaves)} leaves"
        raise Refused("coordinate-count", text, coordinates=len(at), modes=self.rank, leaves=len(leaves))


class PackLeaf(msgspec.Struct, frozen=True):
    """A leaf of a pack layout; one step of it is `data_stride` elements along its mode. Stride 0: a value."""

    mode: int
    extent: int
    stride: int
    data_stride: int


class PackLayout(msgspec.Struct, frozen=True):
    """Who holds what: stored with every mode coalesced, as IREE stores it. Build it with `PackLayout.of`."""

    map: PackMap

    @classmethod
    def of(cls, layout: Layout | PackMap) -> PackLayout:
        """From any lex layout."""
        raw = layout.layout if isinstance(layout, PackMap) else PackMap(layout).layout
        return cls(PackMap(algebra.coalesce_modes(raw)))

    @classmethod
    def parse(cls, text: str) -> PackLayout:
        """From the attribute's text. Raises NotationError or LayoutError."""
        return cls.of(PackMap.parse(text))

    def __str__(self) -> str:
        return str(self.map).replace("pack_map", "pack_layout", 1)

    @property
    def layout(self) -> Layout:
        return self.map.layout

    @property
    def leaves(self) -> tuple[PackLeaf, ...]:
        """All leaves in the order of the text."""
        out = []
        for i in range(self.layout.rank):
            extents = [s for s, _ in self.layout.mode(i).leaves]
            for k, (extent, stride) in enumerate(self.layout.mode(i).leaves):
                out.append(PackLeaf(i, extent, stride, prod(extents[k + 1 :])))
        return tuple(out)

    @property
    def thread_map(self) -> tuple[PackLeaf, ...]:
        """The leaves that threads count: digit (t div stride) mod extent, for every t >= 0."""
        return tuple(leaf for leaf in self.leaves if leaf.stride > 0)

    @property
    def value_map(self) -> tuple[PackLeaf, ...]:
        """The leaves that registers count."""
        return tuple(leaf for leaf in self.leaves if leaf.stride == 0)

    @property
    def undistributed_shape(self) -> tuple[int, ...]:
        """The vector's extents: the size of each mode."""
        return tuple(inttuple.size(mode) for mode in inttuple.modes(self.layout.shape))

    @property
    def distributed_shape(self) -> tuple[int, ...]:
        """What one thread holds: the value leaves mode by mode; 1 for a mode without any."""
        out: list[int] = []
        for i in range(self.layout.rank):
            out += [leaf.extent for leaf in self.value_map if leaf.mode == i] or [1]
        return tuple(out)

    @property
    def broken_link(self) -> tuple[Leaf, Leaf] | None:
        """The first two thread leaves, by stride, that break the chain; None for a chain."""
        answer = theorems.decide(Claim("chain", tuple((x.extent, x.stride) for x in self.thread_map)))
        witness = answer.witness if answer else None
        return (witness.leaf, witness.next) if isinstance(witness, Link) else None

    @property
    def chain(self) -> bool:
        """Whether the thread strides form a chain ("delinearizable"): what IREE's step needs."""
        return self.broken_link is None

    @property
    def period(self) -> int:
        """Threads t and t + period hold the same: the largest end of a thread leaf of a chain. Raises Refused."""
        link = self.broken_link
        if link is not None:
            (s, d), after = link
            text = f"stride {after[1]} is no multiple of {s * d}, the end of thread leaf {s}:{d}"
            raise Refused("not-chain", text, leaf=[s, d], next=list(after), end=s * d)
        return max((x.extent * x.stride for x in self.thread_map if x.extent > 1), default=1)

    def replication(self, threads: int | None = None) -> int:
        """How many of `threads` (default: one period) hold each element. Raises Refused: not-chain, threads-uneven."""
        held, period = prod(x.extent for x in self.thread_map), self.period
        count = period if threads is None else threads
        if count % period:
            text = f"{count} threads are no multiple of {period}, after which the layout repeats"
            raise Refused("threads-uneven", text, threads=count, period=period)
        return count // held

    def own(self, thread: int, value: int) -> tuple[int, ...]:
        """The element, one coordinate a mode, that `thread` holds at flat (lex) index `value` of its vector."""
        at = [0] * self.layout.rank
        rest = value
        for leaf in reversed(self.leaves):
            if leaf.stride:
                digit = thread // leaf.stride % leaf.extent
            else:
                rest, digit = divmod(rest, leaf.extent)
            at[leaf.mode] += digit * leaf.data_stride
        if thread < 0 or value < 0 or rest:
            raise CoordinateError(f"thread {thread} holds no value {value}")
        return tuple(at)


def read(text: str) -> Layout:
    """The lex layout of an attribute's text, or of a plain one; integers only. Raises NotationError, LayoutError."""
    attribute = _ATTRIBUTE.fullmatch(text)
    start = attribute.start(2) if attribute else 0
    inner = attribute.group(2) if attribute else text
    strange = _NOT_PLAIN.search(inner)
    if strange and (attribute or "iree" not in text):
        raise NotationError(f"unexpected {strange.group()!r}: a pack map holds integers", start + strange.start())
    layout = notation.parse(text)
    return layout if layout.order == "lex" else Layout(layout.shape, layout.stride, "lex")


def _text(tree: inttuple.IntTuple) -> str:
    return inttuple.text(tree).replace(",", ", ")
