"""Results of single questions as a report: the same JSON envelope as `verify`, or lines of text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from ..result import Result
from .json import VERSION


def render_json(results: Sequence[Result]) -> str:
    """{"version": 1, "results": [...], "diagnostics": [], "counts": {verdict: number}}."""
    import json

    rows = [msgspec.structs.asdict(result) for result in results]
    counts = dict(sorted(Counter(result.verdict for result in results).items()))
    return json.dumps({"version": VERSION, "results": rows, "diagnostics": [], "counts": counts}, indent=2)
