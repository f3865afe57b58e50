"""The vector-layout interface of a PackLayout, as IREE's distribution asks it; refused where IREE answers wrongly.

Affine maps are given as their results: a number for dimension d<number>, None for any other expression.
Source: IREE Codegen/Dialect/Map/ExternalInterfaces/VectorLayoutInterfaceImpl.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence

from . import algebra
from .claim import Claim, leaves_of
from .decide import portfolio
from .errors import Refused
from .layout import Layout
from .packmap import PackLayout

Results = Sequence[int | None]
_UNIT = Layout(1, 0, "lex")


def rank(layout: PackLayout) -> int:
    """Number of vector dimensions."""
    return layout.layout.rank


def validate(layout: PackLayout, shape: Sequence[int | None], *, tensor: bool = False) -> None:
    """isValidLayout: extents equal the vector's; a ranked tensor's may be exceeded. None is a dynamic extent.

    Raises Refused: rank-differs, shape-differs.
    """
    mine = layout.undistributed_shape
    if len(shape) != len(mine):
        text = f"rank {len(shape)} of the vector, rank {len(mine)} of the layout"
        raise Refused("rank-differs", text, vector=len(shape), layout=len(mine))
    for i, (wanted, held) in enumerate(zip(shape, mine, strict=True)):
        if wanted is not None and (held < wanted if tensor else held != wanted):
            text = f"dimension {i} is {wanted}, and the layout holds {held}"
            raise Refused("shape-differs", text, dimension=i, wanted=wanted, held=held)


def permute(layout: PackLayout, order: Sequence[int]) -> PackLayout:
    """Mode i of the result is mode order[i]. Raises Refused: not-a-permutation."""
    return PackLayout.of(algebra.permute(layout.layout, order))


def project(layout: PackLayout, drop: Sequence[bool]) -> PackLayout:
    """The modes whose flag is false. Raises Refused: flags-differ, nothing-left."""
    return PackLayout.of(algebra.project(layout.layout, drop))


def apply(layout: PackLayout, results: Results) -> PackLayout:
    """One mode a result: the mode of its dimension, or a unit mode. Raises Refused: no-such-mode, nothing-left."""
    if not results:
        raise Refused("nothing-left", "a map without results leaves no mode", results=0)
    modes = [_UNIT if pos is None else layout.map.mode(pos) for pos in results]
    return PackLayout.of(algebra.concat(*modes))


def reshape(layout: PackLayout, shape: Sequence[int]) -> PackLayout:
    """The same elements in the same threads under other extents. Raises Refused: as algebra.reshape."""
    return PackLayout.of(algebra.reshape(layout.layout, tuple(shape)))


def recombine(layouts: Sequence[PackLayout], maps: Sequence[Results], result: Results) -> PackLayout:
    """The result's layout from its operands': mode by mode, through the dimensions they share.

    Raises Refused: maps-differ, modes-differ (two operands lay one dimension out otherwise; IREE compares only the
    shapes), threads-collide (operands injective in their threads, the result not; IREE builds it).
    """
    if len(layouts) != len(maps):
        text = f"{len(layouts)} layouts, {len(maps)} maps"
        raise Refused("maps-differ", text, layouts=len(layouts), maps=len(maps))
    modes: dict[int, Layout] = {}
    for layout, results in zip(layouts, maps, strict=True):
        for i, dimension in enumerate(results):
            if dimension is None or dimension not in result:
                continue
            at, mode = list(result).index(dimension), layout.map.mode(i)
            if modes.setdefault(at, mode) != mode:
                text = f"dimension {dimension} is {modes[at]} in one operand and {mode} in another"
                raise Refused("modes-differ", text, dimension=dimension, modes=[str(modes[at]), str(mode)])
    if not result:
        raise Refused("nothing-left", "a map without results leaves no mode", results=0)
    made = PackLayout.of(algebra.concat(*(modes.get(i, _UNIT) for i in range(len(result)))))
    if not injective(made) and all(map(injective, layouts)):
        text = f"{made} gives two elements of one register to the same thread, and no operand does"
        raise Refused("threads-collide", text, strides=[leaf.stride for leaf in made.thread_map])
    return made


def injective(layout: PackLayout) -> bool:
    """Whether the thread leaves are injective: what the attribute's description asks for."""
    leaves = tuple((leaf.extent, leaf.stride) for leaf in layout.thread_map)
    return portfolio.decide(Claim("injective", leaves), certify=False).status == "proved"


def needs_shared_memory(source: PackLayout, target: PackLayout) -> bool:
    """IREE's answer: the coalesced forms differ. Never wrongly false; often wrongly true (see `conversion`)."""
    return leaves_of(algebra.coalesce(source.layout)) != leaves_of(algebra.coalesce(target.layout))
