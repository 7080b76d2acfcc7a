"""BTOR2, written and read."""

from fsoft.circuit.formats.btor2_read import read_btor2
from fsoft.circuit.formats.btor2_write import write_btor2

__all__ = ["read_btor2", "write_btor2"]
