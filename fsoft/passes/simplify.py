"""Simplify control flow: constants in registers, code that cannot run, steps that do nothing, alternatives that only choose.

A choice between library alternatives (a spurious wake-up, a time-out) is merged into the first step of each way, so that a
thread whose ways are all blocked waits at the choice itself and the tag sits on the step that acts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from fsoft.analysis.actions import always, defined, rewritten
from fsoft.analysis.liveness import Liveness
from fsoft.passes.graph import Graph, changed, each_template, empty, shortened
from fsoft.passes.webs import split_webs
from fsoft.program.expr import Expr, conj, fill
from fsoft.program.program import Assign, Program, Step, Tag, Template

CHOICES = frozenset({"spurious", "timeout"})


@dataclass(frozen=True)
class Simplify:
    """`rounds`: how often constants and control flow take turns at most. `split`: give unrelated uses of a temporary registers of
    their own first."""

    name: str = "simplify"
    rounds: int = 3
    split: bool = True

    def apply(self, program: Program) -> Program:
        return each_template(program, self._template)

    def _template(self, template: Template) -> Template:
        if self.split:
            template = split_webs(template)
        live = Liveness(template)
        entry = live.names(live.at[0])
        for _ in range(self.rounds):
            graph = Graph(_propagate(template, entry))
            _prune(graph)
            _shortcut(graph)
            _merge_choices(graph)
            before, template = template, graph.finish()
            if len(template.steps) == len(before.steps):
                break
        return template


# ---------------------------------------------------------------- constants


def _single_definitions(template: Template, entry: frozenset[str]) -> dict[str, Expr]:
    """Registers with one assignment that always runs, and its value; not those that may be read before it (`entry`)."""
    count: dict[str, int] = {}
    value: dict[str, Expr] = {}
    for step in template.steps:
        for action in step.actions:
            name = defined(action)
            if name is not None:
                count[name] = count.get(name, 0) + 1
                if isinstance(action, Assign) and always(action):
                    value[name] = action.value
    return {name: v for name, v in value.items() if count[name] == 1 and name not in entry}


def _constant_registers(template: Template, entry: frozenset[str]) -> dict[str, Expr]:
    """Registers that have the same value whenever they are read: a constant, or an expression over constants of the thread."""
    open_ = _single_definitions(template, entry)
    known: dict[str, Expr] = {}
    progress = True
    while progress:
        progress = False
        for name, value in list(open_.items()):
            told = fill(value, known)
            open_[name] = told
            if _fixed(told):
                known[name] = told
                del open_[name]
                progress = True
    return known


def _fixed(expr: Expr) -> bool:
    """No register is read, and the expression is a constant or an address."""
    while expr.op == "padd" and expr.args[1].op == "const":
        expr = expr.args[0]
    return expr.op in ("const", "own")


def _propagate(template: Template, entry: frozenset[str]) -> Template:
    known = _constant_registers(template, entry)
    steps = template.steps
    if known:
        steps = [_filled(step, known) for step in steps]
    steps = [changed(s, s.guard, shortened(s.actions), s.tags) for s in steps]
    return Template(template.name, template.registers, template.locations, steps, template.stops)


def _filled(step: Step, known: dict[str, Expr]) -> Step:
    rewrite = partial(fill, known=known)
    actions = tuple([rewritten(a, rewrite) for a in step.actions if defined(a) not in known])
    tags = step.tags
    if any(t.operand is not None for t in tags):
        tags = tuple(Tag(t.kind, None if t.operand is None else rewrite(t.operand)) for t in tags)
    return changed(step, rewrite(step.guard), actions, tags)


# ---------------------------------------------------------------- control flow


def _prune(graph: Graph) -> None:
    """Steps whose guard is false go."""
    for node, steps in enumerate(graph.out):
        if any(s.guard.op == "const" and not s.guard.data for s in steps):
            graph.out[node] = [s for s in steps if s.guard.op != "const" or s.guard.data]


def _shortcut(graph: Graph) -> None:
    """Steps into a location that only passes control on go where it goes; then loop heads and labels hand over their marks."""
    _redirect(graph, {n: s.target for n, s in _passing(graph) if not (graph.locations[n].loop or graph.locations[n].labels)})
    count, fixed = graph.incoming(), graph.fixed()
    goes: dict[int, int] = {}
    for node, step in _passing(graph):
        here, there = graph.locations[node], graph.locations[step.target]
        if (here.loop or here.labels) and count[step.target] == 1 and not there.loop and step.target not in fixed | goes.keys():
            graph.locations[step.target] = replace(there, loop=here.loop, labels=here.labels + there.labels, loc=here.loc)
            goes[node] = step.target
    _redirect(graph, goes)


def _passing(graph: Graph) -> list[tuple[int, Step]]:
    """Locations with nothing but an empty step that can be left out."""
    fixed, found = graph.fixed(), []
    for node, steps in enumerate(graph.out):
        if node in fixed or len(steps) != 1 or not empty(steps[0]) or steps[0].guard.op != "const":
            continue
        target = steps[0].target
        if target != node and (graph.locations[node].atomic or not graph.locations[target].atomic):
            found.append((node, steps[0]))
    return found


def _redirect(graph: Graph, goes: dict[int, int]) -> None:
    final = _ends(goes)
    for node, steps in enumerate(graph.out):
        if any(s.target in final for s in steps):
            graph.out[node] = [s.to(final.get(s.target, s.target)) for s in steps]


def _ends(goes: dict[int, int]) -> dict[int, int]:
    """The end of each chain of shortcuts; a chain that closes on itself keeps its smallest location."""
    final: dict[int, int] = {}
    for node in goes:
        chain: dict[int, int] = {}  # with positions
        while node in goes and node not in final and node not in chain:
            chain[node] = len(chain)
            node = goes[node]
        end = min(list(chain)[chain[node] :]) if node in chain else final.get(node, node)
        final.update(dict.fromkeys(chain, end))
    return final


def _merge_choices(graph: Graph) -> None:
    """At a location with tagged alternatives, each empty alternative is joined to the steps that follow it."""
    fixed = graph.fixed()
    for node in range(len(graph.out)):
        if not any(t.kind in CHOICES for s in graph.out[node] for t in s.tags):
            continue
        for _ in range(8):
            merged = [new for step in graph.out[node] for new in _joined(graph, node, step, fixed)]
            if merged == graph.out[node]:
                break
            graph.out[node] = merged


def _joined(graph: Graph, node: int, step: Step, fixed: set[int]) -> list[Step]:
    where = graph.locations[step.target]
    if step.actions or step.target == node or step.target in fixed or where.atomic or where.loop or where.labels:
        return [step]
    return [
        Step(node, conj(step.guard, s.guard), s.actions, s.target, s.loc, s.text, step.tags + s.tags, s.calls)
        for s in graph.out[step.target]
    ]
