"""How many shuffles a conversion inside the subgroup takes: edges of a bipartite graph, coloured.

In one round every lane offers one register and takes one. Elements that change lanes are edges from lane to lane;
by König's theorem as many rounds suffice as the busiest lane sends or takes (the lower bound).
"""

from __future__ import annotations

from collections import Counter
from math import lcm
from typing import NamedTuple

from .conversion import LIMIT, Side, held

Edge = tuple[int, int]


class Rounds(NamedTuple):
    """Rounds of the schedule found, and the number that none can beat."""

    rounds: int
    lower_bound: int


def rounds(source: Side, target: Side, subgroup: int) -> Rounds | None:
    """The most rounds any subgroup takes; None where there are too many points.

    With replicas an element comes from the least busy holder, and one offer that serves several lanes counts once
    in the lower bound only.
    """
    threads = lcm(source.period, target.period)
    if threads * max(source.values, target.values) > LIMIT:
        return None
    before, after = held(source, threads), held(target, threads)
    worst = Rounds(0, 0)
    for start in range(0, threads, subgroup):
        lanes = range(start, min(start + subgroup, threads))
        edges, bound = _edges(before, after, lanes)
        worst = Rounds(max(worst.rounds, len(colour(edges))), max(worst.lower_bound, bound))
    return worst


def _edges(before: list[list[int]], after: list[list[int]], lanes: range) -> tuple[list[Edge], int]:
    holders: dict[int, list[int]] = {}
    for t in lanes:
        for e in set(before[t]):
            holders.setdefault(e, []).append(t)
    sent: Counter[int] = Counter()
    only: dict[int, set[int]] = {}  # what a lane alone holds, and others need
    edges, most = [], 0
    for t in lanes:
        wanted = set(after[t]) - set(before[t])
        most = max(most, len(wanted))
        for e in wanted:
            source = min(holders[e], key=lambda s: sent[s])
            sent[source] += 1
            edges.append((source, t))
            if len(holders[e]) == 1:
                only.setdefault(source, set()).add(e)
    return edges, max([most, *map(len, only.values())])


def colour(edges: list[Edge]) -> list[list[Edge]]:
    """The edges in as few rounds as the largest degree: perfect matchings of the graph made regular."""
    import networkx as nx

    count = Counter(edges)
    out, into = Counter(s for s, _ in edges), Counter(t for _, t in edges)
    degree = max([0, *out.values(), *into.values()])
    lanes = sorted({lane for edge in edges for lane in edge})
    padding = _padding(lanes, degree, out, into)
    found = []
    for _ in range(degree):
        graph = nx.Graph()
        graph.add_edges_from((("out", s), ("in", t)) for s, t in (+count + +padding))
        matching = nx.bipartite.hopcroft_karp_matching(graph, [("out", lane) for lane in lanes])
        pairs = [(lane, matching["out", lane][1]) for lane in lanes]
        real = [pair for pair in pairs if count[pair] > 0]
        count.subtract(real)
        padding.subtract(pair for pair in pairs if pair not in real)
        found.append(real)
    return found


def _padding(lanes: list[int], degree: int, out: Counter[int], into: Counter[int]) -> Counter[Edge]:
    """Edges that bring every lane to the same degree on both sides."""
    left = [lane for lane in lanes for _ in range(degree - out[lane])]
    right = [lane for lane in lanes for _ in range(degree - into[lane])]
    return Counter(zip(left, right, strict=True))
