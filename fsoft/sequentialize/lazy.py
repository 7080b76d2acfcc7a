"""Lazy sequentialization (Inverso, Nguyen, Fischer, La Torre, Parlato: Lazy-CSeq; section II), as Program to Program.

An unwound Program becomes one with a single thread that plays a number of rounds. In each round every thread, in the order of creation,
goes on from where it stopped up to a place that is guessed (`cs`, one number for the whole visit). Positions are in topological order, so
one pass over the steps of a thread is enough: a step is taken if the thread is at its source (`at`, a bit per location, kept from
round to round as its registers are) and, where others can see it, if the position lies before `cs`. That is the macro J of the paper as a
predicate: nothing is jumped over, nothing is computed twice, and shared memory is simply memory.

A thread may stop anywhere. A step that blocks prunes the run: the run in which the thread stopped before it is another one. A thread that
halts (a failed assume, a bound, the end of main) ends the run if it could as well have stopped just before; if it has changed memory since
it was last able to stop, only that thread ends (`passes/fold` puts an assume into one step with the store before it).

Nobody stops inside an atomic section, except for good, where races are asked for: nobody moves after that.

What is asked about states (races, deadlocks) is asked about the state after the last round (`final.py`): every state that can be
reached in so many rounds is one of those.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from fsoft.analysis.actions import reads, with_when
from fsoft.analysis.sharing import Sharing
from fsoft.analysis.validity import Validity
from fsoft.frontend.source import NOWHERE
from fsoft.program.expr import FALSE, TRUE, Expr, binary, conj, const, disj, negate
from fsoft.program.program import Action, Alloc, Assign, Free, Halt, Input, Marker, Program, Require, Step
from fsoft.program.state import in_section
from fsoft.sequentialize.final import Final
from fsoft.sequentialize.lives import Lives
from fsoft.sequentialize.schedule import RoundSchedule
from fsoft.sequentialize.sequential import GO, Sequential, TemplateWriter
from fsoft.sequentialize.threads import Effects, Positions, ThreadSource, in_webs

OF_STATES = frozenset({"no-deadlock", "no-data-race", "valid-memtrack"})


@dataclass(frozen=True, slots=True)
class Lazy:
    """The transformation. `coverage`: a bound tells whether some run needs another round (for native checking, not for other tools)."""

    schedule: RoundSchedule
    coverage: bool = True

    def apply(self, program: Program) -> Sequential:
        """`program` is unwound."""
        return _Playing(self, in_webs(program)).run()


class _Playing:
    """Writes the sequential Program."""

    def __init__(self, options: Lazy, program: Program):
        self.options, self.program = options, program
        sharing, validity = Sharing(program), Validity(program)
        self.sources = [ThreadSource(program, thread, sharing, validity) for thread in program.threads]
        self.out = TemplateWriter(program)
        self.positions, self.lives = Positions(self.out), Lives(self.out)
        self.go = self.out.register(GO, 1)
        self.busy: list[dict[int, Expr]] = []
        self.deferred: dict[tuple[str, int | None], Expr] = {}
        self.ended = self._seen("ended", None) if "valid-memtrack" in program.checks else None  # the end itself is observed
        self.held = self.out.register("held", 1) if any(source.inside for source in self.sources) else FALSE

    def run(self) -> Sequential:
        self.out.step([Assign(str(self.positions.at(source, 0).data), TRUE) for source in self.sources], "every thread is at its start")
        for number, slots in enumerate(self.options.schedule.rounds):
            self.busy.append({})
            for slot in slots:
                self._visit(number, self.sources[slot])
        self._final()
        for (kind, marker), seen in self.deferred.items():
            if kind in ("cut", "undefined"):
                self.out.step([Halt(kind, marker, seen)], "a thread was cut")
        return self.out.finish()

    def _final(self) -> None:
        """Questions about the state after the last round."""
        final = Final(self.out, self.positions, self.sources, self.lives, self.held)
        checks, schedule = self.program.checks, self.options.schedule
        if self.options.coverage or checks & OF_STATES:
            final.look()
        if self.ended is not None:
            final.leaks(self.ended)
        if "no-deadlock" in checks:
            final.deadlocks()
        if "no-data-race" in checks:
            final.data_races()
        if self.options.coverage:
            if schedule.restricted:
                marker = Marker("schedule", True, False, NOWHERE, "the schedule leaves out runs", "leave out --schedule")
                self.out.step([Halt("cut", self.out.marker(marker))], "a given schedule")
            else:
                rounds = [[row.get(slot, FALSE) for slot in slots] for row, slots in zip(self.busy, schedule.rounds, strict=True)]
                final.coverage(rounds, round_marker(schedule.full), self.ended or FALSE)

    # ------------------------------------------------------------ threads

    def _visit(self, number: int, source: ThreadSource) -> None:
        """One thread in one round."""
        width = len(source.ranks).bit_length()
        switch = self.out.register(f"cs.{source.slot}", max(1, width))
        name = f"context switch of thread {source.slot} ({source.thread.name}) in round {number + 1}"
        if source.ranks:
            self.out.step([Input(str(switch.data), name)], f"round {number + 1}: thread {source.slot}")
        for location, steps in enumerate(source.out):
            if not steps:
                continue
            run = self._runs_on(number, source, location, switch)
            picks = self._picks(source, location)
            for (index, step), pick in zip(steps, picks, strict=True):
                self._step(number, source, index, step, conj(conj(self.positions.at(source, location), run), pick))
        if source.inside:
            stays = reduce(disj, [self.positions.at(source, location) for location in source.inside])
            self.out.step([Assign(str(self.held.data), disj(self.held, stays))], "nobody moves while a thread is inside an atomic section")

    def _runs_on(self, number: int, source: ThreadSource, location: int, switch: Expr) -> Expr:
        """Whether the thread goes on from a location in a round: it may stop wherever others can see the step that follows."""
        if location not in source.ranks:
            return TRUE
        before = binary("ult", const(source.ranks[location], switch.width), switch)
        return conj(before, negate(disj(self.ended or FALSE, self.held)))

    def _picks(self, source: ThreadSource, location: int) -> list[Expr]:
        """Which of the steps from a location is tried, where guards do not decide that."""
        count = len(source.out[location])
        if count == 1 or not source.chosen(location):
            return [TRUE] * count
        pick = self.out.register(f"pick.{source.slot}", 8)
        self.out.step([Input(str(pick.data), f"which way thread {source.slot} takes")], "a choice")
        ways: list[Expr] = [binary("eq", pick, const(k, 8)) for k in range(count - 1)]
        return [*ways, negate(binary("ult", pick, const(count - 1, 8)))]

    # ------------------------------------------------------------ steps

    def _step(self, number: int, source: ThreadSource, index: int, step: Step, here: Expr) -> None:
        """A step of a thread, taken if its guard holds and the thread is `here` and goes on."""
        location = self.positions.at(source, step.source)
        actions: list[Action] = [
            Assign(GO, conj(here, source.expr(step.guard))),
            Assign(str(location.data), conj(location, negate(self.go))),
        ]
        if self.options.coverage and index in source.visible:
            busy = self.busy[number].setdefault(source.slot, self.out.register(f"busy.{source.slot}.{number}", 1))
            actions.append(Assign(str(busy.data), disj(busy, self.go)))
        written = [a.reg for a in step.actions if hasattr(a, "reg")]
        only_read = step.guard.reads.union(*map(reads, step.actions)).difference(written)  # what a function without `return` gives
        for name in [*written, *sorted(only_read)]:
            self.out.register(source.name(name), source.template.registers[name].width, source.template.registers[name])
        over = in_section(self.program, source.slot, step) or step.source in source.ranks
        on, changed = self.go, False
        for action in step.actions:
            new = source.action(action)
            when = conj(on, new.when)
            if isinstance(new, Require):
                actions.append(Halt("pruned", None, conj(when, negate(new.condition)), step.loc))
            elif isinstance(new, Halt):
                whole = in_section(self.program, source.slot, step) or (over and not changed)
                whole = whole and not (new.kind == "ended" and self.ended is not None)
                on = self._halt(source, new, when, on, whole, actions)
            else:
                actions += self._done(source, action, new, when)
                changed |= isinstance(new, Effects)
        if step.target not in source.template.stops.values():
            target = self.positions.at(source, step.target)
            actions.append(Assign(str(target.data), disj(target, on)))
        self.out.step(actions, step.text, step, (source.slot, index))

    def _done(self, source: ThreadSource, action: Action, new: Action, when: Expr) -> list[Action]:
        """An action that goes on: `new` on the registers of the copy."""
        if isinstance(new, (Alloc, Free)):
            return self.lives.done(new, when)
        return [new if source.harmless(action) else with_when(new, when)]

    def _halt(self, source: ThreadSource, halt: Halt, when: Expr, on: Expr, whole: bool, actions: list[Action]) -> Expr:
        """A halt of the whole run, or of this thread alone; whether the thread goes on after it."""
        if whole:
            actions.append(Halt(halt.kind, halt.marker, when, halt.loc))
            return on
        gone = self.positions.gone(source)
        actions.append(Assign(str(gone.data), disj(gone, when)))
        seen = self._seen(halt.kind, halt.marker)
        self.deferred[halt.kind, halt.marker] = seen
        actions.append(Assign(str(seen.data), disj(seen, when)))
        still = self.out.register("on", 1)
        actions.append(Assign("on", conj(on, negate(when))))
        return still

    def _seen(self, kind: str, marker: int | None) -> Expr:
        """Some thread has stopped in that way."""
        return self.out.register(f"seen.{kind}.{'' if marker is None else marker}", 1)


def round_marker(count: int) -> Marker:
    times = f"{count} round{'s' * (count != 1)}"
    return Marker("rounds", True, False, NOWHERE, f"some run needs more than {times}", f"--rounds {count + 1}")
