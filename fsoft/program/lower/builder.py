"""A cursor that writes the control-flow graph of one template.

Actions collect in a pending step until something ends it: a second access to memory (a step shows at most one access to other
threads), a branch, a jump. Inside an atomic section no interleaving can see the middle, so accesses share a step there; its inner
locations are marked atomic. How deep the cursor is in atomic sections travels with control flow: each location knows it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from fsoft.frontend.source import NOWHERE, Loc, Unsupported
from fsoft.program.expr import Expr, negate, reg
from fsoft.program.program import (
    STOPS,
    TRUE,
    Action,
    Alloc,
    Check,
    Free,
    Halt,
    Leave,
    Load,
    Location,
    Register,
    Require,
    Step,
    Store,
    Tag,
    Template,
)  # fmt: skip

_ACCESSES = (Load, Store, Alloc, Free, Leave)


class Builder:
    """`here` is the location of the cursor, None where control cannot come. `loc`, `text`, `function` and `calls` describe
    the C statement being lowered and are copied into steps and locations."""

    def __init__(self, name: str):
        self.template = Template(name)
        self.loc: Loc = NOWHERE
        self.text = ""
        self.function = name
        self.calls: tuple[Loc, ...] = ()
        self.depth = 0  # atomic sections around the cursor
        self.stops_apart = False  # an access and a stop after it are two steps
        self._joined = 0
        self._pending: list[Action] = []
        self._tags: list[Tag] = []
        self._step_place: tuple[Loc, str, tuple[Loc, ...]] | None = None
        self._accessed = False
        self._depth_at: dict[int, int] = {}
        self._temporaries = 0
        self.prefix = ""
        self.here: int | None = self.location()
        self._depth_at[0] = 0
        for kind in STOPS:
            self.template.stops[kind] = self.location()
        self._stops = frozenset(self.template.stops.values())

    # ------------------------------------------------------------ locations and registers

    def location(self, loop: str = "", label: str = "") -> int:
        self.template.locations.append(Location(self.loc, self.function, False, loop, (label,) if label else ()))
        return len(self.template.locations) - 1

    def register(self, name: str, width: int, symbol: str = "", signed: bool = True, ctype: str = "") -> Expr:
        if name not in self.template.registers:
            self.template.registers[name] = Register(name, width, symbol, signed, ctype, self.loc)
        return reg(name, width)

    def temporary(self, width: int) -> Expr:
        """A register for one intermediate value; reused after `release`."""
        self._temporaries += 1
        return self.register(f"{self.prefix}t{self._temporaries}.{width}", width)

    def mark(self) -> int:
        return self._temporaries

    def release(self, mark: int) -> None:
        self._temporaries = mark

    @contextmanager
    def own_temporaries(self, prefix: str) -> Iterator[None]:
        """A family of temporaries of its own, for code that is entered from several places."""
        outer = self.prefix, self._temporaries
        self.prefix, self._temporaries = prefix, 0
        yield
        self.prefix, self._temporaries = outer

    # ------------------------------------------------------------ writing steps

    def emit(self, action: Action) -> None:
        """Add an action to the pending step, ending that step first where the action needs one of its own."""
        if self.here is None:
            return
        access = isinstance(action, _ACCESSES)
        apart = (access and self._accessed) or isinstance(action, Require)
        apart = apart or (self.stops_apart and self._accessed and isinstance(action, (Check, Halt)))
        if apart and not self.depth and not self._joined:
            self.seal()
        if not self._pending:
            self._step_place = (self.loc, self.text, self.calls)
        elif access and not self._accessed and self.text and self._step_place and not self._step_place[1]:
            self._step_place = (self.loc, self.text, self.calls)  # what came before has no text (parameters): it is where its access is
            self.template.locations[self.here].function = self.function
        self._pending.append(action)
        self._accessed = self._accessed or access

    def tag(self, kind: str, operand: Expr | None = None) -> None:
        if self.here is not None:
            if not self._pending and not self._tags:
                self._step_place = (self.loc, self.text, self.calls)
            self._tags.append(Tag(kind, operand))

    def _close(self, target: int, guard: Expr = TRUE) -> None:
        assert self.here is not None
        loc, text, calls = self._step_place or (self.loc, self.text, self.calls)
        step = Step(self.here, guard, tuple(self._pending), target, loc, text, tuple(self._tags), calls)
        self.template.steps.append(step)
        self._pending, self._tags, self._step_place, self._accessed = [], [], None, False

    def seal(self) -> int | None:
        """End the pending step, if there is one; the cursor is then at a location with nothing pending."""
        if self.here is not None and (self._pending or self._tags):
            target = self.location()
            self._arrive(target)
            self._close(target)
            self.here = target
        return self.here

    def _arrive(self, target: int) -> None:
        if target in self._stops:
            return
        known = self._depth_at.setdefault(target, self.depth)
        if known != self.depth:
            raise Unsupported(self.loc, "an atomic section begins or ends on one way to this place but not on another")
        if self.depth:
            self.template.locations[target].atomic = True

    def jump(self, target: int) -> None:
        """Go to `target`; control does not come past here."""
        if self.here is None:
            return
        self._arrive(target)
        self._close(target)
        self.here = None

    def place(self, target: int) -> None:
        """Go on writing at `target`, falling into it if control can come here."""
        self.jump(target)
        if target in self._depth_at:
            self.here = target
            self.depth = self._depth_at[target]
            where = self.template.locations[target]
            if where.loc is NOWHERE:
                where.loc = self.loc

    def force(self, target: int) -> None:
        """Let `place` write code at a target that only later code jumps to."""
        self._depth_at.setdefault(target, self.depth)

    def land(self, target: int) -> None:
        """Go on at `target` as if control came from the cursor, which is left behind (a step from there exists already)."""
        self._arrive(target)
        self.here = target

    def branch(self, condition: Expr, yes: int, no: int) -> None:
        """Two ways; a constant condition leaves one."""
        if self.here is None:
            return
        if condition.is_const:
            self.jump(yes if condition.value else no)
            return
        source = self.seal()
        assert source is not None
        for guard, target in ((condition, yes), (negate(condition), no)):
            self._arrive(target)
            self.here = source
            self._close(target, guard)
        self.here = None

    def switch(self, ways: list[tuple[Expr, int]]) -> None:
        """Several ways with exclusive guards."""
        source = self.seal()
        if source is None:
            return
        for guard, target in ways:
            if guard.is_const and not guard.value:
                continue
            self._arrive(target)
            self.here = source
            self._close(target, guard)
        self.here = None

    def alternatives(self, kind: str, first: int, second: int) -> None:
        """Both ways are possible; the step to `first` carries the tag `kind`."""
        source = self.seal()
        if source is None:
            return
        for tags, target in (([Tag(kind)], first), ([], second)):
            self._arrive(target)
            self.here, self._tags = source, tags
            self._close(target)
        self.here = None

    # ------------------------------------------------------------ atomicity

    @contextmanager
    def one_step(self) -> Iterator[None]:
        """What is emitted inside (no branches) is one step of its own."""
        if not self.depth and not self._joined:
            self.seal()
        self._joined += 1
        yield
        self._joined -= 1
        if not self.depth and not self._joined:
            self.seal()

    def begin_atomic(self) -> None:
        self.seal()
        self.depth += 1

    def end_atomic(self) -> None:
        if self.depth == 0 or self.here is None:
            return
        self.depth -= 1
        if self.depth == 0:
            target = self.location()
            self._arrive(target)
            self._close(target)
            self.here = target
