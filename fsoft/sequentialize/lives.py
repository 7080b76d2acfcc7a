"""Which heap objects live and which ever did, in registers of the sequential Program.

A Program can ask memory only how large a live object is (`Measure`): one of no bytes looks dead then, and one that was freed looks like one
that never lived. Where that makes a difference registers follow every Alloc and Free.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from fsoft.analysis.actions import with_when
from fsoft.program.expr import Expr, conj, const, disj, eq, negate
from fsoft.program.program import Action, Alloc, Assign, Free, Leave, Load, Object, Program, Require, Store
from fsoft.sequentialize.sequential import TemplateWriter

_GIVEN = "given"


@dataclass(slots=True)
class Lives:
    """`live` and `used` (it has lived at some time) by the number of the object; only objects that are followed are in them."""

    out: TemplateWriter
    live: dict[int, Expr] = field(default_factory=dict)
    used: dict[int, Expr] = field(default_factory=dict)

    def __post_init__(self) -> None:
        program = self.out.concurrent
        for pool in sorted(_followed(program)):
            for number in program.pools[pool].objects:
                self.live[number] = self.out.register(f"lives.{number}", 1)
                self.used[number] = self.out.register(f"used.{number}", 1)

    def done(self, action: Alloc | Free, when: Expr) -> list[Action]:
        """The action if `when` holds, with what it does to the registers."""
        program = self.out.concurrent
        if not self.live:
            return [with_when(action, when)]
        if isinstance(action, Free):
            return [with_when(action, when), *self._all(program.objects, action.address, when, False)]
        pool = program.pools[action.pool]
        objects = [program.objects[number] for number in pool.objects]
        given = self.out.register(_GIVEN, 1)  # `when` may read what the action writes
        result = self.out.register(action.reg, program.word)
        return [Assign(_GIVEN, when), with_when(action, given), *self._all(objects, result, given, True)]

    def _all(self, objects: Iterable[Object], address: Expr, when: Expr, lives: bool) -> list[Action]:
        program, found = self.out.concurrent, list[Action]()
        for obj in objects:
            if obj.id not in self.live:
                continue
            it, live, used = conj(when, eq(address, const(program.address(obj), program.word))), self.live[obj.id], self.used[obj.id]
            found.append(Assign(str(live.data), disj(live, it) if lives else conj(live, negate(it))))
            if lives:
                found.append(Assign(str(used.data), disj(used, it)))
        return found


def _followed(program: Program) -> set[int]:
    """Pools whose objects may have no bytes, if their lives are asked for; and those from which a step allocates before it goes on to what
    `probe.py` looks at."""
    races = "no-data-race" in program.checks
    found = set[int]()
    if races or "valid-memtrack" in program.checks:
        found = {pool.index for pool in program.pools if not pool.exact or pool.capacity == 0}
    looked = (Require, Load, Store, Free, Leave) if races else (Require,)
    for template in program.templates():
        for step in template.steps:
            last = max((k for k, action in enumerate(step.actions) if isinstance(action, looked)), default=-1)
            found.update(action.pool for action in step.actions[: last + 1] if isinstance(action, Alloc))
    return found
