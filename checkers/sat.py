"""One question to a SAT solver: can a target hold in a model without states? The engine of the bounded encodings.

Bads are asked for together, then bounds, in one solver; nothing is unrolled and nothing is swept, because such a model is asked once. A
proof is the unsatisfiable formula itself: the certificate has no invariant, and whoever checks it solves the formula again. With `proof`,
the formula that says that some bad or bound holds is written as DIMACS beside its refutation in DRAT, for any proof checker.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from fsoft.checkers.registry import GrowingChecker, ModelChecker, ModelEngine
from fsoft.checkers.safety import EngineCall, SafetyEngine, in_turn, induction, violated
from fsoft.circuit.bits import BitModel, BitStimulus, fingerprint
from fsoft.circuit.bits.cnf import POSITIVE, Encoder
from fsoft.circuit.model.verdict import Answer, Proved, Unknown
from fsoft.frontend.source import NOWHERE, InputError
from fsoft.option import option
from fsoft.process.files import write_file
from fsoft.program.options import PROPERTIES
from fsoft.program.verdict import CountProgress
from fsoft.solve.sat import DEFAULT, SOLVERS, Sat, SolverTimeout, refutation


@dataclass(slots=True)
class SatEngine(SafetyEngine):
    """See the options."""

    solver: str = option(DEFAULT, f"the SAT solver ({DEFAULT})", metavar="NAME", allowed=SOLVERS)
    proof: str | None = option(None, "if all is proved, write a DRAT proof there, its formula to FILE.cnf", metavar="FILE", writes=True)

    def answer(self, question: EngineCall) -> Answer:
        if question.bits.latches:
            raise InputError(NOWHERE, "the engine sat answers about models without states: use bmc")
        formula = SolverFormula(question.bits, self.solver)
        try:
            found = in_turn(question, lambda names, progress: self._ask(question, formula, names, progress))
        finally:
            formula.sat.close()
        if self.proof is not None and isinstance(found, Proved):
            write_proof(question.bits, self.solver, self.proof)
        return found

    @staticmethod
    def _ask(question: EngineCall, formula: SolverFormula, names: list[str], progress: CountProgress | None) -> Answer:
        found = put(question, formula.find, names, progress)
        return proved_about(found, question.bits) if isinstance(found, Proved) else found


Find = Callable[[list[int], float | None], BitStimulus | None]
"""Inputs under which one of the targets holds, if the solver finds them before a deadline."""


def put(question: EngineCall, find: Find, names: list[str], progress: CountProgress | None) -> Answer:
    """One question about the targets of these names. The certificate of a proof does not say about which model yet."""
    every = question.bits.targets()
    targets = {name: every[name] for name in names}
    try:
        run = find(list(targets.values()), question.deadline)
    except SolverTimeout:
        return Unknown(-1, "time limit reached")
    if run is not None:
        return violated(question.bits, run, targets)
    if progress:
        progress(0)
    certificate = induction(0, None).certificate
    assert certificate is not None
    return Proved((replace(certificate, targets=tuple(names)),), 0)


def proved_about(found: Proved, bits: BitModel) -> Proved:
    """The proof, with certificates about this model."""
    mark = fingerprint(bits)
    return replace(found, certificates=tuple(replace(one, model=mark) for one in found.certificates))


class SolverFormula:
    """The constraints of a model in a solver, to which questions are put."""

    def __init__(self, bits: BitModel, solver: str) -> None:
        self.bits, self.sat = bits, Sat(solver)
        self.encoder = Encoder(bits.aig, self.sat.add, self.sat.var, redundant=False)
        for literal in bits.constraints.values():
            self.sat.add([self.encoder.literal(literal, POSITIVE)])

    def find(self, targets: list[int], deadline: float | None) -> BitStimulus | None:
        """Inputs under which one of the targets holds."""
        possible = [literal for literal in targets if literal != 0]
        if not possible:
            return None
        one = self.sat.var()
        self.sat.add([-one, *(self.encoder.literal(literal, POSITIVE) for literal in possible)])
        if not self.sat.solve([one], deadline):
            return None
        known = [self.encoder.known(literal) for literal in self.bits.inputs]
        return BitStimulus((), (tuple(int(bool(v) and self.sat.value(v)) for v in known),))


def write_proof(bits: BitModel, solver: str, path: str) -> None:
    """The formula in `path`.cnf, its refutation in `path`: no target of the model can hold. An InputError if the solver gives none."""
    clauses: list[list[int]] = []
    variables = 0

    def var() -> int:
        nonlocal variables
        variables += 1
        return variables

    encoder = Encoder(bits.aig, clauses.append, var, redundant=False)
    clauses += [[encoder.literal(literal, POSITIVE)] for literal in bits.constraints.values()]
    clauses.append([encoder.literal(literal, POSITIVE) for literal in bits.targets().values() if literal != 0])
    lines = refutation(solver, clauses)
    if lines is None:
        raise InputError(NOWHERE, f"--proof: the solver {solver} gives no proof: choose another with --solver")
    cnf = [f"p cnf {variables} {len(clauses)}", *(" ".join(map(str, [*clause, 0])) for clause in clauses)]
    write_file(f"{path}.cnf", ("\n".join(cnf) + "\n").encode())
    write_file(path, ("\n".join(lines) + "\n").encode())


def _growing(engine: ModelChecker) -> GrowingChecker:
    from fsoft.checkers.growing import Growing  # which is made of what is here

    assert isinstance(engine, SatEngine)
    return Growing(engine.solver, engine.proof)


ENGINE = ModelEngine(
    name="sat",
    summary="one question to a SAT solver, for models without states",
    proves=True,
    refutes=True,
    maker=SatEngine,
    stateless=True,
    properties=PROPERTIES,
    growing=_growing,
)
