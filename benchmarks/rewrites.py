"""One instance of each rewrite, from texts to a certified verdict, beside its peers in the same run.

    python benchmarks/rewrites.py [--smoke]

Peers: the precondition without its certificate, and numpy comparing every thread and index (it stops where the arrays
no longer fit the limit). Milliseconds are medians after import; ratios are to the certified verdict. The last table
grows the radices that do not align, and layouts whose threads form no chain.
Needs: pip install numpy.
"""

from __future__ import annotations

import argparse
import platform
import statistics
from collections.abc import Callable
from time import perf_counter

from layoutcheck.rewrites.case import Problem, decide, period
from layoutcheck.rewrites.prove import Texts, build, prove, read
from layoutcheck.smt.distribution import Windows

POINTS = 1 << 24  # (thread, index) pairs that numpy may hold

K, M = 1 << 10, 1 << 20
INSTANCES: tuple[tuple[str, str, Texts], ...] = (
    ("128 to 4x32", "shape_cast", Texts(src="((32,4)):((1,0))", to="4x32")),
    ("4x32 to 128", "shape_cast", Texts(src="((4),(8,4)):((8),(1,0))", to="128")),
    ("48x2 to 96, wrong", "shape_cast", Texts(src="((3,16),2):((0,1),0)", dst="((2,16,3)):((0,1,0))")),
    ("8x32 turned", "transpose", Texts(src="((4,2),(8,4)):((1,0),(4,0))", perm="1,0")),
    ("64x32 turned", "transpose", Texts(src="((2,2,2,2,2,2),(4,8)):((1,0,2,0,4,0),(8,0))", perm="1,0")),
    ("32 to 8x32", "broadcast", Texts(src="((8,4)):((4,0))", dst="((4,2),(8,4)):((1,0),(4,0))")),
    ("128 numbers", "step", Texts(layouts=("((32,4)):((1,0))",))),
    ("a select", "select", Texts(layouts=("((32,4)):((1,0))", "((32,2,2)):((1,0,0))", "((8,4,4)):((4,1,0))"))),
    ("2^20 elements", "shape_cast", Texts(src="((256,16,256)):((1,0,256))", to=f"{K}x{K}")),
    ("2^40 elements", "shape_cast", Texts(src=f"(({K},{K},{K},{K})):((1,0,{K},0))", to=f"{M}x{M}")),
    ("2^40 elements turned", "transpose", Texts(src=f"(({K},{K}),({K},{K})):((1,0),({K},0))", perm="1,0")),
    ("2^20 to 2^40", "broadcast", Texts(src=f"(({K},{K})):(({K},0))", dst=f"(({K},{K}),({K},{K})):((1,0),({K},0))")),
    ("2^42 numbers", "step", Texts(layouts=(f"((4,{M},{M})):(({M},1,0))",))),
    ("2^40, wrong", "shape_cast", Texts(src=f"(({M},{M})):((1,0))", dst=f"(({M},{M})):((0,1))")),
)


def unaligned(factors: int) -> Texts:
    """Threads in primes, in the other order on each side."""
    primes = (2, 3, 5, 7, 11, 13, 17, 19)[:factors]
    sides = []
    for order in (primes, primes[::-1]):
        strides, stride = [], 1
        for p in reversed(order):
            strides.append(stride)
            stride *= p
        leaves = (*order, 1 << 20), (*reversed(strides), 0)
        sides.append(":".join("((" + ",".join(map(str, part)) + "))" for part in leaves))
    return Texts(src=sides[0], dst=sides[1])


def unchained(extent: int) -> Texts:
    """Two thread leaves without a chain, each in one piece or in two."""
    half = 1 << extent // 2
    whole, low = 1 << extent, 1 << (extent - extent // 2)
    return Texts(src=f"(({whole},{whole})):((3,5))", dst=f"(({half},{low},{half},{low})):(({3 * low},3,{5 * low},5))")


def milliseconds(call: Callable[[], object], times: int) -> float:
    taken = []
    for _ in range(times):
        start = perf_counter()
        call()
        taken.append((perf_counter() - start) * 1e3)
    return statistics.median(taken)


def enumerated(problem: Problem) -> Callable[[], bool] | None:
    """numpy on every thread of a period and every index; None where that is too much."""
    import numpy

    case = problem.case
    if case is None or case.actual is None:
        return None
    threads, values = period(case), min(case.values)
    if threads * values > POINTS:
        return None

    def summed(windows: Windows, x: numpy.ndarray) -> numpy.ndarray:
        out = numpy.zeros_like(x)
        for w in windows:
            out += x // w.low % w.extent * w.weight
        return out

    def compare() -> bool:
        t, k = numpy.arange(threads)[:, None], numpy.arange(values)[None, :]
        sides = [summed(side.thread, t) + summed(side.value, k) for side in (case.expected, case.actual) if side]
        return bool((sides[0] == sides[1]).all())

    return compare


def row(what: str, name: str, texts: Texts, times: int) -> None:
    problem = build(name, read(texts))
    status = decide(problem).status
    certified = milliseconds(lambda: prove(name, texts), times)
    alone = milliseconds(lambda: prove(name, texts, certify=False), times)
    compare = enumerated(problem)
    peer = "stops: too many points"
    if compare is not None:
        assert compare() == (status == "proved")
        peer = f"{milliseconds(compare, max(1, times // 5)) / certified:.2f} x"
    print(f"| {what} | {name} | {status} | {certified:.2f} | {alone / certified:.2f} x | {peer} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--smoke", action="store_true", help="a few seconds")
    times = 5 if parser.parse_args().smoke else 50
    print(f"# rewrites, Python {platform.python_version()}, {platform.machine()}")
    prove(INSTANCES[0][1], INSTANCES[0][2])  # load z3 before anything is timed
    head = "| instance | rewrite | verdict | certified, ms | without the certificate | numpy |"
    print(f"\n{head}\n|---|---|---|---|---|---|")
    for instance in INSTANCES:
        row(*instance, times)
    print(f"\n{head}\n|---|---|---|---|---|---|")
    for factors in (2, 8) if times == 5 else (2, 3, 4, 5, 6, 7, 8):
        row(f"{factors} primes, in both orders", "shape_cast", unaligned(factors), times)
    for extent in (4, 20) if times == 5 else (4, 8, 12, 16, 20):
        row(f"2^{2 * extent} elements, no chain", "shape_cast", unchained(extent), times)


if __name__ == "__main__":
    main()
