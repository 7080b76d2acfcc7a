"""THE MODEL: transition systems over words, then over bits; unrolling, formats and evidence."""

from fsoft.circuit.bits import BitModel
from fsoft.circuit.bits.bitblast import bitblast
from fsoft.circuit.model import Model, ModelError, check_model
from fsoft.circuit.model.simulate import simulate
from fsoft.circuit.model.verdict import Answer, Certificate, Proved, Stimulus, Unknown, Violated

__all__ = [
    "Answer", "BitModel", "Certificate", "Model", "ModelError", "Proved", "Stimulus", "Unknown", "Violated",
    "bitblast", "check_model", "simulate",
]  # fmt: skip
