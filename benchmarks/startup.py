"""Start-up and throughput of `verify`, as ratios to `python -c pass` measured in the same run.

Run: python benchmarks/startup.py [--smoke]. Medians of interleaved runs; nothing is asserted.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

ATOM = """layoutcheck: 1
atoms:
- name: mfma.{i}
  kind: mma
{arch}  mnk: [16, 16, {k}]
  thr: "64:1"
  a: "((16,4),{v}):((1,{s}),16)"
  b: "((16,4),{v}):((1,{s}),16)"
  c: "((16,4),4):((16,4),1)"
  elements: {{a: f16, b: f16, c: f32}}
"""

# As for a user: with the byte code that an installation has.
ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}


def atoms(folder: Path, count: int, distinct: int, arch: str = "") -> Path:
    """`count` files of one atom each, over `distinct` different layouts; the first is gfx942's 16x16x16."""
    folder.mkdir()
    for i in range(count):
        v = 1 + (i + 3) % distinct
        text = ATOM.format(i=i, k=4 * v, v=v, s=16 * v, arch=f"  arch: {arch}\n" if arch else "")
        (folder / f"a{i:03}.atom.yaml").write_text(text)
    return folder


def seconds(command: list[str]) -> float:
    """Wall time of one run; a non-zero exit stops the benchmark."""
    start = perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=ENVIRONMENT)
    return perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="few runs, small folders")
    smoke = parser.parse_args().smoke
    runs, many = (3, 50) if smoke else (15, 500)
    python = [sys.executable]
    check = [sys.executable, "-m", "layoutcheck", "verify"]
    with tempfile.TemporaryDirectory() as temporary:
        here = Path(temporary)
        one = str(next(atoms(here / "one", 1, 4, "gfx942").iterdir()))
        few, lots = str(atoms(here / "few", many, 20)), str(atoms(here / "lots", many, 333))
        rows: list[tuple[str, float | None, list[str], int]] = [
            ("python -c pass", None, [*python, "-c", "pass"], runs),
            ("import click, yaml, msgspec", None, [*python, "-c", "import click, yaml, msgspec"], runs),
            ("one file with its instruction, --no-certify", 7, [*check, "--no-certify", one], runs),
            ("one file with its instruction, certified", 12, [*check, one], runs),
            (f"{many} files, --no-certify", 30, [*check, "--no-certify", few], max(3, runs // 3)),
            (f"{many} files, certified, 60 distinct layouts", 60, [*check, few], max(3, runs // 3)),
            (f"{many} files, certified, ~1000 distinct layouts", 80, [*check, lots], max(3, runs // 3)),
            ("whole catalog, certified", None, [*check, "--catalog"], max(3, runs // 3)),
        ]
        times: list[list[float]] = [[] for _ in rows]
        for turn in range(runs):  # interleaved, so that a slow moment hits every row
            for row, (_, _, command, wanted) in enumerate(rows):
                if turn < wanted:
                    times[row].append(seconds(command))
    base = median(times[0])
    print(f"| what | ratio to `python -c pass` ({base * 1e3:.1f} ms) | budget |")
    print("|---|---|---|")
    for (name, budget, _, _), measured in zip(rows, times, strict=True):
        print(f"| {name} | {median(measured) / base:.1f} | {f'<= {budget:g}' if budget else ''} |")


if __name__ == "__main__":
    main()
