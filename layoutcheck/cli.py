"""The command line: parse, call, print. No logic."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from . import __version__
from .errors import LayoutcheckError

if TYPE_CHECKING:
    from .result import Result
    from .verdict import Report

_UNREAD = 2


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="layoutcheck %(version)s")
def cli() -> None:
    """Decides, exactly, whether GPU layouts are right.

    Exit codes: 0 everything checked is right; 1 something is refuted, or a finding; 2 usage, unreadable
    input or an internal error; 3 something unknown or unsupported.
    """


def _seconds(context: click.Context, parameter: click.Parameter, value: float) -> float:
    if not 0.001 <= value <= 86400:  # also true of nan
        raise click.BadParameter(f"{value} is not between 0.001 and 86400 seconds")
    return value


def _parameters(
    context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]
) -> dict[str, frozenset[str]]:
    """{"mn": {"16", "32"}} of `--param mn=16 --param mn=32`."""
    values: dict[str, frozenset[str]] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals and value):
            raise click.BadParameter(f"{text!r} is not NAME=VALUE")
        values[name] = values.get(name, frozenset()) | {value}
    return values


def _shared(
    quiet: str, verbose: str, report: str = "Report format.", formats: Sequence[str] = ("text", "json")
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The options that every checking command has, and what some of them mean there."""
    options = (
        click.option("-o", "--output", type=click.Choice(formats), default="text", help=report),
        click.option("--no-certify", is_flag=True, help="Skip the second, independent opinion on each proof."),
        click.option(
            "--timeout",
            type=float,
            callback=_seconds,
            default=10.0,
            show_default=True,
            help="Seconds for one question.",
        ),
        click.option("--allow-unknown", is_flag=True, help="Exit 0 when something is unknown or unsupported."),
        click.option("-q", "--quiet", is_flag=True, help=quiet),
        click.option("-v", "--verbose", is_flag=True, help=verbose),
    )

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


_answering = _shared("The verdict only.", "Also the seconds it took.")


@cli.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--catalog", is_flag=True, help="Check the built-in catalog.")
@click.option("--types", metavar="FILE", help="Ask the installed FlyDSL about type texts, one a line; `-` is stdin.")
@click.option("--against", type=click.Choice(["flydsl"]), help="Compare the files with what this compiler publishes.")
@click.option("--stdin-filename", default="<stdin>", metavar="NAME", help="What to call the file read from `-`.")
@click.option("--strict", is_flag=True, help="Warnings count as findings.")
@click.option(
    "--smt2", type=click.Path(file_okay=False), metavar="FOLDER", help="Also write the families' proofs there."
)
@click.option(
    "--families", is_flag=True, help="Hold families to all parameters under `requires`, not their rows alone."
)
@click.option("--select", metavar="CODES", help="Only these rules, as in LC301,LC2.")
@click.option("--ignore", metavar="CODES", help="Not these rules.")
@click.option("--statistics", is_flag=True, help="Also how often each rule was broken.")
@click.option("--output-file", type=click.Path(dir_okay=False), help="Write the report there.")
@click.option("--param", "params", multiple=True, callback=_parameters, metavar="NAME=VALUE",
              help="Of families with this parameter, only the instances with this value; may be repeated.")  # fmt: skip
@click.option("--new", type=click.Choice(["mma", "copy", "pack_layout", "rewrite", "map"]),
              help="Print a file to fill in, and stop.")  # fmt: skip
@_shared("Findings only.", "Also what was proved, and what is suppressed.",
         "Report format; jsonl, an object for each type, is for --types.", ("text", "json", "jsonl"))  # fmt: skip
def verify(
    paths: tuple[str, ...],
    catalog: bool,
    types: str | None,
    against: str | None,
    stdin_filename: str,
    strict: bool,
    smt2: str | None,
    families: bool,
    select: str | None,
    ignore: str | None,
    statistics: bool,
    output_file: str | None,
    params: dict[str, frozenset[str]],
    new: str | None,
    output: str,
    no_certify: bool,
    timeout: float,
    allow_unknown: bool,
    quiet: bool,
    verbose: bool,
) -> int:
    """Check atom files, and folders of them (default: this folder); `-` reads standard input."""
    if new:
        return _template(new)
    from .verdict import exit_code
    from .verify import verify as run

    if types is not None:
        others = (paths, catalog, against, params, families, smt2, select, ignore, statistics)
        if any(others):
            raise click.UsageError("--types stands alone: no paths, and no options that choose or count atoms")
        how = (not no_certify, timeout, strict, allow_unknown, quiet, verbose)
        return _verify_types(types, output, output_file, *how)
    if output == "jsonl":
        raise click.UsageError("-o jsonl is for --types")
    paths = paths or (() if catalog else (".",))
    report = run(
        paths, catalog=catalog, stdin_filename=stdin_filename, certify=not no_certify, timeout=timeout, narrow=params,
        families=families, explain=verbose or smt2 is not None,
    )  # fmt: skip
    if smt2 is not None:
        from .families import write

        write(report.families, smt2)
    if against:
        from .published import against as compare

        report = compare(report, certify=not no_certify, timeout=timeout, narrow=params)
    if select or ignore:
        from .choose import choose

        report = choose(report, select, ignore)
    lines = _rendered(report, output, quiet, verbose)
    if statistics and output == "text":
        from .choose import statistics as counted

        lines = (*lines, *counted(report))
    _write(lines, output_file)
    return exit_code(report, strict=strict, allow_unknown=allow_unknown)


def _verify_types(
    path: str,
    output: str,
    output_file: str | None,
    certify: bool,
    timeout: float,
    strict: bool,
    allow_unknown: bool,
    quiet: bool,
    verbose: bool,
) -> int:
    from .published import check_types, types_exit_code, types_source

    checked, report = check_types(types_source(path), certify=certify, timeout=timeout)
    if output == "jsonl":
        from json import dumps

        _write((dumps(one.as_dict()) for one in checked), output_file)
    else:
        _write(_rendered(report, output, quiet, verbose), output_file)
    return types_exit_code(checked, report, strict=strict, allow_unknown=allow_unknown)


def _rendered(report: Report, output: str, quiet: bool, verbose: bool) -> Iterable[str]:
    if output == "json":
        from .report import json

        return [json.render(report)]
    from .report import text

    return text.render(report, quiet=quiet, verbose=verbose)


@cli.command()
@click.argument("question")
@click.argument("layouts", nargs=-1, metavar="LAYOUT...")
@click.option("--size", type=click.IntRange(min=1), help="N of onto, bounds, bijective and complement.")
@click.option("--tile", metavar="EXTENTS", help="Reference tile of equals-form and equals-table, as (16,16).")
@click.option("--mode", type=click.IntRange(min=0), help="The mode that equal-permuting may permute, from 0.")
@click.option("--engine", help="Only this engine: theorems, gf2, search, z3 or points.")
@click.option("--subgroup", type=click.IntRange(min=1), default=64, show_default=True, help="Lanes, for conversion.")
@click.option("--smt2", metavar="FILE", help="Also write the question as SMT-LIB 2 (unsat means it holds).")
@_answering
def check(
    question: str,
    layouts: tuple[str, ...],
    size: int | None,
    tile: str | None,
    mode: int | None,
    engine: str | None,
    smt2: str | None,
    subgroup: int,
    no_certify: bool,
    timeout: float,
    **rest: Any,
) -> int:
    """Decide a question about layouts: injective, onto, bijective, bounds, disjoint, complement, congruent,
    delinearizable, equal, equal-modes, equal-permuting, equals-form, equals-table, conversion SRC DST.

    Plain and CuTe texts are colex (leftmost mode fastest), #iree_map texts are lex. The second argument of
    equals-form is the form, of equals-table a CSV or JSON file.
    """
    from . import ask

    return _answer(
        lambda: ask.question(
            question, layouts, size=size, tile=tile, mode=mode, smt2=smt2, engine=engine, timeout=timeout,
            certify=not no_certify, subgroup=subgroup,
        ),
        layouts,
        **rest,
    )  # fmt: skip


@cli.command("eval")
@click.argument("operation")
@click.argument("args", nargs=-1, metavar="ARGS...")
@click.option("--tile", metavar="EXTENTS", help="Reference tile of a table or closed form, as (16,16).")
@click.option("--engine", help="infer, solve: only this engine: theorems, gf2, search, z3 or points.")
@click.option("--claimed", metavar="LAYOUT", help="A result to check against the law.")
@click.option("--explain", is_flag=True, help="Show the law, its precondition and the steps.")
@click.option("--domain", type=click.Choice(["in", "extended"]), default="in", show_default=True,
              help="compose: B stays inside A, or A's outermost leaf runs on.")  # fmt: skip
@click.option("--shape", metavar="8x32", help="pack: the vector the layout is meant for.")
@click.option("--threads", type=click.IntRange(min=1), help="pack: threads at hand.")
@_answering
def eval_(
    operation: str,
    args: tuple[str, ...],
    tile: str | None,
    engine: str | None,
    claimed: str | None,
    explain: bool,
    domain: str,
    shape: str | None,
    threads: int | None,
    no_certify: bool,
    timeout: float,
    **rest: Any,
) -> int:
    """An operation on layouts, with its law: coalesce, compose A B, complement A [N], logical-divide A TILER, ...

    `infer FILE`: the layout of a table or closed form. `solve SHAPE TARGET`: the strides that realise a target.
    `pack LAYOUT`: what threads and registers hold under an IREE pack_layout. An unknown operation lists them all.
    """
    from . import ask

    return _answer(
        lambda: ask.operation(
            operation, args, tile=tile, engine=engine, timeout=timeout, certify=not no_certify, claimed=claimed,
            explain=explain, extended=domain == "extended", shape=shape, threads=threads,
        ),
        args,
        **rest,
    )  # fmt: skip


@cli.command()
@click.argument("target", nargs=-1, metavar="[REWRITE | THEOREM]...")
@click.option("--src", metavar="L", help="The source's layout; none for a broadcast scalar.")
@click.option("--dst", metavar="L", help="The destination's layout.")
@click.option("--to", metavar="4x32", help="shape_cast, reshape: the new shape; its layout is derived.")
@click.option("--perm", metavar="1,0", help="transpose: dimension i of the result is dimension PERM[i].")
@click.option(
    "--layout", "layouts", multiple=True, metavar="L", help="step: the layout; elementwise, select, for: each."
)
@click.option("--threads", type=click.IntRange(min=1), help="step: how many threads there are.")
@click.option("--offset", metavar="EXPR", help="step: an offset in t, as in '4*(t % 32)', held against the layout.")
@click.option("--outer", metavar="L", help="fold: the layout of to_simd.")
@click.option("--inner", metavar="L", help="fold: the layout of to_simt.")
@click.option("--at", metavar="THREAD,INDEX", help="Also what is expected, and what is there, at this place.")
@click.option("--export", metavar="DIR", help="Write lemmas, proof goals (SMT-LIB 2) and Coq files there, and stop.")
@_answering
def prove(
    target: tuple[str, ...],
    at: str | None,
    export: str | None,
    no_certify: bool,
    timeout: float,
    output: str,
    allow_unknown: bool,
    quiet: bool,
    verbose: bool,
    **parts: Any,
) -> int:
    """Prove the rewrites for all layouts, every theorem or those named; with layouts, decide whether one instance of a
    REWRITE is sound, with the thread and index that go wrong when it is not.

    REWRITE is one of shape_cast, reshape, transpose, broadcast, step, elementwise, select, for, fold.
    """
    given = any(part not in (None, ()) for part in parts.values())
    if export is not None:
        if target or given:
            raise click.UsageError("--export DIR stands alone: it writes every proof")
        return _export(export)
    if not given and at is not None:
        raise click.UsageError("--at THREAD,INDEX is a place in one REWRITE of given layouts")
    if not given:
        return _theorems(target, not no_certify, timeout, output, allow_unknown, quiet)
    if len(target) != 1:
        raise click.UsageError("layouts are for one REWRITE, as in: prove shape_cast --src L --dst L")
    from .rewrites.prove import Texts
    from .rewrites.prove import prove as run

    return _answer(
        lambda: run(target[0], Texts(**parts), at=at, certify=not no_certify, timeout=timeout),
        tuple(text for text in (parts["src"], parts["dst"], *parts["layouts"], parts["outer"], parts["inner"]) if text),
        output,
        allow_unknown,
        quiet,
        verbose,
    )


def _theorems(
    names: tuple[str, ...], certify: bool, timeout: float, output: str, allow_unknown: bool, quiet: bool
) -> int:
    """The rewrites' theorems, for all layouts."""
    from . import ask
    from .rewrites import proving

    proved = proving.run_theorems(names, timeout=timeout, certify=certify)
    if output == "json":
        from .report.results import render_json

        _print([render_json(proved)])
    else:
        _print(line for result in proved for line in proving.render(result)[: 1 if quiet else None])
        _print([proving.summary(proved)])
    return ask.exit_code(proved, allow_unknown)


def _export(directory: str) -> int:
    from .rewrites.export import export

    _print([f"{len(export(directory))} files in {directory}"])
    return 0


def _answer(
    decide: Callable[[], Result], texts: tuple[str, ...], output: str, allow_unknown: bool, quiet: bool, verbose: bool
) -> int:
    """Print one result in the wanted form; its exit code."""
    from . import ask
    from .result import render

    try:
        result = decide()
    except LayoutcheckError as error:
        raise LayoutcheckError(ask.explained(error, texts)) from None
    if output == "json":
        from .report.results import render_json

        _print([render_json([result])])
    else:
        seconds = [f"  {result.seconds:.3f} s"] if verbose else []
        _print([*render(result), *seconds][: 1 if quiet else None])
    return ask.exit_code([result], allow_unknown)


@cli.command()
@click.argument("code", metavar="RULE | LAW | THEOREM")
def explain(code: str) -> int:
    """What a rule (LC301, not-injective) means, why it exists, and a failing and a mended example; the law of an
    operation of `eval` (compose), and when it holds; or a theorem about rewrites (shape_cast), and what proves it.
    """
    from .explain import explain as run

    _print(run(code))
    return 0


@cli.command()
@click.argument("target", nargs=-1, metavar="[TARGET | ARCH INSTRUCTION]")
@click.option("--list", "what", type=click.Choice(["atoms", "instructions", "rules"]), help="What to list.")
@click.option("--tile", metavar="MxN", help="The reference tile of a layout; the shape of a pack layout's vector.")
@click.option(
    "--by",
    type=click.Choice(["tile", "register", "element"]),
    help="A cell for each element (tile, element), or register.",
)
@click.option("--operand", metavar="NAME", help="Only this operand of an atom.")
@click.option("--wave", type=click.Choice(["32", "64"]), help="One wave size of an instruction.")
@click.option("-o", "--output", type=click.Choice(["text", "json", "csv"]), default="text", help="Report format.")
def show(
    target: tuple[str, ...],
    what: str | None,
    tile: str | None,
    by: str | None,
    operand: str | None,
    wave: str | None,
    output: str,
) -> int:
    """Draw a layout or an atom (a file, a name of the catalog); print the register map of an instruction, or the
    layouts of a type text; or list the catalog's atoms and instructions, or the rules.
    """
    if len(target) == 2:
        return _registers(target, by, wave, output)
    if len(target) > 2:
        raise click.UsageError(f"cannot show {' '.join(target)}: give one TARGET, or ARCH INSTRUCTION")
    if what is None:
        picture = bool(tile or by or operand) or output == "csv"
        if target and target[0].startswith("!fly_rocdl") and not picture:
            return _type(target[0], output)
        return _draw(target[0] if target else None, tile=tile, by=by or "tile", operand=operand, output=output)
    from .explain import listing

    if output == "csv":
        raise click.UsageError("a list is text or json")
    rows = listing(what)
    if output == "json":
        import json

        _print([json.dumps({"version": 1, "results": rows}, indent=2)])
    else:
        _print("  ".join(str(value) for value in row.values() if value is not None) for row in rows)
    return 0


def _registers(target: tuple[str, ...], by: str | None, wave: str | None, output: str) -> int:
    from . import registers

    if by == "tile":
        raise click.UsageError("--by tile draws layouts: an instruction is shown by register or by element")
    arch, instruction = target
    _print(registers.show(arch, instruction, by=by or "register", output=output, wave=int(wave) if wave else None))
    return 0


def _type(text: str, output: str) -> int:
    from . import registers

    _print(registers.show_type(text, output=output))
    return 0


def _draw(target: str | None, **how: Any) -> int:
    """`show TARGET`, as wide as the terminal, coloured on one unless NO_COLOR is set."""
    if target is None:
        raise click.UsageError("Missing argument 'TARGET' (or --list atoms, --list rules).")
    from shutil import get_terminal_size

    from .show import show as run

    color = sys.stdout is not None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    _print(run(target, width=get_terminal_size().columns, color=color, **how))
    return 0


def _template(kind: str) -> int:
    """`verify --new KIND`: the file of the package that is there to be filled in."""
    with open(os.path.join(os.path.dirname(__file__), "templates", f"{kind}.yaml"), encoding="utf-8") as file:
        _print(file.read().splitlines())
    return 0


def _write(lines: Iterable[str], path: str | None) -> None:
    """A report to a file, or to standard output."""
    if path is None:
        _print(lines)
        return
    from .files import write

    write(path, "".join(f"{line}\n" for line in lines))


def _print(lines: Iterable[str]) -> None:
    out = sys.stdout
    if out is None:  # closed by the caller: the exit code still tells
        return
    try:
        for line in lines:
            out.write(line.encode(out.encoding or "utf-8", "replace").decode(out.encoding or "utf-8") + "\n")
        out.flush()
    except BrokenPipeError:  # nobody reads on: quiet, and the exit code still tells
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())


def main(args: list[str] | None = None) -> int:
    """Run the command line and return the exit code; no exception leaves it."""
    try:
        code = cli.main(args, prog_name="layoutcheck", standalone_mode=False)
        return int(code or 0)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return 130
    except (LayoutcheckError, OSError) as error:  # OSError: the report cannot be written
        click.echo(f"error: {error}", err=True)
        return _UNREAD
    except Exception as error:
        click.echo(f"internal error: {type(error).__name__}: {error}; please report it", err=True)
        return _UNREAD
