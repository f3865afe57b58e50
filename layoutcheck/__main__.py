"""The entry point of `layoutcheck` and of `python -m layoutcheck`."""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, which would keep Ctrl-C waiting
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> NoReturn:
    """Run the command line and end the process; Ctrl-C is answered before the rest is loaded.

    Start-up makes much that lives and little garbage, so the collector looks rarely; and nothing is torn down at
    the end. Together that is a seventh of the time that one file takes (benchmarks/startup.py).
    """
    from .interrupt import end_quietly

    end_quietly()
    import gc
    import os
    import sys
    from contextlib import suppress

    gc.set_threshold(100_000, 20, 100)
    from .cli import main as run

    code = run()
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # closed by the caller or the reader: the code still tells
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
