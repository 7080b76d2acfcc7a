"""Properties of whole states on a path: races, deadlocks and leaks, by the definitions of the circuit with the path's values put in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fsoft.analysis.sharing import Sharing
from fsoft.bounded.outcomes import EntryTerms, Executed, Executor, StepEnd
from fsoft.circuit.encode.deadlocks import global_deadlock, local_deadlock
from fsoft.circuit.encode.leaks import leak, leak_at_end
from fsoft.circuit.encode.pending import Candidate
from fsoft.circuit.encode.races import race
from fsoft.circuit.encode.steps import Inputs, StepEffect
from fsoft.program.expr import FALSE, TRUE, Expr
from fsoft.properties.deadlocks import has_tag
from fsoft.properties.waits import Waits

Asked = tuple[str, bool, Expr]
"""A property, or (True) a bound, and the condition under which it is met."""


class StateProperties:
    """Asks about the states of one program."""

    def __init__(self, executor: Executor):
        self.executor, self.program = executor, executor.program
        checks = self.program.checks
        self._race, self._deadlock, self._leak = (name in checks for name in ("no-data-race", "no-deadlock", "valid-memtrack"))
        self._waits = Waits(self.program) if self._deadlock else None
        self._sharing = Sharing(self.program, executor.facts.points_to) if self._race else None

    def at(self, values: EntryTerms, executed: Sequence[Executed], leaf: bool) -> Iterator[Asked]:
        """What may be wrong with a state; `executed` are the steps that may be enabled there, `leaf` says that there are none."""
        if not (self._race or self._deadlock or (self._leak and leaf)):
            return
        pending = self.executor.pending(values, executed)
        if self._race:
            yield "no-data-race", False, race(pending, Inputs(), self._sharing)
        if self._deadlock:
            yield from self._deadlocks(values, executed)
        if self._leak and leaf:
            term, bounds = leak(pending)
            yield "valid-memtrack", False, term
            yield from ((name, True, bound) for name, bound in bounds.items())

    def _deadlocks(self, values: EntryTerms, executed: Sequence[Executed]) -> Iterator[Asked]:
        pending, step = self.executor.pending(values, executed), self.executor.step
        sure = {one.slot for one in executed if one.enabled is TRUE and not has_tag(step(one.slot, one.index), "spurious")}
        if not sure:
            term, bounds = global_deadlock(pending)
            yield "no-deadlock", False, term
            yield from ((name, True, bound) for name, bound in bounds.items())
        assert self._waits is not None
        slots = (slot for slot in range(len(self.program.threads)) if slot not in sure)
        if any(self.executor.location(values, slot) in self._waits.at(slot) for slot in slots):
            yield "no-deadlock", False, local_deadlock(pending, self._waits)

    def at_end(self, values: EntryTerms, executed: Executed, outcome: StepEnd) -> Expr:
        """The step ends the process and leaves memory behind."""
        if not self._leak or outcome.kind != "ended":
            return FALSE
        one = Candidate(
            executed.slot, self.executor.step(executed.slot, executed.index), StepEffect(writes=outcome.writes, ends=TRUE), TRUE
        )  # fmt: skip
        return leak_at_end(self.executor.pending(values, ()), one)
