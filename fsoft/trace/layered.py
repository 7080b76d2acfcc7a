"""Drawing a graph in layers, from top to bottom (Sugiyama, Tagawa and Toda, "Methods for visual understanding of hierarchical system
structures", IEEE Trans. SMC 1981).

Edges that close a cycle are turned round, every node gets the layer of the longest way to it, long edges get a bend in each layer that
they cross, each layer is ordered by the middle of its neighbours, and nodes move towards their neighbours as far as their layer allows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

_SWEEPS = 12
_GAP = 18.0  # between the nodes of a layer
_RISE = 26.0  # between layers


@dataclass(slots=True)
class Drawing:
    """Centres of the nodes, and for each edge the points that it goes through, from its source to its target."""

    centres: list[tuple[float, float]]
    bends: list[list[tuple[float, float]]]
    backward: list[bool]
    width: float
    height: float


@dataclass(slots=True)
class _Graph:
    """The graph without cycles, bends included. `above` and `below` are the neighbours in the layers next to a node's."""

    sizes: list[tuple[float, float]]
    layer: list[int]
    above: list[list[int]] = field(default_factory=list)
    below: list[list[int]] = field(default_factory=list)
    rows: list[list[int]] = field(default_factory=list)


def draw(sizes: Sequence[tuple[float, float]], edges: Sequence[tuple[int, int]], start: int = 0) -> Drawing:
    """Lay out nodes of the given widths and heights; `start` comes first."""
    backward = _cycles(len(sizes), edges, start)
    forward = [(b, a) if back else (a, b) for (a, b), back in zip(edges, backward)]
    graph, chains = _layered(list(sizes), forward)
    _order(graph)
    xs = _across(graph)
    ys, height = _down(graph)
    points = [[(xs[n], ys[graph.layer[n]]) for n in chain] for chain in chains]
    low = min((x - w / 2 for x, (w, _) in zip(xs, graph.sizes)), default=0.0)
    high = max((x + w / 2 for x, (w, _) in zip(xs, graph.sizes)), default=0.0)
    centres = [(xs[n] - low, ys[graph.layer[n]]) for n in range(len(sizes))]
    bends = [[(x - low, y) for x, y in (reversed(way) if back else way)] for way, back in zip(points, backward)]
    return Drawing(centres, bends, backward, high - low, height)


def _cycles(count: int, edges: Sequence[tuple[int, int]], start: int) -> list[bool]:
    """Which edges lead back to a node that a depth-first walk has not left yet."""
    out: list[list[int]] = [[] for _ in range(count)]
    for number, (a, _) in enumerate(edges):
        out[a].append(number)
    state, backward = [0] * count, [False] * len(edges)
    for root in [start, *range(count)]:
        if root >= count or state[root]:
            continue
        state[root] = 1
        stack = [(root, iter(out[root]))]
        while stack:
            node, rest = stack[-1]
            following = next(rest, None)
            if following is None:
                state[node] = 2
                stack.pop()
                continue
            target = edges[following][1]
            if state[target] == 1:
                backward[following] = True
            elif state[target] == 0:
                state[target] = 1
                stack.append((target, iter(out[target])))
    return backward


def _layered(sizes: list[tuple[float, float]], edges: Sequence[tuple[int, int]]) -> tuple[_Graph, list[list[int]]]:
    """The graph with bends, and the nodes that each edge goes through. A loop at a node has no way to go."""
    count = len(sizes)
    proper = [(a, b) for a, b in edges if a != b]
    incoming = [0] * count
    out: list[list[int]] = [[] for _ in range(count)]
    for a, b in proper:
        incoming[b] += 1
        out[a].append(b)
    layer, ready = [0] * count, [n for n in range(count) if not incoming[n]]
    while ready:
        node = ready.pop()
        for target in out[node]:
            layer[target] = max(layer[target], layer[node] + 1)
            incoming[target] -= 1
            if not incoming[target]:
                ready.append(target)
    graph, chains = _Graph(sizes, layer), list[list[int]]()
    for a, b in edges:
        chain = [a]
        for between in range(layer[a] + 1, layer[b]):
            chain.append(len(graph.sizes))
            graph.sizes.append((1.0, 1.0))
            graph.layer.append(between)
        chains.append([*chain, b])
    graph.above, graph.below = [[] for _ in graph.sizes], [[] for _ in graph.sizes]
    for chain in chains:
        for upper, lower in pairwise(chain):
            if upper != lower:
                graph.below[upper].append(lower)
                graph.above[lower].append(upper)
    graph.rows = [[] for _ in range(max(graph.layer, default=0) + 1)]
    for node, number in enumerate(graph.layer):
        graph.rows[number].append(node)
    return graph, chains


def _order(graph: _Graph) -> None:
    """Fewer crossings: each layer by the mean position of the neighbours above, then below, and again."""
    place = {node: k for row in graph.rows for k, node in enumerate(row)}
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        neighbours = graph.above if down else graph.below
        for row in graph.rows if down else reversed(graph.rows):
            key = {node: _mean([place[other] for other in neighbours[node]], place[node]) for node in row}
            row.sort(key=lambda node: key[node])
            place.update({node: k for k, node in enumerate(row)})


def _mean(values: Sequence[float], default: float) -> float:
    return sum(values) / len(values) if values else default


def _across(graph: _Graph) -> list[float]:
    """Horizontal centres: side by side at first, then towards the neighbours."""
    xs = [0.0] * len(graph.sizes)
    for row in graph.rows:
        _spread(graph, row, xs, [0.0] * len(row))
    for sweep in range(_SWEEPS):
        neighbours = graph.above if sweep % 2 == 0 else graph.below
        for row in graph.rows if sweep % 2 == 0 else reversed(graph.rows):
            _spread(graph, row, xs, [_mean([xs[other] for other in neighbours[node]], xs[node]) for node in row])
    return xs


def _spread(graph: _Graph, row: Sequence[int], xs: list[float], wanted: Sequence[float]) -> None:
    """Put the nodes of a row near where they are wanted, in order and apart: halfway between pushing right and pushing left."""
    right, left = list(wanted), list(wanted)
    for k in range(1, len(row)):
        right[k] = max(right[k], right[k - 1] + _apart(graph, row[k - 1], row[k]))
    for k in range(len(row) - 2, -1, -1):
        left[k] = min(left[k], left[k + 1] - _apart(graph, row[k], row[k + 1]))
    for node, a, b in zip(row, right, left):
        xs[node] = (a + b) / 2


def _apart(graph: _Graph, a: int, b: int) -> float:
    return (graph.sizes[a][0] + graph.sizes[b][0]) / 2 + _GAP


def _down(graph: _Graph) -> tuple[list[float], float]:
    """Vertical centres of the layers, and the height of all."""
    ys, top = [], 0.0
    for row in graph.rows:
        height = max((graph.sizes[node][1] for node in row), default=0.0)
        ys.append(top + height / 2)
        top += height + _RISE
    return ys, max(0.0, top - _RISE)


__all__ = ["Drawing", "draw"]
