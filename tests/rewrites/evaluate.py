"""The proof language, evaluated on numbers and lists: equations read from the text, nothing of the prover but terms.

Lists are tuples of fields, () for none of them; a condition decides before its branches are looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from layoutcheck.rewrites.definitions import CONSTRUCTORS, EQUATIONS
from layoutcheck.rewrites.terms import CONSTANTS, App, Term, parse

OPERATIONS: dict[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
    "//": lambda a, b: a // b, "%": lambda a, b: a % b,
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
    "not": lambda a: not a, "true": lambda: True, "false": lambda: False,
    "left": lambda a: 3 * a * a + 1, "right": lambda a: 7 - 2 * a, "op": lambda a, b: a * 5 - b,
}  # fmt: skip


def _cases() -> dict[str, list[tuple[tuple[Term, ...], Term]]]:
    found: dict[str, list[tuple[tuple[Term, ...], Term]]] = {}
    for line in EQUATIONS.replace("\\\n", "").strip().splitlines():
        if not line.startswith("#"):
            left, right = line.split(" = ", 1)
            head = parse(left)
            assert isinstance(head, App)
            found.setdefault(head.op, []).append((head.args, parse(right)))
    return found


CASES = _cases()


def value(term: Term, env: dict[str, Any]) -> Any:
    """The value of a term; a division by zero has none."""
    if isinstance(term, int):
        return term
    if isinstance(term, str):
        return env[term]
    if term.op == "ite":
        return value(term.args[1 if value(term.args[0], env) else 2], env)
    if term.op == "and":
        return all(value(x, env) for x in term.args)
    if term.op == "or":
        return any(value(x, env) for x in term.args)
    if term.op == "=>":
        return not value(term.args[0], env) or value(term.args[1], env)
    args = tuple(value(x, env) for x in term.args)
    if term.op in CONSTRUCTORS:
        return args
    return OPERATIONS[term.op](*args) if term.op in OPERATIONS else apply(term.op, args)


def apply(name: str, args: tuple[Any, ...]) -> Any:
    """A function of `EQUATIONS`, by the first equation whose pattern fits."""
    for patterns, right in CASES[name]:
        env: dict[str, Any] = {}
        if all(_fits(p, x, env) for p, x in zip(patterns, args, strict=True)):
            return value(right, env)
    raise AssertionError(f"no equation of {name} for {args}")


def _fits(pattern: Term, x: Any, env: dict[str, Any]) -> bool:
    if isinstance(pattern, str):
        env[pattern] = x
        return True
    assert isinstance(pattern, App)
    if pattern.op in CONSTANTS or not x:
        return pattern.op in CONSTANTS and x == ()
    return all(_fits(p, y, env) for p, y in zip(pattern.args, x, strict=True))


def leaves(pairs: list[tuple[int, int]]) -> Any:
    """A leaf list as the language's value."""
    return (*pairs[0], leaves(pairs[1:])) if pairs else ()


def random_value(sort: str, rng: Random) -> Any:
    """A value of a sort, small and often degenerate: unit extents, stride 0, empty lists, digits in range."""
    if sort == "Int":
        return rng.choice([0, 1, 1, 2, 3, 4, 5, 7, rng.randrange(100), rng.randrange(10**6)])
    out: Any = ()
    for _ in range(rng.randrange(4)):
        if sort == "Leaves":
            out = (rng.choice([1, 2, 2, 3, 4, 6]), rng.choice([0, 0, 1, 2, 3, 4, 6, 8]), out)
        elif sort == "Ints":
            out = (rng.randrange(4), out)
        elif sort == "Modes":
            out = (random_value("Leaves", rng), rng.randrange(20), out)
        else:
            gap, extent = rng.choice([1, 1, 2, 3]), rng.choice([1, 2, 3, 4])
            out = (gap, extent, rng.randrange(gap), rng.randrange(extent), out)
    return out
