"""Questions about concrete layouts: `check.injective("(4,8):(1,4)")` and so on.

A layout is given as a Layout or as its text. Every function returns a Result and raises LayoutcheckError for bad
input. Keywords of all: `engine` ("theorems", "gf2", "search", "z3", "points"; None asks them in turn), `timeout`
in seconds, `certify` (False skips the second, independent opinion on a proof).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Unpack

import msgspec

from . import infer as _infer
from . import inttuple, notation, tables, targets
from .errors import InputError, Unsupported
from .layout import Layout
from .questions import How, Text, as_layout, ask, by_mode, claims
from .result import Result, render
from .verdict import Status

__all__ = [
    "QUESTIONS",
    "Result",
    "bijective",
    "bounds",
    "complement",
    "congruent",
    "delinearizable",
    "disjoint",
    "equal",
    "equal_modes",
    "equal_permuting",
    "equals_form",
    "equals_table",
    "infer",
    "injective",
    "onto",
    "render",
    "run",
    "smt2",
    "solve",
]


def congruent(left: Text, right: Text | None = None) -> Result:
    """Whether two shapes have one profile; with one argument, whether its shape and its stride do.

    Witness: the outermost trees that part, {"left": "(4,8)", "right": "8"}. CuTe: `congruent`.
    """
    start = perf_counter()
    sides = _trees(left) if right is None else (as_layout(left).shape, as_layout(right).shape)
    texts = (str(left),) if right is None else (str(left), str(right))
    parts = _part(*sides)
    profiles = [inttuple.text(_profile(side)) for side in sides]
    if (parts is None) != (profiles[0] == profiles[1]):
        return Result("congruent", "disagree", "both trees", "profile texts", layouts=texts)
    witness = None if parts is None else {"left": inttuple.text(parts[0]), "right": inttuple.text(parts[1])}
    status: Status = "proved" if parts is None else "refuted"
    return Result("congruent", status, "both trees", "profile texts", witness, perf_counter() - start, layouts=texts)


def injective(layout: Text, **how: Unpack[How]) -> Result:
    """Whether no two coordinates have the same offset.

    Witness: {"a": [...], "b": [...], "value": n}, leaf coordinates in the order of the text.
    """
    return ask("injective", [as_layout(layout)], None, how)


def onto(layout: Text, size: int, **how: Unpack[How]) -> Result:
    """Whether every offset in [0, size) is held; offsets above are allowed. Witness: {"missing": n}."""
    return ask("onto", [as_layout(layout)], size, how)


def bijective(layout: Text, size: int | None = None, **how: Unpack[How]) -> Result:
    """Whether every offset in [0, size) is held exactly once and no other; size is the layout's own by default.

    Witness: {"missing": n}, or {"sizes": [points, size]}.
    """
    return ask("bijective", [as_layout(layout)], size, how)


def bounds(layout: Text, size: int, **how: Unpack[How]) -> Result:
    """Whether every offset is below `size`. Witness: {"at": [...], "value": n, "limit": size}."""
    return ask("bounds", [as_layout(layout)], size, how)


def disjoint(left: Text, right: Text, **how: Unpack[How]) -> Result:
    """Whether no offset is held by both. Layouts without an offset in front (`16 o 8:1`) all hold 0.

    Witness: {"a": [...], "b": [...], "value": n}, a coordinate of each side.
    """
    return ask("disjoint", [as_layout(left), as_layout(right)], None, how)


def complement(layout: Text, rest: Text, size: int | None = None, **how: Unpack[How]) -> Result:
    """Whether `rest` complements `layout` in [0, size): both together hold each offset once.

    Witness: {"missing": n}, or {"sizes": [points of both, size]}. size is the product of both sizes by default.
    """
    return ask("complement", [as_layout(layout), as_layout(rest)], size, how)


def delinearizable(layout: Text, **how: Unpack[How]) -> Result:
    """Whether strides form a chain: sorted, each a multiple of the one before times its extent.

    Leaves of extent 1 or stride 0 are left out. Witness: {"leaf": [extent, stride], "next": [extent, stride]}.
    IREE's thread strides need this where its attribute asks for injectivity (SEMANTICS.md section 4).
    """
    return ask("delinearizable", [as_layout(layout)], None, how)


def equal(left: Text, right: Text, **how: Unpack[How]) -> Result:
    """Whether both are one function of the flat index, each read in its own order (colex or lex).

    Witness: {"index": x, "left": a, "right": b} or {"sizes": [a, b]}; `grade` says how near they are.
    """
    return ask("equal", [as_layout(left), as_layout(right)], None, how)


def equal_modes(left: Text, right: Text, **how: Unpack[How]) -> Result:
    """Whether both have as many modes, and each mode is the same function. Witness: equal's with "mode", or "ranks"."""
    return ask("equal-modes", [as_layout(left), as_layout(right)], None, how)


def equal_permuting(left: Text, right: Text, mode: int, **how: Unpack[How]) -> Result:
    """Whether a permutation of the flat index of one mode (from 0) turns one layout into the other.

    Witness: that of equal_modes, or {"mode", "value", "left", "right"}: how often each side holds an offset.
    """
    sides = [as_layout(left), as_layout(right)]
    if not 0 <= mode < sides[0].rank:
        raise InputError(f"no mode {mode}: {sides[0]} has {sides[0].rank}, counted from 0")
    return by_mode("equal-permuting", sides, mode, how)


def equals_form(layout: Text, form: str, tile: Text | None = None, **how: Unpack[How]) -> Result:
    """Whether a (thread, value) layout is a closed form such as `row = lane % 16; k = 4*(lane//16) + v`.

    Coordinates become offsets in `tile` (a layout, or extents as `(16,16)`, column-major); by default the
    column-major tile that just holds all coordinates, in the order of the form. Witness: {"thread", "value",
    "left": the layout's offset, "right": the form's, "coordinates"}. Up to 2^20 points.
    """
    this = as_layout(layout)
    table = tables.tabulate(tables.form(form), *targets.thread_value(this))
    return targets.equals("equals-form", this, table, tile, (str(this), form), how)


def equals_table(
    layout: Text, table: tables.Table | str | Path, tile: Text | None = None, **how: Unpack[How]
) -> Result:
    """Whether a (thread, value) layout is a table, or a CSV or JSON file: thread, value, then coordinates.

    As equals_form; also {"sizes": [threads, values of the layout, of the table]} where those differ.
    """
    this = as_layout(layout)
    name = "table" if isinstance(table, tables.Table) else str(table)
    read = table if isinstance(table, tables.Table) else tables.read(table)
    if isinstance(read, tables.Form):
        read = tables.tabulate(read, *targets.thread_value(this))
    return targets.equals("equals-table", this, read, tile, (str(this), name), how)


def infer(source: tables.Table | tables.Form | str | Path, tile: Text | None = None) -> Result:
    """The (thread, value) layout of a table, a closed form, or a file with either, in `value`; colex.

    "refuted" means that no layout has these offsets: witness {"index", "thread", "value", "expected", "actual"}.
    """
    start = perf_counter()
    read = tables.read(source) if isinstance(source, str | Path) else source
    table = tables.tabulate(read) if isinstance(read, tables.Form) else read
    grid = targets.tile_layout(tile, table)
    found = _infer.thread_value(tables.offsets(table, grid), table.threads)
    note = f"offsets in the tile {grid}"
    name = str(source) if isinstance(source, str | Path) else "table"
    if isinstance(found, Layout):
        by, text = "strides read off unit steps", str(found)
        return Result(
            "infer", "proved", by, "every point", None, perf_counter() - start, None, text, (name,), note=note
        )
    witness = {
        "index": found.index,
        "thread": found.index % table.threads,
        "value": found.index // table.threads,
        "expected": found.expected,
        "actual": found.actual,
    }
    by = "a layout's coalesced form is unique"
    return Result("infer", "refuted", by, "every point before", witness, perf_counter() - start, None, None, (name,),
                  ("colex",), f"{found.why}; {note}")  # fmt: skip


def solve(shape: str, target: Text | tables.Table | Path, tile: Text | None = None, **how: Unpack[How]) -> Result:
    """The strides of `shape` (text) that make it the same function of the flat index as `target`, in `value`.

    `target` is a layout, or a table, closed form or file with a (thread, value) map. "refuted": the strides are
    forced by the unit coordinates, and differ at the witness (equal's) from the target.
    """
    start = perf_counter()
    tree = targets.shape_of(shape)
    if isinstance(target, tables.Table | Path):
        return targets.solve_table(shape, tree, target, tile, start)
    goal = as_layout(target)
    if inttuple.size(tree) != goal.size:
        witness = {"sizes": [inttuple.size(tree), goal.size]}
        return targets.solved(Result("solve", "refuted", "sizes", "witness replayed", witness), shape, str(goal), start)
    if goal.swizzle:
        raise Unsupported("strides alone realise no swizzle")
    found = _infer.strides(tree, goal.order, goal)
    asked = ask("equal", [found, goal], None, how)
    value = str(found) if asked.verdict == "proved" else None
    return targets.solved(
        msgspec.structs.replace(asked, question="solve", grade=None, value=value), shape, str(goal), start
    )


QUESTIONS: dict[str, tuple[int, int, bool]] = {  # least and most arguments, whether a size is needed
    "congruent": (1, 2, False),
    "injective": (1, 1, False),
    "onto": (1, 1, True),
    "bijective": (1, 1, False),
    "bounds": (1, 1, True),
    "disjoint": (2, 2, False),
    "complement": (2, 2, False),
    "delinearizable": (1, 1, False),
    "equal": (2, 2, False),
    "equal-modes": (2, 2, False),
    "equal-permuting": (2, 2, False),
    "equals-form": (2, 2, False),
    "equals-table": (2, 2, False),
}


def run(
    question: str,
    layouts: Sequence[str],
    *,
    size: int | None = None,
    tile: str | None = None,
    mode: int | None = None,
    **how: Unpack[How],
) -> Result:
    """One of QUESTIONS about layout texts; the second text of equals-form is the form, of equals-table the file.

    Raises InputError for a question that does not exist, a wrong number of layouts, or a size that is missing.
    """
    _accept(question, layouts, size)
    if question == "congruent":
        return congruent(*layouts)
    if question in ("equals-form", "equals-table"):
        compare: Callable[..., Result] = equals_form if question == "equals-form" else equals_table
        return compare(*layouts, tile, **how)
    if question == "equal-permuting":
        if mode is None:
            raise InputError("equal-permuting needs a mode (from 0)")
        return equal_permuting(layouts[0], layouts[1], mode, **how)
    return ask(question, [as_layout(text) for text in layouts], size, how)


def _accept(question: str, layouts: Sequence[str], size: int | None) -> None:
    if question not in QUESTIONS:
        raise InputError(f"no question '{question}': there are {', '.join(QUESTIONS)}")
    least, most, sized = QUESTIONS[question]
    if not least <= len(layouts) <= most:
        wanted = str(least) if least == most else f"{least} or {most}"
        raise InputError(f"{question} takes {wanted} arguments, {len(layouts)} given")
    if sized and size is None:
        raise InputError(f"{question} needs a size: --size N")


def smt2(question: str, layouts: Sequence[str], *, size: int | None = None) -> str:
    """The question as SMT-LIB 2: `unsat` for every check-sat iff it holds. Raises Unsupported where none is closed."""
    from .smt import smtlib

    _accept(question, layouts, size)
    if question in ("congruent", "equals-form", "equals-table", "equal-permuting"):
        raise Unsupported(f"{question} has no SMT-LIB export")
    sides = [as_layout(text) for text in layouts]
    if question == "equal-modes" and sides[0].rank != sides[1].rank:
        raise Unsupported("the ranks differ: there is nothing to export")
    scripts = [smtlib.script(claim) for claim in claims(question, sides, size)]
    if None in scripts:
        raise Unsupported("this question about these layouts has no encoding that solvers close")
    return "(reset)\n".join(script for script in scripts if script)


def _trees(layout: Text) -> tuple[inttuple.IntTuple, inttuple.IntTuple]:
    if isinstance(layout, Layout):
        return layout.shape, layout.stride
    resolved = notation.resolve(notation.read(layout), {})
    return resolved.shape, resolved.stride


def _profile(tree: inttuple.IntTuple) -> inttuple.IntTuple:
    return 0 if isinstance(tree, int) else tuple(map(_profile, tree))


def _part(left: inttuple.IntTuple, right: inttuple.IntTuple) -> tuple[inttuple.IntTuple, inttuple.IntTuple] | None:
    """The outermost, leftmost subtrees where two profiles part."""
    if isinstance(left, int) or isinstance(right, int) or len(left) != len(right):
        return None if isinstance(left, int) and isinstance(right, int) else (left, right)
    return next((parts for pair in zip(left, right, strict=True) if (parts := _part(*pair))), None)
