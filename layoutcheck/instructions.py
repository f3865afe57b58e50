"""The matrix instructions of the catalog: register maps with their sources, one file an architecture."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from math import prod

import msgspec

from .catalog import _plain, root
from .errors import InputError
from .layout import Layout
from .notation import parse
from .source import load_yaml, read_file

FILES = {
    "gfx908": "gfx908", "gfx90a": "gfx90a", "gfx940": "gfx942", "gfx941": "gfx942", "gfx942": "gfx942",
    "gfx950": "gfx950", "gfx1250": "gfx1250",
    "gfx1100": "gfx11", "gfx1101": "gfx11", "gfx1102": "gfx11", "gfx1103": "gfx11",
    "gfx1150": "gfx11", "gfx1151": "gfx11",
    "gfx1200": "gfx12", "gfx1201": "gfx12",
}  # fmt: skip
CLASSES = {
    "F8": ("f8E4M3FN", "f8E5M2"),
    "F6": ("f6E2M3FN", "f6E3M2FN"),
    "F4": ("f4E2M1FN",),
}
GROUP = 4  # consecutive k that one value of a sparse A, and of its index, stands for


class HwOperand(msgspec.Struct, frozen=True):
    """What the hardware has of one operand, in one wave size.

    `map` is (lane, value) -> offset in the column-major tile, colex; None where no source settles it. `bits` is the
    width of one value, `pitch` the bits from one to the next, `registers` 32-bit registers a lane. `group` is 4 where
    one value stands for four consecutive k (sparse A and index), else 1; the tile then counts groups.
    """

    name: str
    tile: tuple[int, ...]
    bits: int
    pitch: int
    map: Layout | None = None
    group: int = 1

    @property
    def lanes(self) -> int | None:
        """Lanes that hold the operand."""
        return self.map.mode(0).size if self.map else None

    @property
    def values(self) -> int | None:
        """Values a lane."""
        return self.map.mode(1).size if self.map else None

    @property
    def registers(self) -> int | None:
        """32-bit registers a lane."""
        return -(-self.map.mode(1).size * self.pitch // 32) if self.map else None

    @property
    def replication(self) -> int | None:
        """How many (lane, value) pairs hold each element."""
        return self.map.size // prod(self.tile) if self.map else None


class Instruction(msgspec.Struct, frozen=True):
    """One matrix instruction of one architecture, for its element types; `operands` by wave size.

    Element types are MLIR's names; `scale` is the number of consecutive k that one scale serves (0: no scales).
    `complete` says that the catalog lists every matrix instruction of the architecture.
    """

    arch: str
    name: str
    mnk: tuple[int, int, int]
    blocks: int
    types: tuple[str, str, str]
    operands: dict[int, dict[str, HwOperand]]
    scale: int
    confidence: str
    source: str

    @property
    def sparse(self) -> bool:
        """Whether A is sparse, with an index register."""
        return any("k" in operands for operands in self.operands.values())

    @property
    def known(self) -> bool:
        """Whether the maps of A, B and D are all known."""
        return all(o.map is not None for operands in self.operands.values() for o in operands.values())

    @property
    def shape(self) -> str:
        """`16x16x16`, or `4x4x4 in 16 blocks`."""
        return "x".join(map(str, self.mnk)) + (f" in {self.blocks} blocks" if self.blocks > 1 else "")


class _File(msgspec.Struct, frozen=True):
    complete: bool
    evidence: dict[str, dict[str, str]]
    rows: tuple[str, ...]


def covered(arch: str) -> bool:
    """Whether the catalog has instructions of the architecture."""
    return arch in FILES


def complete(arch: str) -> bool:
    """Whether it has all of them."""
    return arch in FILES and _file(FILES[arch]).complete


@lru_cache(maxsize=16)
def _file(stem: str) -> _File:
    table = _read(stem)
    rows = tuple(line.strip() for line in str(table["instructions"]).splitlines() if line.strip())
    evidence = table["evidence"]
    assert isinstance(evidence, dict)
    return _File(table["complete"] == "true", evidence, rows)


def _read(stem: str) -> dict[str, object]:
    path = os.path.join(root(), "instructions", f"{stem}.yaml")
    table = _plain(load_yaml(read_file(path))[0])
    if not isinstance(table, dict):
        raise InputError(f"{path}: no table of instructions")
    return table


@lru_cache(maxsize=1)
def maps() -> dict[str, str]:
    """Every register map of the catalog, by name, as a layout text."""
    pairs = (line.split() for line in str(_read("maps")["maps"]).splitlines())
    return {pair[0]: pair[1] for pair in pairs if pair}


@lru_cache(maxsize=256)
def _map(name: str) -> Layout:
    return parse(maps()[name])


def names(arch: str) -> list[str]:
    """The instructions of an architecture, each once."""
    return list(dict.fromkeys(row.split(None, 1)[0] for row in _file(FILES[arch]).rows)) if arch in FILES else []


def named(arch: str, name: str) -> list[Instruction]:
    """The instruction of that name, once for each row of element types that it has."""
    if arch not in FILES:
        return []
    rows = _file(FILES[arch]).rows
    return [_instruction(arch, row) for row in rows if row.split(None, 1)[0] == name]


def of_shape(arch: str, mnk: tuple[int, ...]) -> list[Instruction]:
    """Every instruction of an architecture with that M, N and K."""
    if arch not in FILES:
        return []
    shape = "x".join(map(str, mnk))
    return [_instruction(arch, r) for r in _file(FILES[arch]).rows if r.split(None, 2)[1].partition("*")[0] == shape]


def has_types(instruction: Instruction, types: tuple[str, str, str]) -> bool:
    """Whether element types (as MLIR or the vendor writes them) are the instruction's."""
    return all(_plain_type(t) in expand(own) for own, t in zip(instruction.types, types, strict=True))


def typed(instruction: Instruction, types: tuple[str, str, str]) -> Instruction:
    """The instruction for these element types: the widths of its operands where it serves several."""
    waves = {}
    for wave, operands in instruction.operands.items():
        waves[wave] = dict(operands)
        for name, own, text in zip("abd", instruction.types, types, strict=True):
            if len(expand(own)) > 1:
                width = _width(text)
                waves[wave][name] = msgspec.structs.replace(operands[name], bits=width, pitch=width)
    return msgspec.structs.replace(instruction, types=types, operands=waves)


def expand(text: str) -> tuple[str, ...]:
    """The element types that a table's `F8`, `F6|F4` or plain name stands for."""
    return tuple(t for part in text.split("|") for t in CLASSES.get(part, (part,)))


def _plain_type(text: str) -> str:
    """Signed and unsigned integers have one map, and tf32 is the vendor's xf32."""
    return re.sub(r"^(?:si|ui|iu|u|s)(?=\d)", "i", text).replace("tf32", "xf32")


def _width(text: str) -> int:
    return next(int(part) for part in re.findall(r"\d+", expand(text)[0]))


@lru_cache(maxsize=512)
def _instruction(arch: str, row: str) -> Instruction:
    try:
        name, shape, a, b, d, *words = row.split()
        extents, _, blocks = shape.partition("*")
        m, n, k = map(int, extents.split("x"))
    except ValueError:
        raise InputError(f"catalog/instructions/{FILES[arch]}.yaml: cannot read {row!r}") from None
    mnk, types = (m, n, k), (a, b, d)
    waves: dict[int, dict[str, HwOperand]] = {}
    scale, evidence, wave = 0, "calculator", 0
    cells: dict[int, list[str]] = {}
    table = _file(FILES[arch]).evidence
    for word in words:
        if word in ("32:", "64:"):
            wave = int(word[:-1])
            cells[wave] = []
        elif word.startswith("scale="):
            scale = int(word[6:])
        elif word in table:
            evidence = word
        else:
            cells[wave].append(word)
    for wave, names_ in cells.items():
        waves[wave] = _operands(mnk, int(blocks or 1), types, names_)
    facts = table[evidence]
    return Instruction(arch, name, mnk, int(blocks or 1), types, waves, scale, facts["confidence"], facts["source"])


def _operands(
    mnk: tuple[int, int, int], blocks: int, types: tuple[str, str, str], cells: list[str]
) -> dict[str, HwOperand]:
    m, n, k = mnk
    sparse = len(cells) == 4
    tiles: dict[str, tuple[int, ...]] = {"a": (m, k), "b": (n, k), "d": (m, n)}
    operands = {}
    for key, cell, text in zip(("a", "b", "d", "k"), cells, (*types, ""), strict=False):
        name, _, pitch = cell.partition("@")
        layout = None if name == "-" else _map(name)
        group = GROUP if sparse and key in "ak" else 1
        tile = tiles.get(key, (m, k))
        if group > 1:
            tile = (m, k // GROUP)
        bits = 4 if key == "k" else _width(text) * (2 if group > 1 else 1)  # two kept of four; two 2-bit positions
        if blocks > 1:
            tile = (*tile, blocks)
        operands[key] = HwOperand(key, tile, bits, int(pitch or bits), layout, group)
    if not sparse:
        operands["c"] = msgspec.structs.replace(operands["d"], name="c")
    return operands
