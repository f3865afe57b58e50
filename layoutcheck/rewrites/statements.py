"""What the proof chains prove, as formulas: for all lists of any length and all integers.

Every variable is universally quantified; one without a sort is an integer. The order is that of the proofs: a proof
may use the statements before its own.
"""

from __future__ import annotations

import msgspec

from .terms import Term, conjunction, implies, parse


class Statement(msgspec.Struct, frozen=True):
    """`premises` imply every conclusion."""

    name: str
    sorts: dict[str, str]
    premises: tuple[str, ...]
    conclusions: tuple[str, ...]

    @property
    def formula(self) -> Term:
        """The premises as antecedents of all conclusions."""
        return implies(tuple(map(parse, self.premises)), conjunction(tuple(map(parse, self.conclusions))))


def _leaves(*names: str) -> dict[str, str]:
    return dict.fromkeys(names, "Leaves")


_CELLS, _MODES = {"z": "Cells"}, {"z": "Modes"}

_TABLE = (
    Statement("size", _leaves("l"), ("valid(l)",), ("N(l) >= 1", "V(l) >= 1")),
    Statement("appended_size", _leaves("a", "b"), (), ("N(app(a, b)) == N(a) * N(b)", "V(app(a, b)) == V(a) * V(b)")),
    Statement("appended_valid", _leaves("a", "b"), ("valid(a)", "valid(b)"), ("valid(app(a, b))",)),
    Statement("appended", _leaves("a", "b"), ("valid(a)", "valid(b)"),
              ("P(app(a, b), t, k) == P(a, t, k // V(b)) * N(b) + P(b, t, k)",)),
    Statement("inside", _leaves("l"), ("valid(l)",), ("0 <= P(l, t, k) < N(l)",)),
    Statement("wrapped", _leaves("l"), ("valid(l)",), ("P(l, t, k % V(l)) == P(l, t, k)",)),
    Statement("split_leaf", _leaves("l"), ("valid(l)", "s >= 1", "a >= 1", "e >= 0"),
              ("N(leaf(s, a * e, leaf(a, e, l))) == N(leaf(s * a, e, l))",
               "V(leaf(s, a * e, leaf(a, e, l))) == V(leaf(s * a, e, l))",
               "P(leaf(s, a * e, leaf(a, e, l)), t, k) == P(leaf(s * a, e, l), t, k)")),
    Statement("unit_leaf", _leaves("l"), ("valid(l)",),
              ("N(leaf(1, d, l)) == N(l)", "V(leaf(1, d, l)) == V(l)", "P(leaf(1, d, l), t, k) == P(l, t, k)")),
    Statement("coalesce", _leaves("l"), ("valid(l)",),
              ("valid(coal(l))", "N(coal(l)) == N(l)", "V(coal(l)) == V(l)", "P(coal(l), t, k) == P(l, t, k)")),
    Statement("coalesce_map", _leaves("l"), ("valid(l)",), ("E(coal(l), i) == E(l, i)",)),
    Statement("identity", {"l": "Ints"}, ("positive(l)",),
              ("prod(l) >= 1", "N(ident(l)) == prod(l)", "E(ident(l), i) == i % prod(l)")),
    Statement("shape_cast", _leaves("a", "b"), ("valid(a)", "valid(b)", "coal(a) == coal(b)"),
              ("N(a) == N(b)", "V(a) == V(b)", "P(a, t, k) == P(b, t, k)")),
    Statement("reshape", _leaves("h", "l"), ("valid(h)", "valid(l)", "s >= 1", "a >= 1", "e >= 0", "d >= 0"),
              ("P(app(h, leaf(s, a * e, leaf(a, e, l))), t, k) == P(app(h, leaf(s * a, e, l)), t, k)",
               "P(app(h, leaf(1, d, l)), t, k) == P(app(h, l), t, k)")),
    Statement("coordinate", _MODES, (), ("nth(coords(z, t), i) == P(mode_at(z, i), t, index_at(z, i))",)),
    Statement("transpose", _MODES | {"p": "Ints"}, (), ("coords(permute(p, z), t) == pick(p, coords(z, t))",)),
    Statement("row_major", _leaves("h", "x", "y", "z"), ("valid(h)", "valid(x)", "valid(y)", "valid(z)"),
              ("P(app(h, app(y, app(x, z))), t, k) == ((P(h, t, k // V(app(y, app(x, z)))) * N(y)"
               " + P(y, t, k // V(app(x, z)))) * N(x) + P(x, t, k // V(z))) * N(z) + P(z, t, k)",)),
    Statement("coalesce_modes", _MODES, ("valid_modes(z)",), ("coords(coal_modes(z), t) == coords(z, t)",)),
    Statement("transpose_given", _MODES | {"b": "Modes", "p": "Ints"},
              ("valid_modes(b)", "valid_modes(permute(p, z))", "coal_modes(b) == coal_modes(permute(p, z))"),
              ("coords(b, t) == pick(p, coords(z, t))",)),
    Statement("broadcast", _MODES, (), ("coords(drop(n, z), t) == drop_items(n, coords(z, t))",)),
    Statement("broadcast_flat", _leaves("h", "l"), ("valid(h)", "valid(l)"),
              ("P(l, t, k % V(l)) == P(app(h, l), t, k) % N(l)",)),
    Statement("stretched", _MODES | {"u": "Ints"}, (), ("coords(unit_at(u, z), t) == zero_at(u, coords(z, t))",)),
    Statement("fixed", _leaves("l"), ("valid(l)", "fixed(l)"), ("P(l, t, k) == P(l, t, j)",)),
    Statement("clipped", {"e": "Ints", "l": "Ints"}, ("within(e, l)",), ("clip(e, l) == l",)),
    Statement("linearize", _leaves("l"), (), ("horner(l, a, t) == a * N(l) + threads(l, t)",)),
    Statement("parts", _leaves("l"), (), ("threads(l, t) + values(l, k) == P(l, t, k)",)),
    Statement("step", _leaves("l"), (), ("horner(l, 0, t) + values(l, k) == P(l, t, k)",)),
    Statement("strides", _CELLS, ("gaps(z)", "a >= 1"), ("delinearize(z, t // a) == digits_at(z, a, t)",)),
    Statement("weights", _CELLS, (), ("strided(z, a, h) == a * thread(z, h)",)),
    Statement("decode", _CELLS, ("ok(z)",), ("delinearize(z, thread(z, h)) == digits(z)",)),
    Statement("extent", _CELLS, ("ok(z)",), ("extent(z) >= 1", "0 <= thread(z, 0) < extent(z)")),
    Statement("injective", _CELLS | {"y": "Cells"}, ("ok(y)", "ok(z)", "same(y, z)", "thread(y, h) == thread(z, j)"),
              ("digits(y) == digits(z)", "h == j")),
    Statement("totality", _CELLS, ("gaps(z)",),
              ("thread(read(z, t), rest(z, t)) == t", "ok(read(z, t))", "digits(read(z, t)) == delinearize(z, t)")),
    Statement("fold", _leaves("a", "b"), ("a == b",), ("P(a, t, k) == P(b, t, k)",)),
    Statement("elementwise", _leaves("a", "b"), ("a == b",),
              ("op(left(P(a, t, k)), right(P(b, t, k))) == op(left(P(a, t, k)), right(P(a, t, k)))",)),
    Statement("select", _leaves("a", "b", "c"), ("a == c", "b == c"),
              ("(left(P(a, t, k)) if op(P(c, t, k), 0) != 0 else right(P(b, t, k)))"
               " == (left(P(c, t, k)) if op(P(c, t, k), 0) != 0 else right(P(c, t, k)))",)),
    Statement("for", _leaves("a", "b", "c", "r"), ("a == b", "b == c", "c == r"),
              ("P(a, t, k) == P(b, t, k)", "P(b, t, k) == P(c, t, k)", "P(c, t, k) == P(r, t, k)")),
)  # fmt: skip

STATEMENTS: dict[str, Statement] = {statement.name: statement for statement in _TABLE}
