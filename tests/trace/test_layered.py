"""Drawings in layers: nothing overlaps, edges lead from node to node, cycles and loops are drawn, too."""

from __future__ import annotations

import random
from itertools import combinations, pairwise

from fsoft.trace.layered import Drawing, draw


def apart(drawing: Drawing, sizes: list[tuple[float, float]]) -> bool:
    for a, b in combinations(range(len(sizes)), 2):
        (xa, ya), (xb, yb) = drawing.centres[a], drawing.centres[b]
        wide = abs(xa - xb) >= (sizes[a][0] + sizes[b][0]) / 2 - 0.01
        high = abs(ya - yb) >= (sizes[a][1] + sizes[b][1]) / 2 - 0.01
        if not (wide or high):
            return False
    return True


def test_a_chain_goes_down() -> None:
    drawing = draw([(20.0, 20.0)] * 4, [(0, 1), (1, 2), (2, 3)])
    assert all(x == drawing.centres[0][0] for x, _ in drawing.centres)
    assert all(a[1] < b[1] for a, b in pairwise(drawing.centres))
    assert drawing.backward == [False] * 3


def test_cycles_and_loops_at_a_node() -> None:
    drawing = draw([(20.0, 20.0)] * 3, [(0, 1), (1, 2), (2, 0), (1, 1)])
    assert drawing.backward[2] and not drawing.backward[0]
    assert drawing.bends[2][0] == drawing.centres[2] and drawing.bends[2][-1] == drawing.centres[0]


def test_random_graphs_have_no_overlaps_and_fit_their_frame() -> None:
    chance = random.Random(5)
    for _ in range(40):
        count = chance.randrange(1, 25)
        sizes = [(chance.uniform(5, 120), chance.uniform(5, 50)) for _ in range(count)]
        edges = [(chance.randrange(count), chance.randrange(count)) for _ in range(chance.randrange(2 * count))]
        drawing = draw(sizes, edges)
        assert apart(drawing, sizes)
        for (x, y), (w, h) in zip(drawing.centres, sizes):
            assert x - w / 2 >= -0.01 and x + w / 2 <= drawing.width + 0.01 and y - h / 2 >= -0.01 and y + h / 2 <= drawing.height + 0.01
        for (a, b), way in zip(edges, drawing.bends):
            assert way[0] == drawing.centres[a] and way[-1] == drawing.centres[b]


def test_nothing_at_all() -> None:
    assert draw([], []).width == 0
