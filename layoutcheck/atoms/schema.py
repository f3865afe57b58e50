"""The atom file format as types: the one source of the reader and of the JSON schema.

Every scalar is text here: numbers may be expressions in a family's parameters, and YAML must not guess.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

Number = Annotated[
    str,
    msgspec.Meta(
        extra_json_schema={"type": ["integer", "string"]},
        description="an integer, or an expression in the family's names",
    ),
]
LayoutField = Annotated[str, msgspec.Meta(description='a layout, quoted: "((16,4),4):((1,64),16)"')]


class Ignore(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A suppressed rule, with the reason why."""

    code: str
    reason: str = ""


class Family(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Parameters of a family: each row is one instance; `requires` must hold for every row."""

    rows: list[dict[str, Number]]
    requires: str = ""


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
    family: Family | None = None
    ignore: list[Ignore] = []


class AtomFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A whole file."""

    layoutcheck: Annotated[str, msgspec.Meta(extra_json_schema={"const": 1, "type": "integer"})]
    atoms: list[Mma | Copy]


Record = Mma | Copy
KINDS: dict[str, type[Mma] | type[Copy]] = {"mma": Mma, "copy": Copy}


def json_schema() -> dict[str, Any]:
    """The JSON schema of an atom file."""
    return msgspec.json.schema(AtomFile)
