"""THE MODEL: transition systems over words, then over bits; unrolling, formats and evidence."""

from fsoft.circuit.bitblast import bitblast
from fsoft.circuit.bits import BitModel
from fsoft.circuit.model import Model, ModelError, check_model
from fsoft.circuit.simulate import simulate
from fsoft.circuit.verdict import Answer, Certificate, Proved, Stimulus, Unknown, Violated

__all__ = [
    "Answer", "BitModel", "Certificate", "Model", "ModelError", "Proved", "Stimulus", "Unknown", "Violated",
    "bitblast", "check_model", "simulate",
]  # fmt: skip
