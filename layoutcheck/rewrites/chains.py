"""Proofs by induction over lists of any length, checked: from a chain file to goals without quantifiers.

A chain says what to induct on and which instances of facts to use; nothing else can enter a goal. A fact is a lemma,
a statement proved before, or the induction hypothesis; its premises stay antecedents. The step from the goals to the
statement is structural induction, which this module applies: it makes one case for each constructor, and the
hypothesis speaks of the list inside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from ..errors import NotationError
from ..files import shipped
from ..source import Node, Source, load_yaml, read_file
from .definitions import CONSTRUCTORS, sort_of, unfold
from .goals import Fact, Goal, check_values, instance
from .lemmas import LEMMAS
from .statements import STATEMENTS, Statement
from .terms import TRUE, App, Term, call, parse, replace, substitute, variables


class Step(msgspec.Struct, frozen=True):
    """Instances to use; or, after them, a term to split by the form of its list, with a step for each form."""

    use: tuple[str, ...] = ()
    split: str = ""
    cases: tuple[tuple[str, Step], ...] = ()


class Chain(msgspec.Struct, frozen=True):
    """The proof of a statement: by induction over `induction`, with a step for each form, or by one step."""

    name: str
    induction: str
    step: Step


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


def load(path: str | None = None) -> dict[str, Chain]:
    """The chains of a file (the shipped one), in order. Raises YamlError, NotationError, InputError."""
    return read(read_file(path or f"{shipped('proofs')}/chains.yaml"))


def read(source: Source) -> dict[str, Chain]:
    """The chains of a text. Raises NotationError for one that is no chain."""
    node, problems = load_yaml(source)
    if problems:
        raise problems[0]
    if node is None or node.kind != "mapping":
        raise NotationError(f"{source.path}: no chains")
    return {key.text: _chain(key.text, value) for key, value in node.pairs}


def _chain(name: str, node: Node) -> Chain:
    induction = _field(node, "induction")
    return Chain(name, induction.text if induction else "", _step(node, extra=("induction",)))


def _step(node: Node, extra: tuple[str, ...] = ()) -> Step:
    if node.kind == "sequence":
        return Step(tuple(item.text for item in node.items))
    for key, _ in node.pairs:
        if key.text not in ("use", "split", "cases", *extra):
            raise NotationError(f"line {key.line}: unknown key '{key.text}' of a chain")
    use, split, cases = (_field(node, key) for key in ("use", "split", "cases"))
    return Step(
        tuple(item.text for item in use.items) if use else (),
        split.text if split else "",
        tuple((key.text, _step(value)) for key, value in cases.pairs) if cases else (),
    )


def _field(node: Node, name: str) -> Node | None:
    return next((value for key, value in node.pairs if key.text == name), None)


def uses(step: Step) -> frozenset[str]:
    """The lemmas and statements that a proof names, wherever in it."""
    mine = frozenset(call(text)[0] for text in step.use)
    return mine.union(*(uses(inner) for _, inner in step.cases)) - {"ih"}


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
        fields = CONSTRUCTORS[pattern.op][1]
        stated = (*state.premises, *state.conclusions, *(new for _, new in state.found))
        taken = variables(split).union(state.sorts, *map(variables, stated))
        fresh = [x for x in pattern.args if isinstance(x, str) and x not in taken]
        if len(set(fresh)) != len(fields) or len(pattern.args) != len(fields):
            raise NotationError(f"{state.label}: {pattern.op} takes {len(fields)} names that stand for nothing yet")
        sorts = state.sorts | {x: of for x, of in zip(fresh, fields, strict=True) if of != "Int"}
        smaller = next((x for x, of in zip(fresh, fields, strict=True) if of == sort), None)
        named = msgspec.structs.replace(state, sorts=sorts, label=f"{state.label}.{pattern.op}")
        if inductive is not None and isinstance(split, str):
            put = {split: pattern}
            named = msgspec.structs.replace(
                named,
                premises=tuple(substitute(x, put) for x in state.premises),
                conclusions=tuple(substitute(x, put) for x in state.conclusions),
                hypothesis=(inductive, split, smaller) if smaller else None,
            )
        else:
            named = msgspec.structs.replace(named, found=(*state.found, (split, pattern)))
        yield from _close(named, inner, before)


def _truths(state: _State, split: Term, step: Step, before: tuple[str, ...]) -> Iterator[Goal]:
    """The two cases of a condition, which becomes a fact or its negation."""
    if sorted(text for text, _ in step.cases) != ["False", "True"]:
        raise NotationError(f"{state.label}: one case each for True, False")
    for text, inner in step.cases:
        truth = parse(text)
        assumed = Fact("case", split if truth == TRUE else App("not", (split,)))
        case = msgspec.structs.replace(
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
        further = msgspec.structs.replace(state, facts=facts)
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
