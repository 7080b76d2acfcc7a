"""The certificate of the engine `explicit`: all reachable states are an inductive invariant of the circuit.

The states are explored once more, without any reduction; the circuit's words get as many bits as these states need (the bound `range`
watches over that), and the set becomes an invariant of it (`state_set.py`). Then `certify.py` judges it as it judges every
other: the explorer, its reductions and the properties that it looked at need not be believed, only the encoding.
"""

from __future__ import annotations

from dataclasses import dataclass

from fsoft.checkers.certify import certify
from fsoft.checkers.explicit.reachable import TooMany, reachable
from fsoft.checkers.explicit.state_set import StateSet
from fsoft.circuit.bits import BitModel
from fsoft.circuit.bits.bitblast import bitblast
from fsoft.circuit.encode.encoding import encode
from fsoft.circuit.encode.narrow import narrow
from fsoft.circuit.model.reduce import cone_of_influence
from fsoft.circuit.model.verdict import Certificate
from fsoft.frontend.source import InputError
from fsoft.program.program import Program
from fsoft.program.verdict import InternalError, Verdict

MOST = 200_000  # states
_SOLVER = "minisat22"  # quick on many small questions


@dataclass(frozen=True, slots=True)
class StatesProof:
    """A model of the program with a certificate about it; `states` is how many there are."""

    bits: BitModel
    certificate: Certificate
    states: int


def prove(program: Program, most: int = MOST) -> StatesProof:
    """The invariant, not yet judged; TooMany where the states cannot all be listed, InputError where there is no circuit."""
    states = reachable(program, most)
    encoding = encode(program)
    needed, _ = cone_of_influence(encoding.model)
    table = StateSet(encoding, states)
    shapes = table.shapes(needed)
    bits = bitblast(narrow(needed, shapes) if shapes else needed)
    return StatesProof(bits, table.certificate(bits), len(states))


def with_certificate(program: Program, verdict: Verdict) -> Verdict:
    """TRUE with a certificate, which relies on no reduction, or with why there is none; any other verdict as it is."""
    if verdict.kind == "TRUE":
        line = certified(program)
        kept = [reason for reason in verdict.reasons if line.startswith("not ") or not reason.startswith("relies on: ")]
        verdict.reasons = [*kept, line]
    return verdict


def certified(program: Program) -> str:
    """A line that says what was certified, or why nothing was. A certificate that is refused is an InternalError."""
    try:
        proof = prove(program)
    except (TooMany, InputError) as problem:
        return f"not certified: {problem}"
    wrong = certify(proof.bits, proof.certificate, _SOLVER)
    if wrong is not None:
        raise InternalError(f"the certificate of the engine explicit is refused: {wrong}")
    what = f"{proof.certificate.describe()} for the {proof.states} states that are reachable without reduction"
    return f"certified: {what}; model {proof.certificate.model[:16]}"
