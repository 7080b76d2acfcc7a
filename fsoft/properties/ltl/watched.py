"""A Program with the atoms of formulas: which of them hold in a state.

`Watched.whole` has the observer as its last slot, `Watched.program` is what runs. The observer's steps are never taken in a run: `Atoms`
executes them on a copy of the state and looks at the variables they set.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fsoft.frontend.source import Loc
from fsoft.program import descriptor
from fsoft.program.interpreter import Machine
from fsoft.program.program import Object, Program, Step, Store, Thread
from fsoft.program.state import Access, ChoicePoint, Event, Halted, Layout, State
from fsoft.properties.ltl.formula import Atom
from fsoft.properties.ltl.observer import OBSERVER, WatchedAtom
from fsoft.properties.ltl.syntax import Text


class UndefinedAtom(Exception):
    """An atom has no value in this state: it reads invalid memory or something undefined."""


@dataclass(slots=True)
class Reading:
    """How an atom is read off a state: `step` of the observer sets the objects `value` and (for locks) `readers`."""

    watch: WatchedAtom
    step: int
    value: Object
    readers: Object | None = None


@dataclass(slots=True)
class Watched:
    """`whole` is the program with the observer, `program` the same without; `readings` by atom."""

    whole: Program
    program: Program
    readings: dict[Atom, Reading]

    def slot(self, atom: Atom, source: Text) -> int:
        """The slot that an atom names, by number or name; a FormulaError if there is none."""
        threads = self.program.threads
        name = "".join(atom.thread.split())
        if name.isdigit() and int(name) < len(threads):
            return int(name)
        for thread in threads:
            if thread.name == name:
                return thread.index
        known = [thread.name for thread in threads]
        close = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean '{close[0]}'?" if close else f"there are {', '.join(f'{k} ({n})' for k, n in enumerate(known))}"
        raise source.error(atom.who, f"no thread '{name}': {hint}")

    def locations(self, atom: Atom, source: Text) -> dict[int, frozenset[int]]:
        """Where a thread is `at` the place that an atom names: by slot, its locations. A FormulaError if there is no such place."""
        if atom.kind == "label":
            return dict([self._labelled(atom, source)])
        file, _, line = atom.text.rpartition(":")
        found = {t.index: _on_line(t, file, int(line)) for t in self.program.threads}
        if not any(found.values()):
            raise source.error(atom.at, self._no_line(file, int(line)))
        return {slot: places for slot, places in found.items() if places}

    def _labelled(self, atom: Atom, source: Text) -> tuple[int, frozenset[int]]:
        slot = self.slot(atom, source)
        locations = self.program.threads[slot].template.locations
        found = frozenset(k for k, place in enumerate(locations) if atom.text in place.labels)
        if not found:
            known = sorted({label for place in locations for label in place.labels})
            close = difflib.get_close_matches(atom.text, known, 1)
            hint = f"did you mean '{close[0]}'?" if close else f"it has {', '.join(known) or 'no labels'}"
            raise source.error(atom.at, f"thread '{atom.thread}' never waits at a label '{atom.text}': {hint}")
        return slot, found

    def _no_line(self, file: str, line: int) -> str:
        known = sorted({p.line for t in self.program.threads for s in t.template.steps for p in user_locs(s) if _same_file(p.file, file)})
        if not known:
            return f"no thread runs code of '{file}'"
        near = sorted(known, key=lambda k: abs(k - line))[:3]
        return f"no step begins at line {line}; near are {', '.join(map(str, sorted(near)))}"


def user_locs(step: Step) -> list[Loc]:
    """The places of a step in the user's text: its own and those of the calls that lead to it."""
    return [loc for loc in (step.loc, *step.calls) if loc.line > 0 and not loc.file.startswith("<")]


def _same_file(one: str, asked: str) -> bool:
    return not asked or one == asked or one.endswith("/" + asked)


def _on_line(thread: Thread, file: str, line: int) -> frozenset[int]:
    steps = [s for s in thread.template.steps if all(tag.kind != "start" for tag in s.tags)]
    return frozenset(s.source for s in steps if any(p.line == line and _same_file(p.file, file) for p in user_locs(s)))


def watched(whole: Program, watch: Sequence[WatchedAtom]) -> Watched:
    """Take the observer apart from the program that it watches."""
    observer = whole.threads[-1]
    assert observer.template.name == OBSERVER
    objects = {o.name: o for o in whole.objects}
    readings = {}
    for one in watch:
        value = objects[one.variable]
        step = _setting(whole, observer, value)
        if step is None:
            raise one.source.error(one.atom.column, "this atom is too complicated to be evaluated at once")
        readings[one.atom] = Reading(one, step, value, objects.get(f"{one.variable}_readers"))
    return Watched(whole, replace(whole, threads=whole.threads[:-1]), readings)


def _setting(program: Program, observer: Thread, value: Object) -> int | None:
    """The step that sets a variable, if that and all before it in its atomic section is one step."""
    places = observer.template.locations
    for number, step in enumerate(observer.template.steps):
        for action in step.actions:
            if isinstance(action, Store) and action.address.is_const and action.address.value == program.address(value):
                return None if places[step.source].atomic else number
    return None


class Atoms:
    """Evaluates the readings of a Watched program on states of `watched.program`, as its layout has them. `hear` is called with what they
    access."""

    def __init__(self, watched: Watched, compiled: bool = True, hear: Callable[[Sequence[Access]], None] | None = None):
        self.watched, self.hear = watched, hear
        self.machine = Machine(watched.whole, compiled=compiled, logging=hear is not None)
        self.slot = len(watched.program.threads)
        self.cut = self.machine.layout.spans[self.slot][0]
        low, high = self.machine.layout.spans[self.slot]
        self._blank = (0,) * (high - low)

    def value(self, reading: Reading, state: State, slot: int | None) -> bool:
        """Whether the atom holds; for a lock `slot` is the thread that is asked about. UndefinedAtom if that cannot be said."""
        v = [*state[: self.cut], *self._blank, *state[self.cut :]]
        events, log = list[Event](), list[Access]()
        done = self.machine.function(self.slot, reading.step)(v, _no_answer, events, log)
        if self.hear is not None:
            self.hear(log)
        if not done or events:
            why = events[0].message if events and isinstance(events[0], Halted) else "undefined"
            raise UndefinedAtom(f"'{reading.watch.atom}': {why}")
        found = self._cell(v, reading.value)
        if reading.readers is None or slot is None:
            return bool(found)
        return found == slot + 1 or bool(self._cell(v, reading.readers) >> slot & 1)

    def _cell(self, v: Sequence[Any], obj: Object) -> int:
        place = self.machine.layout.places[obj.id]
        assert place is not None
        value = v[place.base] if place.rom is None else place.rom[0]
        assert isinstance(value, int)
        return value


def _no_answer(question: ChoicePoint, options: Sequence[int] | None) -> int:
    raise UndefinedAtom(f"it reads an undefined value ({question.name})")


def is_idle(layout: Layout, outgoing: Iterable[int], v: Sequence[Any], slot: int) -> bool:
    """Whether a slot has nothing to do: never started, done, or stopped."""
    if not outgoing:
        return True
    if v[layout.pc[slot]] != 0:
        return False
    state = layout.descriptor(v, slot, "state")
    return slot > 0 if state is None else state != descriptor.RUNNING


__all__ = ["Atoms", "Reading", "UndefinedAtom", "Watched", "is_idle", "user_locs", "watched"]
