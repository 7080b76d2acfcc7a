"""Random simulation: many runs at once on the AIG, one per bit of an integer. Finds bugs that are easy to meet, at next to no cost, and
proves nothing. The same model gives the same runs."""

from __future__ import annotations

import random
from dataclasses import dataclass

from fsoft.checkers.registry import ModelEngine
from fsoft.checkers.safety import Goal, Open, Reached, SafetyEngine, TargetOutcome
from fsoft.circuit.bits import BitModel, BitStimulus
from fsoft.circuit.bits.simulate import Simulator
from fsoft.option import option

_RUNS = 256
_LENGTHS = (100, 400, 1600)  # of the runs of the batches of a round
_OVERHEAD = 500  # what a step costs apart from its gates, in gates
QUICK = 8_000_000
"""Gates to compute, for an engine that only wants to know whether there is something easy."""


@dataclass(slots=True)
class Simulation(SafetyEngine):
    """See the options."""

    work: int = option(20 * QUICK, f"gates to compute, for all runs together ({20 * QUICK})", metavar="N", least=1)

    def solve(self, goal: Goal) -> TargetOutcome:
        run = random_run(goal, self.work, rounds=1000)
        return Open("random runs meet no violation") if run is None else Reached(run)


def random_run(goal: Goal, work: int = QUICK, rounds: int = 1) -> BitStimulus | None:
    """A run that ends where a target holds, if random ones meet any: `rounds` times short, longer and long ones, as far as `work` goes.
    May raise SolverTimeout."""
    bits = goal.bits
    rng = random.Random(len(bits.latches))
    simulator = Simulator(bits.aig, [*bits.next, *goal.targets.values(), *bits.constraints.values()], _RUNS)
    cost = simulator.gates + len(bits.latches) + len(bits.inputs) + _OVERHEAD
    for length in _LENGTHS * rounds:
        steps = min(length, work // cost)
        if steps < 1:
            return None
        found = _batch(bits, goal, simulator, rng, steps)
        if found is not None:
            return found
        work -= steps * cost
    return None


def _batch(bits: BitModel, goal: Goal, simulator: Simulator, rng: random.Random, steps: int) -> BitStimulus | None:
    """A run waits where the inputs that it got break a constraint, until it gets others."""
    start = state = [rng.getrandbits(_RUNS) if reset is None else simulator.mask * reset for reset in bits.reset]
    constraints, mask = list(bits.constraints.values()), simulator.mask
    given: list[list[int]] = []
    legal: list[int] = []
    for step in range(steps):
        if step & 15 == 0:
            goal.tick()
        given.append([rng.getrandbits(_RUNS) for _ in bits.inputs])
        for literal, value in zip(bits.inputs, given[-1]):
            simulator.set(literal, value)
        for literal, value in zip(bits.latches, state):
            simulator.set(literal, value)
        simulator.run()
        goes_on = mask
        for literal in constraints:
            goes_on &= simulator.get(literal)
        legal.append(goes_on)
        for target in goal.targets.values():
            met = simulator.get(target) & goes_on
            if met:
                return _one(start, given, legal, (met & -met).bit_length() - 1)
        following = [simulator.get(literal) for literal in bits.next]
        waits = mask ^ goes_on
        state = [new & goes_on | old & waits for new, old in zip(following, state)] if waits else following
    return None


def _one(start: list[int], given: list[list[int]], legal: list[int], run: int) -> BitStimulus:
    """The run of that number, without the steps in which it waited."""
    steps = [row for row, goes_on in zip(given, legal) if goes_on >> run & 1]
    return BitStimulus(tuple(x >> run & 1 for x in start), tuple(tuple(x >> run & 1 for x in row) for row in steps))


ENGINE = ModelEngine(
    name="simulation",
    summary="random runs, many at once; finds what is easy to meet and proves nothing",
    proves=False,
    refutes=True,
    maker=Simulation,
)
