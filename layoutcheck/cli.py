"""The command line: parse, call, print. No logic."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from typing import Any

import click

from . import __version__
from .errors import LayoutcheckError

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
@click.option("--select", metavar="CODES", help="Only these rules, as in LC301,LC2.")
@click.option("--ignore", metavar="CODES", help="Not these rules.")
@click.option("--statistics", is_flag=True, help="Also how often each rule was broken.")
@click.option("--output-file", type=click.Path(dir_okay=False), help="Write the report there.")
@click.option("--new", type=click.Choice(["mma", "copy", "pack_layout"]), help="Print a file to fill in, and stop.")
@_shared
def verify(
    paths: tuple[str, ...],
    catalog: bool,
    stdin_filename: str,
    strict: bool,
    select: str | None,
    ignore: str | None,
    statistics: bool,
    output_file: str | None,
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
    from .choose import choose
    from .choose import statistics as counted
    from .verdict import exit_code
    from .verify import verify as run

    paths = paths or (() if catalog else (".",))
    report = run(paths, catalog=catalog, stdin_filename=stdin_filename, certify=not no_certify, timeout=timeout)
    report = choose(report, select, ignore)
    lines: Iterable[str]
    if output == "json":
        from .report import json

        lines = [json.render(report)]
    else:
        from .report import text

        lines = (*text.render(report, quiet=quiet, verbose=verbose), *(counted(report) if statistics else ()))
    _write(lines, output_file)
    return exit_code(report, strict=strict, allow_unknown=allow_unknown)


@cli.command()
@click.argument("code")
def explain(code: str) -> int:
    """What a rule means, why it exists, and a failing and a mended example."""
    from .explain import explain as run

    _print(run(code))
    return 0


@cli.command()
@click.argument("target", required=False)
@click.option("--list", "what", type=click.Choice(["atoms", "rules"]), help="List the catalog's atoms, or the rules.")
@click.option("--tile", metavar="MxN", help="The reference tile of a layout; the shape of a pack layout's vector.")
@click.option("--by", type=click.Choice(["tile", "register"]), default="tile", help="Cells by element, or by register.")
@click.option("--operand", metavar="NAME", help="Only this operand of an atom.")
@click.option("-o", "--output", type=click.Choice(["text", "json", "csv"]), default="text", help="Report format.")
def show(target: str | None, what: str | None, tile: str | None, by: str, operand: str | None, output: str) -> int:
    """Draw a layout, or an atom: a file, a name of the catalog, or a FlyDSL type text."""
    if what is None:
        return _draw(target, tile=tile, by=by, operand=operand, output=output)
    from .explain import listing

    rows = listing(what)
    if output == "json":
        import json

        _print([json.dumps({"version": 1, "results": rows}, indent=2)])
    else:
        _print("  ".join(str(value) for value in row.values() if value is not None) for row in rows)
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
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)


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
