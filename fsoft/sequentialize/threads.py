"""One thread of the unwound Program, as sequentializations copy it: where it may stop, what its registers are called."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from operator import or_

from fsoft.analysis.actions import blocking, defined, ends_process, renamed, rewritten
from fsoft.analysis.liveness import Liveness
from fsoft.analysis.sharing import Sharing
from fsoft.analysis.validity import Validity
from fsoft.passes.ways import all_exclusive
from fsoft.passes.webs import split_webs
from fsoft.program.expr import Expr, reg, substitute
from fsoft.program.program import Action, Alloc, Assign, Enter, Free, Leave, Load, Program, Step, Store, Thread
from fsoft.sequentialize.sequential import TemplateWriter

Effects = (Store, Alloc, Free, Enter, Leave)


def in_webs(program: Program) -> Program:
    """The Program with a register for each web of a temporary. It comes before all analyses: they know registers by name."""
    split = {id(template): split_webs(template) for template in program.templates()}
    return replace(program, threads=[replace(thread, template=split[id(thread.template)]) for thread in program.threads])


class ThreadSource:
    """The template of a slot (`in_webs`), read for copying.

    `ranks[l]`: the number of a location among those where the thread may stop (others can see the step that follows, or it may block).
    `visible`: steps that others can see. Where leaks are asked for, one that ends the process is among them: what is lost then is asked
    of the state before it.
    `inside`: those of them that are in atomic sections.
    `local`: registers that may be written even where the thread is not.
    """

    def __init__(self, program: Program, thread: Thread, sharing: Sharing, validity: Validity):
        self.program, self.thread, self.slot = program, thread, thread.index
        self.template = thread.template
        self.out: list[list[tuple[int, Step]]] = [[] for _ in self.template.locations]
        self.visible: set[int] = set()
        leaks = "valid-memtrack" in program.checks
        for index, step in enumerate(self.template.steps):
            self.out[step.source].append((index, step))
            if (leaks and ends_process(step)) or sharing.visible(thread.template, step):
                self.visible.add(index)
        stops = [at for at in range(len(self.out)) if self._may_stop(at)]
        self.ranks = {at: rank for rank, at in enumerate(stops)}
        self.local = self._local(stops)
        self.inside = [at for at in stops if self.template.locations[at].atomic]
        self._validity = validity
        self._names: dict[Expr, Expr] = {}

    def _may_stop(self, location: int) -> bool:
        """A switch here can make a difference. Inside an atomic section a thread stops for good, to be looked at: its access may race."""
        steps = self.out[location]
        if self.template.locations[location].atomic:
            return "no-data-race" in self.program.checks and any(i in self.visible for i, _ in steps)
        return any(i in self.visible or blocking(s) or self.template.locations[s.target].atomic for i, s in steps)

    def _local(self, stops: list[int]) -> frozenset[str]:
        """Registers that no stop has to keep, and that no step writes while another one's value may still be read."""
        live = Liveness(self.template)
        waiting = live.names(reduce(or_, live.at, 0))
        kept = live.names(reduce(or_, [live.at[at] for at in stops], 0))
        writers: dict[str, set[int]] = {}
        for index, step in enumerate(self.template.steps):
            for name in filter(None, map(defined, step.actions)):
                writers.setdefault(name, set()).add(index)
        return frozenset(name for name, steps in writers.items() if name not in kept and (len(steps) == 1 or name not in waiting))

    def name(self, register: str) -> str:
        return f"{register}@{self.slot}"

    def expr(self, expr: Expr) -> Expr:
        """An expression over the registers of the copy."""
        if expr not in self._names:
            self._names[expr] = substitute(expr, lambda n: reg(self.name(str(n.data)), n.width) if n.op == "reg" else None)
        return self._names[expr]

    def action(self, action: Action) -> Action:
        """The action on the registers of the copy."""
        new = rewritten(action, self.expr)
        register = getattr(action, "reg", None)
        return new if register is None else renamed(new, self.name(register))

    def chosen(self, location: int) -> bool:
        """Several steps may be possible there."""
        return not all_exclusive([step.guard for _, step in self.out[location]])

    def harmless(self, action: Action) -> bool:
        """It may be done even where the thread is not: only a register that nobody has to keep changes, and nothing can go wrong."""
        if getattr(action, "reg", None) not in self.local:
            return False
        if isinstance(action, Assign):
            return True
        if not isinstance(action, Load) or not self._validity.safe(self.thread.template, action):
            return False
        return not self.program.objects[action.address.value >> self.program.offset_bits].undefined


class Positions:
    """Where threads are: a bit for each location of each, and whether they have stopped early."""

    def __init__(self, out: TemplateWriter):
        self.out = out

    def at(self, source: ThreadSource, location: int) -> Expr:
        return self.out.register(f"at.{source.slot}.{location}", 1)

    def gone(self, source: ThreadSource) -> Expr:
        return self.out.register(f"gone.{source.slot}", 1)
