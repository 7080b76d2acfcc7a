"""The encoding `uw`: underapproximation and widening (Cordeiro and Fischer, ICSE'11, section 3.4, after Grumberg and others, POPL 2005).

The formula is that of `schedule`. For each context and each thread that could have it there is a control literal; at first the literals
of all but the threads of one interleaving are assumed false, so the formula describes that interleaving (with all places where its threads
can be interrupted). If there is no violation, the solver says which of these assumptions it used. None: then no interleaving has
one. Otherwise those literals are released, and the question is put again.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from fsoft.bounded.given import BoundedEncoding
from fsoft.bounded.home import choices
from fsoft.bounded.schedule import ScheduleBounds, ScheduleFormula, schedule
from fsoft.option import option
from fsoft.passes.unwind import Unwound, unwind
from fsoft.program.cuts import cut_of_bound
from fsoft.program.expr import FALSE, TRUE, Expr, disj, negate, reg
from fsoft.program.interpreter import Machine, Script
from fsoft.program.program import Program
from fsoft.program.verdict import Say, Stats, Verdict
from fsoft.properties.confirmation import confirm_run
from fsoft.solve.dump import solver_of
from fsoft.solve.sat import SolverTimeout
from fsoft.solve.smt import Undecided
from fsoft.solve.terms import DEFAULT, SOLVERS, Solver

_LONGEST = 20_000  # steps of the first interleaving
_MOST_STEPS = 64  # of --incremental
_FEW = 3  # assumptions in a core that may not be needed


def first_interleaving(program: Program) -> list[int]:
    """The threads of the leftmost interleaving, context by context: a thread goes on while it can, then the lowest that can does."""
    machine = Machine(program, compiled=False)
    state, active, found = machine.initial(), 0, [0]
    for _ in range(_LONGEST):
        order = [active, *(slot for slot in range(len(program.threads)) if slot != active)]
        moves = (
            (slot, index)
            for slot in order
            if slot in machine.movable(state)
            for index in machine.outgoing(slot, state[machine.layout.pc[slot]])
        )
        for slot, index in moves:
            script = Script(())
            try:
                after, _ = machine.execute(state, slot, index, script)
            except ValueError:
                continue
            if slot != active:
                active = slot
                found.append(slot)
            state = after
            break
        else:
            break
    return found


@dataclass(slots=True)
class Widening:
    """One formula, asked again and again. `literals` are the assumptions that are still in force, with what they forbid; `iterations`
    counts the questions, `total` the control literals."""

    formula: ScheduleFormula
    solver: Solver
    deadline: float | None
    say: Say
    literals: dict[Expr, str] = field(default_factory=dict)
    iterations: int = 0
    total: int = 0

    def begin(self, program: Program) -> None:
        """All assumptions but those that would forbid the first interleaving."""
        first = first_interleaving(program)
        for context in self.formula.contexts:
            wanted = first[min(context.number, len(first) - 1)]
            for slot, owned in context.owned.items():
                if owned is TRUE:
                    continue
                self.total += 1
                if slot != wanted:
                    self.literals[negate(owned)] = f"ts.{context.number} = {slot}"

    def violation(self, goal: Expr) -> bool:
        """Whether the goal can be met, widening as far as the solver's reasons demand."""
        if goal is FALSE:
            self.iterations += 1
            self.say("iteration 1: constants exclude every violation")
            return False
        self.solver.push()
        self.solver.add(goal)
        while True:
            self.iterations += 1
            before = time.monotonic()
            met, core = self._answer()
            names = [self.literals.pop(term) for term in core]
            what = "a violation" if met else f"released {', '.join(names)}" if names else "no violation, whatever the schedule"
            open_ = f"{self.released()} of {self.total} control literals released"
            self.say(f"iteration {self.iterations}: {what} ({open_}, {time.monotonic() - before:.2f} s)")
            if met:
                return True
            if not names:
                self.solver.pop()
                return False

    def _answer(self) -> tuple[bool, list[Expr]]:
        """Whether the goal can be met under the assumptions, and if not, those that are to blame. A solver may blame what it does not need:
        if these are very few, it is asked without one of them after the other."""
        met = self.solver.solve(list(self.literals), self.deadline)
        core = [] if met else self.solver.core()
        without = set[Expr]()
        while core and len(core) + len(without) <= _FEW:
            without.add(core[0])
            if self.solver.solve([literal for literal in self.literals if literal not in without], self.deadline):
                break  # it is needed
            core = self.solver.core()
        return met, core

    def released(self) -> int:
        return self.total - len(self.literals) - self._always

    def count(self) -> str:
        return f"{self.iterations} iterations, {self.released()} of {self.total} control literals released"

    @property
    def _always(self) -> int:
        """The literals of the first interleaving, which were never assumed."""
        return sum(any(owned is not TRUE for owned in context.owned.values()) for context in self.formula.contexts)


@dataclass(frozen=True)
class UwBounds(ScheduleBounds):
    """Those of the formula, and see the options."""

    smt_dump: str = option("", "write every question to the solver as an SMT-LIB file", metavar="DIR")
    solver: str = option(DEFAULT, ", ".join(SOLVERS), metavar="NAME", allowed=SOLVERS)


def search_uw(
    program: Program,
    given: UwBounds,
    *,
    progress: Callable[[Stats], None] = lambda _stats: None,
    timeout: float | None = None,
    say: Say = lambda _line: None,
) -> Verdict:
    """The verdict on `program.checks`."""
    started = time.monotonic()
    deadline = None if timeout is None else started + timeout
    stats = Stats()
    why = ""
    for _ in range(_MOST_STEPS):
        unwound = unwind(program, given.loops)
        formula = schedule(unwound, given)
        one = solver_of(given.solver, given.smt_dump)
        widening = Widening(formula, one, deadline, say)
        try:
            verdict, cuts = _ask(program, unwound, widening, stats)
        except (SolverTimeout, Undecided) as error:
            why = "time limit reached" if isinstance(error, SolverTimeout) else f"the solver {given.solver} gave up"
            verdict, cuts = Verdict("UNKNOWN", _asked(program), [f"nothing is known for {formula.describe()}: {why}"], [], stats), ()
        stats.seconds = time.monotonic() - started
        stats.counts = {"iterations": widening.iterations, "released": widening.released(), "literals": widening.total}
        progress(stats)
        after: UwBounds = formula.grown(given, cuts) if given.incremental and cuts else given
        if after == given:
            return verdict
        given = after
    return verdict


def _asked(program: Program) -> str:
    return min(program.checks) if len(program.checks) == 1 else ""


def _ask(program: Program, unwound: Unwound, widening: Widening, stats: Stats) -> tuple[Verdict, tuple[str, ...]]:
    """The verdict on one formula, and the bounds that cut."""
    formula, solver = widening.formula, widening.solver
    widening.begin(unwound.program)
    for term in formula.model.constraints.values():
        solver.add(term)
    goal: Expr = FALSE
    for bad in formula.model.bad.values():
        goal = disj(goal, bad)
    if widening.violation(goal):
        inputs = {name: solver.value(reg(name, width)) for name, width in formula.model.inputs.items()}
        prop = next(name for name, bad in formula.model.bad.items() if solver.value(bad))
        moves = unwound.home(formula.run(inputs, prop), prop)
        verdict = confirm_run(program, moves, prop, stats, choices(inputs, formula.model.inputs))
        verdict.reasons.append(widening.count())
        return verdict, ()
    cuts, count = _reachable(formula, solver, widening.deadline), widening.count()
    if not cuts:
        return Verdict("TRUE", _asked(program), [f"no violation in {formula.describe()}: {count}"], [], stats), ()
    found = [cut_of_bound(unwound.program, name) for name in cuts]
    return Verdict("UNKNOWN", _asked(program), [f"no violation in {formula.describe()}: {count}"], [], stats, found), tuple(cuts)


def _reachable(formula: ScheduleFormula, solver: Solver, deadline: float | None) -> list[str]:
    """The bounds that some run hits; one question tells whether there are any."""
    left = {name: term for name, term in formula.model.bounds.items() if term is not FALSE}
    found: list[str] = []
    while left:
        some: Expr = FALSE
        for term in left.values():
            some = disj(some, term)
        if not solver.solve([some], deadline):
            break
        hit = [name for name, term in left.items() if solver.value(term)]
        found += hit
        left = {name: term for name, term in left.items() if name not in hit}
    return found


ENCODING = BoundedEncoding("uw", "underapproximation and widening (ESBMC)", UwBounds, search_uw, search=True)
