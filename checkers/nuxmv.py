"""nuXmv as an engine, used when it is installed, or else NuSMV: the model goes to it as SMV, one bit per variable; the answer of its IC3
(NuSMV: of its BDDs) comes back.

A counterexample is read from the trace that is printed with it; a proof comes without certificate, and says whom it trusts.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace

from fsoft.checkers.registry import ModelEngine
from fsoft.checkers.safety import Excluded, Goal, Open, Reached, SafetyEngine, TargetOutcome
from fsoft.circuit.bits import BitModel, BitStimulus
from fsoft.circuit.bits.transform import fold_constraints, one_output, original_run, zero_resets
from fsoft.circuit.bits.words import to_model
from fsoft.circuit.formats.smv import write_smv
from fsoft.process.interrupts import scratch
from fsoft.process.tools import NUXMV, find, missing, run
from fsoft.solve.sat import SolverTimeout

_START = "set on_failure_script_quits 1\nread_model -i m.smv\nflatten_hierarchy\nencode_variables\n"
_NUXMV = _START + "build_boolean_model\ncheck_invar_ic3\nquit\n"
_NUSMV = _START + "build_model\ncheck_invar\nquit\n"


@dataclass(slots=True)
class NuXmv(SafetyEngine):
    """No options."""

    def solve(self, goal: Goal) -> TargetOutcome:
        merged = one_output(goal.bits, list(goal.targets.values()))
        plain = zero_resets(fold_constraints(merged))
        older = os.path.basename(find(NUXMV)).lower() == "nusmv"
        name, script = ("NuSMV", _NUSMV) if older else ("nuXmv", _NUXMV)
        with scratch("fsoft-nuxmv-") as directory:
            with open(os.path.join(directory, "m.smv"), "w", encoding="utf-8") as file:
                file.write(write_smv(to_model(_single_bits(plain))))
            with open(os.path.join(directory, "commands"), "w", encoding="ascii") as file:
                file.write(script)
            output, ended = run(NUXMV, ["-source", "commands"], directory, goal.left())
        if not ended:
            raise SolverTimeout
        verdicts = set(re.findall(r"^-- invariant .*\bis (true|false)\s*$", output, re.MULTILINE))
        if verdicts == {"true"}:
            return Excluded(None, name)
        if verdicts == {"false"}:
            return Reached(original_run(goal.bits, read_trace(output, plain)))
        said = [line.strip() for line in output.splitlines() if line.strip() and not line.startswith("***")]
        return Open(f"{name} gave no answer" + (f": {said[-1][:200]}" if said else ""))


def _single_bits(bits: BitModel) -> BitModel:
    """Every bit a word of its own, so that a value in a trace is one bit."""
    inputs = [(f"input {i}", 1) for i in range(len(bits.inputs))]
    return replace(bits, input_words=inputs, latch_words=[(f"latch {i}", 1) for i in range(len(bits.latches))])


def read_trace(output: str, bits: BitModel) -> BitStimulus:
    """The inputs of the last trace that was printed: `i<number> = 0ud1_<bit>` under each `-> State`. What is not repeated stays."""
    steps: list[tuple[int, ...]] = []
    current = [0] * len(bits.inputs)
    for line in output.splitlines():
        if re.search(r"Trace Description|Trace Type", line):
            steps = []
        if "-> State" in line:
            if steps:
                steps[-1] = tuple(current)
            steps.append(tuple(current))
        elif match := re.fullmatch(r"\s*i(\d{1,9}) = 0ud1_([01])\s*", line):
            if int(match[1]) < len(current):
                current[int(match[1])] = int(match[2])
    if steps:
        steps[-1] = tuple(current)
    return BitStimulus(tuple(0 for _ in bits.latches), tuple(steps))


ENGINE = ModelEngine(
    name="nuxmv",
    summary="nuXmv's IC3 or NuSMV's BDDs, whichever is installed",
    proves=True,
    refutes=True,
    maker=NuXmv,
    missing=lambda: missing(NUXMV),
)
