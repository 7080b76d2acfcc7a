"""Who waits for whom: threads that are blocked by a resource that another thread owns (a mutex, a readers-writer lock, a thread
that is joined).

A blocked step of the library names the word in which the owner is kept (`Tag` owner: a thread's id, readers: a mask of threads, join:
a thread descriptor). The word is read by a Load of the step, before its Require; that Load gives the address in the state before the
step. (Where the value is known and the Load is gone, an address without registers says it itself.) A thread waits for another if every
step it could try is blocked by a resource of that other one. Each needs *all* the resources that it waits for, so that a circle of
waiting threads never ends. Steps of atomic sections do not count: blocking there prunes the run.

A join ends early when its thread is cancelled, or the joined one detached: in programs with such steps joins do not count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from fsoft.program import descriptor
from fsoft.program.expr import TRUE, Expr, const, evaluate, fill, substitute
from fsoft.program.interpreter import Machine
from fsoft.program.program import Assign, Load, Program, Require, Step, Template, Thread
from fsoft.program.replay import View
from fsoft.program.state import set_bits

_KINDS = ("owner", "readers", "join")
_EARLY = ("cancel", "detach")
_SIZES = {"owner": 4, "readers": 8}  # bytes of the words; that of a descriptor is as wide as a pointer


@dataclass(frozen=True, slots=True)
class WaitSource:
    """Where a blocked step reads whom it waits for. `address` is an expression over the registers before the step."""

    kind: str
    address: Expr
    size: int


_Rows = list[tuple[int, tuple[WaitSource, ...]]]
"""Indices of steps, and what each waits for."""


def _loads(step: Step) -> dict[Expr, WaitSource]:
    """The unconditional loads before the last Require, by address as written: the address in terms of the state before the step."""
    last = max((k for k, action in enumerate(step.actions) if isinstance(action, Require)), default=0)
    known: dict[str, Expr] = {}
    lost: set[str] = set()
    found: dict[Expr, WaitSource] = {}
    for action in step.actions[:last]:
        if isinstance(action, Load) and action.when is TRUE and lost.isdisjoint(action.address.reads):
            found.setdefault(action.address, WaitSource("", fill(action.address, known), action.size))
        name = getattr(action, "reg", None)
        if name is None:
            continue
        if isinstance(action, Assign) and action.when is TRUE and lost.isdisjoint(action.value.reads):
            known[name] = fill(action.value, known)
            lost.discard(name)
        else:
            lost.add(name)
    return found


def sources(step: Step, joins: bool) -> tuple[WaitSource, ...]:
    """What the step waits for when it is blocked; nothing if that is not known."""
    if any(tag.kind == "section" for tag in step.tags):
        return ()
    loads = _loads(step)
    found: list[WaitSource] = []
    for tag in step.tags:
        if tag.kind not in _KINDS or tag.operand is None or (tag.kind == "join" and not joins):
            continue
        load = loads.get(tag.operand)
        if load is not None:
            found.append(WaitSource(tag.kind, load.address, load.size))
        elif not tag.operand.reads:
            found.append(WaitSource(tag.kind, tag.operand, _SIZES.get(tag.kind, tag.operand.width // 8)))
    return tuple(found)


class Waits:
    """The blocking steps of a program. `at(slot)` has the locations from which every step may wait for an owner."""

    def __init__(self, program: Program):
        self.program = program
        kinds = {tag.kind for template in program.templates() for step in template.steps for tag in step.tags}
        self._joins = kinds.isdisjoint(_EARLY)
        self._tables: dict[int, dict[int, _Rows]] = {id(template): self._table(template) for template in program.templates()}
        self._slots = [self._owned(thread) for thread in program.threads]

    def at(self, slot: int) -> dict[int, _Rows]:
        """By location: index and sources of each step from there."""
        return self._slots[slot]

    def _table(self, template: Template) -> dict[int, _Rows]:
        table: dict[int, _Rows] = {}
        for index, step in enumerate(template.steps):
            if not template.locations[step.source].atomic:
                table.setdefault(step.source, []).append((index, sources(step, self._joins)))
        return {location: rows for location, rows in table.items() if any(found for _, found in rows)}

    def _owned(self, thread: Thread) -> dict[int, _Rows]:
        """The table of a slot, with its own constants in the addresses."""

        def leaf(node: Expr) -> Expr | None:
            return const(thread.own[str(node.data)], node.width) if node.op == "own" else None

        return {
            location: [(index, tuple(replace(one, address=substitute(one.address, leaf)) for one in found)) for index, found in rows]
            for location, rows in self._tables[id(thread.template)].items()
        }

    def joined(self, address: int) -> int:
        """The slot whose descriptor's state is at that address."""
        word = self.program.word // 8
        return (address & ((1 << self.program.offset_bits) - 1)) // (word * len(descriptor.FIELDS))

    # ------------------------------------------------------------ in a state

    def waiting(self, view: View) -> dict[int, dict[int, int]]:
        """For each thread that waits for owners: whom it waits for, and the address of the word that says so."""
        machine, v, pc = view.machine, view.v, view.machine.layout.pc
        moving = {slot for slot, _ in view.enabled}
        found: dict[int, dict[int, int]] = {}
        for slot, table in enumerate(self._slots):
            rows = table.get(v[pc[slot]])
            if rows is not None and slot not in moving:
                edges = self._edges(machine, v, slot, rows)
                if edges:
                    found[slot] = edges
        return found

    def _edges(self, machine: Machine, v: Sequence[Any], slot: int, rows: _Rows) -> dict[int, int]:
        common: dict[int, int] | None = None
        for index, found in rows:
            guard = machine.guard(slot, index)
            if guard is not None and not guard(v):
                continue
            mine = self._named(machine, v, slot, found)
            common = mine if common is None else {who: at for who, at in common.items() if who in mine}
        return common or {}

    def _named(self, machine: Machine, v: Sequence[Any], slot: int, found: tuple[WaitSource, ...]) -> dict[int, int]:
        """The threads that the sources name in a state, with the addresses."""
        layout, count = machine.layout, len(self.program.threads)
        mine: dict[int, int] = {}
        for source in found:
            known = source.address.is_const
            address = source.address.value if known else evaluate(source.address, machine.interpreter.leaf(v, slot))
            value = layout.cell(v, address, source.size)
            if not value:
                continue
            if source.kind == "owner":
                if value <= count:
                    mine[value - 1] = address
            elif source.kind == "readers":
                mine.update({bit: address for bit in set_bits(value) if bit < count})
            elif value == descriptor.RUNNING:
                mine[self.joined(address)] = address
        return mine


def cycle(edges: dict[int, dict[int, int]]) -> list[int]:
    """The slots of some circle, each waiting for the next and the last for the first; [] if there is none."""
    for start in sorted(edges):
        parent = {start: start}
        work = [start]
        while work:
            slot = work.pop(0)
            for other in sorted(edges.get(slot, ())):
                if other == start:
                    return _way(parent, start, slot)
                if other not in parent:
                    parent[other] = slot
                    work.append(other)
    return []


def _way(parent: dict[int, int], start: int, end: int) -> list[int]:
    way = [end]
    while way[-1] != start:
        way.append(parent[way[-1]])
    return way[::-1]
