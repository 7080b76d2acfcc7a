"""One SAT solver for a row of models without states, each a larger version of the one before: `--incremental`.

Terms are interned, so what the next model has in common with those before are the same terms: they have their gates, their clauses,
and what the solver has learnt about them. What is particular to a model is assumed, not asserted: that its constraints hold, and
that one of its targets does. So every clause in the solver follows from the definitions of gates alone, and stays right whatever is
asked next.

Where a model has little in common with those before, a new solver is the better one: what the old one knows is about something else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from checkers.safety import Progress, Question, in_turn, induction, violated
from checkers.sat import write_proof
from fsoft.circuit.aig import Aig
from fsoft.circuit.bitblast import Blaster, bitblast
from fsoft.circuit.bits import BitModel, BitStimulus, fingerprint
from fsoft.circuit.cnf import POSITIVE, Encoder
from fsoft.circuit.model import Model, roots
from fsoft.circuit.verdict import Answer, Proved, Unknown
from fsoft.frontend.source import NOWHERE, InputError
from fsoft.program.expr import postorder
from fsoft.solve.sat import DEFAULT, OutOfTime, Sat

LEAST = 0.25
"""The part of a model that must be known for the solver to be kept."""


class Kept:
    """What is kept from model to model: gates and bits of terms, their clauses in a solver."""

    def __init__(self, solver: str) -> None:
        self.aig, self.sat = Aig(), Sat(solver)
        self.blaster = Blaster(self.aig)
        self.clauses = 0
        self.encoder = Encoder(self.aig, self._counted(), self.sat.var)
        self._leaves: dict[tuple[str, int], list[int]] = {}

    def _counted(self) -> Callable[[list[int]], None]:
        add = self.sat.add

        def counting(clause: list[int]) -> None:
            self.clauses += 1
            add(clause)

        return counting

    def known(self, model: Model) -> float:
        """How much of the model has been here before: by the bits of its terms, from 0 to 1."""
        total = old = 0
        for term in postorder(roots(model)):
            if term.args:
                total += term.width
                old += term.width * self.blaster.has(term)
        return old / total if total else 1.0

    def bits(self, model: Model) -> BitModel:
        """The model in bits, as a view of the common graph."""
        view = BitModel(aig=self.aig, names=model.names)
        for name, width in model.inputs.items():
            leaf = self._leaves.get((name, width))
            if leaf is None:
                leaf = self._leaves[name, width] = [self.aig.input() for _ in range(width)]
            self.blaster.bind(name, leaf)
            view.inputs += leaf
            view.input_words.append((name, width))
        view.bad = {name: self.blaster.bit(term) for name, term in model.bad.items()}
        view.bounds = {name: self.blaster.bit(term) for name, term in model.bounds.items()}
        view.constraints = {name: self.blaster.bit(term) for name, term in model.constraints.items()}
        return view

    def find(self, view: BitModel, targets: list[int], deadline: float | None) -> BitStimulus | None:
        """Inputs under which all constraints and one of the targets hold."""
        possible = [literal for literal in targets if literal != 0]
        if not possible:
            return None
        literal, add = self.encoder.literal, self.encoder.add
        assumed = [literal(one, POSITIVE) for one in dict.fromkeys(view.constraints.values()) if one != 1]
        chosen = self.sat.var()
        add([-chosen, *(literal(one, POSITIVE) for one in possible)])
        if not self.sat.solve([*assumed, chosen], deadline):
            add([-chosen])
            return None
        known = [self.encoder.known(one) for one in view.inputs]
        run = BitStimulus((), (tuple(int(bool(v) and self.sat.value(v)) for v in known),))
        add([-chosen])
        return run


@dataclass(slots=True)
class Growing:
    """The engine `sat` for one model after the other; its fields are the engine's, and `cost` says what the last model took."""

    solver: str = DEFAULT
    proof: str | None = None
    cost: str = ""
    _kept: Kept | None = field(default=None, repr=False)

    def check(
        self,
        model: Model | BitModel,
        *,
        progress: Progress | None = None,
        timeout: float | None = None,
        bad: str | None = None,
        **options: Any,
    ) -> Answer:
        """See `ModelChecker`."""
        if options or not isinstance(model, Model) or model.states:
            raise InputError(NOWHERE, "the engine sat grows with models without states, in words, and its options stay")
        kept = self._for(model)
        before = kept.clauses
        view = kept.bits(model)
        question = Question(view, progress, timeout, bad)
        found = in_turn(question, lambda names, hear: _ask(kept, question, names, hear))
        self.cost += f", {kept.clauses - before} clauses"
        if isinstance(found, Proved):
            found = self._certified(model, found)
        return found

    def _for(self, model: Model) -> Kept:
        """The solver for the model: the one before if it knows enough of it."""
        part = self._kept.known(model) if self._kept is not None else 0.0
        if self._kept is None or part < LEAST:
            self.cost = "a new solver" + (f" ({part:.0%} known)" if self._kept is not None else "")
            self.close()
            self._kept = Kept(self.solver)
        else:
            self.cost = f"{part:.0%} known"
        return self._kept

    def _certified(self, model: Model, found: Proved) -> Proved:
        """The same about the model by itself: whoever checks the certificates solves it again."""
        bits = bitblast(model)
        if self.proof is not None:
            write_proof(bits, self.solver, self.proof)
        mark = fingerprint(bits)
        return replace(found, certificates=tuple(replace(one, model=mark) for one in found.certificates))

    def close(self) -> None:
        """Frees the solver's memory now."""
        if self._kept is not None:
            self._kept.sat.close()
            self._kept = None


def _ask(kept: Kept, question: Question, names: list[str], progress: Progress | None) -> Answer:
    every = question.bits.targets()
    targets = {name: every[name] for name in names}
    try:
        run = kept.find(question.bits, list(targets.values()), question.deadline)
    except OutOfTime:
        return Unknown(-1, "time limit reached")
    if run is not None:
        return violated(question.bits, run, targets)
    if progress:
        progress(0)
    certificate = induction(0, None).certificate
    assert certificate is not None
    return Proved((replace(certificate, targets=tuple(names)),), 0)
