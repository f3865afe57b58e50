"""Integer expressions against Python's own arithmetic, and everything that must not get through."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from layoutcheck.errors import InexactDivision, NotationError, Overflow
from layoutcheck.expr import bind, evaluate, names, parse, stranger

ENV = {"m": 16, "n": 32, "k": 5, "zero": 0, "and_": 7}
BINARY = ("+", "-", "*", "//", "%", "<", "<=", ">", ">=", "==", "!=", "and", "or")


def joined(parts: tuple[str, str, str]) -> str:
    left, op, right = parts
    return f"{left} {op} {right}"


# Random texts without parentheses test precedence and association; the parentheses are Python's too.
atoms = st.one_of(st.integers(0, 40).map(str), st.sampled_from(sorted(ENV)))
texts = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(BINARY), inner).map(joined),
        inner.map(lambda t: f"-({t})"),
        inner.map(lambda t: f"- {t}"),
        inner.map(lambda t: f"({t})"),
    ),
    max_leaves=10,
)


@given(texts)
def test_python_agrees(text: str) -> None:
    ours: int | str
    try:
        ours = evaluate(parse(text), ENV)
    except NotationError as error:
        ours = str(error)
    if isinstance(ours, int):
        theirs = eval(text, {}, dict(ENV))
        assert bool(ours) == bool(theirs) if " and " in text or " or " in text else ours == theirs
    elif "chain" in ours:  # Python reads `a < b < c` otherwise; here it is refused
        assert sum(text.count(op) for op in ("<", ">", "==", "!=")) > 1
    else:
        assert "division by zero" in ours
        with pytest.raises(ZeroDivisionError):
            eval(text, {}, dict(ENV))


@given(st.integers(-(10**30), 10**30), st.integers(-50, 50))
def test_division_is_exact_or_refused(a: int, b: int) -> None:
    expression, env = parse("a / b"), {"a": a, "b": b}
    if b == 0:
        with pytest.raises(NotationError, match="division by zero"):
            evaluate(expression, env)
    elif Fraction(a, b).denominator == 1:
        assert evaluate(expression, env) == Fraction(a, b)
    else:
        with pytest.raises(InexactDivision) as error:
            evaluate(expression, env)
        assert error.value.column == 2
        assert str(error.value) == f"{a} / {b} is not exact: C++ would truncate it to {int(Fraction(a, b))}"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("64/4/4", 4),
        ("2-3-4", -5),
        ("2+3*4", 14),
        ("-7//2", -4),
        ("-7%4", 1),
        ("--3", 3),
        ("64 % m == 0 and m*n % 64 == 0", 1),
        ("zero and 1/zero", 0),
        ("1 or 1/zero", 1),
        ("5 or 0", 1),
        ("5 and 7", 1),
        ("m == 16 or k == 4 and zero", 1),
        ("_16 + 1", 17),
        ("and_", 7),
    ],
)
def test_values(text: str, value: int) -> None:
    assert evaluate(parse(text), ENV) == value


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 0, "expected a number or a name but found the end"),
        ("1 +", 3, "expected a number or a name but found the end"),
        ("* 2", 0, "expected a number or a name but found '*'"),
        ("+2", 0, "expected a number or a name but found '+'"),
        ("2 3", 2, "unexpected '3'"),
        ("2 ** 3", 3, "expected a number or a name but found '*'"),
        ("(2", 2, "expected ')' but found the end"),
        ("(2, 3)", 2, "expected ')' but found ','"),
        ("2)", 1, "unexpected ')'"),
        ("()", 1, "expected a number or a name but found ')'"),
        ("m.real", 1, "unexpected character '.'"),
        ("1.5", 1, "unexpected character '.'"),
        ("__import__('os')", 11, 'unexpected character "\'"'),
        ("abs(m)", 3, "unexpected '('"),
        ("m[0]", 1, "unexpected character '['"),
        ("[m]", 0, "unexpected character '['"),
        ("{m}", 0, "expected a number or a name but found '{'"),
        ("'m'", 0, 'unexpected character "\'"'),
        ('"m"', 0, "unexpected character '\"'"),
        ("lambda: 1", 6, "unexpected ':'"),
        ("m if k else n", 2, "unexpected 'if'"),
        ("not m", 4, "unexpected 'm'"),
        ("m is n", 2, "unexpected 'is'"),
        ("m := 1", 2, "unexpected ':'"),
        ("m = 1", 2, "unexpected '='"),
        ("m; n", 1, "unexpected character ';'"),
        ("m & n", 2, "unexpected character '&'"),
        ("m << n", 3, "expected a number or a name but found '<'"),
        ("~m", 0, "unexpected character '~'"),
        ("m @ n", 2, "unexpected character '@'"),
        ("m\\n", 1, "unexpected character '\\\\'"),
        ("0x10", 1, "unexpected 'x10'"),
        ("1_000", 1, "unexpected '_000'"),
        ("1e3", 1, "unexpected 'e3'"),
        ("\u0663", 0, "unexpected character '\u0663'"),
        ("é", 0, "unexpected character 'é'"),
        ("?", 0, "a dynamic value '?' has no number here"),
        ("1 < 2 < 3", 6, "comparisons do not chain: write `a < b and b < c`"),
        ("1 == 2 != 3", 7, "comparisons do not chain: write `a < b and b < c`"),
        ("m and", 5, "expected a number or a name but found the end"),
        ("9" * 401, 0, "a number of 401 digits, the limit is 400"),
        ("-" * 300 + "1", 256, "expression of more than 256 tokens"),
        ("1" + "+1" * 200, 256, "expression of more than 256 tokens"),
        ("(" * 33 + "1" + ")" * 33, 32, "parentheses nested deeper than 32"),
        ("1" * 10 + " " * 4000, 0, "text of 4010 characters, the limit is 4000"),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else None,
)
def test_what_is_no_expression(text: str, column: int, message: str) -> None:
    with pytest.raises(NotationError) as error:
        parse(text)
    assert (error.value.column, str(error.value)) == (column, message)


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("m + x", 4, "unknown name 'x' (known: and_, k, m, n, zero)"),
        ("__import__", 0, "unknown name '__import__' (known: and_, k, m, n, zero)"),
        ("m / zero", 2, "division by zero: 16 / 0"),
        ("m // (k-5)", 2, "division by zero: 16 // 0"),
        ("1 + m % zero", 6, "division by zero: 16 % 0"),
        ("*".join(["9" * 400] * 2), 400, "a value beyond 2^2000"),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else None,
)
def test_what_has_no_value(text: str, column: int, message: str) -> None:
    with pytest.raises(NotationError) as error:
        evaluate(parse(text), ENV)
    assert (error.value.column, str(error.value)) == (column, message)


def test_bounds_hold_where_they_say() -> None:
    assert evaluate(parse("9" * 400), {}) == 10**400 - 1
    assert evaluate(parse("(" * 32 + "1" + ")" * 32), {}) == 1
    assert evaluate(parse("-1" + "+1" * 127), {}) == 126  # 256 tokens
    assert evaluate(parse("(1)" + "+(1)" * 63), {}) == 64  # the limit is on nesting, not on the number of pairs
    assert evaluate(parse("m*" * 100 + "1"), {"m": 2**20 - 1}) == (2**20 - 1) ** 100


@given(texts)
def test_names_are_those_it_needs(text: str) -> None:
    try:
        expression = parse(text)
    except NotationError:
        return
    assert names(expression) == {name for name in ENV if name in text.replace("(", " ").replace(")", " ").split()}


@given(st.text(alphabet="()+-*/%<>=!&|.,:_'\"aimport 019é\n", max_size=25))
def test_any_text_is_a_number_or_a_named_error(text: str) -> None:
    column = 0
    try:
        assert isinstance(evaluate(parse(text), {"a": 3, "m": 4}), int)
    except NotationError as error:
        column = error.column
    assert 0 <= column <= len(text)


def test_comparisons_in_parentheses_are_numbers() -> None:
    assert evaluate(parse("(m > 3) == (n > 3)"), ENV) == 1
    assert evaluate(parse("(m < n) * 5 + (m >= n) * 7"), ENV) == 5


@pytest.mark.parametrize("text", ["-7 // 2", "-7 % 2", "7 // (0 - 2)", "7 % (0 - 2)"])
def test_native_refuses_what_is_rounded_the_other_way(text: str) -> None:
    assert evaluate(parse(text), {}) == eval(text)
    with pytest.raises(InexactDivision):
        evaluate(parse(text), {}, native=True)


@pytest.mark.parametrize("text", ["-8 // 2", "-8 % 2", "(0-7) // (0-2)", "(0-7) % (0-2)"])
def test_native_takes_what_both_compute(text: str) -> None:
    assert evaluate(parse(text), {}, native=True) == eval(text)


def test_native_ends_at_64_bits() -> None:
    assert evaluate(parse(f"{2**62} * 2 - 1 + (0 - {2**62})"), {}) == 2**62 - 1
    assert evaluate(parse(f"{2**62} - 1 + {2**62}"), {}, native=True) == 2**63 - 1
    least = f"(0 - {2**63 - 1} - 1)"
    assert evaluate(parse(f"{least} % 1 + {least} % -2"), {}, native=True) == 0
    for text in (f"{2**62} * 2", f"0 - {2**62} * 2 - 1", f"{2**62} + {2**62}", f"{least} // -1", f"{least} % -1"):
        with pytest.raises(Overflow):
            evaluate(parse(text), {}, native=True)


@given(texts)
def test_bound_names_are_numbers(text: str) -> None:
    some = {name: value for name, value in ENV.items() if name in ("m", "k")}
    try:
        parsed = parse(text)
    except NotationError:  # comparisons that chain
        reject()
    bound = bind(parsed, some)
    assert names(bound) == names(parsed) - set(some)
    unknown = stranger(bound, ())
    assert (unknown is None) == (not names(bound))
    if unknown is not None:
        assert text[unknown.column :].startswith(unknown.name)
