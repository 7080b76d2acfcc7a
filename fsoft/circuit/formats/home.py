"""Witnesses of other model checkers, read as runs of the whole circuit."""

from __future__ import annotations

import re

from fsoft.circuit.bits import BOUND, BitStimulus
from fsoft.circuit.formats.export import Exported
from fsoft.circuit.formats.witness import read_btor2_witness, read_stimulus
from fsoft.circuit.model import Model
from fsoft.circuit.model.simulate import simulate
from fsoft.circuit.model.verdict import Stimulus
from fsoft.frontend.source import InputError, Loc


def read_witness(exported: Exported, text: str, name: str) -> Stimulus:
    """The witness as a run of the whole circuit, whichever format it has. `name` is for errors."""
    if exported.words is not None:
        return exported.words_home(read_btor2_witness(text, exported.words, name)[0])
    assert exported.bits is not None
    if re.match(r"\s*(;.*\s+)*sat\b", text):
        raise InputError(Loc(name, 1), "a BTOR2 witness belongs to a .btor2 model, this is an AIGER model")
    run: BitStimulus = read_stimulus(text, exported.bits, name)[0]
    return exported.bits_home(run)


def first_target(model: Model, stimulus: Stimulus) -> tuple[str, Stimulus]:
    """The bad or bound that the run reaches first, a bad before a bound, and the run up to there; "" if none."""
    bound: tuple[str, int] = ("", len(stimulus.inputs))
    for step in simulate(model, stimulus):
        for name, term in model.bad.items():
            if step.holds(term):
                return name, Stimulus(stimulus.initial, stimulus.inputs[: step.number + 1])
        for name, term in model.bounds.items():
            if step.holds(term) and not bound[0]:
                bound = (BOUND + name, step.number + 1)
    return bound[0], Stimulus(stimulus.initial, stimulus.inputs[: bound[1]])


__all__ = ["first_target", "read_witness"]
