"""Jumps out of functions: `setjmp` and `longjmp`, and what glibc's cleanup handlers make of them.

A `setjmp` gets a number, which it puts into its buffer together with the id of the thread. A `longjmp` goes to the place whose number it
finds there, if the function around that place is still active; what the functions between them had in scope ends its life, locks stay as
they are. Locals of the function around that are in registers, not volatile, and no longer what they were at the `setjmp`, are any value
(C11 7.13.2.1); those whose address is taken keep what they hold, as in code that gcc makes.
"""

from __future__ import annotations

from dataclasses import dataclass

from fsoft.frontend import tree
from fsoft.frontend.source import Loc
from fsoft.program.expr import FALSE, Expr, conj, const, disj, eq, ite, negate, own, resize
from fsoft.program.lower.context import Expansion, ProgramContext, RegisterPlace, gives_memory_back
from fsoft.program.lower.layout import value_bits
from fsoft.program.lower.variable_arguments import VariableArgumentLowering
from fsoft.program.program import Assign, Enter, Input, Leave


@dataclass(slots=True)
class JumpPlace:
    """Where a `setjmp` returns for the second time. `active`: a register that says whether it may."""

    number: int
    frame: Expansion
    again: int
    active: Expr
    blocks: tuple[tree.Block, ...]
    scopes: list[list[Expr | tree.TypedExpr]]


@dataclass(slots=True)
class FarJump:
    """A `longjmp` whose ways are written when all places are known. `frames`: from the innermost one out, with their scopes."""

    location: int
    number: Expr
    thread: Expr
    loc: Loc
    frames: list[tuple[Expansion, tuple[tree.Block, ...], list[list[Expr | tree.TypedExpr]]]]


class FarJumps(VariableArgumentLowering):
    """`set_jump` and `jump_far` lower the two calls, `finish_jumps` writes the ways between them."""

    def __init__(self, shared: ProgramContext, name: str):
        super().__init__(shared, name)
        self.jump_places: list[JumpPlace] = []
        self.far_jumps: list[FarJump] = []

    def set_jump(self, call: tree.Call) -> Expr:
        address = self.keep(self.value(call.args[0]))
        self.shared.jump_places += 1
        number, width = self.shared.jump_places, value_bits(call.type)
        name = f"{self.frame.function.name}.setjmp@{number}"
        self.store_bytes(address, self.word_const(number), call.loc)
        self.store_bytes(self.add_bytes(address, self.word_const(self.memory.word_bytes)), own("self", self.word), call.loc)
        result, active = self.b.register(name, width), self.b.register(f"{name}.active", 1)
        before = self._remember(name)
        self.b.emit(Assign(str(active.data), const(1, 1)))
        self.b.emit(Assign(str(result.data), const(0, width)))
        landing, again = self.b.location(loop=name), self.b.location()
        self.b.jump(landing)
        self.b.force(again)
        self.b.place(again)
        self.b.emit(Assign(str(result.data), resize(self._jump_value(), width, False)))
        for register, shadow, shown in before:
            changed = negate(eq(register, shadow))
            self.b.emit(Input(str(register.data), f"{shown}, changed since setjmp", when=changed, loc=call.loc))
        self.b.place(landing)
        frame = self.frame
        place = JumpPlace(number, frame, again, active, tuple(frame.blocks), [list(scope) for scope in frame.scopes])
        self.jump_places.append(place)
        self.repeat = None
        return result

    def _jump_value(self) -> Expr:
        return self.b.register(f"{self.name}.jump-value", 32)

    def _remember(self, name: str) -> list[tuple[Expr, Expr, str]]:
        """Registers of the function with copies of what they hold now."""
        assigned = self.shared.scan.facts[self.frame.function.name].assigned
        kept = []
        for symbol, place in self.frame.bindings.items():
            if isinstance(place, RegisterPlace) and symbol in assigned and not symbol.volatile:
                shadow = self.b.register(f"{name}.{symbol.unique}", place.reg.width)
                self.b.emit(Assign(str(shadow.data), place.reg))
                kept.append((place.reg, shadow, symbol.name))
        return kept

    def end_of_frame(self, frame: Expansion) -> None:
        """The function returns: nobody may come back into it."""
        for place in self.jump_places:
            if place.frame is frame:
                self.b.emit(Assign(str(place.active.data), const(0, 1)))

    # ------------------------------------------------------------ longjmp

    def jump_far(self, call: tree.Call) -> Expr:
        address, value = self.keep(self.value(call.args[0])), self.value(call.args[1])
        value = resize(value, 32, False)
        self.b.emit(Assign(str(self._jump_value().data), ite(eq(value, const(0, 32)), const(1, 32), value)))
        number, thread = (self.b.register(f"{self.name}.jump-{part}", self.word) for part in ("place", "thread"))
        for register, offset in ((number, 0), (thread, self.memory.word_bytes)):
            found = self.load_bytes(self.add_bytes(address, self.word_const(offset)), self.memory.word_bytes, call.loc)
            self.b.emit(Assign(str(register.data), found))
        frames = []
        frame: Expansion | None = self.frame
        while frame is not None:
            frames.append((frame, tuple(frame.blocks), [list(scope) for scope in frame.scopes]))
            frame = frame.parent
        location = self.b.location()
        self.b.jump(location)
        self.far_jumps.append(FarJump(location, number, thread, self.b.loc, frames))
        return FALSE

    def finish_jumps(self) -> None:
        for jump in self.far_jumps:
            self.b.place(jump.location)
            if self.b.here is None:
                continue
            self.b.loc = jump.loc
            self._ways(jump)

    def _ways(self, jump: FarJump) -> None:
        mine = eq(jump.thread, own("self", self.word))
        reachable = [place for place in self.jump_places if self._may_go_on(jump, place)]
        guards = [conj(conj(mine, place.active), eq(jump.number, self.word_const(place.number))) for place in reachable]
        nowhere = self.b.location()
        taken: Expr = FALSE
        for guard in guards:
            taken = disj(taken, guard)
        middles = [self.b.location() for _ in reachable]
        self.b.switch([*zip(guards, middles, strict=True), (negate(taken), nowhere)])
        for place, middle in zip(reachable, middles, strict=True):
            self.b.place(middle)
            if self.b.here is not None:
                self._leave_frames(jump, place)
                self.b.jump(place.again)
        self.b.place(nowhere)
        if self.b.here is not None:
            self.undefined("longjmp to a place that is not active", jump.loc)
            self.b.jump(self.b.template.stops["undefined"])

    def _may_go_on(self, jump: FarJump, place: JumpPlace) -> bool:
        """With calls expanded a function is active if it is around the jump; a copy for several calls may be, too."""
        return self.options.calls == "once" or any(frame is place.frame for frame, _, _ in jump.frames)

    def _leave_frames(self, jump: FarJump, place: JumpPlace) -> None:
        """The lives of what is in scope at the jump and not at the place end, and the other way round."""
        if not any(frame is place.frame for frame, _, _ in jump.frames):
            return
        for frame, blocks, scopes in jump.frames:
            shared = 0
            if frame is place.frame:
                shared = 1 + sum(1 for a, b in zip(blocks, place.blocks, strict=False) if a is b)
            self._leave_frame(frame, scopes[shared:], jump.loc)
            if frame is place.frame:
                for scope in place.scopes[shared:]:
                    for address in scope:
                        if isinstance(address, Expr):
                            self.b.emit(Enter(address))
                return

    def _leave_frame(self, frame: Expansion, scopes: list[list[Expr | tree.TypedExpr]], loc: Loc) -> None:
        """No function of the attribute `cleanup` is called."""
        outer, self.frame = self.frame, frame
        for scope in reversed(scopes):
            for item in reversed(scope):
                if isinstance(item, Expr):
                    self.b.emit(Leave(item, loc=loc))
                elif gives_memory_back(item):
                    self.effect(item)
        self.frame = outer


__all__ = ["FarJumps"]
