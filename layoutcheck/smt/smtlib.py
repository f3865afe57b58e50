"""Export of a claim as one SMT-LIB 2 script: `unsat` iff the claim holds. Any solver can be asked."""

from __future__ import annotations

from ..claim import KINDS, Claim
from .bits import BitQuery
from .queries import Atom, Query, Terms, queries


def script(claim: Claim) -> str | None:
    """The script, or None where the claim has no encoding that solvers close.

    One assertion: some query of `queries(claim)` can be satisfied. Each query has variables of its own.
    """
    plan = queries(claim)
    if plan is None:
        return None
    if any(isinstance(query, Query) and query.read is None for query in plan) and claim.kind == "permuted":
        heading = ["; sufficient: sat does not refute the claim"]
    else:
        heading = []
    lines = [
        f"; {claim.kind}: {KINDS[claim.kind]}",
        f"; leaves (extent, stride), fastest first: {claim.leaves}" + (f" and {claim.other}" if claim.other else ""),
        f"; n = {claim.n}, fibre = {claim.fibre}",
        "; unsat: the claim holds; each disjunct is one way to break it",
        *heading,
        f"(set-logic {'ALL' if any(isinstance(q, BitQuery) for q in plan) else 'QF_LIA'})",
    ]
    parts = []
    for number, query in enumerate(plan):
        declared, formula = _bits(query, number) if isinstance(query, BitQuery) else _linear(query, number)
        lines += declared
        parts.append(f"  ; {query.name}\n  {formula}")
    lines += ["(assert (or false", *parts, "))", "(check-sat)", ""]
    return "\n".join(lines)


def _bits(query: BitQuery, number: int) -> tuple[list[str], str]:
    name = f"{query.variable}_{number}"
    formula = f"(let (({query.variable} {name})) {query.constraint})"
    return [f"(declare-const {name} (_ BitVec {query.width}))"], formula


def _linear(query: Query, number: int) -> tuple[list[str], str]:
    names = {variable: f"q{number}_{variable}" for variable, _, _ in query.bounds}
    declared = [f"(declare-const {name} Int)" for name in names.values()]
    parts = [f"(<= {_number(low)} {names[v]} {_number(high)})" for v, low, high in query.bounds]
    for clause in query.clauses:
        atoms = " ".join(_atom(atom, names) for atom in clause)
        parts.append(f"(or false {atoms})")
    return declared, f"(and {' '.join(parts)})"


def _atom(atom: Atom, names: dict[str, str]) -> str:
    return f"({atom.op} {_sum(atom.terms, atom.constant, names)} 0)"


def _sum(terms: Terms, constant: int, names: dict[str, str]) -> str:
    products = " ".join(f"(* {_number(coefficient)} {names[v]})" for coefficient, v in terms)
    return f"(+ {_number(constant)} {products})" if products else _number(constant)


def _number(value: int) -> str:
    return str(value) if value >= 0 else f"(- {-value})"
