"""A step that is looked at but not taken: whether it is enabled in the current state, and what it would access.

Its loads are done into registers of their own; everything else is a matter of expressions, so nothing changes. An access counts if the step
is enabled, the access is valid and nothing in the step stops the thread before it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from fsoft.analysis.validity import Validity
from fsoft.passes.reuse import apart
from fsoft.program.expr import TRUE, Expr, binary, conj, const, disj, fill, ite, make, negate, resize
from fsoft.program.interpreter import in_section
from fsoft.program.program import Action, Alloc, Assign, Check, Free, Halt, Input, Leave, Load, Measure, Require, Step, Store
from fsoft.sequentialize.sequential import Writer
from fsoft.sequentialize.threads import Source


@dataclass(frozen=True, slots=True)
class Seen:
    """An access of a step that is enabled."""

    when: Expr
    address: Expr
    size: Expr
    write: bool
    atomic: bool
    action: Action


@dataclass(slots=True)
class Probe:
    """Looks at a step of a thread that is at the source of the step if `here` holds. `whole`: accesses are asked for, too."""

    out: Writer
    source: Source
    step: Step
    here: Expr
    validity: Validity
    whole: bool = False
    enabled: Expr = TRUE
    seen: list[Seen] = field(default_factory=list)
    _running: Expr = TRUE
    _known: dict[str, Expr] = field(default_factory=dict)
    _stores: list[tuple[Store, Expr, Expr]] = field(default_factory=list)

    def look(self) -> Probe:
        """Emit what has to be loaded and fill in the result."""
        self.enabled = self.expr(self.step.guard)
        actions: list[Action] = []
        last = max((k for k, action in enumerate(self.step.actions) if isinstance(action, Require)), default=-1)
        for action in self.step.actions if self.whole else self.step.actions[: last + 1]:
            if not self._action(action, actions):
                break
        if actions:
            self.out.step(actions, f"a look at: {self.step.text}", self.step)
        self.seen = [Seen(conj(conj(self.here, self.enabled), s.when), s.address, s.size, s.write, s.atomic, s.action) for s in self.seen]
        return self

    def expr(self, expr: Expr) -> Expr:
        return fill(self.source.expr(expr), self._known)

    def _fresh(self, width: int) -> Expr:
        return self.out.register(f"look.{self.source.slot}.{len(self.out.registers)}", width)

    def _set(self, name: str, value: Expr, when: Expr) -> None:
        register = self.source.template.registers[name]
        old = self.out.register(self.source.name(name), register.width, register)
        self._known[str(old.data)] = ite(when, value, self._known.get(str(old.data), old))

    def _action(self, action: Action, actions: list[Action]) -> bool:
        """One action; False if nothing is known about what follows."""
        when = conj(self._running, self.expr(action.when))
        guarded = conj(self.here, conj(self.enabled, when))
        if isinstance(action, Assign):
            self._set(action.reg, self.expr(action.value), when)
        elif isinstance(action, Input):
            new = self._fresh(self.source.template.registers[action.reg].width)
            among = None if action.among is None else self.expr(action.among)
            actions.append(Input(str(new.data), action.name, among, guarded, action.loc, action.signed, action.marker))
            self._set(action.reg, new, when)
        elif isinstance(action, Require):
            self.enabled = conj(self.enabled, disj(negate(when), self.expr(action.condition)))
        elif isinstance(action, Check):
            self._running = conj(self._running, negate(conj(when, negate(self.expr(action.condition)))))
        elif isinstance(action, Halt):
            self._running = conj(self._running, negate(when))
        elif isinstance(action, (Load, Store)):
            self._access(action, when, guarded, actions)
        elif isinstance(action, Measure):
            new = self._fresh(self.source.template.registers[action.reg].width)
            actions.append(Measure(str(new.data), self.expr(action.address), guarded))
            self._set(action.reg, new, when)
        elif isinstance(action, (Free, Leave)):
            address = self.expr(action.address)
            size = self._measured(address, guarded, actions)
            self._saw(action, conj(when, negate(binary("eq", size, const(0, size.width)))), address, size, True, False)
        return not isinstance(action, Alloc)

    def _measured(self, address: Expr, when: Expr, actions: list[Action]) -> Expr:
        size = self._fresh(self.source.program.word)
        actions.append(Assign(str(size.data), const(0, size.width)))
        actions.append(Measure(str(size.data), address, when))
        return size

    def _access(self, action: Load | Store, when: Expr, guarded: Expr, actions: list[Action]) -> None:
        word, address = self.source.program.word, self.expr(action.address)
        valid: Expr = TRUE
        if not self.validity.safe(self.source.thread.template, action):
            bits = self.source.program.offset_bits
            end = binary("add", make("zext", word, (make("extract", bits, (address,), 0),)), const(action.size, word))
            valid = binary("ule", end, self._measured(address, guarded, actions))
            self._running = conj(self._running, negate(conj(when, negate(valid))))
        self._saw(action, conj(when, valid), address, const(action.size, word), isinstance(action, Store), action.sync)
        if isinstance(action, Store):
            self._stores.append((action, address, when))
            return
        new = self._fresh(8 * action.size)
        actions.append(Load(str(new.data), address, action.size, action.sync, conj(guarded, valid), action.loc))
        self._set(action.reg, self._forwarded(action, address, new), when)

    def _forwarded(self, load: Load, address: Expr, loaded: Expr) -> Expr:
        """What a load sees of the stores before it in the step."""
        for store, at, when in self._stores:
            if apart(at, store.size, address, load.size):
                continue
            if store.size == load.size:
                loaded = ite(conj(when, binary("eq", at, address)), self.expr(store.value), loaded)
        return loaded

    def _saw(self, action: Action, when: Expr, address: Expr, size: Expr, write: bool, sync: bool) -> None:
        if self.whole:
            atomic = sync or in_section(self.source.program, self.source.slot, self.step)
            self.seen.append(Seen(when, address, resize(size, self.source.program.word, False), write, atomic, action))
