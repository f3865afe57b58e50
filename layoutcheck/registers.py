"""`show ARCH INSTRUCTION`: which element is in which register of which lane, as the vendor's calculator prints it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from . import catalog, instructions
from .atoms.convert import suggestion
from .errors import InputError
from .instructions import HwOperand, Instruction

_LETTERS = {"a": "A", "b": "B", "c": "C", "d": "D", "k": "index"}
_DIMENSIONS = {"a": ("i", "k"), "b": ("j", "k"), "c": ("i", "j"), "d": ("i", "j"), "k": ("i", "k")}


class Cell(msgspec.Struct, frozen=True):
    """One element (or sparse group) of an operand, and the register bits of the lane that hold it."""

    operand: str
    element: str
    register: int
    lane: int
    low: int
    high: int

    @property
    def name(self) -> str:
        """`v0`, with its bits where the value does not fill whole registers."""
        bits = self.high - self.low + 1
        if bits > 32:
            return f"v[{self.register + bits // 32 - 1}:{self.register}]"
        return f"v{self.register}" + (f"[{self.high}:{self.low}]" if bits < 32 else "")


def find(arch: str, name: str) -> list[Instruction]:
    """The rows of an instruction. Raises InputError with what there is instead."""
    if not instructions.covered(arch):
        hint = suggestion(arch, list(instructions.FILES))
        known = ", ".join(instructions.FILES)
        reason = "has no instructions in the catalog" if arch in catalog.archs() else f"is unknown{hint}"
        raise InputError(f"{arch} {reason} (there are those of {known})")
    rows = instructions.named(arch, name)
    if not rows:
        known = ", ".join(instructions.names(arch))
        raise InputError(
            f"{arch} has no instruction '{name}'{suggestion(name, instructions.names(arch))} (known: {known})"
        )
    return rows


def cells(operand: HwOperand) -> Iterator[Cell]:
    """Every (lane, value) of an operand."""
    if operand.map is None:
        return
    letter, names = _LETTERS[operand.name], _DIMENSIONS[operand.name]
    for value in range(operand.map.mode(1).size):
        start = value * operand.pitch
        for lane in range(operand.map.mode(0).size):
            offset = operand.map((lane, value))
            at = []
            for extent in operand.tile[:-1]:
                at.append(offset % extent)
                offset //= extent
            at.append(offset)
            if operand.group > 1:  # a group of four consecutive k
                at[1] = at[1] * operand.group
            k = f"{at[1]}..{at[1] + operand.group - 1}" if operand.group > 1 else str(at[1])
            block = f".B{at[2]}" if len(at) > 2 else ""
            element = f"{letter}[{names[0]} {at[0]}][{names[1]} {k}]{block}"
            low = start % 32
            yield Cell(letter, element, start // 32, lane, low, low + operand.bits - 1)


def rows(arch: str, name: str, by: str, wave: int | None = None) -> list[dict[str, Any]]:
    """The register map as rows, by register (operand, register, lane) or by element."""
    found: list[dict[str, Any]] = []
    for row in find(arch, name):
        for size, operands in row.operands.items():
            if wave not in (None, size):
                continue
            for key, operand in operands.items():
                if key == "c":
                    continue  # has the map of D
                every = sorted(cells(operand), key=_by_register if by == "register" else _by_element)
                types = " ".join(row.types)
                found += [_row(types, size, cell) for cell in every]
    return found


def _by_register(cell: Cell) -> tuple[int, int, int]:
    return cell.register, cell.low, cell.lane


def _by_element(cell: Cell) -> tuple[list[int], int, int]:
    numbers = [
        int(x) for x in cell.element.replace("[", " ").replace("]", " ").replace(".", " ").split() if x.isdigit()
    ]
    return numbers, cell.lane, cell.register


def _row(types: str, wave: int, cell: Cell) -> dict[str, Any]:
    return {
        "types": types,
        "wave": wave,
        "operand": cell.operand,
        "register": cell.name,
        "lane": cell.lane,
        "element": cell.element,
    }


def listing() -> list[dict[str, Any]]:
    """Every instruction of every architecture, once for each row of element types."""
    return [
        {
            "arch": arch,
            "instruction": row.name,
            "shape": row.shape,
            "types": "({}, {}) -> {}".format(*row.types),
            "waves": ",".join(map(str, row.operands)),
            "confidence": row.confidence,
        }
        for arch in instructions.FILES
        for name in instructions.names(arch)
        for row in instructions.named(arch, name)
    ]


def facts(row: Instruction) -> dict[str, Any]:
    """What an instruction's table says beside its maps."""
    operands = [
        {
            "wave": wave,
            "operand": _LETTERS[key],
            "layout": str(operand.map) if operand.map else None,
            "registers": operand.registers,
            "bits": operand.bits,
            "pitch": operand.pitch,
            "lanes": operand.lanes,
            "values": operand.values,
            "replication": operand.replication,
            "group": operand.group,
        }
        for wave, operands in row.operands.items()
        for key, operand in operands.items()
    ]
    return {
        "arch": row.arch,
        "instruction": row.name,
        "mnk": list(row.mnk),
        "blocks": row.blocks,
        "types": list(row.types),
        "scale_block": row.scale or None,
        "confidence": row.confidence,
        "source": row.source,
        "operands": operands,
    }


def show(arch: str, name: str, *, by: str = "register", output: str = "text", wave: int | None = None) -> Iterator[str]:
    """The register map as text, CSV or JSON, with where it comes from and how sure that is."""
    table = rows(arch, name, by, wave)
    about = [facts(row) for row in find(arch, name)]
    if output == "json":
        import json

        yield json.dumps({"version": 1, "results": [{"instruction": about, "registers": table}]}, indent=2)
        return
    order = (
        ("operand", "register", "lane", "element") if by == "register" else ("operand", "element", "lane", "register")
    )
    if output == "csv":
        yield ",".join(("types", "wave", *order))
        yield from (",".join(str(row[key]) for key in ("types", "wave", *order)) for row in table)
        return
    yield from _text(about, table, by)


def _text(about: list[dict[str, Any]], table: list[dict[str, Any]], by: str) -> Iterator[str]:
    for fact in about:
        mnk = "x".join(map(str, fact["mnk"])) + (f", {fact['blocks']} blocks" if fact["blocks"] > 1 else "")
        a, b, d = fact["types"]
        scale = f", a scale for {fact['scale_block']} k" if fact["scale_block"] else ""
        yield f"{fact['arch']} {fact['instruction']}  {mnk}  ({a}, {b}) -> {d}{scale}"
        yield f"confidence {fact['confidence']}: {fact['source']}"
        for o in fact["operands"]:
            where = f"  wave{o['wave']} {o['operand']:<5}"
            if o["layout"] is None:
                yield f"{where} not settled by any source"
                continue
            spread = f", {o['pitch']} bits apart" if o["pitch"] != o["bits"] else ""
            held = f", each element {o['replication']} times" if o["replication"] > 1 else ""
            size = f"{o['registers']} registers, {o['bits']} bits{spread}, {o['lanes']} lanes{held}"
            yield f"{where} {o['layout']}  {size}"
        yield ""
    group: tuple[Any, ...] = ()
    for row in table:
        key = row["register"] if by == "register" else row["element"]
        head = (row["types"], row["wave"], row["operand"])
        if head != group:
            group = head
            yield f"wave{row['wave']} {row['operand']}" + (f" ({row['types']})" if len(about) > 1 else "")
        other = f"lane {row['lane']}: {row['element']}" if by == "register" else f"lane {row['lane']} {row['register']}"
        yield f"  {key:<12} {other}"


def show_type(text: str, *, output: str = "text") -> Iterator[str]:
    """The layouts of a type text: the installed compiler's, else those of the catalog's atom. Raises InputError."""
    from .live import flydsl

    if flydsl.installed():
        (answer,) = flydsl.publish([text])
        if answer.status != "ok":
            why = " ".join(filter(None, (answer.signal, answer.message)))
            raise InputError(f"flydsl {'died on' if answer.status == 'crashed' else 'rejects'} {text}: {why}")
        layouts, source = answer.layouts, "flydsl, installed here" + (", in bits" if answer.kind == "copy" else "")
    else:
        layouts, source = _from_catalog(text), "the catalog (flydsl is not installed here)"
    if output == "json":
        import json

        yield json.dumps({"version": 1, "results": [{"type": text, "source": source, "layouts": layouts}]}, indent=2)
        return
    yield f"{text}  ({source})"
    yield from (f"  {name:<4} {layout}" for name, layout in sorted(layouts.items(), key=lambda item: item[0] != "thr"))


def _from_catalog(text: str) -> dict[str, str]:
    import os

    from .atoms.entry import fill
    from .atoms.load import load
    from .source import read_file
    from .verify import atom_files

    for path in atom_files(os.path.join(catalog.root(), "atoms")):
        for entry in load(read_file(path))[0]:
            if fill(getattr(entry.record, "type", None) or "", entry.texts) == text:
                names = [n for n in ("thr", "a", "b", "c", "d", "src", "dst", "ref") if getattr(entry.record, n, None)]
                return {name: fill(getattr(entry.record, name), entry.texts) for name in names}
    raise InputError(f"{text} is in no file of the catalog, and flydsl is not installed here")
