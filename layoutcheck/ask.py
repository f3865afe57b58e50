"""`check` and `eval`: from command-line texts to results and an exit code."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Unpack

from . import check, files
from .errors import InputError, LayoutcheckError, Unsupported
from .questions import How
from .result import Result

EXIT = {"proved": 0, "refuted": 1, "refused": 1, "disagree": 2, "unknown": 3, "unsupported": 3}
_WORST = (2, 1, 3, 0)
OPERATIONS = {"infer": "FILE", "solve": "SHAPE TARGET", "pack": "LAYOUT"}


def question(
    name: str,
    texts: Sequence[str],
    *,
    size: int | None,
    tile: str | None,
    mode: int | None,
    smt2: str | None,
    subgroup: int = 64,
    **how: Unpack[How],
) -> Result:
    """The answer to one question; what is not modelled is a result of its own. Writes the SMT-LIB export first."""
    try:
        if name == "conversion":
            if smt2 is not None:
                raise Unsupported("conversion has no SMT-LIB export")
            from .convert import convert

            timeout, certify = how.get("timeout", 10.0), how.get("certify", True)
            return convert(tuple(texts), subgroup=subgroup, timeout=timeout, certify=certify)
        if name not in check.QUESTIONS:
            raise InputError(f"no question '{name}': there are {', '.join(check.QUESTIONS)}, conversion")
        if smt2 is not None:
            files.write(smt2, check.smt2(name, texts, size=size))
        return check.run(name, texts, size=size, tile=tile, mode=mode, **how)
    except Unsupported as error:
        return Result(name, "unsupported", layouts=tuple(texts), note=str(error))


def exit_code(results: Sequence[Result], allow_unknown: bool) -> int:
    """The exit code of several results: an internal error before a refutation before something unknown."""
    codes = {EXIT[result.verdict] for result in results} - ({3} if allow_unknown else set())
    return next((code for code in _WORST if code in codes), 0)


def operation(
    name: str,
    args: Sequence[str],
    *,
    tile: str | None,
    claimed: str | None,
    explain: bool,
    extended: bool,
    shape: str | None,
    threads: int | None,
    **how: Unpack[How],
) -> Result:
    """The result of `eval`: infer, solve, pack, or an operation of the algebra. Raises InputError for another name.

    TARGET of solve is a layout, or a file with a table or closed form.
    """
    from .laws import LAWS

    try:
        if name in LAWS:
            from .operations import evaluate

            return evaluate(name, args, claimed=claimed, explain=explain, extended=extended,
                            certified=how.get("certify", True), timeout=how.get("timeout", 10.0))  # fmt: skip
        if name not in OPERATIONS:
            raise InputError(f"no operation '{name}': there are {', '.join([*LAWS, *OPERATIONS])}")
        wanted = OPERATIONS[name].split()
        if len(args) != len(wanted):
            raise InputError(f"eval {name} takes {' '.join(wanted)}: {len(args)} arguments given")
        if name == "pack":
            from .pack import pack

            return pack(args[0], shape=shape, threads=threads)
        if name == "infer":
            return check.infer(args[0], tile)
        target: str | Path = Path(args[1]) if os.path.isfile(args[1]) else args[1]
        return check.solve(args[0], target, tile, **how)
    except Unsupported as error:
        return Result(name, "unsupported", layouts=tuple(args), note=str(error))


def explained(error: LayoutcheckError, texts: Iterable[str]) -> str:
    """The error, with the rule it breaks and its column in the text it is about, when one can be told."""
    from .errors import LayoutError, NotationError
    from .notation import parse

    for text in texts:
        try:
            parse(text)
        except (NotationError, LayoutError) as own:
            if str(own) == str(error):
                code = f" ({own.code})" if isinstance(own, LayoutError) else ""
                return f"{text!r}, column {own.column + 1}: {own}{code}"
        except LayoutcheckError:
            continue
    return str(error)
