"""LC204, LC207, LC208 and LC301 to LC304: what the map does, decided by claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from .. import thrval
from ..claim import (
    Claim,
    Collision,
    Differs,
    Digits,
    Held,
    Missing,
    Outside,
    Sizes,
    digits_of,
    leaves_of,
    replays,
)
from ..errors import Disagreement
from ..source import Span
from ..verdict import Verdict
from .model import Atom, Finding, Operand, injective_claim, named, place_of, worked

Ask = Callable[[Claim], Verdict]

_SHOWN = 8  # places of a collision in a text
_LISTED = 4096  # and in its data


def undeclared_replication(operand: Operand, ask: Ask) -> Finding | None:
    """LC204: every element held r times, r > 1, where something else is declared."""
    free = thrval.free_size(leaves_of(operand.layout))
    held = operand.product // operand.tile_size if operand.tile else free
    if held <= 1 or held == operand.replication or (operand.tile and operand.product % operand.tile_size):
        return None
    verdict = ask(Claim("fibre", leaves_of(operand.layout), fibre=held))
    if verdict.status != "proved" or (operand.tile and operand.layout.cosize > operand.tile_size):
        return None
    declared = f"{operand.replication} declared" if operand.replication > 1 else "no replication is declared"
    message = (
        f"every element is held {held} times, {declared}: if that is meant, say replication: {{{operand.name}: {held}}}"
    )
    return Finding(message, operand.span, witness={"held": held, "declared": operand.replication}, verdict=verdict)


def injective(operand: Operand, ask: Ask) -> Finding | None:
    """LC301: an element held more often than declared, with one pair more than declared that holds it."""
    verdict = ask(injective_claim(operand))
    match verdict.witness:
        case Collision(a, b, value):
            return _collision(operand, (a, b), value, verdict)
        case Held(value, count, expected, at):
            crowded = _crowded(operand, value if count > expected else None, expected)
            if crowded is None:  # too many points to list: the count was replayed
                return _collision(operand, at, value, verdict, count, expected) if count > expected else None
            return _collision(operand, crowded.at, crowded.value, verdict, crowded.count, expected)
    return None


def _crowded(operand: Operand, value: int | None, expected: int) -> Held | None:
    """`expected` + 1 pairs that hold `value`; without one, those of any offset that is held too often."""
    from ..decide.points import LIMIT, values

    if operand.product > LIMIT:
        return None
    leaves = leaves_of(operand.layout)
    offsets = values(leaves)
    counts = Counter(offsets)
    crowded = value if value is not None else next((v for v, n in counts.items() if n > expected), None)
    if crowded is None:
        return None
    indices = (i for i, v in enumerate(offsets) if v == crowded)
    at = tuple(digits_of(leaves, i) for i in islice(indices, min(expected + 1, _LISTED)))
    witness = Held(crowded, counts[crowded], expected, at)
    if not replays(Claim("fibre", leaves, fibre=expected), witness):
        raise Disagreement(f"offset {crowded} held {counts[crowded]} times does not replay")
    return witness


def _collision(
    operand: Operand, at: tuple[Digits, ...], value: int, verdict: Verdict, count: int = 2, expected: int = 1
) -> Finding:
    element = operand.element(value)
    at = tuple(sorted(at, key=lambda digits: tuple(place_of(operand, digits).values())))
    places = [place_of(operand, digits) | {"offset": value} for digits in at]
    first = [f"thread {p['thread']} value {p['value']}" for p in places[:2]]
    message = f"{' and '.join(first)} both hold {named(element)}"
    if expected > 1:
        message = f"{named(element)} is held {count} times, declared {expected}: {', '.join(first)}, ..."
    lines = [worked(operand, digits) for digits in at[:_SHOWN]]
    if count > len(lines):
        lines.append(f"and {count - len(lines)} more")
    witness = {"kind": "collision", "at": places, "offset": value, "element": element}
    return Finding(message, operand.span, tuple(lines), witness | ({"count": count} if expected > 1 else {}), verdict)


def covering(operand: Operand, ask: Ask) -> Finding | None:
    """LC302: an element of the tile that nobody holds."""
    verdict = ask(Claim("onto", leaves_of(operand.layout), n=operand.tile_size))
    if not isinstance(verdict.witness, Missing):
        return None
    value = verdict.witness.value
    element = operand.element(value)
    witness = {"kind": "missing", "offset": value, "element": element}
    message = f"nobody holds {named(element)}, offset {value} of {operand.tile_size}"
    return Finding(message, operand.span, (), witness, verdict)


def in_bounds(operand: Operand, ask: Ask) -> Finding | None:
    """LC303: an offset beyond the tile."""
    verdict = ask(Claim("bounded", leaves_of(operand.layout), n=operand.tile_size))
    if not isinstance(verdict.witness, Outside):
        return None
    at, value = verdict.witness.at, verdict.witness.value
    place = place_of(operand, at)
    tile = "x".join(map(str, operand.tile or ()))
    end = f"the {tile} tile ends at {operand.tile_size - 1}"
    message = f"thread {place['thread']} value {place['value']} holds offset {value}; {end}"
    witness = {"kind": "outside", "at": place, "offset": value, "limit": operand.tile_size}
    return Finding(message, operand.span, (worked(operand, at),), witness, verdict)


def recast(operand: Operand, width: int, place: Span, ask: Ask) -> Finding | None:
    """LC207: the bits as values of `width` bits."""
    verdict = ask(thrval.recast_claim(operand.layout, width))
    match verdict.witness:
        case Sizes(left, right):
            message = f"{left} bits a thread are no multiple of {right}"
            return Finding(message, place, (), {"kind": "sizes", "bits": left, "width": right}, verdict)
        case Differs(at, left, right):
            thread, bit = at
            where = f"thread {thread} bit {bit}"
            message = f"{where} is at offset {left}; values of {width} bits need {right} there"
            witness: dict[str, Any] = {
                "kind": "differs",
                "at": {"thread": thread, "bit": bit},
                "offset": left,
                "needed": right,
            }
            return Finding(message, place, (), witness | {"width": width}, verdict)
    return None


def ref_is_side(atom: Atom, ask: Ask) -> Finding | None:
    """LC208: ref against src and dst, thread by thread and bit by bit."""
    ref = atom.operand("ref")
    sides = [side for name in ("src", "dst") if (side := atom.operand(name))]
    if ref is None or ref.map is None or any(side.map is None for side in sides):
        return None
    verdicts: list[Verdict] = []
    for side in sides:
        mine = [ask(claim) for claim in _same_map(ref, side)]
        if all(v.status == "proved" for v in mine):
            return None
        verdicts += [v for v in mine if v.status == "refuted"][:1]
    if len(verdicts) < len(sides):
        return None  # undecided somewhere: LC902 says so
    message = "ref is neither the layout of src nor of dst"
    return Finding(
        message, ref.span, (f"src {sides[0].map}", f"dst {sides[1].map}", f"ref {ref.map}"), None, verdicts[0]
    )


def _same_map(left: Operand, right: Operand) -> Iterator[Claim]:
    for part in (thrval.threads, thrval.values):
        yield Claim("equal", leaves_of(part(left.layout)), other=leaves_of(part(right.layout)))


def same_bits(src: Operand, dst: Operand, ask: Ask) -> Finding | None:
    """LC304: both sides name the same bits, each as often as its replication says."""
    left = (*leaves_of(src.layout), (dst.replication, 0))
    right = (*leaves_of(dst.layout), (src.replication, 0))
    verdict = ask(Claim("permuted", left, other=right))
    if not isinstance(verdict.witness, Held):
        return None
    bit = verdict.witness.value
    counts = (verdict.witness.count // dst.replication, verdict.witness.expected // src.replication)
    sides = zip(("src", "dst"), counts, (src.replication, dst.replication), strict=True)
    said = (f"{n} time{'' if n == 1 else 's'} by {side} ({declared} declared)" for side, n, declared in sides)
    message = f"bit {bit} is named {' and '.join(said)}"
    witness = {"kind": "uneven", "offset": bit, "src": counts[0], "dst": counts[1]}
    return Finding(message, dst.span, (), witness, verdict)
