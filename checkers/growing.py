"""One SAT solver for a row of models without states, each a larger version of the one before: `--incremental`.

Terms are interned, so what the next model has in common with those before are the same terms: they have their gates, their clauses,
and what the solver has learnt about them. That one of a model's targets holds is assumed, not asserted, and so is, where constraints
change from model to model, that they hold: every clause in the solver then follows from the definitions of gates alone, and stays
right whatever is asked next.

Where a model has little in common with those before, a new solver is the better one: what the old one knows is about something else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from fsoft.checkers.safety import EngineCall, in_turn
from fsoft.checkers.sat import proved_about, put, write_proof
from fsoft.circuit.bits import BitModel, BitStimulus
from fsoft.circuit.bits.aig import Aig
from fsoft.circuit.bits.bitblast import Blaster, bitblast
from fsoft.circuit.bits.cnf import POSITIVE, Encoder
from fsoft.circuit.model import Model, roots
from fsoft.circuit.model.verdict import Answer, Proved
from fsoft.frontend.source import NOWHERE, InputError
from fsoft.program.expr import Expr, postorder
from fsoft.program.verdict import CountProgress
from fsoft.solve.sat import DEFAULT, Sat

LEAST = 0.25
"""The part of a model that must be known for the solver to be kept."""


class Kept:
    """What is kept from model to model: gates and bits of terms, their clauses in a solver. `firm`: constraints are asserted, which is
    quicker, and only models that have all of them can follow."""

    def __init__(self, solver: str, firm: bool) -> None:
        self.firm = firm
        self.aig, self.sat = Aig(), Sat(solver)
        self.blaster = Blaster(self.aig)
        self.clauses = 0
        self.encoder = Encoder(self.aig, self._counted(), self.sat.var, redundant=False)
        self._leaves: dict[tuple[str, int], list[int]] = {}
        self._constraints: tuple[frozenset[int], int] | None = None
        self._asserted: set[Expr] = set()

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

    def fits(self, model: Model) -> bool:
        """Whether the model has all constraints that have been asserted."""
        return self._asserted <= set(model.constraints.values())

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
        if self.firm:
            for term in model.constraints.values():
                if term not in self._asserted:
                    self.encoder.add([self.encoder.literal(self.blaster.bit(term), POSITIVE)])
                    self._asserted.add(term)
        return view

    def find(self, view: BitModel, targets: list[int], deadline: float | None) -> BitStimulus | None:
        """Inputs under which all constraints and one of the targets hold."""
        possible = [literal for literal in targets if literal != 0]
        if not possible:
            return None
        literal, add = self.encoder.literal, self.encoder.add
        active, chosen = [] if self.firm else [self._active(view)], self.sat.var()
        add([-chosen, *(literal(one, POSITIVE) for one in possible)])
        if not self.sat.solve([*active, chosen], deadline):
            add([-chosen])
            return None
        known = [self.encoder.known(one) for one in view.inputs]
        run = BitStimulus((), (tuple(int(bool(v) and self.sat.value(v)) for v in known),))
        add([-chosen])
        return run

    def _active(self, view: BitModel) -> int:
        """The literal under which the constraints of the model hold. Those of another model before it hold no longer."""
        wanted = frozenset(view.constraints.values())
        if self._constraints is None or self._constraints[0] != wanted:
            if self._constraints is not None:
                self.encoder.add([-self._constraints[1]])
            self._constraints = wanted, self.sat.var()
            for one in sorted(wanted):
                self.encoder.add([-self._constraints[1], self.encoder.literal(one, POSITIVE)])
        return self._constraints[1]


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
        progress: CountProgress | None = None,
        timeout: float | None = None,
        bad: str | None = None,
    ) -> Answer:
        """See `ModelChecker`."""
        if not isinstance(model, Model) or model.states:
            raise InputError(NOWHERE, "the engine sat grows with models without states, in words")
        kept = self._for(model)
        before = kept.clauses
        view = kept.bits(model)
        question = EngineCall(view, progress, timeout, bad)
        found = in_turn(question, lambda names, hear: put(question, partial(kept.find, view), names, hear))
        self.cost += f", {kept.clauses - before} clauses"
        if isinstance(found, Proved):
            found = self._certified(model, found)
        return found

    def _for(self, model: Model) -> Kept:
        """The solver for the model: the one before if it knows enough of it. Constraints are asserted until it turns out that models have
        much in common and other constraints; from then on they are assumed."""
        old = self._kept
        part = old.known(model) if old is not None else 0.0
        if old is not None and part >= LEAST and old.fits(model):
            self.cost = f"{part:.0%} known"
            return old
        self.cost = "a new solver" + (f" ({part:.0%} known)" if old is not None else "")
        self.close()
        self._kept = Kept(self.solver, firm=old is None or part < LEAST)
        return self._kept

    def _certified(self, model: Model, found: Proved) -> Proved:
        """The same about the model by itself: whoever checks the certificates solves it again."""
        bits = bitblast(model)
        if self.proof is not None:
            write_proof(bits, self.solver, self.proof)
        return proved_about(found, bits)

    def close(self) -> None:
        """Frees the solver's memory now."""
        if self._kept is not None:
            self._kept.sat.close()
            self._kept = None
