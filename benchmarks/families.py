"""Families for all parameters against the enumeration of a grid of instances, in one run.

    python benchmarks/families.py [--smoke] [--most N]

Prints seconds per family (sympy and z3 loaded before): all questions for all parameters, the slowest step in z3 and in
cvc5, and how often that time fits into deciding `bijective` of every operand at every instance up to N.
Needs: pip install cvc5 for its column.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from itertools import product
from time import perf_counter
from typing import Any

from layoutcheck import catalog, formulas
from layoutcheck.atoms.load import Entry, load
from layoutcheck.decide import portfolio
from layoutcheck.source import read_file
from layoutcheck.symbolic import certify
from layoutcheck.symbolic.family import read
from layoutcheck.symbolic.operand import free_names
from layoutcheck.symbolic.questions import check, questions
from layoutcheck.verify import atom_files

GRID = 64


def entries() -> Iterator[Entry]:
    """The first instance of each family of the catalog."""
    seen: set[tuple[str, str]] = set()
    for path in atom_files(os.path.join(catalog.root(), "families")):
        for entry in load(read_file(path))[0]:
            if (path, entry.record.name) not in seen:
                seen.add((path, entry.record.name))
                yield entry


def timed(action: Any) -> tuple[float, Any]:
    start = perf_counter()
    result = action()
    return perf_counter() - start, result


def enumeration(entry: Entry, most: int) -> float:
    """Seconds to decide `bijective` of every operand at every instance up to `most`, each once."""
    operands = list(formulas.operands_of(entry.record))  # type: ignore[arg-type]
    found, _ = read(operands, free_names(operands))
    checks = []
    for of in found:
        question = next(q for q in questions(of) if q.name == "bijective")
        names = free_names([of.operand])
        rest = dict.fromkeys(of.names, 1)
        checks.append((question, [{**rest, **dict(zip(names, at, strict=True))}
                                        for at in product(range(1, most + 1), repeat=len(names))]))  # fmt: skip
    portfolio.forget()
    return timed(lambda: [check(question, env) is None for question, envs in checks for env in envs])[0]


def slowest(steps: list[Any]) -> tuple[float, float | None]:
    """Seconds of the slowest step, in z3 and in cvc5."""
    scripts = {step.script.partition("\n")[2]: step for step in steps}
    certify.forget()
    z3 = max((timed(lambda s=s: certify.failing([s], perf_counter() + 60))[0] for s in scripts.values()), default=0.0)
    try:
        import cvc5
    except ImportError:
        return z3, None
    return z3, max((timed(lambda t=t: ask(cvc5, t))[0] for t in scripts), default=0.0)


def ask(cvc5: Any, text: str) -> None:
    """What cvc5 says of a script, which must be unsat."""
    solver = cvc5.Solver()
    solver.setOption("tlimit-per", "60000")
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "step")
    symbols = parser.getSymbolManager()
    answers = []
    while not (command := parser.nextCommand()).isNull():
        answers.append(command.invoke(solver, symbols).strip())
    if "unsat" not in answers:
        raise SystemExit(f"cvc5 does not confirm:\n{text}")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    arguments.add_argument("--smoke", action="store_true", help="a small grid")
    arguments.add_argument("--most", type=int, default=GRID, help="largest parameter of the grid")
    options = arguments.parse_args()
    most = 8 if options.smoke else options.most
    loading, _ = timed(lambda: __import__("sympy") and __import__("z3"))
    print(f"loading sympy and z3: {loading:.2f} s\n")
    print(f"| family | all parameters, s | questions | slowest z3 step, s | cvc5, s | grid up to {most} / all |")
    print("|---|---|---|---|---|---|")
    for entry in entries():
        certify.forget()
        seconds, verdicts = timed(lambda e=entry: formulas.verdicts(e.record))
        if any(v.verdict != "proved" for v in verdicts):
            raise SystemExit(f"{entry.record.name}: not proved")
        z3, cvc5 = slowest([step for v in verdicts for step in v.steps])
        three = len(free_names(list(formulas.operands_of(entry.record)))) > 2  # type: ignore[arg-type]
        ratio = enumeration(entry, min(most, 16) if three else most) / seconds
        other = "-" if cvc5 is None else f"{cvc5:.3f}"
        note = " (up to 16)" if three and most > 16 else ""
        print(
            f"| {entry.record.name} | {seconds:.2f} | {len(verdicts)} | {z3:.3f} | {other} | {ratio:.2f}{note} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
