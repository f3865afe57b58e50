"""The arithmetic under the theorems: lemmas about integers, each small enough for z3 and for cvc5.

`//` and `%` are floor division by a divisor >= 1. Only `division` is proved with the solvers' own div and mod; in all
others they are unknown functions, and what is known of them are the instances of earlier lemmas listed in `by`.
"""

from __future__ import annotations

import msgspec

from .terms import Term, conjunction, implies, parse


class Lemma(msgspec.Struct, frozen=True):
    """For all integers, `premises` imply `conclusion`. `by`: instances of earlier lemmas, `name(x=term)`."""

    name: str
    says: str
    conclusion: str
    premises: tuple[str, ...] = ()
    by: tuple[str, ...] = ()

    @property
    def formula(self) -> Term:
        """The premises as antecedents of the conclusion."""
        return implies(tuple(map(parse, self.premises)), parse(self.conclusion))

    @property
    def goal(self) -> tuple[Term, Term]:
        """What may be assumed, and what follows."""
        return conjunction(tuple(map(parse, self.premises))), parse(self.conclusion)


_MERGED = "(t // (a * e)) % s * a + (t // e) % a"

_TABLE = (
    Lemma("division", "Quotient and remainder: what // and % are.",
          "x == (x // m) * m + x % m and 0 <= x % m < m", ("m >= 1",)),
    Lemma("euclid", "x*m + y with 0 <= y < m determines x and y.",
          "x == u and y == v", ("0 <= y < m", "0 <= v < m", "x * m + y == u * m + v")),
    Lemma("divmod", "Quotient and remainder of x*m + y are x and y.",
          "(x * m + y) // m == x and (x * m + y) % m == y", ("0 <= y < m",),
          ("division(x=x * m + y, m=m)",
           "euclid(x=(x * m + y) // m, y=(x * m + y) % m, u=x, v=y, m=m)")),
    Lemma("bound", "Row-major: a digit below s over a rest below n is below s*n.",
          "0 <= c * n + p < s * n", ("0 <= c < s", "0 <= p < n")),
    Lemma("product", "A product of positive numbers is positive.", "x * y >= 1", ("x >= 1", "y >= 1")),
    Lemma("by_one", "Dividing by 1 leaves the number and no remainder.", "x // 1 == x and x % 1 == 0", (),
          ("division(x=x, m=1)",)),
    Lemma("div_of_div", "Dividing by d and then by w is dividing by d*w.",
          "t // d // w == t // (d * w)", ("d >= 1", "w >= 1"),
          ("division(x=t, m=d)", "division(x=t // d, m=w)", "division(x=t, m=d * w)",
           "product(x=d, y=w)", "bound(c=(t // d) % w, n=d, p=t % d, s=w)",
           "euclid(x=t // d // w, y=(t // d) % w * d + t % d, u=t // (d * w), v=t % (d * w), m=d * w)")),
    Lemma("split_digit", "A digit below s*a is a digit below s over one below a.",
          "t % (s * a) == (t // a) % s * a + t % a", ("s >= 1", "a >= 1"),
          ("division(x=t, m=a)", "division(x=t // a, m=s)", "division(x=t, m=s * a)",
           "product(x=s, y=a)", "bound(c=(t // a) % s, n=a, p=t % a, s=s)",
           "euclid(x=t // a // s, y=(t // a) % s * a + t % a, u=t // (s * a), v=t % (s * a), m=s * a)")),
    Lemma("merge_digit", "Leaves (s, a*e), (a, e) decode to the digit of the merged leaf (s*a, e).",
          f"(t // e) % (s * a) == {_MERGED}", ("s >= 1", "a >= 1", "e >= 1"),
          ("split_digit(t=t // e, s=s, a=a)", "div_of_div(t=t, d=e, w=a)")),
    Lemma("merge_position", "A merged leaf holds the position of its two parts.",
          "x * n + p == c * (a * n) + (b * n + p)", ("x == c * a + b",)),
    Lemma("merge_thread", "A merged leaf adds the same to the thread when the outer stride is a*e.",
          "x * e + t == c * d + (b * e + t)", ("x == c * a + b", "d == a * e")),
    Lemma("append_position", "A leaf in front of two lists side by side: position.",
          "c * (n * m) + w == (c * n + p) * m + q", ("w == p * m + q",)),
    Lemma("append_size", "A leaf in front of two lists side by side: size.", "s * w == s * n * m", ("w == n * m",)),
    Lemma("wrap_digit", "A flat index beyond s*v has the digits of its remainder.",
          "((k % (s * v)) // v) % s == (k // v) % s and (k % (s * v)) % v == k % v", ("s >= 1", "v >= 1"),
          ("split_digit(t=k, s=s, a=v)", "division(x=k, m=v)", "division(x=k // v, m=s)",
           "divmod(x=(k // v) % s, y=k % v, m=v)", "divmod(x=0, y=(k // v) % s, m=s)")),
    Lemma("drop_leading", "Dropping leading modes keeps the position modulo the size of the rest.",
          "p == q", ("0 <= p < n", "0 <= q < n", "h * n + p == g * n + q")),
    Lemma("swap_modes", "Exchanging adjacent modes x and y: row-major of the exchanged coordinates.",
          "(((h * b + y) * a + x) * c) + z == h * (b * (a * c)) + (y * (a * c) + (x * c + z))"),
    Lemma("step_value", "A value leaf adds to the offset, a thread leaf to the thread part: the sum is the position.",
          "(c * n + v) + t == c * n + p and v + (c * n + t) == c * n + p", ("v + t == p",)),
    Lemma("horner", "One step of linearize_index is the sum over data strides.",
          "(h * s + c) * n + p == h * (s * n) + (c * n + p)"),
    Lemma("decode_cell", "Peeling one cell: gap digit q, then leaf digit c, over the rest h.",
          "((q + g * (c + s * h)) // g) % s == c and (q + g * (c + s * h)) // (g * s) == h",
          ("0 <= q < g", "0 <= c < s"),
          ("divmod(x=c + s * h, y=q, m=g)", "divmod(x=h, y=c, m=s)", "div_of_div(t=q + g * (c + s * h), d=g, w=s)")),
    Lemma("encode", "A number is its gap digit, its leaf digit and the rest.",
          "t == t % g + g * ((t // g) % s + s * (t // (g * s)))", ("g >= 1", "s >= 1"),
          ("division(x=t, m=g)", "division(x=t // g, m=s)", "div_of_div(t=t, d=g, w=s)",
           "merge_position(x=t // g, c=t // (g * s), a=s, b=(t // g) % s, n=g, p=t % g)")),
    Lemma("frontier", "One cell more reaches less than the next stride.",
          "0 <= q + g * (c + s * h) < g * s * n", ("0 <= q < g", "0 <= c < s", "0 <= h < n"),
          ("bound(c=h, n=s, p=c, s=n)", "bound(c=h * s + c, n=g, p=q, s=n * s)")),
    Lemma("injective_step", "a + d*c with 0 <= a < d determines the digit c and the rest a.",
          "c == b and a == z", ("0 <= a < d", "0 <= z < d", "a + d * c == z + d * b")),
)  # fmt: skip

LEMMAS: dict[str, Lemma] = {lemma.name: lemma for lemma in _TABLE}
