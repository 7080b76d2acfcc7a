"""BitModel to and from a circuit of py-aiger. py-aiger knows AIGER 1.0: bads are outputs, and constraints must be folded first."""

from __future__ import annotations

from typing import Any

from fsoft.circuit.bits import BitModel
from fsoft.circuit.bits.transform import fold_constraints
from fsoft.circuit.formats.aiger_read import read_aiger
from fsoft.circuit.formats.aiger_write import write_aiger
from fsoft.frontend.source import NOWHERE, InputError


def to_pyaiger(bits: BitModel) -> Any:
    """An `aiger.AIG`, every signal named as in our files."""
    try:
        import aiger  # an optional package
    except ImportError:
        raise InputError(NOWHERE, "py-aiger is not installed: pip install py-aiger") from None
    return aiger.parse(write_aiger(fold_constraints(bits), version="1.0").decode())


def from_pyaiger(circuit: Any) -> BitModel:
    """The BitModel of an `aiger.AIG` (or anything that has one): its outputs are the bads."""
    return read_aiger(str(getattr(circuit, "aig", circuit)).encode(), "py-aiger circuit")
