"""The entry point of `layoutcheck` and of `python -m layoutcheck`."""

from __future__ import annotations


def main() -> int:
    """Run the command line; Ctrl-C is answered before the rest is loaded."""
    from .interrupt import end_quietly

    end_quietly()
    from .cli import main as run

    return run()


if __name__ == "__main__":
    raise SystemExit(main())
