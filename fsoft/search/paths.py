"""The encoding `paths`: one interleaving after the other, data as terms, one question per interleaving (ESBMC's lazy approach).

A violation is lifted to moves and replayed on the interpreter before it becomes FALSE. TRUE means that the tree was explored to its end
and that no bound cut it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from fsoft.bounded.given import BoundedEncoding, Given
from fsoft.bounded.outcomes import Executor
from fsoft.circuit.encode.answers import TermValue
from fsoft.option import option
from fsoft.program.choice import Strayed
from fsoft.program.cuts import Cut, cut_of_bound
from fsoft.program.expr import reg
from fsoft.program.interpreter import Machine
from fsoft.program.program import Program
from fsoft.program.replay import played_without_halts
from fsoft.program.verdict import Progress, Stats, Verdict
from fsoft.properties.confirmation import judge_run
from fsoft.search.lift import PathAnswers, PathEdge, lifted
from fsoft.search.nodes import SearchCounts
from fsoft.search.questions import Obligation
from fsoft.search.settings import REDUCTIONS, Settings
from fsoft.search.tree import CONTEXTS, Stop, Tree
from fsoft.solve.dump import solver_of
from fsoft.solve.sat import SolverTimeout
from fsoft.solve.smt import Undecided
from fsoft.solve.terms import DEFAULT, SOLVERS

_ENDS_NOTHING = frozenset({"unreach-call", "no-data-race", "no-deadlock", "valid-memtrack"})
"""A violation of any other property stops the run: what would come after it is not known."""


@dataclass(frozen=True)
class PathsBounds(Given):
    """See the options."""

    context_bound: int | None = option(None, "at most N context switches", metavar="N", least=1)
    eager_guards: bool = option(False, "ask the solver at every branch")
    por: str | None = option(None, "leave out interleavings that make no difference", allowed=REDUCTIONS)
    merge: bool = option(False, "explore a state that was reached before only once", flag="merge-states")
    all_interleavings: bool = option(False, "go on after a violation, and count")
    several: bool = option(False, "a verdict for each property, in one search", flag="multi-property")
    smt_dump: str = option("", "write every question to the solver as an SMT-LIB file", metavar="DIR")
    solver: str = option(DEFAULT, ", ".join(SOLVERS), metavar="NAME", allowed=SOLVERS)


def check_paths(program: Program, settings: Settings, progress: Progress = lambda _stats: None) -> list[Verdict]:
    """The verdict on `program.checks`: one at the first violation, or one for each property if the settings ask for `several`."""
    try:
        return _Search(program, settings, progress).run()
    except Strayed:
        return _Search(program, replace(settings, por="none"), progress).run("without reduction: an access goes where none was foreseen")


def search_paths(
    program: Program,
    given: PathsBounds,
    *,
    progress: Progress = lambda _stats: None,
    timeout: float | None = None,
    say: Callable[[str], None] = lambda _line: None,
) -> Verdict:
    """The encoding's door: one verdict, with bounds that grow if that is asked for."""
    started = time.monotonic()
    contexts = 1 if given.incremental else given.context_bound
    settings = Settings(contexts, given.loops, given.eager_guards, given.por or "none", given.merge, given.all_interleavings, given.several,
                        given.solver, given.smt_dump, timeout)  # fmt: skip
    while True:
        verdicts = check_paths(program, settings, progress)
        verdict = verdicts[0] if len(verdicts) == 1 else _together(verdicts)
        say(f"{_described(settings)}: {verdict.last_line()}, " + ", ".join(f"{n} {name}" for name, n in verdict.stats.counts.items() if n))
        left = None if timeout is None else timeout - (time.monotonic() - started)
        after = _grown(settings, verdict, given.context_bound)
        if not given.incremental or after == settings or (left is not None and left <= 0):
            return verdict
        settings = replace(after, seconds=left)


def _described(settings: Settings) -> str:
    switches = "any number of" if settings.contexts is None else f"at most {settings.contexts}"
    return f"{switches} context switches, {settings.loops}"


def _grown(settings: Settings, verdict: Verdict, most: int | None) -> Settings:
    """Larger bounds where they cut, with at most so many context switches; the same where nothing cuts, or something is decided."""
    if verdict.kind != "UNKNOWN":
        return settings
    after = settings
    if settings.contexts is not None and settings.contexts != most and any(cut.kind == "switches" for cut in verdict.cuts):
        after = replace(after, contexts=settings.contexts + 1)
    if any(cut.kind == "loop" for cut in verdict.cuts):
        after = replace(after, loops=replace(settings.loops, unwind=settings.loops.unwind + 1))
    return after


def _together(verdicts: list[Verdict]) -> Verdict:
    """One verdict that tells of several properties: a line for each."""
    first = next((one for kind in ("FALSE", "UNKNOWN") for one in verdicts if one.kind == kind), verdicts[0])
    lines = [f"{one.prop}: {one.kind}: {one.lines()[0]}" for one in verdicts]
    return replace(first, reasons=[*lines, *first.reasons[1:]], prop=first.prop if first.kind == "FALSE" else "")


class _Search:
    def __init__(self, program: Program, settings: Settings, progress: Progress):
        self.program, self.settings, self.progress = program, settings, progress
        self.started = time.monotonic()
        deadline = None if settings.seconds is None else self.started + settings.seconds
        self.solver = solver_of(settings.solver, settings.dump)
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
        except SolverTimeout:
            why = "time limit reached"
        except Undecided:
            why = f"the solver {self.settings.solver} gave up"
        self._tick(self.tree.counts)
        for verdict in self.verdicts.values():
            verdict.reasons.append(self._explored())
        notes = [note] * bool(note) + self._notes()
        if self.settings.several:
            return [self.verdicts.get(prop) or self._rest(prop, why, notes) for prop in sorted(self.program.checks)]
        if self.verdicts:
            return [next(iter(self.verdicts.values()))]
        return [self._rest(min(self.program.checks) if len(self.program.checks) == 1 else "", why, notes)]

    def _tick(self, counts: SearchCounts) -> None:
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
        if self.settings.por == "persistent" and self.tree.por == "sleep":
            return ["with sleep sets only: leaks are looked for wherever the process may end"]
        if self.settings.por == "source" and self.tree.por == "sleep":
            return ["with sleep sets only: races, and deadlocks where threads may wake for no reason, are looked for in all states"]
        return []

    # ------------------------------------------------------------ violations

    def _found(self, one: Obligation, edges: list[PathEdge], value: TermValue) -> None:
        if one.name not in self.verdicts:
            self.stats.depth = len(edges)
            self.verdicts[one.name] = self._violated(one, edges, value)
        wanted = self.program.checks if self.settings.several else {one.name}
        if not self.settings.everything and wanted <= self.verdicts.keys():
            self.tree.counts.interleavings += 1
            self.tree.counts.failed += 1
            raise Stop

    def _violated(self, one: Obligation, edges: list[PathEdge], value: TermValue) -> Verdict:
        played = played_without_halts(self.machine, lifted(self.machine, edges, value))
        given: dict[int, list[int]] = {}
        for name, width in one.inputs.items():
            given.setdefault(width, []).append(value(reg(name, width)))
        return judge_run(self.machine, played, one.name, PathAnswers(self.machine, one.values, given, value), self.stats)

    # ------------------------------------------------------------ none found

    def _cut(self, name: str) -> Cut:
        if name == CONTEXTS:
            return Cut("switches")
        return self.tree.loops.cut(name) if name.startswith("unwind.") else cut_of_bound(self.program, name)

    def _explored(self) -> str:
        counts = self.tree.counts
        named = {"failed": counts.failed, "more blocked": counts.blocked, "more merged": counts.merged}
        parts = [f"{number} {name}" for name, number in named.items() if number]
        parts += [f"{counts.steps} steps", f"{self.solver.calls} questions"]
        return f"{counts.interleavings} interleavings explored ({', '.join(parts)})"

    def _rest(self, prop: str, why: str, notes: list[str]) -> Verdict:
        stopped = [f"violated.{other}" for other in self.verdicts if other not in _ENDS_NOTHING]
        cuts = list(dict.fromkeys(self._cut(name) for name in (*self.tree.reached, *stopped)))
        explored = self._explored()
        if not why and not cuts:
            relies = [f"relies on: {self.tree.por} reduction"] if self.tree.por != "none" else []
            return Verdict("TRUE", prop, [f"all {explored}", *relies, *notes], [], self.stats)
        reason = f"no violation among {explored}" + (f": {why}" if why else "")
        return Verdict("UNKNOWN", prop, [reason, *notes], [], self.stats, cuts)


ENCODING = BoundedEncoding("paths", "one interleaving after the other (ESBMC, lazy)", PathsBounds, search_paths, search=True)
