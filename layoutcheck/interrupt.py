"""Ctrl-C ends the command at once and quietly, also while native code runs and Python sees no signal."""

from __future__ import annotations

import os
import signal

INTERRUPTED = 130


def end_quietly() -> None:
    """From now on SIGINT exits with 130. A process started with SIGINT ignored keeps ignoring it."""
    if os.name != "posix" or signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        return
    from _thread import start_new_thread

    heard, told = os.pipe()
    os.set_blocking(told, False)
    signal.signal(signal.SIGINT, lambda *_: None)  # without a handler in Python the pipe would stay silent
    signal.set_wakeup_fd(told, warn_on_full_buffer=False)
    start_new_thread(_wait, (heard,))


def _wait(heard: int) -> None:
    os.read(heard, 1)
    os._exit(INTERRUPTED)
