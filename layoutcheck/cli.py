"""The command line: parse, call, print. No logic."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import click

from . import __version__
from .errors import LayoutcheckError

if TYPE_CHECKING:
    from .result import Result

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


def _shared(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that every checking command has."""
    options = (
        click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", help="Report format."),
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
        click.option("-q", "--quiet", is_flag=True, help="Findings only."),
        click.option("-v", "--verbose", is_flag=True, help="Also what was proved, and what is suppressed."),
    )
    for option in reversed(options):
        command = option(command)
    return command


@cli.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--catalog", is_flag=True, help="Check the built-in catalog.")
@click.option("--stdin-filename", default="<stdin>", metavar="NAME", help="What to call the file read from `-`.")
@click.option("--strict", is_flag=True, help="Warnings count as findings.")
@_shared
def verify(
    paths: tuple[str, ...],
    catalog: bool,
    stdin_filename: str,
    strict: bool,
    output: str,
    no_certify: bool,
    timeout: float,
    allow_unknown: bool,
    quiet: bool,
    verbose: bool,
) -> int:
    """Check atom files, and folders of them (default: this folder); `-` reads standard input."""
    from .verdict import exit_code
    from .verify import verify as run

    paths = paths or (() if catalog else (".",))
    report = run(paths, catalog=catalog, stdin_filename=stdin_filename, certify=not no_certify, timeout=timeout)
    if output == "json":
        from .report import json

        _print([json.render(report)])
    else:
        from .report import text

        _print(text.render(report, quiet=quiet, verbose=verbose))
    return exit_code(report, strict=strict, allow_unknown=allow_unknown)


@cli.command()
@click.argument("question")
@click.argument("layouts", nargs=-1, metavar="LAYOUT...")
@click.option("--size", type=click.IntRange(min=1), help="N of onto, bounds, bijective and complement.")
@click.option("--tile", metavar="EXTENTS", help="Reference tile of equals-form and equals-table, as (16,16).")
@click.option("--mode", type=click.IntRange(min=0), help="The mode that equal-permuting may permute, from 0.")
@click.option("--engine", help="Only this engine: theorems, gf2, search, z3 or points.")
@click.option("--subgroup", type=click.IntRange(min=1), default=64, show_default=True, help="Lanes, for conversion.")
@click.option("--smt2", metavar="FILE", help="Also write the question as SMT-LIB 2 (unsat means it holds).")
@_shared
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
@_shared
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
        _print(render(result)[: 1 if quiet else None])
    code = ask.EXIT[result.verdict]
    return 0 if code == 3 and allow_unknown else code


@cli.command()
@click.argument("code")
def explain(code: str) -> int:
    """What a rule means, why it exists, and a failing and a mended example; or an operation's law."""
    from .explain import explain as run

    _print(run(code))
    return 0


@cli.command()
@click.option("--list", "what", type=click.Choice(["atoms", "rules"]), required=True, help="What to list.")
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", help="Report format.")
def show(what: str, output: str) -> int:
    """List the catalog's atoms, or the rules."""
    from .explain import listing

    rows = listing(what)
    if output == "json":
        import json

        _print([json.dumps({"version": 1, "results": rows}, indent=2)])
    else:
        _print("  ".join(str(value) for value in row.values() if value is not None) for row in rows)
    return 0


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
