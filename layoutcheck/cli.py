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


def _shared(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that every checking command has."""
    options = (
        click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", help="Report format."),
        click.option("--no-certify", is_flag=True, help="Skip the second, independent opinion on each proof."),
        click.option(
            "--timeout",
            type=click.FloatRange(min=0.001),
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
@click.argument("code")
def explain(code: str) -> int:
    """What a rule means, why it exists, and a failing and a mended example."""
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
    for line in lines:
        out.write(line.encode(out.encoding or "utf-8", "replace").decode(out.encoding or "utf-8") + "\n")


def main(args: list[str] | None = None) -> int:
    """Run the command line and return the exit code; no exception leaves it."""
    try:
        code = cli.main(args, prog_name="layoutcheck", standalone_mode=False)
        sys.stdout.flush()
        return int(code or 0)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except LayoutcheckError as error:
        click.echo(f"error: {error}", err=True)
        return _UNREAD
    except Exception as error:
        click.echo(f"internal error: {type(error).__name__}: {error}; please report it", err=True)
        return _UNREAD
