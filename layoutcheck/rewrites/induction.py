"""Statements about lists of any length, from their chain to goals without quantifiers, and nothing else assumed.

A fact that enters a goal is a lemma, a statement proved before, or the induction hypothesis, with terms in place of its
variables; its premises stay antecedents. The step from the goals to the statement is structural induction, which this
module applies: it makes one case for each constructor, and the hypothesis speaks of the list inside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec
from msgspec.structs import replace as replaced

from ..errors import NotationError
from .chains import Chain, Step
from .definitions import CONSTRUCTORS, sort_of, unfold
from .goals import Fact, Goal, check_values, instance
from .lemmas import LEMMAS
from .statements import STATEMENTS, Statement
from .terms import TRUE, App, Term, call, parse, replace, substitute, variables


class _State(msgspec.Struct, frozen=True):
    """Where a proof stands: the statement with its variables put in, and what splits have found."""

    premises: tuple[Term, ...]
    conclusions: tuple[Term, ...]
    sorts: dict[str, str]
    label: str
    facts: tuple[Fact, ...] = ()
    conditions: tuple[Fact, ...] = ()
    found: tuple[tuple[Term, Term], ...] = ()
    hypothesis: tuple[Statement, str, str] | None = None  # the statement, its variable, the smaller list

    def settled(self, term: Term) -> Term:
        """Unfolded, with every split term in the form of its case."""
        term = unfold(term)
        for old, new in self.found:
            term = unfold(replace(term, old, new))
        return term


def goals(name: str, chains: Mapping[str, Chain]) -> list[Goal]:
    """The goals that together prove statement `name`.

    Raises NotationError for an unknown statement, a missing case, or a hypothesis that is no instance of a fact.
    """
    if name not in STATEMENTS or name not in chains:
        raise NotationError(f"no {'chain for' if name in STATEMENTS else 'statement'} '{name}'")
    statement, chain = STATEMENTS[name], chains[name]
    names = list(chains)
    before = tuple(names[: names.index(name)])
    premises, conclusions = (tuple(map(parse, x)) for x in (statement.premises, statement.conclusions))
    state = _State(premises, conclusions, dict(statement.sorts), name)
    if not chain.induction:
        return list(_close(state, chain.step, before))
    if chain.induction not in statement.sorts or chain.step.split or chain.step.use:
        raise NotationError(f"'{name}' is by induction over a list of the statement, with one step for each form")
    return list(_cases(state, chain.induction, chain.step, before, statement))


def _cases(
    state: _State, split: Term, step: Step, before: tuple[str, ...], inductive: Statement | None = None
) -> Iterator[Goal]:
    """One state for each constructor of the term's sort; under `inductive`, with its hypothesis for the list inside."""
    sort = sort_of(split, state.sorts)
    patterns = [(parse(text), inner) for text, inner in step.cases]
    wanted = [name for name, (of, _) in CONSTRUCTORS.items() if of == sort]
    if not wanted or sorted(p.op if isinstance(p, App) else "" for p, _ in patterns) != sorted(wanted):
        raise NotationError(f"{state.label}: one case each for {', '.join(wanted) or f'the forms of {sort}'}")
    for pattern, inner in patterns:
        assert isinstance(pattern, App)
        case = _named(state, split, pattern)
        if inductive is not None and isinstance(split, str):
            yield from _close(_inductive(case, split, pattern, inductive), inner, before)
        else:
            yield from _close(replaced(case, found=(*state.found, (split, pattern))), inner, before)


def _named(state: _State, split: Term, pattern: App) -> _State:
    """The state with the pattern's variables known. Raises NotationError unless they stand for nothing yet."""
    fields = CONSTRUCTORS[pattern.op][1]
    stated = (*state.premises, *state.conclusions, *(new for _, new in state.found))
    taken = variables(split).union(state.sorts, *map(variables, stated))
    fresh = [x for x in pattern.args if isinstance(x, str) and x not in taken]
    if len(set(fresh)) != len(fields) or len(pattern.args) != len(fields):
        raise NotationError(f"{state.label}: {pattern.op} takes {len(fields)} names that stand for nothing yet")
    sorts = state.sorts | {x: of for x, of in zip(fresh, fields, strict=True) if of != "Int"}
    return replaced(state, sorts=sorts, label=f"{state.label}.{pattern.op}")


def _inductive(state: _State, variable: str, pattern: App, statement: Statement) -> _State:
    """The statement for the pattern, with itself for the list inside as a hypothesis."""
    put = {variable: pattern}
    smaller = [x for x in map(str, pattern.args) if state.sorts.get(x) == state.sorts[variable]]
    return replaced(
        state,
        premises=tuple(substitute(x, put) for x in state.premises),
        conclusions=tuple(substitute(x, put) for x in state.conclusions),
        hypothesis=(statement, variable, smaller[0]) if smaller else None,
    )


def _truths(state: _State, split: Term, step: Step, before: tuple[str, ...]) -> Iterator[Goal]:
    """The two cases of a condition, which becomes a fact or its negation."""
    if sorted(text for text, _ in step.cases) != ["False", "True"]:
        raise NotationError(f"{state.label}: one case each for True, False")
    for text, inner in step.cases:
        truth = parse(text)
        assumed = Fact("case", split if truth == TRUE else App("not", (split,)))
        case = replaced(
            state,
            conditions=(*state.conditions, assumed),
            found=(*state.found, (split, truth)),
            label=f"{state.label}.{text.lower()}",
        )
        yield from _close(case, inner, before)


def _close(state: _State, step: Step, before: tuple[str, ...]) -> Iterator[Goal]:
    facts = (*state.facts, *(_fact(text, state, before) for text in step.use))
    if step.split:
        term = state.settled(parse(step.split))
        further = replaced(state, facts=facts)
        truth = sort_of(term, state.sorts) == "Bool"
        yield from (_truths if truth else _cases)(further, term, step, before)
        return
    if step.cases:
        raise NotationError(f"{state.label}: cases of nothing")
    premises = tuple(Fact("premise", state.settled(x)) for x in state.premises)
    settled = tuple(Fact(fact.why, state.settled(fact.formula)) for fact in facts)
    for i, conclusion in enumerate(state.conclusions, 1):
        yield Goal(
            f"{state.label}.{i}", (*premises, *state.conditions, *settled), state.settled(conclusion), state.sorts
        )


def _fact(text: str, state: _State, before: tuple[str, ...]) -> Fact:
    """The instance that a text of the chain names. Raises NotationError when it is none."""
    name, values = call(text)
    if name == "ih":
        return _hypothesis(text, values, state)
    if name in before:
        formula = STATEMENTS[name].formula
        check_values(name, variables(formula), values, STATEMENTS[name].sorts, state.sorts)
        return Fact(text, substitute(formula, values))
    if name in STATEMENTS:
        raise NotationError(f"{state.label} may not use '{name}', which is not proved before it")
    return instance(text, LEMMAS, state.sorts)


def _hypothesis(text: str, values: dict[str, Term], state: _State) -> Fact:
    if state.hypothesis is None:
        raise NotationError(f"{state.label}: there is no induction hypothesis here")
    statement, variable, smaller = state.hypothesis
    free = variables(statement.formula) - {variable}
    if not values.keys() <= free:
        raise NotationError(f"{state.label}: ih gives values to {', '.join(sorted(free))} only")
    check_values("ih", frozenset(values), values, statement.sorts, state.sorts)
    return Fact(text, substitute(statement.formula, {**values, variable: smaller}))
