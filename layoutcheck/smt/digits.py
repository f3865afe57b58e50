"""Expressions of one point as linear forms of z3. A coordinate that is divided becomes mixed-radix digits.

`c0 // 8` and `c0 % 8` are the two digits of c0 = 8*high + low; only a quotient that no digits give (a carry, or a
divisor that is no constant) gets variables of its own.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..expr import NATIVE, Expr
from ..indexmap import IndexMap


class Linear(NamedTuple):
    """constant + sum of coefficient * variable."""

    terms: dict[str, int]
    constant: int = 0

    def plus(self, other: Linear, factor: int = 1) -> Linear:
        """self + factor * other."""
        terms = dict(self.terms)
        for name, k in other.terms.items():
            terms[name] = terms.get(name, 0) + factor * k
        return Linear({n: k for n, k in terms.items() if k}, self.constant + factor * other.constant)

    def times(self, factor: int) -> Linear:
        """factor * self."""
        return Linear({}).plus(self, factor)


class Encoding:
    """The expressions of one point as linear forms; what ties their variables together; where they are undefined."""

    def __init__(self, z3: Any, prefix: str, index_map: IndexMap) -> None:
        self.z3, self.prefix = z3, prefix
        self.range: dict[str, tuple[int, int]] = {}  # least and largest value of each variable
        self.split: dict[str, tuple[str, str, int]] = {}  # x = high * radix + low
        self.ties: list[Any] = []
        self.undefined: list[Any] = []
        self.path: list[Any] = []  # what holds where the expression at hand is evaluated at all
        self.coordinates = {
            c: self.fresh(0, n - 1) for c, n in zip(index_map.coordinates, index_map.extents, strict=True)
        }
        self.images = [self.form(part) for part in index_map.to]

    def fresh(self, low: int, high: int) -> Linear:
        """A new variable within [low, high]; no variable where only one value is left."""
        if low == high:
            return Linear({}, low)
        name = f"{self.prefix}{len(self.range)}"
        self.range[name] = (low, high)
        return Linear({name: 1})

    def reach(self, form: Linear) -> tuple[int, int]:
        """Bounds of a form, from those of its variables."""
        ends = [sorted((k * self.range[n][0], k * self.range[n][1])) for n, k in form.terms.items()]
        return form.constant + sum(e[0] for e in ends), form.constant + sum(e[1] for e in ends)

    def term(self, form: Linear) -> Any:
        """A form as z3 has it."""
        z3 = self.z3
        return z3.Sum([z3.IntVal(form.constant), *(k * z3.Int(name) for name, k in form.terms.items())])

    def refuse(self, condition: Any) -> None:
        """The expression has no value where `condition` holds."""
        self.undefined.append(self.z3.And(*self.path, condition))

    def form(self, e: Expr) -> Linear:
        """An expression's value."""
        match e.op:
            case "int":
                return Linear({}, e.value)
            case "name":
                return self.coordinates[e.name]
            case "neg":
                return self.form(e.args[0]).times(-1)
            case "and" | "or":
                return self.either(e)
        left, right = map(self.form, e.args)
        match e.op:
            case "+" | "-":
                value = left.plus(right, 1 if e.op == "+" else -1)
            case "*":
                value = self.product(left, right)
            case "/" | "//" | "%":
                value = self.division(e.op, left, right)
            case _:
                value = self.compared(e.op, left, right)
        return self.fitting(value)

    def fitting(self, value: Linear) -> Linear:
        """The value, refused where 64 bits do not hold it."""
        low, high = self.reach(value)
        if low < -NATIVE or high >= NATIVE:
            term = self.term(value)
            self.refuse(self.z3.Or(term < -NATIVE, term >= NATIVE))
        return value

    def either(self, e: Expr) -> Linear:
        """`and`, `or`: the right side is evaluated where the left one leaves it open."""
        z3 = self.z3
        left = self.term(self.form(e.args[0])) != 0
        self.path.append(left if e.op == "and" else z3.Not(left))
        right = self.term(self.form(e.args[1])) != 0
        self.path.pop()
        return self.truth(z3.And(left, right) if e.op == "and" else z3.Or(left, right))

    def compared(self, op: str, left: Linear, right: Linear) -> Linear:
        """0 or 1; no variable where the bounds decide."""
        difference = left.plus(right, -1)
        low, high = self.reach(difference)
        term = self.term(difference)
        holds, never, always = {
            "<": (term < 0, low >= 0, high < 0),
            "<=": (term <= 0, low > 0, high <= 0),
            ">": (term > 0, high <= 0, low > 0),
            ">=": (term >= 0, high < 0, low >= 0),
            "==": (term == 0, low > 0 or high < 0, low == high == 0),
            "!=": (term != 0, low == high == 0, low > 0 or high < 0),
        }[op]
        return Linear({}, int(always)) if always or never else self.truth(holds)

    def truth(self, condition: Any) -> Linear:
        """A variable that is 1 where `condition` holds, else 0."""
        flag = self.fresh(0, 1)
        self.ties.append(self.term(flag) == self.z3.If(condition, 1, 0))
        return flag

    def product(self, left: Linear, right: Linear) -> Linear:
        """A product; by a flag it is a case distinction, by another variable it is not linear."""
        for a, b in ((left, right), (right, left)):
            if not a.terms:
                return b.times(a.constant)
        ends = [a * b for a in self.reach(left) for b in self.reach(right)]
        value = self.fresh(min(ends), max(ends))
        for a, b in ((left, right), (right, left)):
            if self.reach(a) == (0, 1):
                self.ties.append(self.term(value) == self.z3.If(self.term(a) == 1, self.term(b), 0))
                return value
        self.ties.append(self.term(value) == self.term(left) * self.term(right))
        return value

    def division(self, op: str, left: Linear, right: Linear) -> Linear:
        """Quotient or remainder, rounding down; undefined where that is not what C++ computes."""
        quotient, rest = (
            self.digits(left, right.constant) if not right.terms and right.constant > 0 else self.by_form(left, right)
        )
        if self.reach(rest) != (0, 0):
            inexact = self.term(rest) != 0
            if op == "/":
                self.refuse(inexact)
            elif self.reach(left)[0] < 0 or self.reach(right)[0] < 0:
                z3 = self.z3
                self.refuse(z3.And(inexact, (self.term(left) < 0) != (self.term(right) < 0)))
        if op == "%":
            self.fitting(quotient)  # the remainder of a quotient that overflows is undefined in C++
        return rest if op == "%" else quotient

    def digits(self, left: Linear, radix: int) -> tuple[Linear, Linear]:
        """Quotient and remainder by a constant: of the terms first, of the digits of what is left where they align."""
        quotient, rest = self.aligned(left, radix)
        while True:
            low, high = self.reach(rest)
            if low // radix == high // radix:
                whole = low // radix
                return quotient.plus(Linear({}, whole)), rest.plus(Linear({}, -whole * radix))
            cut = next(
                (n for n, k in rest.terms.items() if 0 < k < radix and radix % k == 0 and self.cut(n, radix // k)), None
            )
            if cut is None:
                break
            more, rest = self.aligned(rest, radix)
            quotient = quotient.plus(more)
        low, high = self.reach(rest)
        q, r = self.fresh(low // radix, high // radix), self.fresh(0, radix - 1)
        self.ties.append(self.term(rest) == radix * self.term(q) + self.term(r))
        return quotient.plus(q), r

    def aligned(self, form: Linear, radix: int) -> tuple[Linear, Linear]:
        """The terms that `radix` divides, divided; and the others. Variables that have digits give way to them."""
        form = self.expanded(form)
        quotient = Linear({n: k // radix for n, k in form.terms.items() if k % radix == 0}, form.constant // radix)
        return quotient, Linear({n: k for n, k in form.terms.items() if k % radix}, form.constant % radix)

    def expanded(self, form: Linear) -> Linear:
        """The form in digits that have no digits themselves."""
        while cut := next((n for n in form.terms if n in self.split), None):
            high, low, radix = self.split[cut]
            k = form.terms[cut]
            digits = Linear({high: k * radix, low: k})
            form = Linear({n: x for n, x in form.terms.items() if n != cut}, form.constant).plus(digits)
        return form

    def cut(self, name: str, radix: int) -> bool:
        """Give a variable two digits; False where it has only one in this radix."""
        least, largest = self.range[name]
        if least or largest < radix or radix == 1:
            return False
        high, low = f"{name}h", f"{name}l"
        self.range[high], self.range[low] = (0, largest // radix), (0, radix - 1)
        self.split[name] = high, low, radix
        z3 = self.z3
        self.ties.append(z3.Int(name) == radix * z3.Int(high) + z3.Int(low))
        return True

    def by_form(self, left: Linear, right: Linear) -> tuple[Linear, Linear]:
        """Quotient and remainder by a divisor that is no positive constant: one equation that is not linear.

        Where the divisor is 0, any quotient satisfies it: the point is undefined, not lost.
        """
        z3 = self.z3
        a, b = self.term(left), self.term(right)
        low, high = self.reach(right)
        if low <= 0 <= high:
            self.refuse(b == 0)
        most = max(map(abs, self.reach(left)))
        q = self.fresh(-most - 1, most + 1)
        r = self.fresh(min(0, low + 1), max(0, high - 1))
        n, m = self.term(q), self.term(r)
        self.ties.append(z3.Or(b == 0, a == n * b + m))
        self.ties.append(z3.Or(b == 0, z3.And(b > 0, m >= 0, m < b), z3.And(b < 0, m <= 0, m > b)))
        return q, r

    def constraints(self) -> list[Any]:
        """Every bound and every tie."""
        z3 = self.z3
        bounds = [c for n, (low, high) in self.range.items() for c in (z3.Int(n) >= low, z3.Int(n) <= high)]
        return bounds + self.ties
