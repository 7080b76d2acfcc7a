"""Which steps only their own thread can notice: the explorer takes those first.

A location is **local** if each step from it touches nothing but registers and private objects, needs nothing (`Require`), does not
end the process and has nothing to do with atomic sections. A check is fine: its outcome depends on the thread alone, now or
later. At least one location of every cycle of the CFG is left out, so no thread is put off for ever. From a state in which
some thread is at a local location it is enough to move that thread: each of its steps commutes with whatever others do,
and neither enables nor disables it.

An object is **private** to a slot if its address occurs in that slot alone and only as the place of an access, so that no other
thread can get hold of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from fsoft.program.expr import Expr, postorder
from fsoft.program.liveness import expressions
from fsoft.program.program import (
    Action,
    Alloc,
    Assign,
    Check,
    Enter,
    Free,
    Halt,
    Input,
    Leave,
    Load,
    Measure,
    Object,
    Program,
    Require,
    Step,
    Store,
    Template,
)  # fmt: skip


def _base(address: Expr) -> Expr:
    """What an address is computed from: `own(x)` of `own(x) + delta`."""
    while address.op == "padd":
        address = address.args[0]
    return address


def _leaking(action: Action) -> Iterator[Expr]:
    """Expressions of an action whose value can travel: all but the bases of addresses."""
    yield action.when
    if not isinstance(action, (Load, Store, Enter, Leave)):
        yield from expressions(action)
        return
    if isinstance(action, Store):
        yield action.value
    root = action.address
    while root.op == "padd":
        yield root.args[1]
        root = root.args[0]
    if root.op not in ("own", "const"):
        yield root


def _escaping_leaves(template: Template) -> tuple[set[str], set[int], set[int]]:
    """Names of `own` leaves and constants whose value can travel, and the constants that are accessed in place."""
    roots: dict[Expr, None] = {}
    names: set[str] = set()
    values: set[int] = set()
    accessed: set[int] = set()
    for step in template.steps:
        roots[step.guard] = None
        for action in step.actions:
            roots.update(dict.fromkeys(_leaking(action)))
            if isinstance(action, (Load, Store, Enter, Leave)) and _base(action.address).is_const:
                accessed.add(_base(action.address).value)
    for node in postorder(tuple(roots)):
        if node.op == "own":
            names.add(str(node.data))
        elif node.op == "const":
            values.add(node.value)
    return names, values, accessed


def travelling_names(template: Template) -> set[str]:
    """Names of the `own` leaves whose value can travel: it is more than the place of an access."""
    return _escaping_leaves(template)[0]


def contained_objects(program: Program) -> set[int]:
    """Numbers of the objects whose address never travels."""
    shift = program.offset_bits
    escaped: set[int] = set()
    leaves = {id(t): _escaping_leaves(t) for t in program.templates()}
    for thread in program.threads:
        names, values, _ = leaves[id(thread.template)]
        escaped.update(value >> shift for value in values)
        escaped.update(value >> shift for name, value in thread.own.items() if name in names)
    for obj in program.objects:
        escaped.update(value >> shift for value in obj.initial.values())
    return {obj.id for obj in program.objects if obj.id and obj.id not in escaped}


def private_objects(program: Program) -> dict[int, int]:
    """Object number to the one slot that can reach it, for locals whose address never travels. Where leaks are asked for, thread-locals
    are not among them: the end of the process looks at what they lead to."""
    shift, kinds = program.offset_bits, ("local",) if "valid-memtrack" in program.checks else ("local", "thread")
    candidates = {o.id: o.slot for o in program.objects if o.storage in kinds and o.slot is not None}
    foreign: set[int] = set()
    constants = {id(t): _escaping_leaves(t)[2] for t in program.templates()}
    for thread in program.threads:
        accessed = constants[id(thread.template)] | set(thread.own.values())
        foreign.update(value >> shift for value in accessed if candidates.get(value >> shift) != thread.index)
    contained = contained_objects(program)
    return {number: slot for number, slot in candidates.items() if number in contained and number not in foreign}


def _back_targets(template: Template, out: list[list[Step]]) -> set[int]:
    """At least one location of every cycle: the targets of a depth-first search's back edges."""
    colour = [0] * len(template.locations)  # 0 new, 1 on the path, 2 done
    found: set[int] = set()
    for root in range(len(template.locations)):
        stack = [(root, iter(out[root]))] if colour[root] == 0 else []
        colour[root] = colour[root] or 1
        while stack:
            location, steps = stack[-1]
            step = next(steps, None)
            if step is None:
                colour[location] = 2
                stack.pop()
            elif colour[step.target] == 1:
                found.add(step.target)
            elif colour[step.target] == 0:
                colour[step.target] = 1
                stack.append((step.target, iter(out[step.target])))
    return found


class Locality:
    """Local locations of each slot."""

    def __init__(self, program: Program):
        self.program = program
        self.private = private_objects(program)
        self._templates = {id(t): self._facts(t) for t in program.templates()}

    def _facts(self, template: Template) -> tuple[list[list[Step]], set[int]]:
        out = template.outgoing()
        return out, _back_targets(template, out)

    def owner(self, slot: int, address: Expr) -> Object | None:
        """The object that an address is known to lie in, whatever the registers are."""
        base = _base(address)
        own = self.program.threads[slot].own
        value = own.get(str(base.data)) if base.op == "own" else base.value if base.is_const else None
        number = value >> self.program.offset_bits if value is not None else 0
        return self.program.objects[number] if 0 < number < len(self.program.objects) else None

    def _unnoticed(self, slot: int, action: Action) -> bool:
        if isinstance(action, (Assign, Check, Input)):
            return True
        if isinstance(action, Halt):
            return action.kind != "ended"
        if isinstance(action, (Load, Store, Enter, Leave)):
            obj = self.owner(slot, action.address)
            return obj is not None and (self.private.get(obj.id) == slot or (obj.readonly and isinstance(action, Load)))
        assert isinstance(action, (Require, Alloc, Free, Measure))
        return False

    def _local_step(self, slot: int, step: Step) -> bool:
        return all(tag.kind != "section" for tag in step.tags) and all(self._unnoticed(slot, action) for action in step.actions)

    def local(self, slot: int) -> list[bool]:
        """By location: whether moving this thread alone is enough."""
        template = self.program.threads[slot].template
        out, heads = self._templates[id(template)]
        atomic = [place.atomic for place in template.locations]
        result = [False] * len(template.locations)
        for location, steps in enumerate(out):
            if location and steps and location not in heads and not atomic[location]:
                result[location] = all(not atomic[step.target] and self._local_step(slot, step) for step in steps)
        return result
