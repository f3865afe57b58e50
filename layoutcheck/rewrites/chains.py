"""Proofs as data: what to induct on and which instances of facts to use, read from a chain file."""

from __future__ import annotations

import msgspec

from ..errors import NotationError
from ..files import shipped
from ..source import Node, Source, load_yaml, read_file
from .terms import call


class Step(msgspec.Struct, frozen=True):
    """Instances to use; or, after them, a term to split by the form of its list, with a step for each form."""

    use: tuple[str, ...] = ()
    split: str = ""
    cases: tuple[tuple[str, Step], ...] = ()


class Chain(msgspec.Struct, frozen=True):
    """The proof of a statement: by induction over `induction`, with a step for each form, or by one step."""

    name: str
    induction: str
    step: Step


def load(path: str | None = None) -> dict[str, Chain]:
    """The chains of a file (the shipped one), in order. Raises YamlError, NotationError, InputError."""
    return read(read_file(path or f"{shipped('proofs')}/chains.yaml"))


def read(source: Source) -> dict[str, Chain]:
    """The chains of a text. Raises NotationError for one that is no chain."""
    node, problems = load_yaml(source)
    if problems:
        raise problems[0]
    if node is None or node.kind != "mapping":
        raise NotationError(f"{source.path}: no chains")
    return {key.text: _chain(key.text, value) for key, value in node.pairs}


def _chain(name: str, node: Node) -> Chain:
    induction = _field(node, "induction")
    return Chain(name, induction.text if induction else "", _step(node, extra=("induction",)))


def _step(node: Node, extra: tuple[str, ...] = ()) -> Step:
    if node.kind == "sequence":
        return Step(tuple(item.text for item in node.items))
    if node.kind == "scalar":
        raise NotationError(f"line {node.line}: a step is a list of instances, or use, split and cases")
    for key, _ in node.pairs:
        if key.text not in ("use", "split", "cases", *extra):
            raise NotationError(f"line {key.line}: unknown key '{key.text}' of a chain")
    use, split, cases = (_field(node, key) for key in ("use", "split", "cases"))
    return Step(
        tuple(item.text for item in use.items) if use else (),
        split.text if split else "",
        tuple((key.text, _step(value)) for key, value in cases.pairs) if cases else (),
    )


def _field(node: Node, name: str) -> Node | None:
    return next((value for key, value in node.pairs if key.text == name), None)


def uses(step: Step) -> frozenset[str]:
    """The lemmas and statements that a proof names, wherever in it."""
    mine = frozenset(call(text)[0] for text in step.use)
    return mine.union(*(uses(inner) for _, inner in step.cases)) - {"ih"}
