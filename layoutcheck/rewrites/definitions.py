"""What the theorems speak of: lists as data, and functions on them by recursion, as equations.

N, V and P are SEMANTICS.md section 5's: the size of a leaf list, its value count, and the position that thread `t`
holds at flat distributed index `k` (lex: the rightmost leaf is fastest). They model `PackLayout` of `packmap`:
a leaf of stride 0 is a value, any other a thread leaf with digit (t div d) mod s. Tests compare them with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from ..errors import NotationError
from .terms import ARITHMETIC, COMPARISONS, CONNECTIVES, FALSE, TRUE, App, Term, parse, substitute

CONSTRUCTORS: dict[str, tuple[str, tuple[str, ...]]] = {  # name: sort, sorts of the fields
    "nil": ("Leaves", ()), "leaf": ("Leaves", ("Int", "Int", "Leaves")),  # extent, stride, the leaves to the right
    "none": ("Modes", ()), "mode": ("Modes", ("Leaves", "Int", "Modes")),  # a mode and the flat value index into it
    "end": ("Ints", ()), "item": ("Ints", ("Int", "Ints")),
    "stop": ("Cells", ()), "cell": ("Cells", ("Int", "Int", "Int", "Int", "Cells")),  # gap, extent, and their digits
}  # fmt: skip

FUNCTIONS: dict[str, tuple[tuple[str, ...], str]] = {  # name: sorts of the arguments, sort of the value
    "N": (("Leaves",), "Int"), "V": (("Leaves",), "Int"), "P": (("Leaves", "Int", "Int"), "Int"),
    "valid": (("Leaves",), "Bool"), "app": (("Leaves", "Leaves"), "Leaves"), "E": (("Leaves", "Int"), "Int"),
    "merge": (("Int", "Int", "Leaves"), "Leaves"), "coal": (("Leaves",), "Leaves"),
    "values": (("Leaves", "Int"), "Int"),
    "threads": (("Leaves", "Int"), "Int"), "horner": (("Leaves", "Int", "Int"), "Int"),
    "prod": (("Ints",), "Int"), "positive": (("Ints",), "Bool"), "ident": (("Ints",), "Leaves"),
    "coords": (("Modes", "Int"), "Ints"), "nth": (("Ints", "Int"), "Int"), "pick": (("Ints", "Ints"), "Ints"),
    "mode_at": (("Modes", "Int"), "Leaves"), "index_at": (("Modes", "Int"), "Int"),
    "permute": (("Ints", "Modes"), "Modes"), "valid_modes": (("Modes",), "Bool"), "coal_modes": (("Modes",), "Modes"),
    "drop": (("Int", "Modes"), "Modes"), "drop_items": (("Int", "Ints"), "Ints"),
    "unit_at": (("Ints", "Modes"), "Modes"), "zero_at": (("Ints", "Ints"), "Ints"),
    "clip": (("Ints", "Ints"), "Ints"), "within": (("Ints", "Ints"), "Bool"), "fixed": (("Leaves",), "Bool"),
    "ok": (("Cells",), "Bool"), "thread": (("Cells", "Int"), "Int"), "strided": (("Cells", "Int", "Int"), "Int"),
    "delinearize": (("Cells", "Int"), "Ints"), "digits_at": (("Cells", "Int", "Int"), "Ints"),
    "digits": (("Cells",), "Ints"), "read": (("Cells", "Int"), "Cells"), "rest": (("Cells", "Int"), "Int"),
    "extent": (("Cells",), "Int"), "gaps": (("Cells",), "Bool"), "same": (("Cells", "Cells"), "Bool"),
    "left": (("Int",), "Int"), "right": (("Int",), "Int"), "op": (("Int", "Int"), "Int"),
}  # fmt: skip

OPAQUE = frozenset(
    {"left", "right", "op"}
)  # two vectors, element by position, and an elementwise operation: any at all

EQUATIONS = """
# Leaf lists: size, value count, position; extents are >= 1 and strides >= 0.
N(nil) = 1
N(leaf(s, d, r)) = s * N(r)
V(nil) = 1
V(leaf(s, d, r)) = (s if d == 0 else 1) * V(r)
P(nil, t, k) = 0
P(leaf(s, d, r), t, k) = ((k // V(r)) % s if d == 0 else (t // d) % s) * N(r) + P(r, t, k)
valid(nil) = True
valid(leaf(s, d, r)) = s >= 1 and d >= 0 and valid(r)
app(nil, b) = b
app(leaf(s, d, r), b) = leaf(s, d, app(r, b))
# The pack map as a function of the flat index.
E(nil, i) = 0
E(leaf(s, d, r), i) = (i // N(r)) % s * d + E(r, i)
# coalesce: from the right, drop extent 1, merge a leaf into its right neighbour when the strides fit.
coal(nil) = nil
coal(leaf(s, d, r)) = merge(s, d, coal(r))
merge(s, d, nil) = leaf(s, d, nil)
merge(s, d, leaf(a, e, q)) = leaf(a, e, q) if s == 1 else leaf(s, d, q) if a == 1 else \
leaf(s * a, e, q) if a * e == d else leaf(s, d, leaf(a, e, q))
# step: affine.linearize_index of the thread digits, zero at value leaves; plus the constant offset of a value.
horner(nil, a, t) = a
horner(leaf(s, d, r), a, t) = horner(r, a * s + (0 if d == 0 else (t // d) % s), t)
threads(nil, t) = 0
threads(leaf(s, d, r), t) = (0 if d == 0 else (t // d) % s * N(r)) + threads(r, t)
values(nil, k) = 0
values(leaf(s, d, r), k) = ((k // V(r)) % s * N(r) if d == 0 else 0) + values(r, k)
# makeIdentity
prod(end) = 1
prod(item(s, r)) = s * prod(r)
positive(end) = True
positive(item(s, r)) = s >= 1 and positive(r)
ident(end) = nil
ident(item(s, r)) = leaf(s, N(ident(r)), ident(r))
# Vectors of several modes: one coordinate a mode. A place outside a list is the empty mode, or 0.
coords(none, t) = end
coords(mode(m, w, z), t) = item(P(m, t, w), coords(z, t))
nth(end, i) = 0
nth(item(c, r), i) = c if i == 0 else nth(r, i - 1)
mode_at(none, i) = nil
mode_at(mode(m, w, z), i) = m if i == 0 else mode_at(z, i - 1)
index_at(none, i) = 0
index_at(mode(m, w, z), i) = w if i == 0 else index_at(z, i - 1)
pick(end, c) = end
pick(item(i, p), c) = item(nth(c, i), pick(p, c))
permute(end, z) = none
permute(item(i, p), z) = mode(mode_at(z, i), index_at(z, i), permute(p, z))
valid_modes(none) = True
valid_modes(mode(m, w, z)) = valid(m) and valid_modes(z)
coal_modes(none) = none
coal_modes(mode(m, w, z)) = mode(coal(m), w, coal_modes(z))
drop(n, none) = none
drop(n, mode(m, w, z)) = mode(m, w, z) if n <= 0 else drop(n - 1, z)
drop_items(n, end) = end
drop_items(n, item(c, r)) = item(c, r) if n <= 0 else drop_items(n - 1, r)
# A stretched broadcast: the source has a unit mode where the flag is 1, and reads coordinate 0 there.
unit_at(u, none) = none
unit_at(end, mode(m, w, z)) = mode(m, w, z)
unit_at(item(b, u), mode(m, w, z)) = mode(leaf(1, 0, nil) if b == 1 else m, 0 if b == 1 else w, unit_at(u, z))
zero_at(u, end) = end
zero_at(end, item(c, r)) = item(c, r)
zero_at(item(b, u), item(c, r)) = item(0 if b == 1 else c, zero_at(u, r))
# A distributed dimension of extent 1 is read at 0; a mode without values is the same at every index.
clip(end, i) = i
clip(item(e, r), end) = end
clip(item(e, r), item(c, q)) = item(0 if e == 1 else c, clip(r, q))
within(end, i) = True
within(item(e, r), end) = True
within(item(e, r), item(c, q)) = 0 <= c < e and within(r, q)
fixed(nil) = True
fixed(leaf(s, d, r)) = (d != 0 or s == 1) and fixed(r)
# A chain of thread leaves sorted by stride, finest first. A cell is a gap g (replicas, digit q < g), then a leaf of
# extent s (digit c < s). Its leaf's stride is g times the product of the cells before.
ok(stop) = True
ok(cell(g, s, q, c, r)) = g >= 1 and s >= 1 and 0 <= q < g and 0 <= c < s and ok(r)
gaps(stop) = True
gaps(cell(g, s, q, c, r)) = g >= 1 and s >= 1 and gaps(r)
thread(stop, h) = h
thread(cell(g, s, q, c, r), h) = q + g * (c + s * thread(r, h))
strided(stop, a, h) = a * h
strided(cell(g, s, q, c, r), a, h) = a * q + a * g * c + strided(r, a * g * s, h)
digits(stop) = end
digits(cell(g, s, q, c, r)) = item(c, digits(r))
delinearize(stop, t) = end
delinearize(cell(g, s, q, c, r), t) = item((t // g) % s, delinearize(r, t // (g * s)))
digits_at(stop, a, t) = end
digits_at(cell(g, s, q, c, r), a, t) = item((t // (a * g)) % s, digits_at(r, a * g * s, t))
read(stop, t) = stop
read(cell(g, s, q, c, r), t) = cell(g, s, t % g, (t // g) % s, read(r, t // (g * s)))
rest(stop, t) = t
rest(cell(g, s, q, c, r), t) = rest(r, t // (g * s))
same(stop, stop) = True
same(stop, cell(g, s, q, c, r)) = False
same(cell(g, s, q, c, r), stop) = False
same(cell(g, s, q, c, r), cell(u, v, w, b, p)) = g == u and s == v and same(r, p)
extent(stop) = 1
extent(cell(g, s, q, c, r)) = g * s * extent(r)
"""


class Equation(NamedTuple):
    """One case of a function: what it says of arguments of this form."""

    left: App
    right: Term


@lru_cache(maxsize=1)
def equations() -> dict[str, tuple[Equation, ...]]:
    """The cases of every function, in the order of the text."""
    out: dict[str, tuple[Equation, ...]] = {}
    for line in EQUATIONS.replace("\\\n", "").strip().splitlines():
        if not line.startswith("#"):
            left, _, right = line.partition(" = ")
            head = parse(left)
            assert isinstance(head, App)
            out[head.op] = (*out.get(head.op, ()), Equation(head, parse(right)))
    return out


def match(pattern: Term, term: Term, found: dict[str, Term]) -> bool:
    """Whether `term` has the pattern's form; `found` gets what its variables stand for."""
    if isinstance(pattern, str):
        found[pattern] = term
        return True
    if not (isinstance(pattern, App) and isinstance(term, App)) or pattern.op != term.op:
        return False
    return all(match(p, x, found) for p, x in zip(pattern.args, term.args, strict=True))


def unfold(term: Term) -> Term:
    """The term with every function replaced by its equation where the arguments have the form of one.

    A function of a conditional list becomes a conditional of two values. Ends: each equation recurs on a part.
    """
    if not isinstance(term, App):
        return term
    args = tuple(map(unfold, term.args))
    for i, arg in enumerate(args):
        if term.op in FUNCTIONS and isinstance(arg, App) and arg.op == "ite" and FUNCTIONS[term.op][0][i] != "Int":
            test, *ways = arg.args
            yes, no = (unfold(App(term.op, (*args[:i], way, *args[i + 1 :]))) for way in ways)
            return App("ite", (test, yes, no))
    if term.op == "ite" and args[0] in (TRUE, FALSE):
        return args[1] if args[0] == TRUE else args[2]
    for equation in equations().get(term.op, ()):
        found: dict[str, Term] = {}
        if match(equation.left, App(term.op, args), found):
            return unfold(substitute(equation.right, found))
    return App(term.op, args)


def sort_of(term: Term, sorts: Mapping[str, str]) -> str:
    """The sort of a term whose variables have these sorts (Int when not named). Raises NotationError."""
    if isinstance(term, int):
        return "Int"
    if isinstance(term, str):
        return sorts.get(term, "Int")
    found = tuple(sort_of(x, sorts) for x in term.args)
    wanted, sort = _signature(term, found)
    if found != wanted:
        raise NotationError(f"{term.op} takes {', '.join(wanted) or 'nothing'}, not {', '.join(found) or 'nothing'}")
    return sort


def _signature(term: App, found: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    if term.op in CONSTRUCTORS:
        sort, fields = CONSTRUCTORS[term.op]
        return fields, sort
    if term.op in FUNCTIONS:
        return FUNCTIONS[term.op]
    if term.op in ARITHMETIC:
        return ("Int", "Int"), "Int"
    if term.op in ("==", "!=") and len(found) == 2:
        return (found[0], found[0]), "Bool"
    if term.op in COMPARISONS:
        return ("Int", "Int"), "Bool"
    if term.op in CONNECTIVES or term.op in ("true", "false"):
        return ("Bool",) * len(found), "Bool"
    if term.op == "ite" and len(found) == 3:
        return ("Bool", found[1], found[1]), found[1]
    raise NotationError(f"no function '{term.op}'")
