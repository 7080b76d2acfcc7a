"""Running a BitModel: many runs at once, one per bit of a Python integer for each literal. `confirm` judges a counterexample.

What words do is `model/simulate.py`; the two agree, and a test says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fsoft.circuit.bits import BitModel, BitStimulus
from fsoft.circuit.bits.aig import Aig


class Simulator:
    """Values of the cone of some literals. A value is an integer whose bit `j` belongs to run `j`; `mask` has a one per run."""

    def __init__(self, aig: Aig, wanted: Iterable[int], runs: int = 64) -> None:
        self.mask = (1 << runs) - 1
        self._values = [0] * len(aig)
        left, right = aig.left, aig.right
        self._gates = [(v, left[v] >> 1, left[v] & 1, right[v] >> 1, right[v] & 1) for v in aig.cone(wanted) if left[v] >= 0]

    @property
    def gates(self) -> int:
        """How many gates `run` computes."""
        return len(self._gates)

    def set(self, literal: int, value: int) -> None:
        """The value of an input or latch (a positive literal)."""
        self._values[literal >> 1] = value

    def run(self) -> None:
        """Computes all gates from the values that were set."""
        values, mask = self._values, self.mask
        for v, a, a_sign, b, b_sign in self._gates:
            x = mask ^ values[a] if a_sign else values[a]
            values[v] = x & (mask ^ values[b]) if b_sign else x & values[b]

    def get(self, literal: int) -> int:
        value = self._values[literal >> 1]
        return value ^ self.mask if literal & 1 else value


def run_bits(bits: BitModel, stimulus: BitStimulus, watch: Iterable[int]) -> list[list[int]]:
    """The values of the watched literals at each step of one run."""
    watch = list(watch)
    simulator = Simulator(bits.aig, [*watch, *bits.next], 1)
    state = list(stimulus.initial)
    rows = []
    for given in stimulus.inputs:
        for literal, value in zip(bits.inputs, given):
            simulator.set(literal, value)
        for literal, value in zip(bits.latches, state):
            simulator.set(literal, value)
        simulator.run()
        rows.append([simulator.get(literal) for literal in watch])
        state = [simulator.get(literal) for literal in bits.next]
    return rows


def confirm(bits: BitModel, stimulus: BitStimulus, target: int) -> str | None:
    """None if the run starts in an initial state, keeps every constraint and ends where `target` holds; else what is wrong."""
    found = first_met(bits, stimulus, [target])
    return found if isinstance(found, str) else None


def first_met(bits: BitModel, stimulus: BitStimulus, targets: Sequence[int]) -> int | str:
    """Which of the targets is the first that holds at the end of a run that starts in an initial state and keeps every constraint; or what
    is wrong."""
    if len(stimulus.initial) != len(bits.latches) or any(len(step) != len(bits.inputs) for step in stimulus.inputs):
        return "it has the wrong number of latches or inputs"
    if any(r is not None and r != v for r, v in zip(bits.reset, stimulus.initial)):
        return "it does not start in an initial state"
    if not stimulus.inputs:
        return "it has no steps"
    rows, count = run_bits(bits, stimulus, [*targets, *bits.constraints.values()]), len(targets)
    for number, row in enumerate(rows):
        if not all(row[count:]):
            return f"a constraint fails at step {number}"
    return next((k for k in range(count) if rows[-1][k]), "the bad does not hold at its end")
