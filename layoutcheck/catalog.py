"""The built-in catalog: where it lies, and the facts about architectures. Read when first asked for."""

from __future__ import annotations

import os
from functools import lru_cache

import msgspec

from .files import shipped
from .source import Node, load_yaml, read_file


class Arch(msgspec.Struct, frozen=True):
    """What the tool knows about one architecture. `threads`: how many may issue one matrix instruction."""

    key: str
    name: str
    threads: tuple[int, ...]
    accumulators: str = ""
    lds_banks: int | None = None
    state: dict[str, str] = {}
    source: str = ""


class AtomType(msgspec.Struct, frozen=True):
    """What the tool knows about one FlyDSL type: its state's slots in order, and why its layouts say nothing."""

    state: dict[str, str] = {}
    placeholder: str = ""


def root() -> str:
    """The catalog's folder: inside an installed package, else beside it in a checkout."""
    return shipped("catalog")


@lru_cache(maxsize=1)
def archs() -> dict[str, Arch]:
    """All architectures of catalog/arch.yaml, by key (gfx942, sm_90)."""
    source = read_file(os.path.join(root(), "arch.yaml"))
    node, _ = load_yaml(source)
    table = _plain(node)
    assert isinstance(table, dict)
    return {key: msgspec.convert({"key": key, **facts}, Arch, strict=False) for key, facts in table["archs"].items()}


@lru_cache(maxsize=1)
def types() -> dict[str, AtomType]:
    """The atom types of catalog/types.yaml, by the name before `<` (fly_rocdl.cdna3.mfma)."""
    node, _ = load_yaml(read_file(os.path.join(root(), "types.yaml")))
    table = _plain(node)
    assert isinstance(table, dict)
    return {name: msgspec.convert(facts, AtomType) for name, facts in table["types"].items()}


def atom_type(text: str) -> AtomType | None:
    """The facts about a type text, wrapped in `!fly.copy_atom<...>` or not; None when it is not known."""
    inner = text[text.rfind("!") + 1 :]
    return types().get(inner.partition("<")[0].strip())


def _plain(node: Node | None) -> object:
    if node is None:
        return None
    if node.kind == "mapping":
        return {key.text: _plain(value) for key, value in node.pairs}
    if node.kind == "sequence":
        return [_plain(item) for item in node.items]
    return node.text
