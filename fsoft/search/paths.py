"""The encoding `paths`: one interleaving after the other, data as terms, one question per interleaving (ESBMC's lazy approach).

A violation is lifted to moves and replayed on the interpreter before it becomes FALSE. TRUE means that the tree was explored to its end
and that no bound cut it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from fsoft.bounded.outcomes import Executor
from fsoft.circuit.bound_lines import bound_line
from fsoft.program.explorer import Strayed, approximations
from fsoft.program.expr import reg
from fsoft.program.interpreter import Machine
from fsoft.program.locks import lock_lines
from fsoft.program.program import Program
from fsoft.program.replay import Finding, confirm, without_halts
from fsoft.program.verdict import InternalError, Move, Stats, Verdict
from fsoft.properties import monitors
from fsoft.search.lift import Edge, PathAnswers, Value, lifted
from fsoft.search.questions import Obligation
from fsoft.search.settings import Settings
from fsoft.search.tree import CONTEXTS, Counts, Stop, Tree
from fsoft.solve.sat import OutOfTime
from fsoft.solve.smt import Undecided
from fsoft.solve.terms import Solver, make_solver

Progress = Callable[[Stats], None]


def solver_of(settings: Settings) -> Solver:
    """The solver that the settings ask for."""
    solver = make_solver(settings.solver)
    if settings.dump:
        from fsoft.solve.dump import Dumping

        return Dumping(solver, settings.dump)
    return solver


def check_paths(program: Program, settings: Settings, progress: Progress = lambda _stats: None) -> list[Verdict]:
    """The verdict on `program.checks`: one at the first violation, or one for each property if the settings ask for `several`."""
    try:
        return _Search(program, settings, progress).run()
    except Strayed:
        return _Search(program, replace(settings, por="none"), progress).run("without reduction: an access goes where none was foreseen")


class _Search:
    def __init__(self, program: Program, settings: Settings, progress: Progress):
        self.program, self.settings, self.progress = program, settings, progress
        self.started = time.monotonic()
        deadline = None if settings.seconds is None else self.started + settings.seconds
        self.solver = solver_of(settings)
        self.tree = Tree(Executor(program), settings, self.solver, self._found, deadline, self._tick)
        self.machine = Machine(program, compiled=False)
        self.verdicts: dict[str, Verdict] = {}
        self.stats = Stats()

    def run(self, note: str = "") -> list[Verdict]:
        why = ""
        try:
            self.tree.run()
        except Stop:
            pass
        except OutOfTime:
            why = "time limit reached"
        except Undecided:
            why = f"the solver {self.settings.solver} gave up"
        self._tick(self.tree.counts)
        notes = [note] * bool(note) + self._notes()
        if self.settings.several:
            return [self.verdicts.get(prop) or self._rest(prop, why, notes) for prop in sorted(self.program.checks)]
        if self.verdicts:
            return [next(iter(self.verdicts.values()))]
        return [self._rest(min(self.program.checks) if len(self.program.checks) == 1 else "", why, notes)]

    def _tick(self, counts: Counts) -> None:
        stats = self.stats
        stats.transitions, stats.seconds = counts.steps, time.monotonic() - self.started
        stats.counts = {
            "interleavings": counts.interleavings, "failed": counts.failed, "blocked": counts.blocked, "merged": counts.merged,
            "infeasible": counts.infeasible, "steps": counts.steps, "questions": self.solver.calls,
        }  # fmt: skip
        self.progress(stats)

    def _notes(self) -> list[str]:
        """Which of the options had no effect."""
        if self.settings.por != "none" and self.tree.por == "none" and self.settings.contexts is not None:
            return ["without reduction: it does not go together with a bound on context switches"]
        return []

    # ------------------------------------------------------------ violations

    def _found(self, one: Obligation, edges: list[Edge], value: Value) -> None:
        if one.name not in self.verdicts:
            self.stats.depth = len(edges)
            self.verdicts[one.name] = self._violated(one, edges, value)
        wanted = self.program.checks if self.settings.several else {one.name}
        if not self.settings.everything and wanted <= self.verdicts.keys():
            self.tree.counts.interleavings += 1
            self.tree.counts.failed += 1
            raise Stop

    def _violated(self, one: Obligation, edges: list[Edge], value: Value) -> Verdict:
        moves = without_halts(self.machine, lifted(self.machine, edges, value))
        given: dict[int, list[int]] = {}
        for name, width in one.inputs.items():
            given.setdefault(width, []).append(value(reg(name, width)))
        answers = PathAnswers(self.machine, one.values, given, value)
        try:
            finding = confirm(self.machine, moves, Finding(one.name, ""), monitors([one.name]), answers)
        except InternalError:
            if one.name != "no-deadlock" or not answers.undefined:
                raise
            lines = [f"a thread is blocked only for some values of undefined memory: {name}" for name in answers.undefined]
            return Verdict("UNKNOWN", one.name, lines, moves, self.stats, lines)
        return self._verdict(finding, moves)

    def _verdict(self, finding: Finding, moves: list[Move]) -> Verdict:
        reasons = [f"{finding.loc}: {finding.message}", *finding.lines, *lock_lines(self.machine, moves, finding)]
        added = approximations(self.machine, moves)
        if added:
            return Verdict("UNKNOWN", finding.prop, [*reasons, *added], moves, self.stats, added)
        return Verdict("FALSE", finding.prop, reasons, moves, self.stats, loc=finding.loc)

    # ------------------------------------------------------------ none found

    def _line(self, name: str) -> str:
        if name == CONTEXTS:
            return f"a run needs more than {self.settings.contexts} context switches (--context-bound)"
        return self.tree.loops.line(name) if name.startswith("unwind.") else bound_line(self.program, name)

    def _rest(self, prop: str, why: str, notes: list[str]) -> Verdict:
        bounds = list(dict.fromkeys(self._line(name) for name in self.tree.reached))
        counts = self.tree.counts
        explored = f"{counts.interleavings} interleavings explored ({counts.steps} steps, {self.solver.calls} questions)"
        if not why and not bounds:
            relies = [f"relies on: {self.tree.por} reduction"] if self.tree.por != "none" else []
            return Verdict("TRUE", prop, [f"all {explored}", *relies, *notes], [], self.stats)
        reason = f"no violation among {explored}" + (f": {why}" if why else "")
        return Verdict("UNKNOWN", prop, [reason, *bounds, *notes], [], self.stats, bounds)

