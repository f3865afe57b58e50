"""What the installed FlyDSL publishes for a type, asked in child processes that survive its aborts and hangs."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from typing import Any

import msgspec

from ..errors import InputError
from .worker import SECONDS

MISSING = "flydsl is not installed here: pip install flydsl==0.5.0 (Linux x86-64)"
_START = 120  # seconds for the bindings to load


class Published(msgspec.Struct, frozen=True):
    """One answer: layouts by operand (`!fly.layout<...>` texts; in bits for a copy), or why there are none.

    `used` are a copy's layouts at its value width, as the compiler recast them.
    """

    status: str  # ok, rejected, crashed
    kind: str = ""
    layouts: dict[str, str] = {}
    used: dict[str, str] = {}
    val_bits: int = 0
    message: str = ""
    signal: str = ""


def installed() -> bool:
    """Whether FlyDSL can be asked."""
    return find_spec("flydsl") is not None


def publish(texts: list[str]) -> list[Published]:
    """The answer to each type text. Raises InputError when FlyDSL is not there or does not start."""
    if not installed():
        raise InputError(MISSING)
    if not texts:
        return []
    command = [sys.executable, "-m", "layoutcheck.live.worker"]
    limit = _START + SECONDS * len(texts)
    try:
        run = subprocess.run(
            command, input=json.dumps(texts), capture_output=True, text=True, timeout=limit, check=False
        )
    except subprocess.TimeoutExpired:
        raise InputError(f"flydsl did not answer within {limit} seconds") from None
    answers = [msgspec.convert(plain(json.loads(line)), Published) for line in run.stdout.splitlines()]
    if len(answers) != len(texts):
        reason = run.stderr.strip().splitlines()[-1:] or [f"exit code {run.returncode}"]
        raise InputError(f"flydsl does not start: {reason[0]}")
    return answers


def plain(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer with every layout as plain shape:stride where it is one."""
    for field in ("layouts", "used"):
        answer[field] = {name: _plain(text) for name, text in answer.get(field, {}).items()}
    return answer


def _plain(text: str) -> str:
    inner = text.removeprefix("!fly.layout<").removesuffix(">")
    return inner if inner != text else text
