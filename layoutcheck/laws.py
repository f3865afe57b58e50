"""The laws of the algebra as data: the one table that `eval`, `explain`, certificates and tests read."""

from __future__ import annotations

import msgspec

_CUTE = "arXiv 2603.02298"


class Law(msgspec.Struct, frozen=True):
    """One operation: what its result satisfies, and when there is one.

    `exact`: the precondition is also necessary; otherwise it is sufficient. `refusals`: the names it fails by.
    `args`: what `eval` takes, in order (A, B: layouts; TILER: a layout or one for each mode; N: a number).
    """

    name: str
    args: str
    statement: str
    precondition: str
    refusals: tuple[str, ...] = ()
    exact: bool = True
    source: str = _CUTE


_COMPOSE = ("outside-domain", "stride-crosses-cut", "extent-crosses-cut", "carry")
_DIVIDE = ("trivial", "not-chain", "not-dividing", "rank-differs", *_COMPOSE)
_PRODUCT = ("trivial", "repeats", "not-chain", *_COMPOSE)
_IREE = "IREE PackMapAttr"

_RULE = (
    "B stays below size A, and for every cut C of coalesced A (a product of its first extents, fastest first): a leaf "
    "s:d of B with d*(s-1) >= C has C | d, or d | C and C | d*s; and the leaves' parts below C add up to less than C "
    "(no carry). Where that fails on few points: the function is a layout over B's leaves all the same"
)
_CUT = "the tiler has a moving leaf, its leaves form a chain, size A is a multiple of its end; and compose's"
_COPY = "A moves, repeats no offset, its leaves form a chain; and compose's for the copies"

_TABLE = (
    Law("coalesce", "A", "R(i) = A(i); equal functions have equal results", "none", source=f"{_CUTE}; {_IREE}"),
    Law("coalesce-modes", "A", "each mode of R is the same function as A's", "none", source=_IREE),
    Law("flatten", "A", "R(i) = A(i), all leaves at the top", "none", source=_IREE),
    Law("filter", "A", "R holds the offsets of A, no leaf of extent 1 or stride 0", "none", source=_IREE),
    Law("permute", "A PERMUTATION", "mode i of R is mode p(i) of A", "p is a permutation of A's modes",
        ("not-a-permutation",), source=_IREE),
    Law("project", "A FLAGS", "R has the modes of A whose flag is 0", "one flag a mode, not all set",
        ("flags-differ", "nothing-left"), source=_IREE),
    Law("concat", "A B...", "R(a, b) = A(a) + B(b)", "one order", ("orders-differ",)),
    Law("identity", "SHAPE", "E(i) = i", "extents > 0", ("extent-not-positive",), source=_IREE),
    Law("compose", "A B", "R(c) = A(B(c))", _RULE, _COMPOSE, source=f"{_CUTE}; {_IREE}"),
    Law("compose-modes", "A TILER", "mode i of R is mode i of A composed with tiler i", f"for each mode: {_RULE}",
        ("rank-differs", *_COMPOSE), exact=False),
    Law("reshape", "A SHAPE", "R(i) = A(i), R's modes have the extents of SHAPE",
        "the sizes agree, and every product q of SHAPE's first extents (fastest first) has a leaf of coalesced A, "
        "beginning at b with extent s, with b | q and q | b*s", ("size-differs", *_COMPOSE), source=_IREE),
    Law("complement", "A [N]", "A and R together hold each offset of [0, N) once",
        "A moves (extent above 1, stride above 0), repeats no offset, its leaves sorted by stride form a chain (each "
        "stride a multiple of the end s*d of the leaf before), and N is a multiple of the last end",
        ("trivial", "repeats", "not-chain", "not-dividing"), source=f"{_CUTE}; {_IREE}"),
    Law("right-inverse", "A", "A(R(x)) = x on [0, size R)", "none", source=f"{_CUTE}; {_IREE}"),
    Law("left-inverse", "A", "R(A(x)) = x on [0, size A)",
        "sorted by stride, each leaf ends (s*d) at or before the next one's stride, and divides it (d | d')",
        ("repeats", "not-injective", "strides-not-nested"), exact=False, source=f"{_CUTE}; {_IREE}"),
    Law("logical-divide", "A TILER", "R(i, o) = A(t(i) + rest(o)), rest the complement of t in size A", _CUT, _DIVIDE,
        exact=False, source=f"{_CUTE}; {_IREE}"),
    Law("zipped-divide", "A TILER", "logical-divide, tiles of all modes first, then the rests", _CUT, _DIVIDE,
        exact=False),
    Law("tiled-divide", "A TILER", "zipped-divide, the rests side by side", _CUT, _DIVIDE, exact=False,
        source=_IREE),
    Law("flat-divide", "A TILER", "zipped-divide, everything side by side", _CUT, _DIVIDE, exact=False),
    Law("logical-product", "A B", "R(i, j) = A(i) + rest(B(j)), rest the complement of A: copies never overlap",
        _COPY, _PRODUCT, exact=False, source=f"{_CUTE}; {_IREE}"),
    Law("zipped-product", "A B", "logical-product", _COPY, _PRODUCT, exact=False),
    Law("tiled-product", "A B", "logical-product, the copies' modes side by side", _COPY, _PRODUCT, exact=False,
        source=_IREE),
    Law("blocked-product", "A B", "mode i of R is (mode i of A, mode i of the copies)", _COPY, _PRODUCT, exact=False),
    Law("raked-product", "A B", "mode i of R is (mode i of the copies, mode i of A)", _COPY, _PRODUCT, exact=False),
    Law("upcast", "A N", "the offsets of A are N*r + b, once for each offset r of R and b in [0, N)",
        "each leaf s:d has N | d, or d | N and (d*s <= N or N/d | s); the leaves below N hold each of [0, N) once",
        ("not-divisible", "not-consecutive", "extent-not-positive"), exact=False),
    Law("downcast", "A N", "the offsets of R are N*a + b, once for each offset a of A and b in [0, N)",
        "exactly one leaf has stride 1", ("no-unit-stride", "extent-not-positive"), exact=False),
)  # fmt: skip

LAWS: dict[str, Law] = {law.name: law for law in _TABLE}
