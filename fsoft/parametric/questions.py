"""One move as a question to a SAT solver: from a state that satisfies hypotheses, can it fail, or make a clause false?

Hypotheses are clauses about the state before, each switched on by an assumption; they are added when a model shows that they are missing,
so most never are. A goal is a clause about the state after, negated. `Start` asks the same about the initial states.
"""

from __future__ import annotations

from collections.abc import Iterable

from fsoft.circuit.bits.aig import FALSE as LOW
from fsoft.circuit.bits.aig import TRUE as HIGH
from fsoft.circuit.bits.aig import Aig
from fsoft.circuit.bits.bitblast import Blaster
from fsoft.circuit.bits.cnf import NEGATIVE, POSITIVE, Encoder
from fsoft.circuit.bits.vectors import constant
from fsoft.parametric.clauses import ThreadClause, binding
from fsoft.parametric.evaluate import compiled
from fsoft.parametric.system import Clash, System, SystemMove
from fsoft.program.expr import FALSE, Expr, fill, negate, postorder
from fsoft.solve.sat import Sat

SlotNumbers = tuple[int, ...]
WordValues = dict[str, int]
ClauseKey = tuple[int, SlotNumbers]
"""Number of a clause, and the slots it speaks about."""

_SOLVER = "glucose4"


class ClauseQuestion:
    """Terms over the words before; `after` says what words become, `fixed` which words are constants."""

    def __init__(self, system: System, terms: Iterable[Expr], after: dict[str, Expr], fixed: dict[str, int]):
        self.system, self.after, self.fixed = system, after, fixed
        self.sat = Sat(_SOLVER)
        aig = Aig()
        self.blaster = Blaster(aig)
        self.encoder = Encoder(aig, self.sat.add, self.sat.var)
        self.leaves: dict[str, list[int]] = {}
        leaves = {str(node.data): node.width for node in postorder((*terms, *after.values())) if node.op == "reg"}
        for name, width in (leaves | system.widths).items():
            bits = list(constant(fixed[name], width)) if name in fixed else [aig.input() for _ in range(width)]
            self.leaves[name] = bits
            self.blaster.bind(name, bits)
        self.failing = self.sat.var()  # assume: something that must not happen happens
        self.leading = self.sat.var()  # assume: some goal is reached
        self.hypotheses: dict[ClauseKey, int] = {}
        self.goals: dict[ClauseKey, int] = {}
        self._bound: dict[tuple[SlotNumbers, bool], dict[str, Expr]] = {}
        self._terms: dict[tuple[Expr, SlotNumbers, bool], int] = {}
        self._places: dict[tuple[int, int, bool], int] = {}

    def require(self, term: Expr) -> None:
        """The term holds."""
        self.sat.add([self.encoder.literal(self.blaster.bit(term), POSITIVE)])

    def may_fail(self, term: Expr) -> bool:
        """`failing` means that the term holds; whether it can hold at all."""
        bit = self.blaster.bit(term)
        self.sat.add([-self.failing, self.encoder.literal(bit, POSITIVE)])
        return bit != LOW

    # ------------------------------------------------------------ clauses

    def _meaning(self, literal: Expr, slots: SlotNumbers, later: bool) -> int:
        """The bit of a literal about these slots, before or after."""
        bit = self._terms.get((literal, slots, later))
        if bit is None:
            bound = self._bound.get((slots, later))
            if bound is None:
                bound = self._bound[slots, later] = binding(self.system, slots, self.after if later else None)
            bit = self._terms[literal, slots, later] = self.blaster.bit(fill(literal, bound))
        return bit

    def _bits(self, clause: ThreadClause, slots: SlotNumbers, later: bool) -> list[int]:
        """The clause as a disjunction of bits; [HIGH] if it holds anyway."""
        bits = [self._elsewhere(slot, place, later) for slot, place in zip(slots, clause.places, strict=True)]
        if HIGH in bits:
            return [HIGH]
        bits += [self._meaning(literal, slots, later) for literal in clause.literals]
        return [HIGH] if HIGH in bits else bits

    def _elsewhere(self, slot: int, place: int, later: bool) -> int:
        """The bit that says that a slot is not at a place."""
        bit = self._places.get((slot, place, later))
        if bit is None:
            at = self.system.at(slot, place)
            bit = self._places[slot, place, later] = self.blaster.bit(negate(fill(at, self.after) if later else at))
        return bit

    def suppose(self, number: int, clause: ThreadClause, slots: SlotNumbers) -> bool:
        """Add the clause about the state before as a hypothesis; False if it is one already."""
        if (number, slots) in self.hypotheses:
            return False
        switch = self.hypotheses[number, slots] = self.sat.var()
        bits = self._bits(clause, slots, False)
        if bits != [HIGH]:
            self.sat.add([-switch, *(self.encoder.literal(bit, POSITIVE) for bit in bits)])
        return True

    def aim(self, number: int, clause: ThreadClause, slots: SlotNumbers) -> None:
        """Add the negated clause about the state after as a goal, unless it cannot be false there."""
        bits = self._bits(clause, slots, True)
        if bits == [HIGH]:
            return
        goal = self.goals[number, slots] = self.sat.var()
        for bit in bits:
            self.sat.add([-goal, -self.encoder.literal(bit, NEGATIVE)])

    def finish(self, over: Expr) -> None:
        """All goals are there: `leading` means that one of them is reached and the run goes on."""
        self.sat.add([-self.leading, *self.goals.values()])
        self.sat.add([-self.leading, -self.encoder.literal(self.blaster.bit(over), NEGATIVE)])

    def give_up(self, numbers: Iterable[int]) -> None:
        """These clauses are neither goals nor hypotheses any more."""
        gone = set(numbers)
        for key in [key for key in self.goals if key[0] in gone]:
            self.sat.add([-self.goals.pop(key)])
        for key in [key for key in self.hypotheses if key[0] in gone]:
            self.sat.add([-self.hypotheses.pop(key)])

    # ------------------------------------------------------------ asking

    def possible(self, *wanted: int, deadline: float | None = None, only: set[int] | None = None) -> bool:
        """Whether the wanted can happen under the hypotheses, or under those of some clauses only."""
        chosen = [switch for (number, _), switch in self.hypotheses.items() if only is None or number in only]
        return self.sat.solve([*wanted, *chosen], deadline)

    def used(self) -> set[int]:
        """The numbers of the clauses that the last impossibility needs."""
        core = set(self.sat.core())
        return {number for (number, _), switch in self.hypotheses.items() if switch in core}

    def before(self) -> WordValues:
        """The words and inputs of the last answer."""
        out = {}
        for name, bits in self.leaves.items():
            value = 0
            for k, bit in enumerate(bits):
                if bit == HIGH or (bit > 1 and (known := self.encoder.known(bit)) and self.sat.value(known)):
                    value |= 1 << k
            out[name] = value
        return out


class Meeting(ClauseQuestion):
    """Two threads in a state in which they may race: nothing moves, and racing is what must not happen."""

    def __init__(self, system: System, clash: Clash):
        super().__init__(system, [clash.condition, *system.axioms], {}, {})
        self.slots = clash.slots
        for axiom in system.axioms:
            self.require(axiom)
        self.fallible = self.may_fail(clash.condition)
        self.finish(FALSE)

    def follow(self, state: WordValues) -> WordValues:
        return state

    def what(self, state: WordValues) -> str:
        """What happens in a state that the clauses do not exclude."""
        places = []
        for slot in self.slots:
            thread = self.system.program.threads[slot]
            places.append(f"{thread.template.locations[state[self.system.owned[slot][0]]].loc} ({thread.name})")
        return f"no invariant about two threads was found that excludes a data race between {places[0]} and {places[1]}"


class Mover(ClauseQuestion):
    """A move from any state in which it can be made."""

    def __init__(self, system: System, move: SystemMove):
        self.move = move
        terms = [move.enabled, move.bad, move.over, *system.axioms]
        super().__init__(system, terms, move.writes, {system.owned[move.slot][0]: move.step.source})
        self.require(move.enabled)
        for axiom in system.axioms:
            self.require(axiom)
        self.require(system.others_outside(move.slot))
        self.fallible = self.may_fail(move.bad)
        leaves = {name: tuple(sorted(term.reads)) for name, term in move.writes.items()}
        self._functions = {name: (leaves[name], compiled(term, leaves[name])) for name, term in move.writes.items()}

    def what(self, _state: WordValues) -> str:
        step = self.move.step
        return f"{step.loc}: no invariant about two threads was found that excludes a failure here: {step.text}"

    def follow(self, state: WordValues) -> WordValues:
        """The state after the move."""
        out = dict(state)
        for name, (leaves, function) in self._functions.items():
            out[name] = int(function(*(state[leaf] for leaf in leaves)))
        return out


class Start(ClauseQuestion):
    """The initial states."""

    def __init__(self, system: System):
        fixed = {name: value for name, value in system.initial.items() if value is not None}
        super().__init__(system, system.axioms, {}, fixed)
        for axiom in system.axioms:
            self.require(axiom)


__all__ = ["ClauseKey", "Meeting", "Mover", "ClauseQuestion", "SlotNumbers", "Start", "WordValues"]
