"""Goals: hypotheses that are instances of stated facts, a conclusion, and both as one SMT-LIB 2 script.

The script is `unsat` iff the conclusion follows. `//` and `%` are functions without a meaning of their own there,
unless the goal is `native`: then they are SMT-LIB's div and mod, which agree with them for divisors >= 1.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from ..errors import NotationError
from .definitions import CONSTRUCTORS, FUNCTIONS, sort_of
from .lemmas import LEMMAS, Lemma
from .terms import FALSE, TRUE, Term, applied, call, conjunction, show, substitute, variables

_SMT = {"==": "=", "!=": "distinct", "//": "quotient", "%": "remainder"}
_NATIVE = _SMT | {"//": "div", "%": "mod"}


class Fact(msgspec.Struct, frozen=True):
    """A formula that may be assumed; `why` is the instance it is, or the premise."""

    why: str
    formula: Term


class Goal(msgspec.Struct, frozen=True):
    """That `conclusion` follows from the facts. `sorts`: of the variables that are no Int."""

    name: str
    facts: tuple[Fact, ...]
    conclusion: Term
    sorts: dict[str, str] = {}
    native: bool = False


def instance(text: str, known: Mapping[str, Lemma], sorts: Mapping[str, str]) -> Fact:
    """The fact that `name(variable=term, ...)` is: the lemma with its variables replaced, premises as antecedents.

    Raises NotationError when there is no such lemma, or the variables are not exactly the lemma's.
    """
    name, values = call(text)
    if name not in known:
        raise NotationError(f"'{name}' is no lemma that stands before")
    formula = known[name].formula
    check_values(name, variables(formula), values, {}, sorts)
    return Fact(text, substitute(formula, values))


def check_values(
    name: str,
    wanted: frozenset[str],
    values: Mapping[str, Term],
    wanted_sorts: Mapping[str, str],
    sorts: Mapping[str, str],
) -> None:
    """Raises NotationError unless `values` gives each wanted variable a term of its sort, and no other."""
    if wanted != set(values):
        odd = ", ".join(sorted(wanted ^ set(values)))
        raise NotationError(f"an instance of '{name}' says what {', '.join(sorted(wanted))} are: {odd} differs")
    for variable, term in values.items():
        sort, due = sort_of(term, sorts), wanted_sorts.get(variable, "Int")
        if sort != due:
            raise NotationError(f"{variable} of '{name}' is of sort {due}, {show(term)} of sort {sort}")


def lemma_goal(lemma: Lemma) -> Goal:
    """The goal of one lemma; facts are its premise and instances of lemmas before it."""
    names = list(LEMMAS)
    before = {name: LEMMAS[name] for name in names[: names.index(lemma.name)]}
    premise, conclusion = lemma.goal
    facts = tuple(instance(text, before, {}) for text in lemma.by)
    assumed = (Fact("premise", premise),) if premise != TRUE else ()
    return Goal(lemma.name, (*assumed, *facts), conclusion, native=not lemma.by)


def script(goal: Goal, says: str = "") -> str:
    """The goal as SMT-LIB 2."""
    formulas = [*(fact.formula for fact in goal.facts), goal.conclusion]
    used = frozenset().union(*map(applied, formulas))
    names = frozenset().union(*map(variables, formulas))
    whole = conjunction(tuple(formulas))
    sort_of(whole, goal.sorts)  # every term is well formed
    lines = [f"; {says}"] if says else []
    lines += [f"; {goal.name}: unsat iff it follows", "(set-logic ALL)"]
    lines += [f"(declare-sort {sort} 0)" for sort in _sorts(used, names, goal.sorts)]
    lines += [_declare(name, *_signature(name)) for name in sorted(used) if name in FUNCTIONS or name in CONSTRUCTORS]
    if not goal.native:
        lines += [_declare(_SMT[op], ("Int", "Int"), "Int") for op in ("//", "%") if op in used]
    lines += [_declare(name, (), goal.sorts.get(name, "Int")) for name in sorted(names)]
    for fact in goal.facts:
        lines += [f"; {fact.why}", f"(assert {smt(fact.formula, goal.native)})"]
    lines += ["; not the conclusion", f"(assert (not {smt(goal.conclusion, goal.native)}))", "(check-sat)", ""]
    return "\n".join(lines)


def smt(term: Term, native: bool = False) -> str:
    """A term as an S-expression."""
    if isinstance(term, int):
        return str(term) if term >= 0 else f"(- {-term})"
    if isinstance(term, str) or term in (TRUE, FALSE) or not term.args:
        return term if isinstance(term, str) else term.op
    name = (_NATIVE if native else _SMT).get(term.op, term.op)
    return f"({name} {' '.join(smt(x, native) for x in term.args)})"


def _signature(name: str) -> tuple[tuple[str, ...], str]:
    return FUNCTIONS[name] if name in FUNCTIONS else CONSTRUCTORS[name][::-1]


def _declare(name: str, arguments: tuple[str, ...], sort: str) -> str:
    return f"(declare-fun {name} ({' '.join(arguments)}) {sort})"


def _sorts(used: frozenset[str], names: frozenset[str], sorts: Mapping[str, str]) -> list[str]:
    found = {sorts.get(name, "Int") for name in names}
    for name in used:
        if name in FUNCTIONS or name in CONSTRUCTORS:
            arguments, sort = _signature(name)
            found |= {*arguments, sort}
    return sorted(found - {"Int", "Bool"})
