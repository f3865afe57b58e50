"""The nearest right layout for an operand that is wrong: proposed here, printed only when every rule has proved it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from msgspec.structs import replace

from ..errors import LayoutcheckError
from ..layout import Layout
from ..notation import parse
from ..verdict import Diagnostic
from .entry import Entry
from .model import Atom
from .oracle import Oracle, points_of

Check = Callable[[Entry], list[Diagnostic]]

BOTH = ("LC402", "LC403")  # mended in A and B together
ALONE = ("LC202", "LC203", "LC204", "LC205", "LC301", "LC302", "LC303", "LC401", "LC404", "LC406")


def hint(diagnostic: Diagnostic, atom: Atom, oracle: Oracle, check: Check) -> str:
    """`did you mean ...` for a finding on an operand; empty where no proposal passes every rule."""
    name = diagnostic.operand
    if diagnostic.code in BOTH:
        known = {x: oracle.known[x].map for x in "ab" if x in oracle.known}
        texts = {x: str(layout) for x, layout in known.items() if layout is not None}
        if len(texts) == 2 and _right(atom.entry, texts, check):
            return "did you mean " + " and ".join(f'{x}: "{text}"' for x, text in texts.items())
        return ""
    target = oracle.known[name].map if diagnostic.code in ALONE and name in oracle.known else None
    if target is None:
        return ""
    for text in _candidates(atom, name, target):
        if _right(atom.entry, {name: text}, check):
            return f'did you mean {name}: "{text}"'
    return ""


def _candidates(atom: Atom, name: str, target: Layout) -> Iterator[str]:
    """Texts of the wanted function: one number away from what is written, else the instruction's own."""
    own = atom.operand(name)
    if own is not None and own.map is not None:
        text = str(own.map)
        for match in re.finditer(r"\d+", text):
            for number in dict.fromkeys(re.findall(r"\d+", str(target))):
                near = text[: match.start()] + number + text[match.end() :]
                if near != text and _same(near, target):
                    yield near
    yield re.sub(r"\((\d+)\)", r"\1", str(target))  # a mode of one leaf, as people write it


def _same(text: str, target: Layout) -> bool:
    try:
        layout = parse(text)
    except LayoutcheckError:
        return False
    counts = [layout.mode(i).size for i in range(2)] == [target.mode(i).size for i in range(2)]
    return counts and points_of(layout) == points_of(target)


def _right(entry: Entry, texts: dict[str, str], check: Check) -> bool:
    """Whether no rule has an error to tell of the whole atom once these operands read so: A, B and C share one
    relabelling, so an operand that is right alone may still not fit the others.
    """
    found = check(replace(entry, record=replace(entry.record, **texts)))
    return not any(d.operand in texts or (d.severity == "error" and not d.suppressed) for d in found)
