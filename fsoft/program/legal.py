"""Legality of a Program: structure only, each rule one sentence of complaint. Checked after lowering and after every pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fsoft.program.expr import BINARY, COMPARISONS, Expr, postorder
from fsoft.program.liveness import expressions, target
from fsoft.program.program import (
    STOPS,
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
)
from fsoft.program.state import can_die
from fsoft.program.verdict import InternalError

_SAME = frozenset({"not", "neg"})
_WIDER = frozenset({"zext", "sext"})
_FLOAT_OPERANDS = frozenset({"fadd", "fsub", "fmul", "fdiv", "feq", "flt", "fle", "fconv", "ftoi", "ftou"})
_FLOAT_RESULT = frozenset({"fadd", "fsub", "fmul", "fdiv", "fconv", "itof", "utof"})


def _node_complaint(node: Expr, widths: list[int]) -> str | None:
    """What is wrong with the widths of an operator node."""
    op = node.op
    if (op in _FLOAT_OPERANDS and any(w not in (32, 64) for w in widths)) or (op in _FLOAT_RESULT and node.width not in (32, 64)):
        return "has an operand or a result that is no float or double"
    if op in BINARY:
        right = len(widths) == 2 and widths[0] == widths[1] and node.width == (1 if op in COMPARISONS else widths[0])
    elif op in _SAME:
        right = widths == [node.width]
    elif op in _WIDER:
        right = len(widths) == 1 and widths[0] <= node.width
    elif op == "ite":
        right = len(widths) == 3 and widths[0] == 1 and widths[1] == widths[2] == node.width
    elif op == "extract":
        right = len(widths) == 1 and isinstance(node.data, int) and node.data >= 0 and node.data + node.width <= widths[0]
    elif op == "concat":
        right = len(widths) == 2 and sum(widths) == node.width
    elif op == "padd":
        right = widths == [node.width, node.width] and isinstance(node.data, int) and 0 < node.data < node.width
    elif op in ("fconv", "itof", "utof", "ftoi", "ftou"):
        right = len(widths) == 1
    else:
        return "is no operator"
    return None if right else f"has operands of {widths} bits and a result of {node.width}"


def _a(what: str) -> str:
    return f"an {what}" if what[0] in "aeiou" else f"a {what}"


class _TemplateRules:
    """The rules for one template."""

    def __init__(self, program: Program, template: Template, owns: set[str]):
        self.program, self.template, self.owns = program, template, owns
        self._fine: set[Expr] = set()

    def complaints(self) -> Iterator[str]:
        template = self.template
        count = len(template.locations)
        for kind in STOPS:
            if not 0 <= template.stops.get(kind, -1) < count:
                yield f"no location for the stop '{kind}'"
        yield from (f"stop '{kind}' is unknown" for kind in template.stops if kind not in STOPS)
        stops = set(template.stops.values())
        if 0 in stops:
            yield "location 0 is a stop"
        yield from (f"location {k} is atomic and a stop" for k in sorted(stops) if k < count and template.locations[k].atomic)
        for number, step in enumerate(template.steps):
            where = f"step {number} ({step.source} -> {step.target}, {step.loc})"
            if not (0 <= step.source < count and 0 <= step.target < count):
                yield f"{where} starts or ends at no location"
            elif step.source in stops:
                yield f"{where} leaves a stop"
            yield from (f"{where} {what}" for what in self.step(step))
        for name, register in template.registers.items():
            if name != register.name or register.width < 1:
                yield f"register {name} is declared as {register.name} with {register.width} bits"

    def step(self, step: Step) -> Iterator[str]:
        yield from self.expr(step.guard, 1, "guard")
        for action in step.actions:
            yield from self.expr(action.when, 1, "when")
            yield from self.action(action)
        for tag in step.tags:
            if tag.operand is not None:
                yield from self.expr(tag.operand, None, f"tag {tag.kind}")
        yield from self.requires(step)

    def requires(self, step: Step) -> Iterator[str]:
        """A Require must not depend on an input of its step: whether a step is enabled is no matter of choice."""
        tainted: set[str] = set()
        for action in step.actions:
            reads = {str(n.data) for n in postorder((action.when, *expressions(action))) if n.op == "reg"}
            if isinstance(action, Require) and reads & tainted:
                yield f"requires what depends on an input of the same step ({', '.join(sorted(reads & tainted))})"
            name = target(action)
            if name is not None:
                if isinstance(action, (Input, Alloc)) or reads & tainted:
                    tainted.add(name)
                elif action.when.is_const:
                    tainted.discard(name)

    def expr(self, root: Expr, width: int | None, what: str) -> Iterator[str]:
        if width is not None and root.width != width:
            yield f"has {_a(what)} of {root.width} bits instead of {width}: {root!r}"
        if root in self._fine:
            return
        found = False
        for complaint in self._nodes(root):
            found = True
            yield f"has {_a(what)} that {complaint}"
        if not found:
            self._fine.add(root)

    def _nodes(self, root: Expr) -> Iterator[str]:
        for node in postorder((root,)):
            if node.op == "reg":
                register = self.template.registers.get(str(node.data))
                if register is None:
                    yield f"reads the undeclared register {node.data}"
                elif register.width != node.width:
                    yield f"reads {node.width} bits of register {node.data}, which has {register.width}"
            elif node.op == "own":
                if str(node.data) not in self.owns:
                    yield f"reads own({node.data}), which some thread of the template does not have"
            elif node.op == "const":
                if not 0 <= node.value < 1 << node.width:
                    yield f"has the constant {node.value} in {node.width} bits"
            else:
                complaint = _node_complaint(node, [a.width for a in node.args])
                if complaint is not None:
                    yield f"is wrong: {node.op} {complaint}"

    def action(self, action: Action) -> Iterator[str]:
        word = self.program.word
        name = target(action)
        width = None
        if name is not None:
            register = self.template.registers.get(name)
            if register is None:
                yield f"writes the undeclared register {name}"
            else:
                width = register.width
        if isinstance(action, Assign):
            yield from self.expr(action.value, width, f"value for {action.reg}")
        elif isinstance(action, (Load, Store, Free, Enter, Leave)):
            yield from self.expr(action.address, word, "address")
            yield from self.access(action, width)
        elif isinstance(action, (Require, Check)):
            yield from self.expr(action.condition, 1, "condition")
        elif isinstance(action, Input):
            if action.among is not None:
                yield from self.expr(action.among, None, "mask of choices")
        elif isinstance(action, Halt):
            if action.kind not in STOPS:
                yield f"halts at '{action.kind}', which is no stop"
            yield from self.marker(action.marker)
        elif isinstance(action, Measure):
            yield from self.expr(action.address, word, "address")
        else:
            yield from self.alloc(action, width)

    def access(self, action: Load | Store | Free | Enter | Leave, width: int | None) -> Iterator[str]:
        if isinstance(action, Load) and width is not None and width != 8 * action.size:
            yield f"loads {action.size} bytes into {action.reg}, which has {width} bits"
        elif isinstance(action, Store):
            yield from self.expr(action.value, 8 * action.size, "stored value")
        if isinstance(action, (Load, Store)) and action.size < 1:
            yield f"accesses {action.size} bytes"
        if isinstance(action, (Enter, Leave)):
            if action.address.op not in ("own", "const"):
                yield f"{'enters' if isinstance(action, Enter) else 'leaves'} an object that is not known: {action.address!r}"

    def alloc(self, action: Alloc, width: int | None) -> Iterator[str]:
        yield from self.expr(action.size, None, "size")
        if width is not None and width != self.program.word:
            yield f"puts an address into {action.reg}, which has {width} bits"
        if not 0 <= action.pool < len(self.program.pools):
            yield f"allocates from pool {action.pool}, which does not exist"

    def marker(self, index: int | None) -> Iterator[str]:
        if index is not None and not 0 <= index < len(self.program.markers):
            yield f"names marker {index}, which does not exist"


def _object_complaints(program: Program, number: int, obj: Object) -> Iterator[str]:
    if obj.id != number:
        yield f"stands at place {number} of the list"
    if obj.size >= 1 << (program.offset_bits - 1):
        yield f"has {obj.size} bytes, too many for an offset of {program.offset_bits} bits"
    end = 0
    starts = set()
    for at, size in sorted((run.start + k * run.stride, run.size) for run in obj.runs for k in range(run.count)):
        if at < end:
            yield f"has overlapping cells at offset {at}"
            break
        end = at + size
        starts.add(at)
    if end > obj.size:
        yield f"has a cell that ends at {end}, beyond its {obj.size} bytes"
    lost = sorted(set(obj.initial) - starts)
    if lost:
        yield f"has an initial value at offset {lost[0]}, where no cell starts"
    if obj.pool is not None and not (0 <= obj.pool < len(program.pools) and number in program.pools[obj.pool].objects):
        yield f"is not in its pool {obj.pool}"
    if obj.storage == "heap" and obj.pool is None:
        yield "is a heap object without a pool"


def _pool_complaints(program: Program) -> Iterator[str]:
    for number, pool in enumerate(program.pools):
        if pool.index != number:
            yield f"pool {pool.index} stands at place {number} of the list"
        if not 0 <= pool.marker < len(program.markers):
            yield f"pool {number} names marker {pool.marker}, which does not exist"
        for k in pool.objects:
            if not 0 < k < len(program.objects):
                yield f"pool {number} has object {k}, which does not exist"
            elif program.objects[k].size < pool.capacity or not can_die(program.objects[k]):
                yield f"pool {number} has object {k}, which is too small or cannot die"


def _thread_complaints(program: Program) -> Iterator[str]:
    for number, thread in enumerate(program.threads):
        if thread.index != number:
            yield f"thread {thread.index} stands at place {number} of the list"
        for name, value in thread.own.items():
            if not 0 <= value < 1 << program.word:
                yield f"thread {number} has {value} as its own {name}"


def complaints(program: Program) -> list[str]:
    """Everything that is wrong with the program; nothing if it is legal."""
    found: list[str] = []
    if not program.threads:
        found.append("there is no thread")
    if not 0 < program.offset_bits < program.word:
        found.append(f"{program.offset_bits} bits of offset do not fit a word of {program.word}")
    found += _thread_complaints(program)
    found += _pool_complaints(program)
    for number, obj in enumerate(program.objects):
        if number:
            found += (f"object {obj.id} ({obj.name}) {what}" for what in _object_complaints(program, number, obj))
    for template in program.templates():
        owns = _common(thread.own for thread in program.threads if thread.template is template)
        found += (f"{template.name}: {what}" for what in _TemplateRules(program, template, owns).complaints())
    return found


def _common(owns: Iterable[dict[str, int]]) -> set[str]:
    names = [set(own) for own in owns]
    return set.intersection(*names) if names else set()


def check_legal(program: Program) -> None:
    """An InternalError with the first complaints if the program is not legal."""
    found = complaints(program)
    if found:
        raise InternalError("illegal program: " + "; ".join(found[:3]) + (f" (and {len(found) - 3} more)" if len(found) > 3 else ""))
