"""From a record to its instances: its family's rows, or the combinations of parameters that meet `requires`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice
from typing import NamedTuple

import msgspec

from .. import expr
from ..errors import InexactDivision, NotationError
from ..source import Node, Source, Span, span
from ..verdict import Diagnostic
from . import families
from .convert import diagnostic
from .entry import Entry, fill
from .schema import Family, Record, Values


class Requirement(NamedTuple):
    """A `requires` as it stands, and where."""

    text: str
    parsed: expr.Expr
    path: tuple[str, ...]


class _Wrong(Exception):
    """A `requires` that has no value."""

    def __init__(self, found: Diagnostic) -> None:
        self.diagnostic = found


def instances(source: Source, record: Record, node: Node, narrow: families.Narrow) -> Iterator[Entry | Diagnostic]:
    """The atom itself, or one entry for each instance of its family; what is wrong with the family."""
    whole = Entry(source, record, node, record.name, {}, {})
    family = record.family
    try:
        requires = _requires(whole)
    except _Wrong as error:
        yield error.diagnostic
        return
    if family is not None and family.outside:
        yield from _outside(whole, family)
    if family is None:
        yield _unless(whole, requires, {}, whole.place("requires"), record.name) or whole
    elif (family.rows is None) == (family.params is None):
        message = "a family has either `rows` or `params`, " + ("here are both" if family.rows else "here is neither")
        yield diagnostic("LC102", whole.place("family"), message, record.name)
    elif family.params is not None:
        yield from _combined(whole, family.params, requires, narrow)
    elif not family.rows:
        yield diagnostic("LC109", whole.place("family"), "a family without rows has no instance", record.name)
    else:
        yield from _listed(whole, family.rows, requires, narrow)


def _listed(
    whole: Entry, rows: list[dict[str, str]], requires: list[Requirement], narrow: families.Narrow
) -> Iterator[Entry | Diagnostic]:
    """The rows that meet `requires`, and a finding for each that does not."""
    for row, node in zip(rows, whole.node_of("family", "rows").items, strict=True):
        where = span(whole.source, node)
        long = next((value for _, value in node.pairs if len(value.text) > expr.MAX_DIGITS), None)
        if long:
            message = f"a parameter of {len(long.text)} characters, the limit is {expr.MAX_DIGITS}"
            yield diagnostic("LC102", span(whole.source, long), message, whole.name)
        elif families.wanted(row, narrow):
            one = _instance(whole, row)
            yield _nameless(one, where) or _unless(one, requires, one.env, where, one.name) or one


def _outside(whole: Entry, family: Family) -> Iterator[Diagnostic]:
    """A finding for each row of `outside` that is no row of the family, or is inside."""
    known = set(family.params or {}) | {name for row in family.rows or [] for name in row}
    for row, node in zip(family.outside, whole.node_of("family", "outside").items, strict=True):
        message = _no_row(row, known, family) or _inside(families.environment(row), families.condition_of(family))
        if message:
            yield diagnostic("LC102", span(whole.source, node), f"a row of `outside`: {message}", whole.name)


def _no_row(row: dict[str, str], known: set[str], family: Family) -> str | None:
    """What is wrong with a row: a word may stand only where the family has words."""
    words = {name for each in family.rows or [] for name in set(each) - set(families.environment(each))}
    words |= {name for name, values in (family.params or {}).items() if not all(map(_number, values.in_ or []))}
    for name, text in row.items():
        if name not in known:
            return f"'{name}' is no parameter of the family (known: {', '.join(sorted(known))})"
        if name not in words and not (_number(text) and int(text) > 0):
            return f"{name} is '{text[:40]}', and no positive integer"
    missing = sorted(known - words - set(row))
    return f"{', '.join(missing)} has no value" if missing else None


def _number(text: str) -> bool:
    return len(text) <= expr.MAX_DIGITS and re.fullmatch(r"[0-9]+", text) is not None


def _inside(env: dict[str, int], condition: str) -> str | None:
    """That a row is inside: it meets `requires` and the ranges. What cannot be evaluated is not met."""
    try:
        met = not condition or expr.evaluate(expr.parse(condition), env)
    except NotationError:
        return None
    return f"it meets {condition}" if met and condition else "the family has no condition" if met else None


def _combined(
    whole: Entry, params: dict[str, Values], requires: list[Requirement], narrow: families.Narrow
) -> Iterator[Entry | Diagnostic]:
    """The combinations of the parameters' values that meet `requires`: a condition on them, no claim."""
    domain = families.domain(params, narrow, _mentioned(whole))
    if isinstance(domain, families.Problem):
        yield diagnostic(domain.code, whole.place("family", "params", *domain.path), domain.message, whole.name)
        return
    where = whole.place("family", "params")
    try:
        met = _met(whole, domain, requires)
        if not met and domain.free:
            domain = _farther(params, narrow, _mentioned(whole), requires, domain)
            met = _met(whole, domain, requires)
    except _Wrong as error:
        yield error.diagnostic
        return
    if len(met) > families.INSTANCES:
        message = f"a family of {len(met)} instances, the limit is {families.INSTANCES}: narrow its parameters"
        yield diagnostic("LC102", where, message, whole.name)
        return
    if not met and not any(name in narrow for name in params):
        tried = f"of {domain.size} combinations of parameters none meets `requires`"
        code, so = ("LC903", "nothing is checked") if domain.free else ("LC109", "the family has no instance")
        found = diagnostic(code, where, f"{tried}: {so}", whole.name)
        witness = {"kind": "untried", "requires": families.condition_of(whole.record.family)}
        free = domain.free and families.below_one(whole.record.family) is None
        yield msgspec.structs.replace(found, witness=witness) if free else found
    for row in met:
        one = msgspec.structs.replace(_instance(whole, row), domain=domain)
        problem = _nameless(one, where)
        yield problem or one
        if problem:
            return


def _farther(
    params: dict[str, Values],
    narrow: families.Narrow,
    mentioned: frozenset[str],
    requires: list[Requirement],
    near: families.Domain,
) -> families.Domain:
    """The values from the numbers on that `requires` mentions."""
    window = families.SAMPLED if len(near.free) == 1 else 2
    numbers = {number for r in requires for number in expr.integers(r.parsed)}
    domain = families.domain(params, narrow, mentioned, [n + i for n in sorted(numbers) for i in range(window)])
    return near if isinstance(domain, families.Problem) else domain


def _mentioned(whole: Entry) -> frozenset[str]:
    """The words of an entry's texts, keys and `requires` included, but for its family's parameters themselves."""
    texts = [text for key, node in whole.node.pairs if key.text != "family" for text in _texts(node)]
    texts += [whole.record.family.requires] if whole.record.family else []
    return frozenset(re.findall(r"[A-Za-z_]\w*", "\n".join(texts), re.ASCII))


def _texts(node: Node) -> Iterator[str]:
    yield node.text
    for part in (*node.items, *chain.from_iterable(node.pairs)):
        yield from _texts(part)


def _met(whole: Entry, domain: families.Domain, requires: list[Requirement]) -> list[families.Row]:
    """The combinations that meet `requires`; of a family with a free parameter, the first of them."""
    rows = (row for row in families.rows(domain) if all(_holds(whole, r, families.environment(row)) for r in requires))
    return list(islice(rows, families.SAMPLED if domain.free else None))


def _instance(whole: Entry, row: dict[str, str]) -> Entry:
    return msgspec.structs.replace(whole, name=fill(whole.name, row), env=families.environment(row), texts=row)


def _nameless(one: Entry, where: Span) -> Diagnostic | None:
    if "{" not in one.name:
        return None
    message = f"the name '{one.record.name}' mentions a parameter that the row does not have"
    return diagnostic("LC102", where, message, one.record.name)


def _requires(whole: Entry) -> list[Requirement]:
    """The conditions on a family's parameters: its own, and those of a map."""
    family = whole.record.family
    texts = {
        ("requires",): getattr(whole.record, "requires", ""),
        ("family", "requires"): family.requires if family else "",
    }
    return [Requirement(text, _parsed(whole, text, path), path) for path, text in texts.items() if text]


def _parsed(whole: Entry, text: str, path: tuple[str, ...]) -> expr.Expr:
    try:
        return expr.parse(text)
    except NotationError as error:
        raise _at(whole, error, path, whole.name) from None


def _at(whole: Entry, error: NotationError, path: tuple[str, ...], name: str) -> _Wrong:
    where = whole.place(*path, offset=error.column)
    if isinstance(error, InexactDivision):
        return _Wrong(diagnostic("LC108", where, str(error), name))
    return _Wrong(diagnostic("LC102", where, f"requires: {error}", name))


def _holds(one: Entry, requirement: Requirement, env: dict[str, int]) -> bool:
    try:
        return bool(expr.evaluate(requirement.parsed, env))
    except NotationError as error:
        raise _at(one, error, requirement.path, one.name) from None


def _unless(one: Entry, requires: list[Requirement], env: dict[str, int], where: Span, name: str) -> Diagnostic | None:
    """A finding unless `requires` holds."""
    try:
        broken = next((r for r in requires if not _holds(one, r, env)), None)
    except _Wrong as error:
        return error.diagnostic
    if broken is None:
        return None
    whose = "this row breaks its family's" if one.texts else "false:"
    return diagnostic("LC102", where, f"{whose} `requires: {broken.text}`", name)
