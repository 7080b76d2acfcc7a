"""Reductions of a BitModel before an engine sees it: constant latches, equal latches, cone of influence; with the way home.

Constants come from ternary simulation from the initial states until nothing changes; equal latches are those with the
same reset whose next functions are the same literal once equal latches are merged (repeated until nothing changes). Both kinds of fact
are inductive, so a certificate of the reduced model, joined by their clauses, is one of the original.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from fsoft.circuit.bits import BitModel, BitStimulus, bit_names
from fsoft.circuit.bits.aig import Aig
from fsoft.circuit.bits.simulate import Simulator
from fsoft.circuit.bits.transform import Translation, translate
from fsoft.circuit.bits.unroll import influence
from fsoft.circuit.model.verdict import Certificate

_X = 2
_WORK = 400_000  # gates that the search for equal latches may build
_STEPS, _RUNS = 24, 128  # of the random simulation that tells latches apart


@dataclass(slots=True)
class SweptModel:
    """The reduced model with its targets. `kept` are the original indices of its latches and `inputs` of its inputs; `constant` and
    `equal` (latch to an earlier latch and whether it is its negation) are what was found."""

    original: BitModel
    bits: BitModel
    targets: dict[str, int]
    kept: list[int]
    inputs: list[int]
    constant: dict[int, int]
    equal: dict[int, tuple[int, int]]

    def lift_run(self, run: BitStimulus) -> BitStimulus:
        """A run of the reduced model as one of the original; what was dropped starts at its reset (else 0) and gets 0 as input."""
        initial = [reset or 0 for reset in self.original.reset]
        for index, value in zip(self.kept, run.initial):
            initial[index] = value
        for index, (other, sign) in self.equal.items():
            initial[index] = initial[other] ^ sign
        steps = []
        for given in run.inputs:
            step = [0] * len(self.original.inputs)
            for index, value in zip(self.inputs, given):
                step[index] = value
            steps.append(tuple(step))
        return BitStimulus(tuple(initial), tuple(steps))

    def facts(self) -> list[tuple[int, ...]]:
        """The constants and equalities as clauses over the original latches."""
        clauses: list[tuple[int, ...]] = [(2 * latch + (1 - value),) for latch, value in self.constant.items()]
        for latch, (other, sign) in self.equal.items():
            clauses += [(2 * latch + 1, 2 * other + sign), (2 * latch, 2 * other + (1 - sign))]
        return clauses

    def lift_certificate(self, certificate: Certificate) -> Certificate:
        """The certificate over the original latches."""
        kept = self.kept
        clauses = [tuple(2 * kept[x >> 1] | x & 1 for x in clause) for clause in certificate.clauses]
        few, many = len(kept), len(self.original.latches)

        def move(literal: int) -> int:
            v = literal >> 1
            if v == 0:
                return literal
            return 2 * (kept[v - 1] + 1 if v <= few else v - few + many) | literal & 1

        circuit = tuple((move(x), move(y)) for x, y in certificate.circuit)
        outputs = tuple(move(x) for x in certificate.outputs)
        over = None if certificate.over is None else tuple(kept[i] for i in certificate.over)
        return replace(certificate, clauses=tuple(clauses + self.facts()), circuit=circuit, outputs=outputs, over=over, split=())


def sweep(bits: BitModel, targets: dict[str, int]) -> SweptModel:
    """The model reduced to what decides whether a target is reachable. Justice and fairness are dropped."""
    needed = influence(bits, [*targets.values(), *bits.constraints.values()])
    constant = _constants(bits, needed)
    first = _rebuild(bits, targets, needed, constant, {})
    equal = _equalities(first.bits)
    if not equal:
        return first
    kept = first.kept
    merged = {kept[i]: (kept[other], sign) for i, (other, sign) in equal.items()}
    return _rebuild(bits, targets, needed, constant, merged)


def _constants(bits: BitModel, needed: list[int]) -> dict[int, int]:
    """Latches that keep their reset in every reachable state, by ternary simulation. Values only ever become unknown, so that each
    gate is computed anew at most once per operand."""
    aig = bits.aig
    left, right = aig.left, aig.right
    value = [_X] * len(aig)
    value[0] = 0
    for i in needed:
        reset = bits.reset[i]
        value[bits.latches[i] >> 1] = _X if reset is None else reset
    users: dict[int, list[int]] = {}
    for v in aig.cone([bits.next[i] for i in needed]):
        if left[v] >= 0:
            value[v] = _ternary(value, left[v], right[v])
            if value[v] != _X:
                for operand in (left[v] >> 1, right[v] >> 1):
                    users.setdefault(operand, []).append(v)
    feeds: dict[int, list[int]] = {}
    for i in needed:
        feeds.setdefault(bits.next[i] >> 1, []).append(i)
    check = list(needed)
    while check:
        lost = []
        for i in check:
            own, after = bits.latches[i] >> 1, bits.next[i]
            following = value[after >> 1]
            if value[own] != _X and (following == _X or following ^ (after & 1) != value[own]):
                value[own] = _X
                lost.append(own)
        check = []
        while lost:
            v = lost.pop()
            check += feeds.get(v, ())
            for gate in users.get(v, ()):
                if value[gate] != _X and _ternary(value, left[gate], right[gate]) == _X:
                    value[gate] = _X
                    lost.append(gate)
    return {i: value[bits.latches[i] >> 1] for i in needed if value[bits.latches[i] >> 1] != _X}


def _ternary(value: list[int], a: int, b: int) -> int:
    """The conjunction of two literals over 0, 1 and unknown."""
    x, y = value[a >> 1], value[b >> 1]
    if x != _X:
        x ^= a & 1
    if y != _X:
        y ^= b & 1
    if x == 0 or y == 0:
        return 0
    return _X if x == _X or y == _X else 1


def _equalities(bits: BitModel) -> dict[int, tuple[int, int]]:
    """Latches that always equal an earlier one (or its negation), by refining classes: start with those that random
    runs do not tell apart, split those whose next functions differ in the merged graph."""
    if 2 * len(bits.aig) > _WORK:
        return {}
    classes = _alike(bits, [i for i, reset in enumerate(bits.reset) if reset is not None])
    work = _WORK
    while True:
        members: dict[int, list[int]] = {}
        for i, group in classes.items():
            members.setdefault(group, []).append(i)
        classes = {i: group for i, group in classes.items() if len(members[group]) > 1}
        wanted = [bits.next[i] for i in classes]
        work -= len(bits.aig)
        if not classes or work < 0:
            return {}
        aig, table = Aig(), {0: 0}
        for literal in bits.inputs:
            table[literal >> 1] = aig.input()
        heads: dict[int, int] = {}
        for i, literal in enumerate(bits.latches):
            if i not in classes:
                table[literal >> 1] = aig.input()
                continue
            head = heads.get(classes[i])
            if head is None:
                head = heads[classes[i]] = aig.input()
            table[literal >> 1] = head ^ (bits.reset[i] or 0)
        at = translate(bits.aig, wanted, aig, table)
        fresh: dict[tuple[int, int], int] = {}
        refined = {i: fresh.setdefault((group, at(bits.next[i]) ^ (bits.reset[i] or 0)), len(fresh)) for i, group in classes.items()}
        if len(fresh) == len(heads):
            return _representatives(bits, refined)
        classes = refined


def _alike(bits: BitModel, latches: list[int]) -> dict[int, int]:
    """Latch to class; latches of one class had the same values (a latch that starts at 1 counts inverted) in some random runs."""
    rng = random.Random(1)
    simulator = Simulator(bits.aig, bits.next, _RUNS)
    state = [rng.getrandbits(_RUNS) if reset is None else -reset & simulator.mask for reset in bits.reset]
    history: dict[int, list[int]] = {i: [] for i in latches}
    for _ in range(_STEPS):
        for literal, value in zip(bits.latches, state):
            simulator.set(literal, value)
        for literal in bits.inputs:
            simulator.set(literal, rng.getrandbits(_RUNS))
        simulator.run()
        state = [simulator.get(literal) for literal in bits.next]
        for i in latches:
            history[i].append(state[i] ^ (simulator.mask if bits.reset[i] else 0))
    number: dict[tuple[int, ...], int] = {}
    return {i: number.setdefault(tuple(history[i]), len(number)) for i in latches}


def _representatives(bits: BitModel, classes: dict[int, int]) -> dict[int, tuple[int, int]]:
    first: dict[int, int] = {}
    equal = {}
    for i, group in classes.items():
        head = first.setdefault(group, i)
        if head != i:
            equal[i] = (head, (bits.reset[i] or 0) ^ (bits.reset[head] or 0))
    return equal


def _rebuild(
    bits: BitModel, targets: dict[str, int], needed: list[int], constant: dict[int, int], equal: dict[int, tuple[int, int]]
) -> SweptModel:
    """The reduced model, its cone taken again after merging."""
    aig, table = Aig(), {0: 0}
    inputs = {i: aig.input() for i in range(len(bits.inputs))}
    for i, new in inputs.items():
        table[bits.inputs[i] >> 1] = new
    state = {i: aig.input() for i in needed if i not in constant and i not in equal}
    for i, new in state.items():
        table[bits.latches[i] >> 1] = new
    for i, value in constant.items():
        table[bits.latches[i] >> 1] = value
    for i, (other, sign) in equal.items():
        table[bits.latches[i] >> 1] = state[other] ^ sign
    wanted = [*targets.values(), *bits.constraints.values(), *[bits.next[i] for i in state]]
    at = translate(bits.aig, wanted, aig, table)
    full = BitModel(aig, list(inputs.values()), list(state.values()), [at(bits.next[i]) for i in state], [bits.reset[i] for i in state])
    full.constraints = {name: at(x) for name, x in bits.constraints.items() if at(x) != 1}
    goals = {name: at(x) for name, x in targets.items()}
    return _shrink(bits, full, goals, list(inputs), list(state), constant, equal)


def _shrink(
    bits: BitModel,
    full: BitModel,
    goals: dict[str, int],
    inputs: list[int],
    states: list[int],
    constant: dict[int, int],
    equal: dict[int, tuple[int, int]],
) -> SweptModel:
    """Cone of influence of the merged model, into a graph of its own."""
    wanted = [*goals.values(), *full.constraints.values()]
    alive = influence(full, wanted)
    every = wanted + [full.next[i] for i in alive]
    cone = set(full.aig.cone(every))
    small = BitModel()
    table = {0: 0}
    input_names, latch_names = bit_names(bits.input_words), bit_names(bits.latch_words)
    kept_inputs = [i for i in inputs if full.inputs[i] >> 1 in cone]
    for i in kept_inputs:
        (table[full.inputs[i] >> 1],) = small.add_input(input_names[i])
    for i in alive:
        (table[full.latches[i] >> 1],) = small.add_latch(latch_names[states[i]], [full.reset[i]])
    at: Translation = translate(full.aig, every, small.aig, table)
    small.next = [at(full.next[i]) for i in alive]
    small.constraints = {name: at(x) for name, x in full.constraints.items()}
    targets = {name: at(x) for name, x in goals.items()}
    small.bad = dict(targets)
    return SweptModel(bits, small, targets, [states[i] for i in alive], kept_inputs, constant, equal)
