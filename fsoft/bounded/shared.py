"""What threads share, for every encoding that walks them one by one."""

from __future__ import annotations

from fsoft.analysis.actions import ends_process
from fsoft.analysis.sharing import Sharing
from fsoft.analysis.strides import Strides
from fsoft.bounded.walk import Here, SlotWalk, WalkGround
from fsoft.por.cells import Ground
from fsoft.program.expr import FALSE, TRUE, Expr, const, disj, eq, ite
from fsoft.program.program import Program, Step


class SharedEntries:
    """Which entries of the state vector threads share, who writes them, and which steps others can see. Entry `holder`, behind those of the
    vector, says which thread is inside an atomic section (its slot + 1), if any. `step_touches` and `step_writes` are by slot and step."""

    def __init__(self, program: Program, strides: Strides | None = None):
        self.program = program
        self.cells = cells = Ground(program, strides)
        slots = range(len(program.threads))
        self.holder = cells.layout.size
        self.holder_width = len(program.threads).bit_length()
        self.sections = any(location.atomic for thread in program.threads for location in thread.template.locations)
        self.touches = [self.sections << self.holder for _ in slots]
        self.writes = list(self.touches)
        self.step_touches: list[list[int]] = [[] for _ in slots]
        self.step_writes: list[list[int]] = [[] for _ in slots]
        for slot in slots:
            for index, step in enumerate(program.threads[slot].template.steps):
                self._step(slot, index, step)
        self.mask = 0
        for slot in slots:
            for other in slots:
                if other != slot:
                    self.mask |= self.writes[slot] & self.touches[other]
        self._leaks = "valid-memtrack" in program.checks
        self._sharing = Sharing(program, cells.points_to)
        running = self._sharing.running_at_start()
        self.starters = frozenset(range(0 if running else 1, len(program.threads)))
        """The slots that may not be the first to run."""

    def _step(self, slot: int, index: int, step: Step) -> None:
        touches, writes = self.cells.of_step(slot, index)
        touches |= self.sections << self.holder
        writes |= int(self.held_after(slot, step) is not None) << self.holder
        self.step_touches[slot].append(touches)
        self.step_writes[slot].append(writes)
        self.touches[slot] |= touches
        self.writes[slot] |= writes

    def visible(self, slot: int, index: int) -> bool:
        """Others may see what the step does, or change what it sees; or it ends the process while leaks are asked for: what is lost then is
        asked of the state before that step."""
        template = self.program.threads[slot].template
        step = template.steps[index]
        return self.sections or (self._leaks and ends_process(step)) or self._sharing.visible(template, step)

    def held_after(self, slot: int, step: Step) -> Expr | None:
        """What the step writes to the holder, if it enters or leaves an atomic section."""
        locations = self.program.threads[slot].template.locations
        inside = locations[step.target].atomic
        if inside == locations[step.source].atomic:
            return None
        return const(slot + 1 if inside else 0, self.holder_width)


class SharedWalk(SlotWalk):
    """A thread among others."""

    def __init__(self, ground: WalkGround, shared: SharedEntries, slot: int):
        super().__init__(ground, slot)
        self.shared = shared

    def is_shared(self, index: int) -> bool:
        return bool(self.shared.mask >> index & 1)

    def initial(self, entry: int) -> Expr:
        return const(0, self.shared.holder_width) if entry == self.shared.holder else self.ground.initial(entry)

    def unheld(self, here: Here) -> Expr:
        """Nobody else is inside an atomic section."""
        return unheld(self.value(self.shared.holder, here), self.slot)


def unheld(holder: Expr, slot: int) -> Expr:
    """The holder is nobody, or the slot itself."""
    return disj(eq(holder, const(0, holder.width)), eq(holder, const(slot + 1, holder.width)))


def written_where(term: Expr, base: Expr) -> tuple[Expr, Expr]:
    """When a term differs from what was there before (as far as its branches say), and what it is then."""
    done: dict[Expr, tuple[Expr, Expr]] = {base: (FALSE, base)}
    stack = [term]
    while stack:
        node = stack[-1]
        if node not in done and node.op == "ite":
            waiting = [arg for arg in node.args[1:] if arg not in done]
            if waiting:
                stack += waiting
                continue
            condition, (when_a, a), (when_b, b) = node.args[0], *(done[arg] for arg in node.args[1:])
            value = b if when_a is FALSE else a if when_b is FALSE else ite(condition, a, b)
            done[node] = ite(condition, when_a, when_b), value
        elif node not in done:
            done[node] = TRUE, node
        stack.pop()
    return done[term]
