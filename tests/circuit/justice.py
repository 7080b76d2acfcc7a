"""A reading of AIGER 1.9 files with justice and fairness that shares nothing with fsoft: parse the ASCII text, enumerate the
states, look for a fair loop. `python -m tests.circuit.justice FILE.aag` prints whether there is one."""

from __future__ import annotations

import sys
from dataclasses import dataclass


@dataclass
class File:
    inputs: list[int]
    latches: list[tuple[int, int, int]]  # literal, next, reset (the literal itself: any)
    bads: list[int]
    constraints: list[int]
    justice: list[list[int]]
    fairness: list[int]
    gates: list[tuple[int, int, int]]


def read(text: str) -> File:
    lines = text.splitlines()
    head = [int(word) for word in lines[0].split()[1:]]
    _, i, l, o, a, b, c, j, f = head + [0] * (9 - len(head))
    rows = iter([int(word) for word in line.split()] for line in lines[1:])
    inputs = [next(rows)[0] for _ in range(i)]
    latches = []
    for _ in range(l):
        row = next(rows)
        latches.append((row[0], row[1], row[2] if len(row) > 2 else 0))
    for _ in range(o):
        next(rows)
    bads, constraints = [next(rows)[0] for _ in range(b)], [next(rows)[0] for _ in range(c)]
    sizes = [next(rows)[0] for _ in range(j)]
    justice = [[next(rows)[0] for _ in range(size)] for size in sizes]
    fairness = [next(rows)[0] for _ in range(f)]
    gates = [(row[0], row[1], row[2]) for row in (next(rows) for _ in range(a))]
    return File(inputs, latches, bads, constraints, justice, fairness, gates)


class Runs:
    """All inputs at once: a value is a mask with one bit per combination of inputs."""

    def __init__(self, file: File):
        self.file = file
        count = 1 << len(file.inputs)
        self.all = (1 << count) - 1
        self.columns = [sum(1 << k for k in range(count) if k >> n & 1) for n in range(len(file.inputs))]
        self.gates = sorted(file.gates)

    def step(self, state: tuple[int, ...]) -> tuple[list[int], dict[int, int]]:
        """The masks of the next latches, and those of the other literals that matter."""
        value = {0: 0}
        value.update((literal >> 1, column) for literal, column in zip(self.file.inputs, self.columns))
        value.update((row[0] >> 1, self.all if bit else 0) for row, bit in zip(self.file.latches, state))

        def at(literal: int) -> int:
            return value[literal >> 1] ^ (self.all if literal & 1 else 0)

        for literal, left, right in self.gates:
            value[literal >> 1] = at(left) & at(right)
        wanted = [*self.file.bads, *self.file.constraints, *self.file.justice[0], *self.file.fairness]
        return [at(row[1]) for row in self.file.latches], {literal: at(literal) for literal in wanted}


def initial_states(file: File) -> list[tuple[int, ...]]:
    states: list[tuple[int, ...]] = [()]
    for literal, _, reset in file.latches:
        states = [(*s, bit) for s in states for bit in ((0, 1) if reset == literal else (reset,))]
    return states


def has_fair_run(file: File) -> tuple[bool, bool]:
    """(whether a run meets all sets of the first justice property and all fairness for ever, whether some bad can hold)."""
    runs, sets = Runs(file), [*file.justice[0], *file.fairness]
    wanted = (1 << len(sets)) - 1
    work = initial_states(file)
    number = {state: k for k, state in enumerate(work)}
    edges: list[set[tuple[int, int]]] = []
    bad = False
    for state in work:  # grows
        after, masks = runs.step(state)
        legal = runs.all
        for literal in file.constraints:
            legal &= masks[literal]
        bad = bad or any(masks[literal] & legal for literal in file.bads)
        found = set()
        for k in range(1 << len(file.inputs)):
            if legal >> k & 1:
                target = tuple(mask >> k & 1 for mask in after)
                if target not in number:
                    number[target] = len(work)
                    work.append(target)
                met = sum((masks[literal] >> k & 1) << n for n, literal in enumerate(sets))
                found.add((number[target], met))
        edges.append(found)
    return _fair_loop(edges, wanted), bad


def _fair_loop(edges: list[set[tuple[int, int]]], wanted: int) -> bool:
    """Throw away states until those are left that lie on fair loops (or lead to one): nothing clever."""
    alive = set(range(len(edges)))
    while alive:
        before = len(alive)
        for bit in range(max(1, wanted.bit_length())):
            good = {s for s in alive if any(t in alive and (met >> bit & 1 or not wanted) for t, met in edges[s])}
            while True:
                wider = good | {s for s in alive if any(t in good for t, _ in edges[s])}
                if wider == good:
                    break
                good = wider
            alive = good
        if len(alive) == before:
            return bool(alive)
    return False


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as handle:
        fair, reached = has_fair_run(read(handle.read()))
    print(f"fair run: {fair}, bad: {reached}")
