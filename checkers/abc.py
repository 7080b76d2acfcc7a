"""ABC as an engine: the model goes to it as a binary AIGER file without constraints and with resets 0, its counterexample and its invariant
come back.

`method` is "pdr", "bmc3" or "reach"; `simplify` runs ABC's sequential simplification first. The invariant of pdr is then about what is
left; latches keep their names, and it becomes a certificate if it passes the check on the model that ABC was given. Otherwise,
because merged nodes are missing from it, and after "reach", which shows none, the proof says whom it trusts.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace

from fsoft.checkers.certify import certify
from fsoft.checkers.registry import ModelEngine
from fsoft.checkers.safety import Excluded, Goal, Open, Reached, SafetyEngine, TargetOutcome
from fsoft.circuit.bits import BitModel, fingerprint
from fsoft.circuit.bits.aig import Aig
from fsoft.circuit.bits.transform import fold_constraints, one_output, original_run, zero_resets
from fsoft.circuit.formats.aiger_write import write_aiger
from fsoft.circuit.formats.witness import read_stimulus
from fsoft.circuit.model.verdict import Certificate
from fsoft.option import option
from fsoft.process.interrupts import scratch
from fsoft.process.tools import ABC, missing, run
from fsoft.solve.sat import SolverTimeout

_SIMPLIFY = "scorr; dc2; scorr; dc2; "


@dataclass(slots=True)
class Abc(SafetyEngine):
    """See the options."""

    method: str = option("pdr", "what it runs (pdr)", allowed=("pdr", "bmc3", "reach"))
    simplify: bool = option(False, "simplify first (a proof may then have no certificate)")
    depth: int | None = option(None, "with bmc3: at most that many steps", metavar="N", least=0)

    def solve(self, goal: Goal) -> TargetOutcome:
        merged = one_output(goal.bits, list(goal.targets.values()))
        plain = zero_resets(fold_constraints(merged))
        with scratch("fsoft-abc-") as directory:
            with open(os.path.join(directory, "m.aig"), "wb") as file:
                file.write(write_aiger(_renamed(plain), binary=True))
            output, ended = run(ABC, ["-c", self._commands(goal, bool(plain.latches))], directory, goal.left())
            if not ended:
                raise SolverTimeout
            if "was asserted in frame" in output:
                with open(os.path.join(directory, "w.cex"), encoding="ascii", errors="replace") as file:
                    rows = file.read().split("\n")
                rows[0] = "0" * len(plain.latches)  # all start there; after simplification ABC has fewer
                found, _ = read_stimulus("\n".join(rows), _padded(plain), "counterexample of ABC")
                return Reached(original_run(goal.bits, found))
            if "Property proved" in output or "is proved unreachable" in output:
                return self._proof(goal, plain, directory)
        return self._unfinished(goal, output)

    def _commands(self, goal: Goal, sequential: bool) -> str:
        left = goal.left()
        limit = "" if left is None else f" -T {max(1, int(left))}"
        start = "read m.aig; " + (_SIMPLIFY if self.simplify else "")
        if self.method == "pdr":
            work = f"pdr{limit} -d -I inv.pla"
        elif self.method == "bmc3":
            work = f"bmc3{limit}" + ("" if self.depth is None else f" -F {self.depth + 1}")
        elif not sequential:  # `reach` refuses these
            work = f"pdr{limit} -d -I inv.pla"
        else:
            work = f"reach -B 10000000 -F 1000000{limit}"
        return f"{start}{work}; write_cex -a w.cex"

    def _unfinished(self, goal: Goal, output: str) -> TargetOutcome:
        covered = re.search(r"No output asserted in (\d+) frames", output)
        if covered:
            goal.cover(int(covered[1]) - 1)
            return Open(f"no violation within {goal.covered} steps")
        if re.search(r"[Tt]imeout|time ?limit|runtime limit", output):
            raise SolverTimeout
        last = [line for line in output.splitlines() if line.strip() and not line.startswith("ABC command line")]
        return Open("ABC gave no answer" + (f": {last[-1].strip()}" if last else ""))

    def _proof(self, goal: Goal, plain: BitModel, directory: str) -> Excluded:
        """ABC's word for it, with a certificate if ABC has written an invariant that can be one."""
        path = os.path.join(directory, "inv.pla")
        if not os.path.exists(path):
            return Excluded(None, f"abc {self.method}")
        with open(path, encoding="ascii", errors="replace") as file:
            certificate = lift_invariant(goal.bits, plain, _read_pla(file.read()))
        if not self.simplify:
            return Excluded(certificate)
        complete = replace(certificate, model=fingerprint(goal.bits), targets=tuple(goal.targets))
        return Excluded(certificate) if certify(goal.bits, complete) is None else Excluded(None, "abc scorr")


def _renamed(bits: BitModel) -> BitModel:
    """Plain names for the latches, and at least one input."""
    renamed = replace(bits, latch_words=[(f"l{i}", 1) for i in range(len(bits.latches))], input_words=[], inputs=list(bits.inputs))
    renamed.input_words = [(f"i{i}", 1) for i in range(len(bits.inputs))]
    if not bits.inputs:
        renamed.add_input("i0")
    return renamed


def _padded(bits: BitModel) -> BitModel:
    return bits if bits.inputs else _renamed(bits)


def _read_pla(text: str) -> list[dict[int, int]]:
    """The blocked cubes of an invariant that ABC wrote: latch to value."""
    columns: list[int] = []
    cubes = []
    for line in text.splitlines():
        words = line.split()
        if words and words[0] == ".ilb":
            columns = [int(word[1:]) for word in words[1:]]
        elif words and re.fullmatch(r"[01-]+", words[0]):
            cubes.append({latch: int(c) for latch, c in zip(columns, words[0]) if c != "-"})
    return cubes


def lift_invariant(bits: BitModel, plain: BitModel, cubes: list[dict[int, int]]) -> Certificate:
    """An invariant of `zero_resets(fold_constraints(bits))`, given by blocked cubes, as one of `bits`: its states in which the extra
    latches say "all constraints held" and "started", or the initial states."""
    count = len(bits.latches)
    extra = {}
    if bits.constraints:
        extra[count] = 1 if plain is bits else 0  # kept inverted: it starts at 1
    free = any(reset is None for reset in bits.reset)
    if free:
        extra[len(plain.latches) - 1] = 1
    clauses = []
    for cube in cubes:
        if any(latch in extra and extra[latch] != value for latch, value in cube.items()):
            continue
        inner = [(latch, value ^ (bits.reset[latch] or 0)) for latch, value in cube.items() if latch < count]
        clauses.append(tuple(2 * latch + value for latch, value in inner))
    if not free:
        return Certificate("invariant", "", (), tuple(clauses))
    return _or_initial(bits, clauses)


def _or_initial(bits: BitModel, clauses: list[tuple[int, ...]]) -> Certificate:
    aig = Aig()
    latches = [aig.input() for _ in bits.latches]
    initial = aig.conjoin([x ^ 1 ^ r for x, r in zip(latches, bits.reset) if r is not None])
    holds = aig.conjoin([aig.disjoin([latches[x >> 1] ^ (x & 1) for x in clause]) for clause in clauses])
    output = aig.lor(holds, initial)
    first = len(latches) + 1
    circuit = tuple((aig.left[v], aig.right[v]) for v in range(first, len(aig)))
    return Certificate("invariant", "", (), (), circuit, (output,))


ENGINE = ModelEngine(
    name="abc",
    summary="ABC's pdr, bmc3 or BDD reachability",
    proves=True,
    refutes=True,
    maker=Abc,
    missing=lambda: missing(ABC),
)
