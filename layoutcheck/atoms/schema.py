"""The atom file format as types: the one source of the reader and of the JSON schema.

Every scalar is text here: numbers may be expressions in a family's parameters, and YAML must not guess.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

_NUMBER = "an integer, or an expression in the names of the family's row"
Number = Annotated[str, msgspec.Meta(description=_NUMBER)]
_FLAG = "true or false"
Flag = Annotated[str, msgspec.Meta(description=_FLAG)]
_EXPRESSION = "an expression in the coordinates and the family's parameters"
Expression = Annotated[str, msgspec.Meta(description=_EXPRESSION)]
LayoutField = Annotated[str, msgspec.Meta(description='a layout, quoted: "((16,4),4):((1,64),16)"')]


class Ignore(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A suppressed rule, with the reason why."""

    code: str
    reason: str = ""


class Values(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The values of one parameter: a list, or the multiples of a number between two ends (1 and, without `max`, none:
    then the parameter is free)."""

    in_: list[Number] | None = msgspec.field(default=None, name="in")
    min: Number | None = None
    max: Number | None = None
    multiple_of: Number | None = None


class Family(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Parameters of a family. Each of `rows` is one instance, and has to meet `requires`; or `params` give each
    parameter its values: every combination that meets `requires` is an instance. `outside` names parameters that do not
    meet it, and for which the formula is wrong."""

    rows: list[dict[str, Number]] | None = None
    params: dict[str, Values] | None = None
    requires: str = ""
    outside: list[dict[str, Number]] = []


class PerOperand(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One text per MMA operand."""

    a: Number | None = None
    b: Number | None = None
    c: Number | None = None
    d: Number | None = None


class PerSide(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One number per side of a copy."""

    src: Number | None = None
    dst: Number | None = None


class PerSideText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One text per side of a copy."""

    src: str | None = None
    dst: str | None = None


class PerOperandText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One text per MMA operand, never a number."""

    a: str | None = None
    b: str | None = None
    c: str | None = None
    d: str | None = None


class StateField(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One field of a stateful atom's struct: its LLVM type, and the value it starts with."""

    type: str | None = None
    default: Number | None = None


class Oracle(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Closed forms of the instruction's own map, where the catalog has none."""

    a: dict[str, str] | None = None
    b: dict[str, str] | None = None
    c: dict[str, str] | None = None
    source: str | None = None


class Mma(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="mma"):
    """A matrix multiply-accumulate atom: three or four operands over M, N, K tiles."""

    name: str
    mnk: tuple[Number, Number, Number]
    thr: LayoutField
    a: LayoutField
    b: LayoutField
    c: LayoutField
    d: LayoutField | None = None
    elements: PerOperand = PerOperand()
    arch: str | None = None
    wave: Number | None = None
    type: str | None = None
    instruction: str | None = None
    blocks: Number = "1"
    registers: PerOperand = PerOperand()
    pitch: PerOperand = PerOperand()
    lanes: PerOperand = PerOperand()
    replication: PerOperand = PerOperand()
    fragments: PerOperandText = PerOperandText()
    intrinsic: PerOperandText = PerOperandText()
    state: dict[str, StateField] | None = None
    placeholder: str | None = None
    oracle: Oracle | None = None
    family: Family | None = None
    ignore: list[Ignore] = []


class Copy(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="copy"):
    """A copy atom: bit layouts of source and destination, and the value widths it is used at."""

    name: str
    bits: Number
    thr: LayoutField
    src: LayoutField
    dst: LayoutField
    ref: LayoutField
    val_bits: list[Number]
    arch: str | None = None
    type: str | None = None
    replication: PerSide = PerSide()
    fragments: PerSideText = PerSideText()
    intrinsic: PerSideText = PerSideText()
    state: dict[str, StateField] | None = None
    placeholder: str | None = None
    family: Family | None = None
    ignore: list[Ignore] = []


Shape = list[Number] | str


class PackMap(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="pack_map"):
    """An IREE pack map (lexicographic): a layout, and the shape of the space that its modes cover."""

    name: str
    layout: LayoutField
    shape: Shape | None = None
    family: Family | None = None
    ignore: list[Ignore] = []


class PackLayout(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="pack_layout"
):
    """An IREE pack layout: stride 0 is a value, any other stride a thread. `shape` is that of a vector, `tensor`
    that of a ranked tensor, which may be smaller (padding); `threads` how many there are."""

    name: str
    layout: LayoutField
    shape: Shape | None = None
    tensor: Shape | None = None
    threads: Number | None = None
    family: Family | None = None
    ignore: list[Ignore] = []


class Rewrite(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="rewrite"):
    """One instance of a distribution rewrite of IREE: its operation, and the pack layouts (lex) that meet in it."""

    name: str
    op: Annotated[str, msgspec.Meta(description="shape_cast, reshape, transpose, broadcast, step, elementwise, ...")]
    src: LayoutField | None = None
    dst: LayoutField | None = None
    to: Shape | None = None
    perm: list[Number] | None = None
    layout: LayoutField | None = None
    layouts: list[LayoutField] = []
    threads: Number | None = None
    offset: Annotated[str, msgspec.Meta(description="step: the offset of thread t, as in 4*(t % 32)")] | None = None
    outer: LayoutField | None = None
    inner: LayoutField | None = None
    family: Family | None = None
    ignore: list[Ignore] = []


class Map(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="map"):
    """An index map: coordinates of the extents `from` (c0, c1, ... or named by `coordinates`) to those of `onto`.

    It stays inside `onto`; no two points have one image, and every element is the image of a point, unless the file
    says that this is not meant."""

    name: str
    from_: list[Number] = msgspec.field(name="from")
    to: list[Expression]
    onto: list[Number]
    coordinates: list[str] | None = None
    injective: Flag = "true"
    covering: Flag = "true"
    requires: str = ""
    family: Family | None = None
    ignore: list[Ignore] = []


class AtomFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A whole file."""

    layoutcheck: Annotated[str, msgspec.Meta(description=_NUMBER)]
    atoms: list[Mma | Copy | PackMap | PackLayout | Rewrite | Map]


Record = Mma | Copy | PackMap | PackLayout | Rewrite | Map
KINDS: dict[str, type[Record]] = {
    "mma": Mma,
    "copy": Copy,
    "pack_map": PackMap,
    "pack_layout": PackLayout,
    "rewrite": Rewrite,
    "map": Map,
}


def json_schema() -> dict[str, Any]:
    """The JSON schema of an atom file, as editors use it: there, a number may stand as YAML's integer."""
    schema: dict[str, Any] = _with_integers(msgspec.json.schema(AtomFile))
    return schema


def _with_integers(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_with_integers(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    widened = {key: _with_integers(value) for key, value in schema.items()}
    if widened.get("type") == "string" and widened.get("description") in (_NUMBER, _EXPRESSION):
        widened["type"] = ["integer", "string"]
    if widened.get("type") == "string" and widened.get("description") == _FLAG:
        widened["type"] = ["boolean", "string"]
    return widened
