"""What all formulas of one unwound Program have in common, whatever their bounds: found once and kept with it."""

from __future__ import annotations

from fsoft.bounded.domains import Domains
from fsoft.bounded.shared import SharedEntries
from fsoft.bounded.walk import WalkGround
from fsoft.passes.unwind import Unwound
from fsoft.program.program import Program

_NOTE = "fsoft.bounded"


class Common:
    """What threads share and what it can hold. `ground` gives each formula one of its own."""

    def __init__(self, program: Program):
        self._ground = WalkGround(program)
        self.shared = SharedEntries(program, self._ground.facts.strides)
        self.domains = Domains(self._ground, self.shared)

    def ground(self) -> WalkGround:
        return self._ground.again()


def common_of(unwound: Unwound) -> Common:
    """What is common to the formulas of an unwound Program."""
    found = unwound.notes.get(_NOTE)
    if not isinstance(found, Common):
        found = unwound.notes[_NOTE] = Common(unwound.program)
    return found
