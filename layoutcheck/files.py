"""Files: where the shipped ones lie, and writing one whole or not at all."""

from __future__ import annotations

import os

from .errors import InputError


def write(path: str, text: str) -> None:
    """Write beside the target and move it there, so that an interruption leaves no half. Raises InputError.

    What is no regular file (a pipe, /dev/stdout) is written to directly.
    """
    path = os.path.realpath(path)
    direct = os.path.exists(path) and not os.path.isfile(path)
    part = path if direct else f"{path}.part{os.getpid()}"
    try:
        with open(part, "w", encoding="utf-8") as file:
            file.write(text)
        if not direct:
            os.replace(part, path)
    except OSError as error:
        if not direct and os.path.exists(part):
            os.unlink(part)
        raise InputError(f"{path}: {error.strerror or error}") from None


def shipped(name: str) -> str:
    """The folder `name` (catalog, proofs): inside an installed package, else beside it in a checkout."""
    package = os.path.dirname(os.path.abspath(__file__))
    for folder in (os.path.join(package, f"_{name}"), os.path.join(os.path.dirname(package), name)):
        if os.path.isdir(folder):
            return folder
    raise InputError(f"the folder '{name}' is missing beside {package}: reinstall layoutcheck")
