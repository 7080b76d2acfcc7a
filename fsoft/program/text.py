"""The canonical text of a Program: what `fsoft show` prints and tests read."""

from __future__ import annotations

from fsoft.frontend.source import NOWHERE, Loc
from fsoft.program.expr import TRUE, Expr, show
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
    Location,
    Measure,
    Object,
    Program,
    Require,
    Step,
    Store,
    Tag,
    Template,
    Thread,
)
from fsoft.program.state import Layout


class AddressNames:
    """Addresses as names of objects."""

    def __init__(self, program: Program):
        self.program = program
        self.layout = Layout(program)

    def address(self, expr: Expr) -> str:
        """An address expression: a known object by its name."""
        if expr.is_const and self.layout.place_of(expr.value) is not None:
            return self.layout.describe(expr.value)
        return f"*{show(expr)}"

    def value(self, value: int) -> str:
        if self.layout.place_of(value) is not None:
            return f"&{self.layout.describe(value)}"
        return str(value)

    def action(self, action: Action) -> str:
        text = self._bare(action)
        return text if action.when is TRUE else f"if {show(action.when)}: {text}"

    def _bare(self, action: Action) -> str:
        if isinstance(action, Assign):
            return f"{action.reg} := {show(action.value)}"
        if isinstance(action, Load):
            return f"{action.reg} := {self.address(action.address)} ({_bytes(action)})"
        if isinstance(action, Store):
            return f"{self.address(action.address)} := {show(action.value)} ({_bytes(action)})"
        if isinstance(action, Input):
            among = "" if action.among is None else f" among {show(action.among)}"
            return f"{action.reg} := input{among} ({action.name})"
        if isinstance(action, Require):
            return f"require {show(action.condition)}"
        if isinstance(action, Check):
            return f"check {show(action.condition)} ({action.prop}: {action.message})"
        if isinstance(action, Halt):
            return f"halt {action.kind}" + ("" if action.marker is None else f" (marker {action.marker})")
        if isinstance(action, Alloc):
            return f"{action.reg} := alloc {show(action.size)} {'zero ' * action.zero}bytes from pool {action.pool}"
        if isinstance(action, Measure):
            return f"{action.reg} := size of the object at {show(action.address)}"
        return f"{_LIFE[type(action)]} {self.address(action.address)}"

    def tag(self, tag: Tag) -> str:
        return tag.kind if tag.operand is None else f"{tag.kind} {self.address(tag.operand)}"


_LIFE: dict[type, str] = {Free: "free", Enter: "enter", Leave: "leave"}


def _bytes(action: Load | Store) -> str:
    return f"{action.size}{', sync' if action.sync else ''}{f', {action.order}' if action.order else ''}"


def _where(loc: Loc) -> str:
    return "" if loc == NOWHERE else f"{loc.file}:{loc.line}"


def _columns(left: str, right: str, width: int = 72) -> str:
    return f"{left:<{width}}  {right}".rstrip()


def _object(words: AddressNames, obj: Object) -> str:
    if len(obj.runs) == 1 and obj.runs[0].count == 1 and obj.runs[0].name == "":
        shape = obj.runs[0].ctype or f"{obj.runs[0].size} bytes"
    else:
        shape = ", ".join(
            f"{run.name or '.'}: {run.ctype or f'{run.size} bytes'}" + (f" x{run.count}" if run.count > 1 else "") for run in obj.runs
        )
        shape = f"{obj.size} bytes {{{shape}}}"
    notes = [obj.storage] + [word for word in ("undefined", "readonly") if getattr(obj, word)]
    notes += [] if obj.alive else ["not alive"]
    notes += [] if obj.slot is None else [f"of thread {obj.slot}"]
    notes += [] if obj.pool is None else [f"pool {obj.pool}"]
    initial = ", ".join(f"+{at}: {words.value(value)}" if at else words.value(value) for at, value in sorted(obj.initial.items())[:8])
    more = ", ..." if len(obj.initial) > 8 else ""
    text = f"object {obj.id} {obj.name}: {shape}" + (f" = {initial}{more}" if initial else "")
    return _columns(f"{text}  [{', '.join(notes)}]", _where(obj.loc))


def _thread(words: AddressNames, thread: Thread) -> str:
    own = ", ".join(f"{name} = {words.value(value)}" for name, value in thread.own.items())
    return f"thread {thread.index} {thread.name} runs {thread.template.name}" + (f"  own {own}" if own else "")


def _location(template: Template, number: int, place: Location) -> str:
    stop = next((kind for kind, at in template.stops.items() if at == number), "")
    notes = [f"({stop})"] if stop else []
    notes += ["atomic"] if place.atomic else []
    notes += [f"loop {place.loop}"] if place.loop else []
    notes += [f"{label}:" for label in place.labels]
    return f"  {number}" + "".join(f"  {note}" for note in notes)


def _step(words: AddressNames, step: Step) -> list[str]:
    guard = "" if step.guard is TRUE else f"[{show(step.guard)}] "
    actions = [words.action(action) for action in step.actions]
    head = f"    {step.source} -> {step.target}  {guard}{actions[0] if actions else ''}".rstrip()
    tags = "".join(f" #{words.tag(tag)}" for tag in step.tags)
    comment = " ".join(part for part in (_where(step.loc), step.text) if part)
    lines = [_columns(head + tags, f"// {comment}" if comment else "")]
    lines += [f"        {' ' * len(str(step.target))}     {text}" for text in actions[1:]]
    return lines


def _template(words: AddressNames, template: Template) -> list[str]:
    lines = ["", f"template {template.name}"]
    for register in template.registers.values():
        ctype = f" {register.ctype}" if register.ctype else ""
        lines.append(_columns(f"  register {register.name}:{register.width}{ctype}", _where(register.loc)))
    out = template.outgoing()
    for number, place in enumerate(template.locations):
        lines.append(_location(template, number, place))
        for step in out[number]:
            lines += _step(words, step)
    return lines


def text_of(program: Program) -> str:
    """The whole program as text, without a newline at the end."""
    words = AddressNames(program)
    lines = [f"program {program.name}  (word {program.word} bits, offset {program.offset_bits} bits)"]
    if program.checks:
        lines.append(f"checks {', '.join(sorted(program.checks))}")
    lines += [_object(words, obj) for obj in program.objects if obj.id]
    for pool in program.pools:
        kind = "exactly" if pool.exact else "up to"
        lines.append(f"pool {pool.index}: {len(pool.objects)} objects of {kind} {pool.capacity} bytes (marker {pool.marker})")
    for k, marker in enumerate(program.markers):
        effect = " and ".join(word for word in ("cuts", "adds") if getattr(marker, word)) or "notes"
        lines.append(_columns(f"marker {k} {marker.kind} {effect}: {marker.message}", _where(marker.loc)))
    lines += [_thread(words, thread) for thread in program.threads]
    for template in program.templates():
        lines += _template(words, template)
    lines += [f"note {note}" for note in program.notes]
    return "\n".join(lines)
