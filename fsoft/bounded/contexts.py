"""TCBMC: threads as SSA templates that meet at context switches (Rabinovitz and Grumberg, sections 3, 4 and 7).

A run is a sequence of blocks of steps of one thread, the contexts. Each thread is walked once (`walk.py`). Where it comes to a visible
step it says in which of its contexts that step is: `cs` of the paper, which never decreases, and beyond the last context the
thread does not go on. `cs >= j` is a bit of its own, so what a shared entry holds at a step is a choice between at most as many values as
the thread has contexts, each the value at the start of that context with the thread's own writes in it.

The value at the start of a context is what the context before it leaves: the term itself if that thread has been walked already, else
an input `x_val` and a constraint that makes them equal. No other constraint is needed: a step that is blocked, out of turn or
beyond the last context is simply not taken, and its thread stays where it is. So a thread may stop anywhere; forcing threads to finish
would hide what happens before a deadlock or before another thread's failed assume.

What a thread writes in its first turn has come through no later one, so there the value is taken as if the thread had never switched:
it is the same wherever the write happens in that turn, and often a constant, which then passes on to the next thread.

Orders: `round-robin` (context i is that of thread i mod T), `free` (`run_i` says whose it is), and `start-line`: round-robin with the
formula of section 7: for each context the line where it starts, instead of a `cs` for each line.
"""

from __future__ import annotations

from dataclasses import dataclass

from fsoft.bounded.common import Common
from fsoft.bounded.shared import SharedWalk
from fsoft.bounded.walk import Here, WalkGround
from fsoft.circuit.encode.steps import StepTerms
from fsoft.program.expr import FALSE, TRUE, Expr, binary, conj, const, disj, eq, ite, negate, rebuilt

ORDERS = ("round-robin", "free", "start-line")


@dataclass(frozen=True, slots=True)
class ContextTurn:
    """A context that a thread may have: its number in the run, and when it is the thread's."""

    number: int
    owned: Expr


class Contexts:
    """The contexts of a run and what shared entries hold in each of them."""

    def __init__(self, ground: WalkGround, common: Common, count: int, order: str):
        self.ground, self.shared, self.domains, self.count, self.order = ground, common.shared, common.domains, count, order
        self.slots = len(ground.program.threads)
        self.turns = [self._turns(slot) for slot in range(self.slots)]
        self.walked: dict[int, ContextWalk] = {}
        self._starts: dict[tuple[int, int], Expr] = {}
        self._open: list[tuple[int, int, str, Expr]] = []

    def _turns(self, slot: int) -> list[ContextTurn]:
        if self.order != "free":
            return [ContextTurn(number, TRUE) for number in range(slot, self.count, self.slots)]
        width = max(1, (self.slots - 1).bit_length())
        owner = [self.ground.input(f"run.{number}", width) for number in range(self.count)]
        return [ContextTurn(number, eq(owner[number], const(slot, width))) for number in range(self.count)]

    def initial(self, entry: int) -> Expr:
        return const(0, self.shared.holder_width) if entry == self.shared.holder else self.ground.initial(entry)

    def start(self, number: int, entry: int) -> Expr:
        """`x_val`: the entry at the start of context `number`."""
        while number and not self._writes(number - 1, entry):
            number -= 1
        if number == 0:
            return self.initial(entry)
        key = (number, entry)
        if key not in self._starts:
            if self._owners(number - 1) <= self.walked.keys():
                self._starts[key] = self.end(number - 1, entry)
            else:
                holder = entry == self.shared.holder
                name = "<holder>" if holder else self.ground.words.names[entry]
                self._starts[key] = term = self.domains.of(entry).guessed(self.ground, f"x_val.{number}.{name}")
                if not term.is_const:
                    self._open.append((number, entry, name, term))
        return self._starts[key]

    def _owners(self, number: int) -> set[int]:
        return set(range(self.slots)) if self.order == "free" else {number % self.slots}

    def _writes(self, number: int, entry: int) -> bool:
        return any(self.shared.writes[slot] >> entry & 1 for slot in self._owners(number))

    def end(self, number: int, entry: int) -> Expr:
        """The entry when context `number` is over. Its possible owners have been walked."""
        value = self.start(number, entry)
        for slot in sorted(self._owners(number)):
            walk, turn = self.walked[slot], self._turn(slot, number)
            value = ite(self.turns[slot][turn].owned, walk.current(turn, entry), value)
        return value

    def _turn(self, slot: int, number: int) -> int:
        return number if self.order == "free" else number // self.slots

    def close(self) -> None:
        """The constraints that make every `x_val` what the context before it leaves. Stating one may need another."""
        while self._open:
            number, entry, name, term = self._open.pop()
            self.ground.model.constraints[f"x_val.{number}.{name}"] = eq(term, self.end(number - 1, entry))


class ContextWalk(SharedWalk):
    """A thread among others. `here.turn[j]` says that the thread is in its turn j + 1 or later, the last of them that it does not go on."""

    def __init__(self, ground: WalkGround, contexts: Contexts, slot: int):
        super().__init__(ground, contexts.shared, slot)
        self.contexts, self.turns = contexts, contexts.turns[slot]
        self._current: list[dict[int, Expr]] = [{} for _ in self.turns]
        self._lines: list[Expr] = []
        self._first: dict[Expr, Expr] = {}  # terms as they are in the first turn
        if contexts.order == "start-line":
            width = max(1, len(self.template.locations).bit_length())
            self._lines = [ground.input(f"start.{slot}.{j}", width) for j in range(1, len(self.turns) + 1)]

    def start(self) -> Here:
        here = super().start()
        here.turn = (FALSE,) * len(self.turns)
        return here

    def enter(self, location: int, here: Here, steps: list[int]) -> Expr:
        if not self.turns:
            return FALSE
        if (location == 0 and self.slot in self.shared.starters) or any(self.shared.visible(self.slot, index) for index in steps):
            before: Expr = TRUE
            turn = []
            for j, late in enumerate(here.turn):
                switches = self._switches(location, j)
                if j == 0:
                    self._first[switches] = FALSE
                before = disj(late, conj(before, switches))
                turn.append(before)
            here.turn = tuple(turn)
        allowed = FALSE
        for one, when in zip(self.turns, self.within(here.turn), strict=True):
            allowed = disj(allowed, conj(when, one.owned))
        if self.shared.sections:
            allowed = conj(allowed, self.unheld(here))
        return allowed

    def _switches(self, location: int, j: int) -> Expr:
        """Whether turn j is over when the thread comes to this location (if the turns before it are)."""
        if self._lines:
            return binary("ule", self._lines[j], const(location, self._lines[j].width))
        return self.ground.input(f"cs.{self.slot}.{location}.{j + 1}", 1)

    def within(self, turn: tuple[Expr, ...]) -> list[Expr]:
        """For each turn whether the thread is in it."""
        since: tuple[Expr, ...] = (TRUE, *turn)
        return [conj(since[j], negate(since[j + 1])) for j in range(len(self.turns))]

    # ------------------------------------------------------------ shared memory

    def current(self, turn: int, entry: int) -> Expr:
        """The entry in a turn of the thread, after what has been walked so far."""
        known = self._current[turn].get(entry)
        return known if known is not None else self.contexts.start(self.turns[turn].number, entry)

    def shared_value(self, index: int, here: Here) -> Expr:
        value = self.current(0, index)
        for j, late in enumerate(here.turn[:-1], 1):
            if late is not FALSE:
                value = ite(late, self.current(j, index), value)
        return value

    def shared_write(self, index: int, value: Expr, when: Expr, here: Here) -> None:
        for j, inside in enumerate(self.within(here.turn)):
            now = conj(when, inside)
            if now is not FALSE:
                new = value if j else rebuilt(value, self._first)
                self._current[j][index] = ite(now, new, self.current(j, index))

    def meet(self, index: int, terms: StepTerms, when: Expr, here: Here) -> tuple[Expr, tuple[Expr, ...], tuple[Expr, ...]]:
        held = self.shared.held_after(self.slot, terms.step)
        if held is not None:
            self.shared_write(self.shared.holder, held, conj(when, terms.running), here)
        return super().meet(index, terms, when, here)
