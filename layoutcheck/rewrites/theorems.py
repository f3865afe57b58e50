"""The catalogue of theorems: what each says, when, for what, and where its formal statements stand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from ..errors import InputError, NotationError
from .chains import Chain, load, uses
from .lemmas import LEMMAS
from .statements import STATEMENTS


class Example(msgspec.Struct, frozen=True):
    """Layouts, and what the theorem's definitions say of them."""

    layouts: tuple[str, ...]
    says: str


class Theorem(msgspec.Struct, frozen=True):
    """`formal`: statements of `statements`; `coq`: theorems of proofs/coq; `identities`: the rewrite of `parametric`.

    `open`: what is not machine-checked for lists of any length.
    """

    name: str
    statement: str
    precondition: str
    why: str
    formal: tuple[str, ...]
    coq: tuple[str, ...] = ()
    identities: str = ""
    open: str = ""
    good: Example | None = None
    bad: Example | None = None

    @property
    def scope(self) -> str:
        """What it holds for, and what is left to other evidence."""
        return f"{_ALL}. Not machine-checked: {self.open or _MODEL}"


_ALL = "any number of modes and leaves, all extents >= 1 and strides >= 0, every thread and index"
_MODEL = "that N, V and P model the C++"
_NEED = "that the precondition is also necessary (every pair of small layouts is tried)"
_TOGETHER = f"{_MODEL}, and that vector.transpose permutes a mode's value dimensions together"
_EQUAL = "the layouts are one and the same"

_TABLE = (
    Theorem(
        "append",
        "Leaf lists side by side: size and value count multiply, positions are row-major; every position lies inside "
        "[0, N), and an index k has the position of k mod V.", "none",
        "Mode boundaries are only a way to write one list of leaves.",
        ("appended_size", "appended", "inside", "wrapped"), ("append", "inside_and_wrapped"),
    ),
    Theorem(
        "coalesce",
        "coalesce keeps size, value count, the position of every (thread, index), and the pack map's value at every "
        "flat index.", "none",
        "A leaf with stride a*e in front of a leaf a:e counts on where that one wraps.",
        ("coalesce", "coalesce_map"), ("coalesce_sound", "coalesce_map"), "shape_cast",
        good=Example(("((2, 4)) : ((4, 1))", "((8)) : ((1))"), "2:4 in front of 4:1 is 8:1"),
    ),
    Theorem(
        "identity", "makeIdentity of a shape maps every flat index to itself.", "extents > 0",
        "Its strides are the products of the extents to the right.", ("identity",), ("identity",),
    ),
    Theorem(
        "shape_cast", "Every thread holds, at every distributed index, the element at the same flat position.",
        "coalesce(A) = coalesce(B)", "coalesce keeps positions, and equal results have equal ones.",
        ("shape_cast",), ("shape_cast",), "shape_cast", f"{_MODEL}; {_NEED}",
        Example(("((32, 4)) : ((1, 0))", "((4), (8, 4)) : ((8), (1, 0))"), "both coalesce to (32, 4) : (1, 0)"),
        Example(("((3, 16), 2) : ((0, 1), 0)", "((2, 16, 3)) : ((0, 1, 0))"),
                "thread 15 at index 2: B says element 47, and the value that A left there is element 62"),
    ),
    Theorem(
        "reshape",
        "Splitting a leaf s*a : e into s : a*e and a : e, or inserting a leaf of extent 1, anywhere in a layout, keeps "
        "the position of every (thread, index).", "none",
        "reshape reaches its result by such steps from coalesce(A) when the cut rule holds.",
        ("split_leaf", "unit_leaf", "reshape"), ("reshape",), "shape_cast",
        f"{_MODEL}; that the cut rule says exactly when the steps exist (small layouts and shapes are tried)",
        Example(("((4, 8)) : ((8, 1))", "((4), (2, 4)) : ((8), (4, 1))"), "8:1 is split into 2:4 and 4:1"),
        Example(("((4, 6)) : ((1, 0))", "((6), (4)) : ((4), (0))"),
                "6x4 cuts inside a leaf, and no strides on 6 and 4 give the same positions"),
    ),
    Theorem(
        "transpose", "B = permute(A): coordinate i of the element is coordinate p(i) of the source's element; its flat "
        "position is row-major in these.", "none: neither sizes nor strides matter",
        "A mode's coordinate depends on that mode's leaves and its own value index alone.",
        ("coordinate", "transpose", "row_major"), ("transpose",), "transpose",
        _TOGETHER,
    ),
    Theorem(
        "transpose_given", "The same for a destination B that is given.",
        "coalesceModes(B) = coalesceModes(permute(A))",
        "coalesce keeps each mode's coordinate.",
        ("coalesce_modes", "transpose_given"), ("transpose_given",), "transpose",
        f"{_TOGETHER}; {_NEED}",
        Example(("(4, 2) : (1, 0)", "(2, 4) : (0, 1)"), "the modes of the source, exchanged"),
        Example(("(4, 4) : (1, 4)", "(4, 4) : (1, 4)"), "thread 1 holds (0, 1) and would be given (1, 0)"),
    ),
    Theorem(
        "broadcast",
        "Leading modes only: the element's trailing coordinates are the source's element; by flat position, P of the "
        "source at k mod V is P of the destination modulo N. A scalar is the case without a source mode.",
        "the trailing modes of B are the modes of A", "The leading modes are dropped, and nothing else changes.",
        ("broadcast", "broadcast_flat"), ("broadcast", "broadcast_flat"), "broadcast", f"{_MODEL}; {_NEED}",
        Example(("((2, 4)) : ((1, 0))", "(3, (2, 4)) : (0, (1, 0))"), "one mode in front of the source's"),
        Example(("((2, 4)) : ((1, 0))", "(3, (4, 2)) : (0, (0, 1))"),
                "thread 1 holds element 4 of the source at index 0, and is asked for element 1 of a row"),
    ),
    Theorem(
        "broadcast_stretched", "A source mode of size 1 is read at coordinate 0, every other mode at its own: the "
        "coordinates of the destination with 0 where it is stretched.",
        "distributed shapes broadcastable; each mode of A that is no unit equals B's, and has no value leaf or as many "
        "distributed dimensions to its right in both",
        "A unit mode has only coordinate 0, a dimension of extent 1 only index 0; a mode without values is the same at "
        "every index.",
        ("fixed", "clipped", "stretched"), ("fixed_mode", "clipped", "stretched"), "",
        "that vector.broadcast aligns dimensions at the right, so that a mode with as many to its right is read at its "
        "own index; that the precondition is necessary (all small layouts are tried); that N, V and P model the C++",
        Example(("((4, 2), 1) : ((1, 0), 0)", "((4, 2), 3) : ((1, 0), 0)"),
                "one distributed dimension to the right in both"),
        Example(("((4, 2), 1) : ((1, 0), 0)", "((4, 2), (2, 4, 2)) : ((1, 0), (0, 4, 0))"),
                "one dimension to the right of the values in A, two in B: they misalign"),
    ),
    Theorem(
        "step",
        "linearize_index of the thread digits, zero at value leaves, plus the constant offset of a value, is the "
        "element's position.", "none, with digits (t div d) mod s; that delinearize_index yields these: theorem decode",
        "Horner's scheme and the sum over data strides are one polynomial.",
        ("linearize", "parts", "step"), ("step",), "step",
        f"{_MODEL}; that sorting leaves only renames them",
    ),
    Theorem(
        "decode",
        "For thread leaves that form a chain, delinearize_index by sorted strides yields (t div d) mod s for every "
        "thread t, these are the digits that t is made of, and threads of one period stay below its end.",
        "the thread leaves form a chain: sorted by stride, each stride is a multiple of the end s*d of the one before",
        "Each cell, a gap and a leaf, is one digit of a mixed radix.",
        ("strides", "weights", "decode", "extent"), ("strides", "weights", "decode", "extent_bound"), "delinearize",
        f"that N, V and P model the C++; {_NEED}; that sorting leaves only renames them",
        Example(("((4, 8)) : ((16, 1))",), "8:1, a gap of 2, then 4:16"),
        Example(("((2, 2)) : ((1, 3))",),
                "3 is no multiple of 2: thread 3 is made of digits (0, 1), and (3 div 1) mod 2 is 1"),
    ),
    Theorem(
        "injective",
        "On a chain, one thread id has one set of digits: equal ids have equal leaf digits and equal repetitions.",
        "the thread leaves form a chain", "Mixed radix is unique.", ("injective",), ("injective",),
    ),
    Theorem(
        "totality",
        "On a chain every thread id is made of digits in range and a rest: each thread holds elements, those beyond "
        "the layout as replicas.", "the thread leaves form a chain",
        "Division by a gap and an extent leaves digits in range.", ("totality",), ("totality",),
    ),
    Theorem(
        "elementwise", "An elementwise operation on each thread's part is the part of the operation.", _EQUAL,
        "Trivial: operands and result hold the same position.", ("elementwise",),
    ),
    Theorem(
        "select", "arith.select on each thread's part is the part of the select.", _EQUAL,
        "Trivial: condition, both values and result hold the same position.", ("select",),
    ),
    Theorem(
        "for", "scf.for carries a distributed vector: init, argument, yield and result hold the same positions.",
        _EQUAL, "Trivial: one layout, four names.", ("for",),
    ),
    Theorem(
        "fold", "to_simd(to_simt x) is x.", "both sides have one layout and one type",
        "Trivial: what a thread gives back is what it took.", ("fold",),
    ),
)  # fmt: skip

THEOREMS: dict[str, Theorem] = {theorem.name: theorem for theorem in _TABLE}


def lookup(names: Sequence[str] = ()) -> tuple[Theorem, ...]:
    """The theorems of these names (- counts as _); all when there is none. Raises InputError for an unknown name."""
    return tuple(map(_named, dict.fromkeys(names))) or tuple(THEOREMS.values())


def _named(name: str) -> Theorem:
    key = name.strip().lower().replace("-", "_")
    if key not in THEOREMS:
        raise InputError(f"no theorem {name[:80]!r}{hint(key, THEOREMS)} There are {', '.join(THEOREMS)}")
    return THEOREMS[key]


def hint(name: str, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown name: a known one that is near, or a full stop."""
    from difflib import get_close_matches

    near = get_close_matches(name[:80], list(known), 1)
    return f", did you mean '{near[0]}'?" if near else "."


def facts(theorem: Theorem) -> tuple[list[str], list[str]]:
    """The statements and the lemmas that its proof rests on, directly or not, in the order they are proved."""
    chains = load()
    seen: set[str] = set()
    todo = list(theorem.formal)
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo += _used(name, chains)
    return [name for name in chains if name in seen], [name for name in LEMMAS if name in seen]


def _used(name: str, chains: Mapping[str, Chain]) -> Iterable[str]:
    """What its proof names. Raises NotationError for a name that stands for nothing, or has no proof."""
    if name in LEMMAS:
        return [_name(text) for text in LEMMAS[name].by]
    if name not in STATEMENTS:
        raise NotationError(f"'{name}' is no lemma and no statement")
    if name not in chains:
        raise NotationError(f"no chain for '{name}'")
    return uses(chains[name].step)


def _name(text: str) -> str:
    return text.partition("(")[0]


def explain_theorem(name: str) -> Iterator[str]:
    """The page of one theorem. Raises InputError for an unknown name."""
    theorem = _named(name)
    statements, lemmas = facts(theorem)
    yield f"theorem {theorem.name}"
    yield ""
    yield theorem.statement
    yield f"Holds when: {theorem.precondition}."
    yield f"Why: {theorem.why}"
    yield f"For: {theorem.scope}."
    yield ""
    yield "Machine-checked, by z3 and cvc5 (lists by induction, one goal a case) and, where named, by Coq:"
    for formal in theorem.formal:
        statement = STATEMENTS[formal]
        given = " and ".join(statement.premises)
        yield f"    {formal}: " + (f"{given} implies " if given else "") + " and ".join(statement.conclusions)
    yield f"    through {', '.join([x for x in statements if x not in theorem.formal] or ['no other statement'])}"
    yield f"    lemmas: {', '.join(lemmas) or 'none'}"
    yield f"    Coq: {', '.join(theorem.coq) or 'not stated there'}"
    for title, example in (("holds for", theorem.good), ("fails for", theorem.bad)):
        if example is not None:
            yield ""
            yield f"It {title}: {' and '.join(example.layouts)}"
            yield f"    {example.says}"
