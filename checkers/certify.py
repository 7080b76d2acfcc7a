"""The judge of TRUE: checks a certificate against the model with a fresh solver, sharing nothing with the engine that made it.

An invariant I must hold in every initial state, be preserved by every transition in which the constraints hold, and exclude the
targets. A proof by k-induction must have a base (no target within k - 1 steps of an initial state) and a step (k states without
target, all in I, pairwise different where it says so, lead to no target). A proof by diameter: no target within k steps, and no run of
k steps without a repeated state. Plain Tseitin clauses, no reductions.
"""

from __future__ import annotations

from dataclasses import replace

from fsoft.checkers.cases import Circuit, satisfiable
from fsoft.circuit.bits import BitModel, fingerprint
from fsoft.circuit.bits.aig import Aig
from fsoft.circuit.bits.transform import translate
from fsoft.circuit.bits.unroll import influence
from fsoft.circuit.model.verdict import Certificate, Proved
from fsoft.solve.sat import DEFAULT, Sat


class _Frames:
    """Copies of the model's gates in CNF, one per step, built gate by gate; only what the targets, the constraints and the
    certificate depend on."""

    def __init__(self, bits: BitModel, certificate: Certificate, solver: str) -> None:
        self.bits = bits
        named = {x >> 1 for clause in certificate.clauses for x in clause} | set(certificate.over or ())
        named |= {(x >> 1) - 1 for pair in (*certificate.circuit, certificate.outputs) for x in pair if 0 < x >> 1 <= len(bits.latches)}
        targets = bits.targets()
        roots = [*bits.constraints.values(), *[targets[name] for name in certificate.targets], *[bits.latches[i] for i in sorted(named)]]
        self.latches = influence(bits, roots)
        self.gates = [v for v in bits.aig.cone(roots + [bits.next[i] for i in self.latches]) if bits.aig.left[v] >= 0]
        self.sat = Sat(solver)
        self.true = self.sat.var()
        self.sat.add([self.true])
        self.rows: list[list[int]] = []

    def add(self) -> list[int]:
        """One more frame, its latches tied to the next functions of the one before; the CNF literal of every variable."""
        aig, sat, bits = self.bits.aig, self.sat, self.bits
        row = [0] * len(aig)
        row[0] = -self.true
        for literal in bits.inputs:
            row[literal >> 1] = sat.var()
        for i in self.latches:
            row[bits.latches[i] >> 1] = self.at(bits.next[i]) if self.rows else sat.var()
        for v in self.gates:
            row[v] = conjunction(sat, _at(row, aig.left[v]), _at(row, aig.right[v]))
        self.rows.append(row)
        for literal in bits.constraints.values():
            sat.add([_at(row, literal)])
        return row

    def at(self, literal: int, frame: int = -1) -> int:
        return _at(self.rows[frame], literal)


def _at(row: list[int], literal: int) -> int:
    return -row[literal >> 1] if literal & 1 else row[literal >> 1]


def conjunction(sat: Sat, x: int, y: int) -> int:
    """A variable that is x and y."""
    v = sat.var()
    sat.add([-v, x])
    sat.add([-v, y])
    sat.add([v, -x, -y])
    return v


def certify(bits: BitModel, certificate: Certificate, solver: str = DEFAULT) -> str | None:
    """None if the certificate proves that its targets are unreachable; otherwise what is wrong with it."""
    if certificate.model != fingerprint(bits):
        return "it is about another model"
    targets = bits.targets()
    if not certificate.targets or any(name not in targets for name in certificate.targets):
        return "it names no target of the model"
    wrong = _malformed(bits, certificate)
    if wrong:
        return wrong
    wanted = [targets[name] for name in certificate.targets]
    wrong = _inductive(bits, certificate, wanted, solver)
    if wrong or certificate.kind == "invariant":
        return wrong
    if certificate.over is not None and not _closed(bits, certificate, wanted):
        return "the latches of its simple paths do not determine the rest"
    if certificate.kind == "diameter":
        return _diameter(bits, certificate, wanted, solver)
    return _base(bits, certificate, wanted, solver) or _step(bits, certificate, wanted, solver)


def certify_answer(bits: BitModel, answer: Proved, bad: str | None = None, solver: str = DEFAULT) -> str | None:
    """None if each certificate is right and every bad (or the one of that name) and bound is covered by one, or by what
    the answer itself says is only trusted."""
    covered = {name for certificate in answer.certificates for name in certificate.targets}
    covered |= {name for trusted in answer.trusted for name in trusted.targets}
    missing = [name for name in bits.targets() if name not in covered and (bad is None or name == bad or name not in bits.bad)]
    if missing:
        return f"no certificate is about '{missing[0]}'"
    for certificate in answer.certificates:
        wrong = certify(bits, certificate, solver)
        if wrong:
            return wrong
    return None


def _malformed(bits: BitModel, certificate: Certificate) -> str | None:
    latches, gates = len(bits.latches), len(certificate.circuit)
    if certificate.kind not in ("invariant", "induction", "diameter") or certificate.k < 0:
        return f"unknown kind '{certificate.kind}'"
    if any(not 0 <= x >> 1 < latches for clause in certificate.clauses for x in clause):
        return "a clause names a latch that the model does not have"
    for i, pair in enumerate(certificate.circuit):
        if any(not 0 <= x >> 1 <= latches + i for x in pair):
            return "its circuit is not in order"
    if any(not 0 <= x >> 1 <= latches + gates for x in certificate.outputs):
        return "an output of its circuit does not exist"
    if any(not 0 <= x < latches for x in certificate.over or ()):
        return "it names a latch that the model does not have"
    if any(not 0 <= x < latches + len(bits.inputs) for group in certificate.split for x in group):
        return "it tells cases apart by what the model does not have"
    return None


def _clauses(bits: BitModel, certificate: Certificate, row: list[int]) -> list[list[int]]:
    """The clauses of the invariant over the latches of a frame."""
    return [[_at(row, bits.latches[x >> 1] ^ x & 1) for x in clause] for clause in certificate.clauses]


def _outputs(bits: BitModel, certificate: Certificate, sat: Sat, row: list[int]) -> list[int]:
    """The circuit of the invariant over the latches of a frame; its outputs."""
    if not certificate.outputs:
        return []
    values = [row[0], *[row[latch >> 1] or row[0] for latch in bits.latches]]  # latches that the circuit does not read have no name
    for x, y in certificate.circuit:
        values.append(conjunction(sat, _at(values, x), _at(values, y)))
    return [_at(values, x) for x in certificate.outputs]


def _assume(bits: BitModel, certificate: Certificate, sat: Sat, row: list[int]) -> None:
    sat.add_all(_clauses(bits, certificate, row))
    sat.add_all([x] for x in _outputs(bits, certificate, sat, row))


def _broken(bits: BitModel, certificate: Certificate, sat: Sat, row: list[int]) -> int:
    """A literal that is true only where the invariant fails."""
    failing = []
    for clause in _clauses(bits, certificate, row):
        v = sat.var()
        for x in clause:
            sat.add([-v, -x])
        failing.append(v)
    failing += [-x for x in _outputs(bits, certificate, sat, row)]
    some = sat.var()
    sat.add([-some, *failing])
    return some


def _start(frames: _Frames) -> None:
    bits = frames.bits
    for i in frames.latches:
        if (reset := bits.reset[i]) is not None:
            frames.sat.add([frames.at(bits.latches[i], 0) if reset else -frames.at(bits.latches[i], 0)])


def _inductive(bits: BitModel, certificate: Certificate, targets: list[int], solver: str) -> str | None:
    """Initiation, consecution and, for kind "invariant", exclusion of the targets."""
    first = _Frames(bits, certificate, solver)
    row = first.add()
    _start(first)
    if first.sat.solve([_broken(bits, certificate, first.sat, row)]):
        return "the invariant does not hold initially"
    frames = _Frames(bits, certificate, solver)
    row = frames.add()
    _assume(bits, certificate, frames.sat, row)
    if certificate.kind == "invariant" and any(frames.sat.solve([_at(row, target)]) for target in targets):
        return "the invariant does not exclude the bad"
    if not (_preserved_by_cases if certificate.split else _preserved)(bits, certificate, frames, solver):
        return "the invariant is not preserved by the transitions"
    return None


def _preserved(bits: BitModel, certificate: Certificate, frames: _Frames, solver: str) -> bool:
    """Consecution as one question; the first frame has the invariant."""
    row = frames.rows[0]
    following = list(row)
    for i in frames.latches:
        following[bits.latches[i] >> 1] = _at(row, bits.next[i])
    return not frames.sat.solve([_broken(bits, certificate, frames.sat, following)])


def _preserved_by_cases(bits: BitModel, certificate: Certificate, frames: _Frames, solver: str) -> bool:
    """Consecution for each value of the latches and inputs that the certificate names. Leaves are the latches, then the inputs."""
    count = len(bits.latches)
    circuit = Circuit(1 + count + len(bits.inputs), [], [], [])
    value = [0] * len(bits.aig)
    for k, literal in enumerate([*bits.latches, *bits.inputs]):
        value[literal >> 1] = 2 * (k + 1)
    for v in frames.gates:
        value[v] = circuit.gate(_signed(value, bits.aig.left[v]), _signed(value, bits.aig.right[v]))
    now = [0, *range(2, 2 * count + 2, 2)]
    then = [0, *[_signed(value, literal) for literal in bits.next]]
    circuit.roots = [_signed(value, literal) for literal in bits.constraints.values()]
    circuit.roots += [_holds(circuit, certificate, now), _holds(circuit, certificate, then) ^ 1]
    return not satisfiable(circuit, [[leaf + 1 for leaf in group] for group in certificate.split], solver)


def _holds(circuit: Circuit, certificate: Certificate, latches: list[int]) -> int:
    """The literal that says that the invariant holds where these are the constant and the latches."""
    values = list(latches)
    for x, y in certificate.circuit:
        values.append(circuit.gate(_signed(values, x), _signed(values, y)))
    clauses = [circuit.every([_signed(latches, x + 2) ^ 1 for x in clause]) ^ 1 for clause in certificate.clauses]
    return circuit.every([*clauses, *[_signed(values, x) for x in certificate.outputs]])


def _signed(values: list[int], literal: int) -> int:
    return values[literal >> 1] ^ literal & 1


def _base(bits: BitModel, certificate: Certificate, targets: list[int], solver: str) -> str | None:
    frames = _Frames(bits, certificate, solver)
    for depth in range(certificate.k):
        row = frames.add()
        if depth == 0:
            _start(frames)
        for target in targets:
            if frames.sat.solve([_at(row, target)]):
                return f"the bad is reachable after {depth} steps"
    return None


def _diameter(bits: BitModel, certificate: Certificate, targets: list[int], solver: str) -> str | None:
    """Any two equal states of a run make it longer than needed, so it is enough that no run of k steps has different states throughout."""
    wrong = _base(bits, replace(certificate, k=certificate.k + 1), targets, solver)
    if wrong:
        return wrong
    frames = _Frames(bits, certificate, solver)
    over = tuple(frames.latches) if certificate.over is None else certificate.over
    for depth in range(certificate.k + 1):
        row = frames.add()
        _assume(bits, certificate, frames.sat, row)
        if depth == 0:
            _start(frames)
        else:
            _differ(frames, over, depth, depth - 1)
    while frames.sat.solve():
        states = [tuple(frames.sat.value(frames.at(bits.latches[i], depth)) for i in over) for depth in range(certificate.k + 1)]
        equal = [(i, j) for i in range(len(states)) for j in range(i) if states[i] == states[j]]
        if not equal:
            return "a longer run without repetition exists"
        for i, j in equal:
            _differ(frames, over, i, j)
    return None


def _step(bits: BitModel, certificate: Certificate, targets: list[int], solver: str) -> str | None:
    frames = _Frames(bits, certificate, solver)
    for depth in range(certificate.k + 1):
        row = frames.add()
        _assume(bits, certificate, frames.sat, row)
        if depth < certificate.k:
            frames.sat.add_all([-_at(row, target)] for target in targets)
    if certificate.over is not None:
        for i in range(len(frames.rows)):
            for j in range(i):
                _differ(frames, certificate.over, i, j)
    if any(frames.sat.solve([frames.at(target)]) for target in targets):
        return f"{certificate.k}-induction does not go through"
    return None


def _differ(frames: _Frames, over: tuple[int, ...], i: int, j: int) -> None:
    """The latches `over` are not all the same in frames i and j."""
    sat, some = frames.sat, []
    for latch in over:
        x, y = frames.at(frames.bits.latches[latch], i), frames.at(frames.bits.latches[latch], j)
        v = sat.var()
        sat.add([-v, x, y])
        sat.add([-v, -x, -y])
        some.append(v)
    sat.add(some)


def _closed(bits: BitModel, certificate: Certificate, targets: list[int]) -> bool:
    """Whether targets, constraints and the next values of the latches `over` read only those latches and inputs, once the constants and
    equalities among the clauses are used."""
    aig, table = Aig(), {0: 0}
    for literal in bits.inputs:
        table[literal >> 1] = aig.input()
    over = set(certificate.over or ())
    latch = {i: aig.input() for i in range(len(bits.latches))}
    outside = {latch[i] >> 1 for i in latch if i not in over}
    binary = {tuple(sorted(clause)) for clause in certificate.clauses if len(clause) == 2}
    for clause in certificate.clauses:
        if len(clause) == 1:
            latch[clause[0] >> 1] = 1 - (clause[0] & 1)
    for x, y in sorted(binary):
        high, low, sign = y >> 1, x >> 1, x & 1
        if tuple(sorted((x ^ 1, y ^ 1))) in binary and high not in over:
            latch[high] = latch[low] ^ 1 ^ sign ^ (y & 1)
    for i, literal in enumerate(bits.latches):
        table[literal >> 1] = latch[i]
    wanted = [*targets, *bits.constraints.values(), *[bits.next[i] for i in sorted(over)]]
    at = translate(bits.aig, wanted, aig, table)
    return not outside.intersection(aig.cone([at(x) for x in wanted]))
