"""Ctrl-C and SIGTERM end the command at once and quietly, also while native code runs and Python sees no signal."""

from __future__ import annotations

import os
import signal

TYPE_CHECKING = False  # as in typing, which would keep Ctrl-C waiting
if TYPE_CHECKING:
    from collections.abc import Callable

BEFORE_END: list[Callable[[], None]] = []  # what ends the programs that were started; each takes a moment at most


def end_quietly() -> None:
    """From now on SIGINT exits with 130, SIGTERM with 143; one that is ignored at the start stays ignored."""
    if os.name != "posix":
        return
    heeded = [x for x in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(x) is not signal.SIG_IGN]
    if not heeded:
        return
    from _thread import start_new_thread

    heard, told = os.pipe()
    os.set_blocking(told, False)
    for number in heeded:
        signal.signal(number, lambda *_: None)  # without a handler in Python the pipe would stay silent
    signal.set_wakeup_fd(told, warn_on_full_buffer=False)
    start_new_thread(_wait, (heard,))


def _wait(heard: int) -> None:
    number = os.read(heard, 1)[0]
    try:
        for end in tuple(BEFORE_END):
            end()
    finally:
        os._exit(128 + number)
