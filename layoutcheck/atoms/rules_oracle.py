"""LC401 to LC407: the atom against its instruction. One grade for A, B and C together, told once where it is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from time import perf_counter
from typing import Any

import msgspec

from ..claim import Claim, leaves_of
from ..codes import RULES
from ..errors import Disagreement
from ..verdict import Verdict
from . import matmul
from .matmul import Pair, Permutation, Place, Result
from .model import Atom, Finding, Operand, named
from .oracle import Oracle, pair

Ask = Callable[[Claim], Verdict]


class Comparison(msgspec.Struct, frozen=True, eq=False):
    """What an atom's layouts are, held against its oracle: the report's `oracle` field."""

    oracle: Oracle
    pairs: dict[str, Pair]
    result: Result
    certified: str | None = None
    whole: bool = True

    @property
    def grade(self) -> str:
        """exact, relabelled, transposed or wrong; no-oracle where something is not settled and nothing is wrong."""
        if not self.whole:
            return "wrong"
        if self.result.grade in ("exact", "relabelled") and not self.oracle.complete:
            return "no-oracle"
        return self.result.grade

    @property
    def order(self) -> Permutation:
        """The permutation of K, written out."""
        extent = next((e for p in self.pairs.values() for axis, e in p.axes if axis == "k"), 0)
        return self.result.permutations.get("k", tuple(range(extent)))

    def as_dict(self) -> dict[str, Any]:
        """The comparison as a report has it."""
        right = self.whole and self.result.grade in ("exact", "relabelled") and {"a", "b"} <= set(self.pairs)
        blocks = None
        if right and not self.oracle.sparse:
            kept = {True: "kept", False: "broken"}
            blocks = {str(b): kept[matmul.blocks_kept(self.order, b)] for b in matmul.SCALE_BLOCKS}
        return {
            "instruction": self.oracle.name,
            "confidence": self.oracle.confidence or None,
            "source": self.oracle.source,
            "grade": self.grade,
            "permutation": {axis: matmul.cycles(p) for axis, p in self.result.permutations.items()}
            if self.whole
            else {},
            "scale_blocks": blocks,
            "certified": self.certified,
        }


def compare(atom: Atom, oracle: Oracle, ask: Ask, *, certify: bool, timeout: float) -> Comparison | None:
    """Lay every operand beside the hardware's; None when no operand's counts allow it.

    Where some do not, the others can still be wrong, but nothing is right.
    """
    pairs = {o.name: p for o in atom.operands if (p := pair(o, oracle))}
    if not pairs:
        return None
    if set(pairs) != set(oracle.known):
        return Comparison(oracle, pairs, matmul.grade(pairs), whole=False)
    if all(_equal(o, oracle, pairs, ask) for o in atom.operands if o.name in pairs):
        return Comparison(oracle, pairs, Result("exact"), "z3 or every point")
    result = matmul.grade(pairs)
    if result.grade == "exact" and any(p.layout != p.hardware for p in pairs.values()):
        raise Disagreement("the comparison says exact, the tables differ")
    how = None
    if certify and result.grade == "relabelled":
        how = _confirmed(atom, oracle, pairs, result, timeout)
    elif result.conflict is not None:
        how = "witness replayed"
    return Comparison(oracle, pairs, result, how)


def _equal(operand: Operand, oracle: Oracle, pairs: dict[str, Pair], ask: Ask) -> bool:
    known = oracle.known[operand.name]
    if known.map is None or len(known.points) != operand.product:
        return pairs[operand.name].layout == known.points
    claim = Claim("equal", leaves_of(operand.layout), other=leaves_of(known.map))
    return ask(claim).status == "proved"


def _confirmed(atom: Atom, oracle: Oracle, pairs: dict[str, Pair], result: Result, timeout: float) -> str:
    """A relabelling seen by z3 where the maps are made of bits, else by plain evaluation at every point."""
    from ..smt.relabel import confirm

    deadline = perf_counter() + timeout
    engines = set()
    for operand in atom.operands:
        if operand.name not in pairs:
            continue
        known, axes = oracle.known[operand.name], pairs[operand.name].axes
        answer = None
        if known.map is not None and known.map.size == operand.product:
            answer = confirm(operand.layout, known.map, axes, result.permutations, max(0.01, deadline - perf_counter()))
        if answer is None:
            answer = _every_point(operand, pairs[operand.name], result.permutations)
            engines.add("every point")
        else:
            engines.add("z3")
        if not answer:
            raise Disagreement(f"the relabelling of {operand.name} is not confirmed at every point")
    return " and ".join(sorted(engines, reverse=True))


def _every_point(operand: Operand, pair_: Pair, permutations: dict[str, Permutation]) -> bool:
    """The definition, evaluated by the layout itself."""
    step = operand.product // len(pair_.hardware)
    for index, offset in enumerate(pair_.hardware):
        thread, value = index % pair_.threads, index // pair_.threads
        mine = pair_.coordinates(operand.layout((thread, value * step)))
        theirs = pair_.coordinates(offset)
        images = [
            permutations[a][at] if a in permutations else at for (a, _), at in zip(pair_.axes, theirs, strict=True)
        ]
        if list(mine) != images:
            return False
    return True


Told = tuple[str, Operand | None, Finding]


def findings(atom: Atom, comparison: Comparison, ask: Ask) -> Iterator[Told]:
    """What breaks, as (code, operand, finding); at most one of LC401 to LC404 and LC407 an operand."""
    result = comparison.result
    if result.grade == "relabelled" and comparison.whole:
        yield from _relabelled(atom, comparison)
    elif result.grade == "transposed" and comparison.whole:
        yield "LC404", *_transposed(atom, comparison)
    elif result.grade == "wrong":
        guilty = _guilty(result)
        if not guilty:
            yield "LC402", *_k_order(atom, comparison)
        for name in guilty:
            operand = atom.operand(name)
            assert operand is not None
            yield "LC401", operand, _wrong(atom, operand, comparison, ask)


def _guilty(result: Result) -> list[str]:
    """The operands to name. None when each is right by itself and A and B only disagree about K."""
    alone = [name for name, own in result.own.items() if own is None]
    own = {name: o for name, o in result.own.items() if o is not None}
    for axis, first, second in (("m", "a", "c"), ("n", "b", "c"), ("m", "a", "d"), ("n", "b", "d")):
        if first in own and second in own and own[first][axis] != own[second][axis]:
            moved = matmul.moved({axis: own[second][axis]})
            alone.append(second if moved else first)
    if "block" in next(iter(own.values()), {}):
        orders = {name: o["block"] for name, o in own.items()}
        alone += [n for n, p in orders.items() if len(set(orders.values())) > 1 and p != tuple(range(len(p)))]
    return [name for name in result.own if name in alone]


def _at(operand: Operand, place: Place) -> dict[str, Any]:
    return {
        "operand": place.operand,
        "thread": place.thread,
        "value": place.value,
        "layout": operand.element(place.layout),
        "instruction": operand.element(place.hardware),
    }


def _wrong(atom: Atom, operand: Operand, comparison: Comparison, ask: Ask) -> Finding:
    place, count = comparison.result.differs[operand.name]
    _replay(atom, comparison, place)
    pair_ = comparison.pairs[operand.name]
    where = f"thread {place.thread} value {place.value}"
    message = (
        f"{where} holds {named(operand.element(place.layout))}; {comparison.oracle.name} has "
        f"{named(operand.element(place.hardware))} there ({count} of {len(pair_.layout)} points differ)"
    )
    lines = [*_why(atom, comparison, operand), f"instruction: {comparison.oracle.about()}"]
    witness = {"kind": "instruction", **_at(operand, place), "differ": count, "points": len(pair_.layout)}
    return Finding(message, operand.span, tuple(lines), witness, _verdict(operand, comparison, ask))


def _verdict(operand: Operand, comparison: Comparison, ask: Ask) -> Verdict | None:
    known = comparison.oracle.known[operand.name]
    if known.map is None or known.map.size != operand.product:
        return None
    return ask(Claim("equal", leaves_of(operand.layout), other=leaves_of(known.map)))


def _replay(atom: Atom, comparison: Comparison, place: Place) -> None:
    """Every place that is printed, by plain evaluation of the file's layout and the instruction's."""
    operand = atom.operand(place.operand)
    assert operand is not None
    pair_ = comparison.pairs[place.operand]
    step = operand.product // len(pair_.layout)
    known = comparison.oracle.known[place.operand].map
    here = operand.layout((place.thread, place.value * step))
    there = place.hardware if known is None else known((place.thread, place.value))
    if (here, there) != (place.layout, place.hardware):
        at = f"{place.operand.upper()} thread {place.thread} value {place.value}"
        raise Disagreement(f"{at} does not replay: {here} and {there}, not {place.layout} and {place.hardware}")


def _why(atom: Atom, comparison: Comparison, operand: Operand) -> Iterator[str]:
    """Why no relabelling explains the difference: the conflict, in numbers."""
    alone = matmul.permutations({operand.name: comparison.pairs[operand.name]})
    conflict = alone if isinstance(alone, matmul.Conflict) else comparison.result.conflict
    if conflict is None:
        return
    axis = conflict.axis.lstrip("=").upper()
    for place in conflict.places:
        _replay(atom, comparison, place)
    parts = [
        f"{p.operand.upper()} thread {p.thread} value {p.value} makes it {image}"
        if len({s for s, _ in conflict.images}) == 1
        else f"{p.operand.upper()} thread {p.thread} value {p.value} turns {source} into {image}"
        for p, (source, image) in zip(conflict.places, conflict.images, strict=True)
    ]
    source = f" {conflict.images[0][0]}" if len({s for s, _ in conflict.images}) == 1 else ""
    yield f"no relabelling of {axis} explains it: the instruction's {axis.lower()}{source}: {', '.join(parts)}"


def _transposed(atom: Atom, comparison: Comparison) -> tuple[Operand | None, Finding]:
    result = comparison.result
    name = next(n for n in ("c", "d", "a", "b") if n in result.differs)
    operand = atom.operand(name)
    assert operand is not None
    place, count = result.differs[name]
    _replay(atom, comparison, place)
    points = len(comparison.pairs[name].layout)
    message = (
        f"thread {place.thread} value {place.value} holds {named(operand.element(place.layout))}; "
        f"{comparison.oracle.name} has {named(operand.element(place.hardware))} there: the map is the instruction's "
        f"transposed, right only when A and B are exchanged ({count} of {points} points differ)"
    )
    witness = {"kind": "transposed", **_at(operand, place), "differ": count}
    lines = (f"instruction: {comparison.oracle.about()}",)
    return operand, Finding(message, operand.span, lines, witness)


def _k_order(atom: Atom, comparison: Comparison) -> tuple[Operand, Finding]:
    """LC402: the k that A and B pair differently."""
    own = comparison.result.own
    conflict = comparison.result.conflict
    assert conflict is not None
    for place in conflict.places:
        _replay(atom, comparison, place)
    orders = {name: own[name]["k"] for name in ("a", "b")}  # type: ignore[index]
    unit = "group of k" if comparison.oracle.sparse else "k"
    k = next(i for i, (a, b) in enumerate(zip(orders["a"], orders["b"], strict=True)) if a != b)
    said = ", ".join(f"{n.upper()} {_cycles(p) or 'keeps the order'}" for n, p in orders.items())
    message = (
        f"the instruction multiplies A's and B's {unit} {k} with each other; A's layout calls it {orders['a'][k]}, B's "
        f"{orders['b'][k]}"
    )
    lines = (f"K, layout against instruction: {said}", f"instruction: {comparison.oracle.about()}")
    witness = {
        "kind": "k-order",
        "k": k,
        "a": orders["a"][k],
        "b": orders["b"][k],
        "cycles": {n: matmul.cycles(p) for n, p in orders.items()},
    }
    operand = atom.operand("b") if matmul.moved({"k": orders["b"]}) else atom.operand("a")
    assert operand is not None
    return operand, Finding(message, operand.span, lines, witness)


def _relabelled(atom: Atom, comparison: Comparison) -> Iterator[Told]:
    result, oracle = comparison.result, comparison.oracle
    operand = atom.operand(next(iter(result.differs)))
    assert operand is not None
    order = comparison.order
    said = "; ".join(f"{axis.upper()} {_cycles(p)}" for axis, p in result.permutations.items())
    how = f"certified: {comparison.certified}" if comparison.certified else "not certified"
    lines = (f"relabelling, instruction to layout: {said} ({how})", f"instruction: {oracle.about()}")
    witness: dict[str, Any] = {
        "kind": "relabelling",
        "permutation": {axis: matmul.cycles(p) for axis, p in result.permutations.items()},
    }
    if oracle.scale and not matmul.blocks_stay(order, oracle.scale):
        size = oracle.scale
        k = next(k for k, p in enumerate(order) if p // size != k // size)
        kept = matmul.blocks_kept(order, size)
        what = "its blocks change places as a whole" if kept else "blocks are torn apart"
        message = (
            f"k {k} of {oracle.name} gets the scale of block {k // size} (k {k // size * size} to "
            f"{k // size * size + size - 1}); the layout calls it k {order[k]}, in block {order[k] // size}: {what}"
        )
        witness |= {"k": k, "layout": order[k], "block": size}
        yield "LC403", operand, Finding(message, operand.span, lines, witness)
        return
    names = _names(result.differs)
    place, _ = result.differs[operand.name]
    _replay(atom, comparison, place)
    open_ = [
        o.name for o in atom.operands if o.name not in comparison.pairs and {*o.dimensions} & {*result.permutations}
    ]
    if open_:
        message = f"{names} from {oracle.name} by {said}; whether {_names(open_)} too is not known: no map of it here"
        yield "LC903", operand, Finding(message, operand.span, lines, witness | _at(operand, place))
        return
    message = f"{names} from {oracle.name} by {said}, the same in every operand: the product is the same"
    yield "LC407", operand, Finding(message, operand.span, lines, witness | _at(operand, place))


def _names(operands: Iterable[str]) -> str:
    names = [name.upper() for name in operands]
    return f"{' and '.join(names)} differ{'s' if len(names) == 1 else ''}"


def _cycles(permutation: Permutation) -> str:
    """Cycle notation; long ones are cut."""
    text = "".join(f"({' '.join(map(str, cycle))})" for cycle in matmul.cycles(permutation))
    return text if len(text) <= 160 else text[:157] + "..."


def registers(operand: Operand, oracle: Oracle) -> Finding | None:
    """LC406: registers, values and pitch against the instruction's."""
    known = oracle.known.get(operand.name)
    if known is None or known.hardware is None:
        return None
    hardware = known.hardware
    if operand.registers is not None and operand.registers != hardware.registers:
        message = f"{operand.registers} registers; {oracle.name} has {hardware.registers} a lane"
        return Finding(
            message, operand.span, witness={"registers": operand.registers, "instruction": hardware.registers}
        )
    if operand.values is None or not operand.pitch:
        return None
    width = hardware.bits // (2 if hardware.group > 1 else 1)
    pitch = hardware.pitch // (2 if hardware.group > 1 else 1)
    used, room = operand.values * operand.pitch, len(known.points) // known.threads * pitch
    if (operand.values * known.threads, operand.pitch, operand.threads) == (len(known.points), pitch, known.threads):
        return None
    each = len(known.points) // known.threads
    each = len(known.points) // known.threads
    message = (
        f"{operand.values} values of {operand.threads} threads, {operand.pitch} bits apart, fill {used} bits; "
        f"{oracle.name} has {each} values of {known.threads}, {pitch} bits apart ({room} bits)"
    )
    witness = {"values": operand.values, "pitch": operand.pitch, "instruction": {"pitch": pitch, "width": width}}
    return Finding(message, operand.span, (f"instruction: {oracle.about()}",), witness)


def severity(code: str, oracle: Oracle | None) -> Any:
    """A rule's severity; against what compilers say (confidence C) a mismatch is a warning."""
    return "warning" if oracle and oracle.confidence.startswith("C") else RULES[code].severity
