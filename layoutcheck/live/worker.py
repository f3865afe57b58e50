"""Runs as a process of its own: asks FlyDSL's bindings about type texts, each batch in a fork that may die.

Reads one JSON list of texts, writes one JSON object a line, in order. A fork that aborts or outlives its time costs the
text it was at; the next fork goes on behind it. The bindings are imported once, before the first fork.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
from typing import Any

SECONDS = 20  # for one text


def answer(text: str) -> dict[str, Any]:
    """What the compiler publishes for one type text: layouts as texts, or the reason why it refuses."""
    from flydsl._mlir import ir
    from flydsl._mlir.dialects import fly

    with ir.Context(), ir.Location.unknown():
        try:
            parsed = ir.Type.parse(text)
        except Exception as error:
            return {"status": "rejected", "message": _first(error)}
        try:
            if isinstance(parsed, fly.CopyAtomType):
                bits = fly.CopyAtomType.get(parsed.copy_op, 1)
                sides = {x: str(getattr(bits, f"tv_layout_{x}")) for x in ("src", "dst", "ref")}
                sides["thr"] = str(bits.thr_layout)
                used = {x: str(getattr(parsed, f"tv_layout_{x}")) for x in ("src", "dst", "ref")}
                return {"status": "ok", "kind": "copy", "val_bits": parsed.val_bits, "layouts": sides, "used": used}
            if not isinstance(parsed, fly.MmaAtomType) and "Mma" not in type(parsed).__name__:
                return {
                    "status": "rejected",
                    "message": "neither an MMA atom nor a copy atom (!fly.copy_atom<op, bits>)",
                }
            atom = parsed if isinstance(parsed, fly.MmaAtomType) else fly.MmaAtomType.get(parsed)
            layouts = {x: str(getattr(atom, f"tv_layout_{x}")) for x in "abc"}
            return {"status": "ok", "kind": "mma", "layouts": layouts | {"thr": str(atom.thr_layout)}}
        except Exception as error:
            return {"status": "rejected", "message": _first(error)}


def _first(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return next((line for line in lines if "error:" in line), lines[0] if lines else type(error).__name__)[:300]


def _serve(texts: list[str], start: int, out: int, log: Any) -> None:
    """In the fork: answer from `start` on. The alarm's default action ends a process that hangs."""
    os.dup2(log.fileno(), 2)
    for text in texts[start:]:
        os.ftruncate(2, 0)
        signal.alarm(SECONDS)
        line = json.dumps(answer(text)) + "\n"
        signal.alarm(0)
        os.write(out, line.encode())


def _crash(status: int, log: Any) -> dict[str, Any]:
    log.seek(0)
    said = [line.strip() for line in log.read().decode(errors="replace").splitlines()]
    message = next((line for line in said if "Assertion" in line or "ERROR" in line), "")
    number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    name = signal.Signals(number).name if number else f"exit code {os.waitstatus_to_exitcode(status)}"
    return {"status": "crashed", "signal": name, "message": message[-300:]}


def main() -> None:
    """Answer every text of standard input's list, whatever happens to the forks."""
    import flydsl._mlir.dialects.fly
    import flydsl._mlir.dialects.fly_rocdl
    import flydsl._mlir.ir  # noqa: F401

    texts: list[str] = json.load(sys.stdin)
    done = 0
    while done < len(texts):
        read, write = os.pipe()
        with tempfile.TemporaryFile() as log:
            child = os.fork()
            if child == 0:
                os.close(read)
                try:
                    _serve(texts, done, write, log)
                finally:
                    os._exit(0)
            os.close(write)
            with os.fdopen(read) as lines:
                for line in lines:
                    sys.stdout.write(line)
                    sys.stdout.flush()
                    done += 1
            _, status = os.waitpid(child, 0)
            if done < len(texts):
                print(json.dumps(_crash(status, log)), flush=True)
                done += 1


if __name__ == "__main__":
    main()
