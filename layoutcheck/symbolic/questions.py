"""The questions that are asked of an operand of a family: where each holds, why, and how an instance is checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial, reduce

from .. import thrval
from ..errors import NotationError
from ..expr import Expr, evaluate
from ..expr import parse as parse_expression
from ..layout import Layout
from . import compact, instances, order, proof
from .conditions import ALWAYS, Condition, Precondition, Way, fixed, simplified, text, united
from .instances import Env, Failure
from .layout import SymbolicLeaf, defined
from .normal import plus, positive, ring
from .operand import Family, Question, Ways
from .proof import Known
from .scripts import Step, term


def questions(of: Family) -> Iterator[Question]:
    """What is asked of one operand."""
    ask = partial(_question, of)
    congruent = Ways(ALWAYS, True, "the trees of shape and stride")  # told while the text is read
    yield Question(of.operand.name, "congruent", (), lambda: congruent, lambda way: [], lambda layouts, env: None)
    extents = [[leaf.extent_text for leaf in group] for group in (of.layout.leaves, *of.layout.mode_leaves)]
    yield ask("positive", lambda: _given(of), lambda known: [], lambda layout, env: None)
    if of.threads:
        yield ask("threads", *_counted(of, extents[1], [of.threads]), partial(_threads, of.threads))
    yield ask("counts", *_counted(of, extents[0], [of.size, of.copies]), _size(of))
    yield ask("injective", partial(_injective, of), partial(_prove_injective, of), _instance(of, instances.injective))
    yield ask("covering", partial(_covering, of), partial(_prove_covering, of), _instance(of, instances.covering))
    yield ask("bijective", partial(whole, of), partial(prove_whole, of), _instance(of, instances.whole))
    if of.registers and of.pitch:
        bits = [Expr("int", 0, value=32), of.registers]
        counted = _counted(of, [*extents[2], of.pitch], bits)
        yield ask("registers", *counted, partial(_registers, of.pitch, of.registers))


def _question(
    of: Family,
    name: str,
    where: Callable[[], Ways],
    prove: Callable[[Known], list[Step] | None],
    on: Callable[[Layout, Env], Failure | None],
) -> Question:
    def proved(way: Way) -> list[Step] | None:
        begun = start(of, way)
        rest = None if begun is None else prove(begun[0])
        return None if begun is None or rest is None else [*begun[1], *rest]

    return Question(of.operand.name, name, (of,), where, proved, lambda layouts, env: on(layouts[0], env))


def check(question: Question, env: Env) -> Failure | None:
    """What the engine says of one instance: None where the answer is yes. Raises Disagreement, Unsupported."""
    layouts = []
    for of in question.families:
        found = _posed(of, env)
        if isinstance(found, Failure):
            return found
        layouts.append(found)
    return question.on(tuple(layouts), env)


def _posed(of: Family, env: Env) -> Layout | Failure:
    """The instance's layout, where it has a tile."""
    return no_tile(of, env) or instances.built(of.layout, env)


def no_tile(of: Family, env: Env) -> Failure | None:
    """Why an instance has no tile of at least one element, each held at least once."""
    try:
        values = [evaluate(e, env) for e in of.beside]
    except NotationError as error:
        return instances.no_number(error)
    *tile, copies = values[: len(of.tile) + 1]
    if min(tile, default=1) < 1:
        return Failure("no-tile", {"message": f"the tile is {'x'.join(map(str, tile))}: {min(tile)} is below 1"})
    if copies < 1:
        return Failure("no-tile", {"message": f"each element is to be held {copies} times: below 1"})
    return None


@lru_cache(maxsize=64)
def start(of: Family, way: Way) -> tuple[Known, list[Step]] | None:
    """What a way gives: that the layout is defined, and its extents and strides have the right signs."""
    known = proof.assume_way(proof.nothing(of.names), way, of.names)
    return proof.well_defined(known, of.layout, of.names)


@lru_cache(maxsize=64)
def necessity(families: tuple[Family, ...], way: Way) -> list[Step] | None:
    """Steps that show that layouts whose divisions are exact meet a way."""
    if not way:
        return []
    names = families[0].names
    known = proof.nothing(names)
    for of in families:
        known = proof.exact(known, of.layout, names)
    return proof.implies(known, parse_expression(text((way,))), names)


def given_of(*families: Family) -> Way:
    """The conditions under which there is a layout and a tile: divisions exact, extents and copies at least 1."""
    out: list[Condition] = []
    for of in families:
        beside = [of.value(e) for e in (*of.tile, of.copies)]
        out += (*defined(of.layout), *(Condition("nonnegative", plus(x, -1)) for x in beside if not positive(x)))
    return tuple(out)


def _given(of: Family) -> Ways:
    return Ways(_ways(given_of(of)), True, "exact divisions, and signs of polynomials")


def _ways(*ways: Way) -> Precondition:
    return united(*(way for raw in ways if (way := simplified(raw)) is not None))


def _counted(
    of: Family, left: list[Expr], right: list[Expr]
) -> tuple[Callable[[], Ways], Callable[[Known], list[Step]]]:
    """That two products of numbers are equal."""

    def where() -> Ways:
        one, _ = ring(of.names)
        sides = [reduce(lambda a, e: a * of.value(e), side, one) for side in (left, right)]
        equation = Condition("zero", sides[0] - sides[1])
        return Ways(_ways((*given_of(of), equation)), True, "equal products in normal form")

    def prove(known: Known) -> list[Step]:
        terms = [[term(e, known.context.quotients) for e in side] for side in (left, right)]
        return [proof.equal_numbers(known, "the products are equal", *terms)]

    return where, prove


@lru_cache(maxsize=64)
def whole(of: Family) -> Ways:
    """Where each element of the tile is held `copies` times, and nothing else."""
    found = compact.ways(of.layout.wide, of.value(of.size), of.value(of.copies), given_of(of))
    return Ways(found, True, "running product of the sorted strides")


def prove_whole(of: Family, known: Known) -> list[Step] | None:
    """Steps that show it; None where the strides do not multiply up under the equations that are known."""
    wide, steps = _wide(of, known)
    chain = compact.chain(wide, known.equations)
    if chain is None:
        return None
    leaves = [wide[i] for i in chain]
    free = [leaf for i, leaf in enumerate(wide) if i not in chain]
    quotients = known.context.quotients
    size, copies = term(of.size, quotients), term(of.copies, quotients)
    extents, strides, held = (
        [proof.terms(leaf, known)[k] for leaf in group] for group, k in ((leaves, 0), (free, 1), (free, 0))
    )
    return [
        *steps,
        proof.equal_numbers(known, "the extents multiply to the tile", extents, [size]),
        proof.equal_numbers(known, "the stride-0 extents multiply to the copies", held, [copies]),
        *(proof.equal_numbers(known, "the stride is 0", [stride], ["0"]) for stride in strides),
        *proof.compact(known, leaves, [size]),
    ]


def _straight(of: Family) -> Ways | None:
    """The whole map without an equation: then nothing less is asked by its parts."""
    found = compact.straight(of.layout.wide, of.value(of.size), of.value(of.copies), given_of(of))
    return None if found is None else Ways((found,), True, "running product of the sorted strides")


def _injective(of: Family) -> Ways:
    plain = _straight(of)
    if plain is not None:
        return plain
    found, complete = order.injective(of.layout.wide, of.value(of.copies), given_of(of))
    return Ways(found, complete, "each stride exceeds the reach of the smaller ones")


def _sizes_agree(of: Family) -> bool:
    """Whether there are as many (thread, value) pairs as elements, for all parameters."""
    size = reduce(lambda a, leaf: a * leaf.extent, of.layout.leaves, ring(of.names)[0])
    return bool(of.value(of.copies) == 1 and size == of.value(of.size))


def _wide(of: Family, known: Known) -> tuple[list[SymbolicLeaf], list[Step]]:
    """The leaves with more than one digit under the equations that are known; that the others have one."""
    single = [fixed(leaf.extent, known.equations) == 1 for leaf in of.layout.leaves]
    written = [proof.terms(leaf, known)[0] for leaf, one in zip(of.layout.leaves, single, strict=True) if one]
    steps = [proof.equal_numbers(known, "the extent is 1", [text], ["1"]) for text in written if text != "1"]
    return [leaf for leaf, one in zip(of.layout.leaves, single, strict=True) if not one], steps


def _by_stride(of: Family, known: Known) -> tuple[list[SymbolicLeaf], list[Step]]:
    """The leaves that move, by stride: in the order of the running product where they have one. That others do not."""
    wide, steps = _wide(of, known)
    chain = compact.chain(wide, known.equations)
    if chain is not None:
        return [wide[i] for i in chain], steps
    return list(order.by_stride([leaf for leaf in wide if leaf.stride != 0])), steps


def _prove_injective(of: Family, known: Known) -> list[Step] | None:
    if _straight(of) is not None:
        return prove_whole(of, known)
    free = [proof.terms(leaf, known)[0] for leaf in of.layout.leaves if leaf.stride == 0]
    copies = term(of.copies, known.context.quotients)
    leaves, steps = _by_stride(of, known)
    return [
        *steps,
        proof.equal_numbers(known, "the stride-0 extents multiply to the copies", free, [copies]),
        *proof.apart(known, leaves),
    ]


def _covering(of: Family) -> Ways:
    plain = _straight(of)
    if plain is not None:
        return plain
    if _sizes_agree(of):
        return Ways(whole(of).precondition, True, "as many pairs as elements: covering is bijective")
    found, complete = order.covering(of.layout.wide, of.value(of.size), given_of(of))
    return Ways(found, complete, "sorted strides leave no gap")


def _prove_covering(of: Family, known: Known) -> list[Step] | None:
    steps = prove_whole(of, known)
    if steps is not None and (_straight(of) is not None or _sizes_agree(of)):
        return steps
    leaves, single = _by_stride(of, known)
    return [*single, *proof.gapless(known, leaves, [term(of.size, known.context.quotients)])]


def _threads(threads: Expr, layout: Layout, env: Env) -> Failure | None:
    return _compared("thread-count", thrval.threads(layout).size, evaluate(threads, env))


def _registers(pitch: Expr, registers: Expr, layout: Layout, env: Env) -> Failure | None:
    return _compared("register-bits", thrval.values(layout).size * evaluate(pitch, env), 32 * evaluate(registers, env))


def _compared(reason: str, has: int, expected: int) -> Failure | None:
    return None if has == expected else Failure(reason, {"has": has, "expected": expected})


def _size(of: Family) -> Callable[[Layout, Env], Failure | None]:
    def check(layout: Layout, env: Env) -> Failure | None:
        return _compared("pairs", layout.size, evaluate(of.size, env) * evaluate(of.copies, env))

    return check


def _instance(
    of: Family, check: Callable[[Layout, tuple[int, ...], int], Failure | None]
) -> Callable[[Layout, Env], Failure | None]:
    def on(layout: Layout, env: Env) -> Failure | None:
        return check(layout, tuple(evaluate(e, env) for e in of.tile), evaluate(of.copies, env))

    return on
