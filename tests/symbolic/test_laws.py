"""Laws of layouts for all sizes: row-major identity, merge, tile, recast, k alike; and their wrong variants."""

from __future__ import annotations

from itertools import accumulate
from operator import mul

import pytest

from layoutcheck.notation import parse
from layoutcheck.symbolic.alike import k_alike
from layoutcheck.symbolic.bits import recast
from layoutcheck.symbolic.equal import equal
from layoutcheck.symbolic.family import decide
from layoutcheck.symbolic.operand import Operand, family
from layoutcheck.symbolic.verdict import FamilyVerdict

NAMES = "abcdef"


def same(left: str, right: str, names: str, condition: str = "") -> FamilyVerdict:
    both = [family(Operand("a", text, ("1",)), tuple(names)) for text in (left, right)]
    return decide(equal(*both), condition)


def row_major(rank: int, wrong: int | None = None) -> str:
    """The identity of `rank` modes as IREE reads it, last mode fastest; `wrong`: two strides exchanged."""
    letters = NAMES[:rank]
    strides = ["*".join(letters[i + 1 :]) or "1" for i in range(rank)]
    if wrong is not None:
        strides[wrong], strides[wrong + 1] = strides[wrong + 1], strides[wrong]
    return f"#iree_map.pack_map<({','.join(letters)}):({','.join(strides)})>"


@pytest.mark.parametrize("rank", range(2, 7))
def test_row_major_is_the_identity(rank: int) -> None:
    found = same(row_major(rank), f"{'*'.join(NAMES[:rank])}:1", NAMES[:rank])
    assert (found.verdict, found.precondition) == ("proved", "always")
    assert found.certified
    assert found.certified.startswith("z3")


@pytest.mark.parametrize("rank", range(2, 7))
def test_row_major_with_two_strides_exchanged_is_not(rank: int) -> None:
    found = same(row_major(rank, rank - 2), f"{'*'.join(NAMES[:rank])}:1", NAMES[:rank])
    assert found.verdict == "refuted"
    witness = found.witness
    assert witness
    sizes = [witness["parameters"][letter] for letter in NAMES[:rank]]
    strides = [*accumulate(sizes[:0:-1], mul, initial=1)][::-1]
    strides[rank - 2], strides[rank - 1] = strides[rank - 1], strides[rank - 2]
    text = f"#iree_map.pack_map<({','.join(map(str, sizes))}):({','.join(map(str, strides))})>"
    assert parse(text)(witness["index"]) == witness["left"] != witness["right"] == witness["index"]


@pytest.mark.parametrize(
    ("left", "right", "names", "condition"),
    [
        ("(a,b):(d,a*d)", "a*b:d", "abd", ""),
        ("(a,(b,c)):(d,(a*d,a*b*d))", "a*b*c:d", "abcd", ""),
        ("(a,1,b):(d,c,a*d)", "a*b:d", "abcd", ""),
        ("(t,m/t):(1,t)", "m:1", "mt", "m % t == 0"),
        ("((t,m/t),(u,n/u)):((1,t),(m,m*u))", "(m,n):(1,m)", "mntu", "m % t == 0 and n % u == 0"),
        ("(t,m//t):(1,t)", "m:1", "mt", "m % t == 0"),
        ("(m/t,t):(t,1)", "(m/t,t):(m/(m/t),1)", "mt", "m % t == 0"),
    ],
)
def test_merge_and_tile(left: str, right: str, names: str, condition: str) -> None:
    found = same(left, right, names, condition)
    assert found.verdict == "proved"
    assert found.requires in (None, "exact")


@pytest.mark.parametrize(
    ("left", "right", "names", "condition", "where"),
    [
        ("(a,b):(d,b*d)", "a*b:d", "abd", "", "(a == b) or (b == 1)"),
        ("(a,b):(d,a+d)", "a*b:d", "abd", "", "(a*d == a + d) or (b == 1)"),
        ("(t,m/t):(1,t+1)", "m:1", "mt", "m % t == 0", "m == t and m % t == 0"),
        ("((t,m/t),n):((1,t),m+1)", "(m,n):(1,m)", "mnt", "m % t == 0", "n == 1 and m % t == 0"),
    ],
)
def test_wrong_merges_and_tiles(left: str, right: str, names: str, condition: str, where: str) -> None:
    found = same(left, right, names, condition)
    assert found.verdict == "refuted"
    assert found.precondition == where
    assert found.witness
    env = found.witness["parameters"]
    both = [family(Operand("a", text, ("1",)), tuple(names)).layout.at(env) for text in (left, right)]
    values = [layout(found.witness["index"]) for layout in both]
    assert values == [found.witness["left"], found.witness["right"]]
    assert values[0] != values[1]


def width(text: str, w: str, names: tuple[str, ...], condition: str = "") -> FamilyVerdict:
    of = family(Operand("a", text, ("1",)), names)
    return decide(recast(of, w), condition)


@pytest.mark.parametrize(
    ("text", "names", "where"),
    [
        ("(16,bits):(bits,1)", ("bits", "w"), "bits % w == 0"),
        ("(1,bits):(1,1)", ("bits", "w"), "bits % w == 0"),
        ("(16,(g,bits/g)):(g,(1,16*g))", ("g", "bits", "w"), "g % w == 0 and bits % g == 0"),
        ("(t,(w,v)):(w*v,(1,w))", ("t", "v", "w"), "always"),
    ],
)
def test_recast_holds_exactly_where(text: str, names: tuple[str, ...], where: str) -> None:
    condition = "" if where == "always" else where
    found = width(text, "w", names, condition)
    assert (found.verdict, found.precondition) == ("proved", where)
    assert found.necessary
    assert found.requires == ("exact" if condition else None)


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("(t,(w,v)):(w*v+1,(1,w))", ""),
        ("(t,(w,v)):(w*v,(1,w+1))", ""),
        ("(16,(g,bits/g)):(g,(1,16*g))", "bits % g == 0 and bits % w == 0"),
    ],
)
def test_wrong_recasts(text: str, condition: str) -> None:
    names = ("g", "bits", "w") if "bits" in text else ("t", "v", "w")
    found = width(text, "w", names, condition)
    assert found.verdict == "refuted"
    assert found.witness
    env = found.witness["parameters"]
    if found.witness["reason"] == "sizes":
        assert found.witness["bits"] % env["w"]
        return
    layout = family(Operand("a", text, ("1",)), names).layout.at(env)
    place = found.witness["at"][0]
    value, w = place["value"], env["w"]
    first = layout((place["thread"], value - value % w))
    needed = first + value % w if value % w else first - first % w
    assert layout((place["thread"], value)) == found.witness["offset"] != needed == found.witness["expected"]


def alike(a: str, b: str, names: tuple[str, ...], condition: str = "") -> FamilyVerdict:
    both = [family(Operand(n, text, ("16", "k")), names) for n, text in (("a", a), ("b", b))]
    return decide(k_alike(*both), condition)


def test_a_and_b_hold_k_alike() -> None:
    text = "((16,2),(8,k/16)):((1,128),(16,256))"
    assert alike(text, text, ("k",), "k % 16 == 0").verdict == "proved"


def test_a_and_b_of_other_widths_hold_k_otherwise() -> None:
    """gfx1250, one operand of 8 bits and one narrower: thread 16 starts at k 8 in A and at k 32 in B."""
    a, b = "((16,2),(8,k/16)):((1,128),(16,256))", "((16,2),(32,k/64)):((1,512),(16,1024))"
    found = alike(a, b, ("k",), "k % 64 == 0")
    assert found.verdict == "refuted"
    assert found.witness
    assert found.witness["at"] == [{"thread": 16, "value": 0}]
    assert (found.witness["a"], found.witness["b"]) == (8, 32)


def test_a_and_b_of_other_thread_counts_are_not_alike() -> None:
    """The same k at every flat index, and other threads: (2,4) and (4,2) of them."""
    found = alike("((1,2),4):((1,64),16)", "((1,4),2):((1,32),16)", ("k",))
    assert found.verdict == "refuted"
    assert found.witness
    assert found.witness["reason"] == "threads"
