"""The engine against its peers, in one run: tensor-layouts, islpy and numpy enumeration.

    python benchmarks/engine.py [--smoke] [--seed N]

Prints microseconds (medians), ratios to layoutcheck, and the size at which each peer stops. A peer runs in a child
process with a time limit, and the best of three calls counts; it stops at the first size where it exceeds the limit,
fails, or answers otherwise than we do.
Needs: pip install tensor-layouts islpy numpy.
"""

from __future__ import annotations

import argparse
import multiprocessing
import platform
import statistics
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from math import gcd, prod
from multiprocessing.connection import Connection
from random import Random
from time import perf_counter

from layoutcheck.claim import Claim, Leaves, digits_of, offset, replays
from layoutcheck.decide import portfolio, theorems
from layoutcheck.swizzle import Swizzle

SIZES = (6, 12, 18, 24, 30, 40, 50, 60)
LEAVES = (2, 4, 8, 16)
SWIZZLE = Swizzle(3, 4, 3)


# ---------------------------------------------------------------- layouts


def extents(rng: Random, bits: int, count: int, powers: bool) -> list[int]:
    """About 2^bits points in `count` leaves."""
    parts = [bits // count + (i < bits % count) for i in range(count)]
    rng.shuffle(parts)
    return [1 << p if powers else max(2, (1 << p) + rng.randint(-(1 << p) // 4, (1 << p) // 4)) for p in parts]


def strided(rng: Random, sizes: list[int], follow: Callable[[int, list[int]], int]) -> Leaves:
    """Strides in a random order of the leaves: `follow(end of the leaf before, strides so far)` gives the next."""
    strides, end = {}, 1
    for i in rng.sample(range(len(sizes)), len(sizes)):
        strides[i] = follow(end, list(strides.values()))
        end = strides[i] * sizes[i]
    return tuple((s, strides[i]) for i, s in enumerate(sizes))


def _coprime(rng: Random, end: int, before: list[int]) -> int:
    stride = max(1, end - rng.randint(0, end // 16))
    while any(gcd(stride, other) != 1 for other in before):
        stride += 1
    return stride


def pow2(rng: Random, bits: int, count: int) -> Claim:
    return Claim("injective", strided(rng, extents(rng, bits, count, True), lambda end, _: end))


def general(rng: Random, bits: int, count: int) -> Claim:
    return Claim("injective", strided(rng, extents(rng, bits, count, False), lambda end, _: end))


def padded(rng: Random, bits: int, count: int) -> Claim:
    return Claim("injective", strided(rng, extents(rng, bits, count, True), lambda end, _: end + 1))


def off_by_one(rng: Random, bits: int, count: int) -> Claim:
    return Claim(
        "injective", strided(rng, extents(rng, bits, count, False), lambda end, _: max(1, end + rng.choice((-1, 0, 1))))
    )


def coprime(rng: Random, bits: int, count: int) -> Claim:
    """Strides without a common divisor, up to a sixteenth too small."""
    return Claim("injective", strided(rng, extents(rng, bits, count, False), partial(_coprime, rng)))


def subset(rng: Random, bits: int, count: int) -> Claim:
    """Random strides of `bits` bits: whether some subset sums collide."""
    sizes = extents(rng, bits, count, True)
    return Claim("injective", tuple((s, rng.randrange(1, 1 << bits)) for s in sizes))


def swizzled(rng: Random, bits: int, count: int) -> Claim:
    return Claim("injective", pow2(rng, bits, count).leaves, swizzle=SWIZZLE)


FAMILIES = {f.__name__: f for f in (pow2, general, padded, off_by_one, coprime, subset, swizzled)}


def equality(claim: Claim) -> Claim:
    """The same function with every even leaf split in two."""
    halves: list[tuple[int, int]] = []
    for s, d in claim.leaves:
        halves += [(2, d), (s // 2, 2 * d)] if s % 2 == 0 else [(s, d)]
    return Claim("equal", claim.leaves, other=tuple(halves), swizzle=claim.swizzle, other_swizzle=claim.swizzle)


# ---------------------------------------------------------------- peers: the answer to a claim, or an exception


def tensor_layouts(claim: Claim) -> Callable[[], bool]:
    import tensor_layouts as tl
    from tensor_layouts.analysis import functionally_equal, is_injective

    def layout(leaves: Leaves, swizzle: Swizzle | None) -> object:
        plain = tl.Layout(tuple(s for s, _ in leaves), tuple(d for _, d in leaves))
        return tl.compose(tl.Swizzle(swizzle.bits, swizzle.base, swizzle.shift), plain) if swizzle else plain

    left = layout(claim.leaves, claim.swizzle)
    if claim.kind == "injective":
        return lambda: bool(is_injective(left))
    right = layout(claim.other, claim.other_swizzle)
    return lambda: bool(functionally_equal(left, right))


def islpy(claim: Claim) -> Callable[[], bool]:
    import islpy as isl

    if claim.swizzle:
        raise NotImplementedError("XOR is not affine")

    def relation(leaves: Leaves, flat: bool) -> object:
        names = [f"c{i}" for i in range(len(leaves))]
        value = " + ".join(f"{d}*{c}" for c, (_, d) in zip(names, leaves, strict=True))
        box = " and ".join(f"0 <= {c} < {s}" for c, (s, _) in zip(names, leaves, strict=True))
        if not flat:
            return isl.Map(f"{{ [{', '.join(names)}] -> [v] : v = {value} and {box} }}")
        index = " + ".join(f"{prod(s for s, _ in leaves[:i])}*{c}" for i, c in enumerate(names))
        return isl.Map(f"{{ [x] -> [v] : exists {', '.join(names)} : x = {index} and v = {value} and {box} }}")

    if claim.kind == "injective":
        left = relation(claim.leaves, False)
        return lambda: bool(left.is_injective())
    sides = relation(claim.leaves, True), relation(claim.other, True)
    return lambda: bool(sides[0].is_equal(sides[1]))


def enumeration(claim: Claim) -> Callable[[], bool]:
    import numpy as np

    def values(leaves: Leaves, swizzle: Swizzle | None) -> object:
        if prod(s for s, _ in leaves) > 1 << 27:
            raise MemoryError("more than 2^27 points")
        out = np.zeros(1, dtype=np.int64)
        for s, d in leaves:
            out = (np.arange(s, dtype=np.int64)[:, None] * d + out[None, :]).ravel()
        return out ^ ((out & swizzle.mask) >> swizzle.shift) if swizzle else out

    def answer() -> bool:
        left = values(claim.leaves, claim.swizzle)
        if claim.kind == "injective":
            return bool(np.unique(left).size == left.size)
        return bool(np.array_equal(left, values(claim.other, claim.other_swizzle)))

    return answer


PEERS = {"tensor-layouts": tensor_layouts, "islpy": islpy, "numpy": enumeration}


def _measured(peer: str, claim: Claim, answers: Connection) -> None:
    try:
        ask = PEERS[peer](claim)
        answers.send("ready")  # imported and built: only the question itself is on the clock
        seconds = float("inf")
        for _ in range(3):  # a first call may load or compile something: where it is short, ask again
            start = perf_counter()
            said = ask()
            seconds = min(seconds, perf_counter() - start)
            if seconds > 0.2:
                break
        answers.send((said, seconds))
    except Exception as error:
        answers.send((None, type(error).__name__))


def in_child(peer: str, claim: Claim, limit: float) -> tuple[bool | None, float | str]:
    """The peer's answer and seconds, or None and why there is none."""
    fork = multiprocessing.get_context("fork")
    here, there = fork.Pipe(duplex=False)
    child = fork.Process(target=_measured, args=(peer, claim, there))
    child.start()
    there.close()
    try:
        ready = here.recv() if here.poll(60) else (None, "> 60 s to load")
        if ready != "ready":
            return ready
        return here.recv() if here.poll(limit) else (None, f"> {limit:g} s")
    except EOFError:
        return None, "died"
    finally:
        child.kill()
        child.join()


# ---------------------------------------------------------------- measurements


def ours(claim: Claim, certify: bool, timeout: float = 1.0) -> tuple[str, float]:
    portfolio.forget()
    start = perf_counter()
    verdict = portfolio.decide(claim, certify=certify, timeout=timeout)
    return verdict.status, perf_counter() - start


def micro(seconds: float) -> str:
    return f"{seconds * 1e6:,.0f}" if seconds >= 1e-5 else f"{seconds * 1e6:.1f}"


def scaling(rng: Random, sizes: tuple[int, ...], per_family: int, limit: float, families: tuple[str, ...]) -> None:
    """For each size and family: our time, and every peer's as a ratio until it stops."""
    for question in ("injective", "equal"):
        print(f"\n## {question}: microseconds (median); peers as a multiple of the first (their own time in us)\n")
        print("| family | points | layoutcheck | certified | " + " | ".join(PEERS) + " |")
        print("|" + "---|" * (4 + len(PEERS)))
        for family in families:
            make = FAMILIES[family]
            stopped: dict[str, str] = {}
            for bits in sizes:
                cases = [make(rng, bits, count) for count in LEAVES if count <= bits for _ in range(per_family)]
                claims = [equality(c) if question == "equal" else c for c in cases]
                print(_row(family, bits, claims, stopped, limit), flush=True)


def _row(family: str, bits: int, claims: list[Claim], stopped: dict[str, str], limit: float) -> str:
    plain = [ours(claim, False) for claim in claims]
    certified = [ours(claim, True) for claim in claims]
    mine = statistics.median(t for _, t in plain)
    unknown = sum(status not in ("proved", "refuted") for status, _ in plain)
    cells = [
        micro(mine) + (f" ({unknown} unknown)" if unknown else ""),
        micro(statistics.median(t for _, t in certified)),
    ]
    for peer in PEERS:
        if peer not in stopped:
            reason, times = _ask_peer(peer, claims, [status for status, _ in plain], limit)
            if reason:
                stopped[peer] = f"stops at 2^{bits}: {reason}"
                cells.append(stopped[peer])
            else:
                ratio = statistics.median(times) / mine
                shown = f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.1f}"
                cells.append(f"{shown} x ({micro(statistics.median(times))})")
        else:
            cells.append("-")
    return f"| {family} | 2^{bits} | " + " | ".join(cells) + " |"


def _ask_peer(peer: str, claims: list[Claim], statuses: list[str], limit: float) -> tuple[str, list[float]]:
    times = []
    for claim, status in zip(claims, statuses, strict=True):
        said, seconds = in_child(peer, claim, limit)
        if said is None or isinstance(seconds, str):
            return str(seconds), times
        if status in ("proved", "refuted") and said != (status == "proved"):
            return f"answers {said}, we {status} {claim.leaves}", times
        times.append(seconds)
    return "", times


def growth(rng: Random, rounds: int) -> None:
    """Theorem verdicts alone, uncertified: how time grows with points and with leaves."""
    print("\n## theorem verdicts: microseconds (median)\n\n| leaves | 2^6 | 2^60 | ratio |\n|---|---|---|---|")
    for count in (2, 4, 6, 16):
        medians = []
        for bits in (6, 60):
            claims = []
            for make in (pow2, general, padded):
                for _ in range(rounds if count <= bits else 0):
                    base = make(rng, bits, count)
                    n = 1 + sum((s - 1) * d for s, d in base.leaves)
                    kinds = [Claim(k, base.leaves, n=n) for k in ("injective", "onto", "bounded", "bijective", "chain")]
                    claims += [*kinds, Claim("fibre", base.leaves), equality(base)]
            times = [min(_timed(partial(theorems.decide, claim)) for _ in range(3)) for claim in claims]
            medians.append(statistics.median(times) if times else None)
        small, large = medians
        ratio = f"{large / small:.2f}" if small and large else "-"
        print(f"| {count} | {micro(small) if small else '-'} | {micro(large) if large else '-'} | {ratio} |")


def _timed(call: Callable[[], object]) -> float:
    start = perf_counter()
    call()
    return perf_counter() - start


def random_layouts(rng: Random, count: int, most: int) -> None:
    """Injectivity of random layouts of 2 to 8 leaves: how many are decided, and the tail."""
    claims = []
    for _ in range(count):
        sizes: list[int] = []
        for _ in range(rng.randint(2, 8)):
            sizes.append(min(rng.choice((1, 2, 2, 3, 4, 5, 8, 16)), most // prod(sizes)))
        claims.append(Claim("injective", tuple((s, rng.randrange(4 * prod(sizes))) for s in sizes)))
    print(f"\n## {count} random layouts of 2-8 leaves, to 2^{most.bit_length() - 1} points, any strides: injectivity\n")
    for certify in (False, True):
        found = [ours(claim, certify) for claim in claims]
        times = sorted(t for _, t in found)
        decided = sum(status in ("proved", "refuted") for status, _ in found)
        tail = times[int(len(times) * 0.99)]
        name = "certified" if certify else "theorem and search alone"
        print(f"{name}: {decided} of {len(claims)} decided, median {micro(times[len(times) // 2])} us, "
              f"p99 {tail * 1e3:.2f} ms, slowest {times[-1] * 1e3:.1f} ms")  # fmt: skip


def adversaries(rng: Random, rounds: int) -> None:
    print("\n## 16 leaves at 2^60, uncertified and certified (seconds, slowest)\n")
    for make in (off_by_one, coprime):
        claims = [make(rng, 60, 16) for _ in range(rounds)]
        for certify in (False, True):
            found = [ours(claim, certify, timeout=10.0) for claim in claims]
            statuses = {s: sum(s == status for status, _ in found) for s in {status for status, _ in found}}
            print(
                f"{make.__name__}, {'certified' if certify else 'alone'}: {max(t for _, t in found):.3f} s, {statuses}"
            )


def hard(rng: Random, limits: tuple[float, ...]) -> None:
    print("\n## 12 leaves of extent 16 with random 40-bit strides: time beyond the limit\n")
    for limit in limits:
        claim = Claim("injective", tuple((16, rng.getrandbits(40) | 1 << 39) for _ in range(12)))
        status, seconds = ours(claim, True, timeout=limit)
        print(f"limit {limit:g} s: {status}, {(seconds - limit) * 1e3:+.0f} ms")


def atoms(rounds: int) -> None:
    """tensor-layouts' own question about its own AMD atoms: is every operand covered exactly?"""
    from tensor_layouts import atoms_amd
    from tensor_layouts.analysis import operand_analysis
    from tensor_layouts.atoms import MMAAtom

    found = [a for a in vars(atoms_amd).values() if isinstance(a, MMAAtom)]
    theirs = min(_timed(lambda: [operand_analysis(atom) for atom in found]) for _ in range(rounds))
    asked = [list(_operands(atom)) for atom in found]

    def verdicts() -> list[list[bool]]:
        return [[_covers(leaves, n) for _, leaves, n in operands] for operands in asked]

    mine = min(_timed(verdicts) for _ in range(max(rounds, 5)))
    print(f"\n## operand_analysis over the {len(asked)} AMD atoms of tensor-layouts\n")
    print(f"operand_analysis {theirs * 1e3:.1f} ms, layoutcheck's theorems {mine * 1e3:.2f} ms: {theirs / mine:.0f} x")
    different = 0
    for atom, operands, answers in zip(found, asked, verdicts(), strict=True):
        analysis = operand_analysis(atom)
        for (name, leaves, n), answer in zip(operands, answers, strict=True):
            if analysis[name]["coverage_ok"] != answer:
                different += 1
                print(f"{atom.name} {name}: they {not answer}, we {answer}: {_point(leaves, n)}")
    print(f"{sum(map(len, asked))} operands, {different} different verdicts")


def composition(rng: Random, number: int) -> None:
    """compose on random pairs: time, and where the peer refuses or answers what is not A(B(c))."""
    import tensor_layouts as tl

    from layoutcheck import algebra
    from layoutcheck.certificates import Composes, composes
    from layoutcheck.errors import Refused
    from layoutcheck.layout import Layout

    print(f"\n## composition of {number} random pairs\n")
    times: dict[str, list[float]] = {"layoutcheck": [], "certificate": [], "tensor-layouts": []}
    count: Counter[str] = Counter()
    for _ in range(number):
        a, b = (Layout(*zip(*_chain(rng, most), strict=True)) for most in (4, 2))
        start = perf_counter()
        try:
            mine = algebra.compose(a, b)
        except Refused:
            mine = None
        times["layoutcheck"].append(perf_counter() - start)
        if mine is not None:
            start = perf_counter()
            assert composes(Composes(a, b, mine), 10.0).status == "proved"
            times["certificate"].append(perf_counter() - start)
        start = perf_counter()
        try:
            theirs = tl.compose(tl.Layout(a.shape, a.stride), tl.Layout(b.shape, b.stride))
        except Exception:
            theirs = None
        times["tensor-layouts"].append(perf_counter() - start)
        right = theirs is not None and b.cosize <= a.size and all(theirs(x) == a(b(x)) for x in range(b.size))
        said = "refused" if theirs is None else "right" if right else "wrong or outside the domain"
        count[f"we {'answer' if mine else 'refuse'}, tensor-layouts {said}"] += 1
    median = {name: statistics.median(t) * 1e6 for name, t in times.items()}
    print(", ".join(f"{name} {t:.0f} us" for name, t in median.items()))
    print(f"tensor-layouts / layoutcheck: {median['tensor-layouts'] / median['layoutcheck']:.1f} x")
    for what, n in sorted(count.items()):
        print(f"{what}: {n}")


def _chain(rng: Random, most: int) -> list[tuple[int, int]]:
    digits, stride = [], rng.choice((1, 1, 2, 3))
    for _ in range(rng.randint(1, most)):
        digits.append((rng.choice((2, 3, 4, 6, 8)), stride))
        stride *= rng.choice((1, 2, 3, digits[-1][0], digits[-1][0]))
    return digits


def _operands(atom: object) -> Iterator[tuple[str, Leaves, int]]:
    m, n, k = atom.shape_mnk  # type: ignore[attr-defined]
    for name, size in (("a", m * k), ("b", n * k), ("c", m * n)):
        layout = getattr(atom, f"{name}_layout")
        yield name, tuple(zip(_flat(layout.shape), _flat(layout.stride), strict=True)), size


def _flat(tree: object) -> list[int]:
    return [tree] if isinstance(tree, int) else [leaf for child in tree for leaf in _flat(child)]  # type: ignore


def _covers(leaves: Leaves, n: int) -> bool:
    answers = [theorems.decide(Claim(kind, leaves, n=n)) for kind in ("bounded", "onto")]
    return all(answer is not None and answer.holds for answer in answers)


def _point(leaves: Leaves, n: int) -> str:
    """A point that settles whether exactly [0, n) is held, by plain evaluation."""
    for kind in ("bounded", "onto"):
        claim = Claim(kind, leaves, n=n)
        answer = theorems.decide(claim)
        if answer and not answer.holds and replays(claim, answer.witness):
            return str(answer.witness)
    held = {offset(leaves, digits_of(leaves, x)) for x in range(prod(s for s, _ in leaves))}
    return f"held offsets are exactly [0, {n}): {held == set(range(n))}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--smoke", action="store_true", help="a few sizes, a few seconds")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    smoke, rng = arguments.smoke, Random(arguments.seed)
    print(f"# engine benchmark, seed {arguments.seed}, Python {platform.python_version()}, {platform.machine()}")
    ours(pow2(rng, 6, 2), True)  # load z3 before anything is timed
    if smoke:
        scaling(rng, (6, 60), 1, 0.1, ("general", "swizzled"))
    else:
        scaling(rng, SIZES, 2, 2.0, tuple(FAMILIES))
    growth(rng, 3 if smoke else 50)
    random_layouts(rng, 50 if smoke else 3000, 1 << 12)
    random_layouts(rng, 10 if smoke else 300, 1 << 20)
    adversaries(rng, 2 if smoke else 20)
    hard(rng, (0.2,) if smoke else (0.2, 1.0, 5.0))
    composition(rng, 100 if smoke else 3000)
    atoms(1 if smoke else 3)


if __name__ == "__main__":
    main()
