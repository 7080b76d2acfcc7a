"""States of the counter abstraction: the words of the whole, and how many threads of the unbounded kinds are in which local state.

The **whole** is the shared words and those of threads that are alone in their kind. A **local state** is a kind, the words of a thread, and
which of the threads that the whole names it is. A word is a number or ANY. A thread's number is ME in its own words and OTHER in those of
others; the whole has names for the threads whose numbers it holds, in the order in which they occur.

A state stands for all states of the program that agree with it on the words that are not ANY, in which each local state has *at most* as
many threads as counted (OMEGA: any number), and exactly as many if it is inside an atomic section (docs/parametric.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from fsoft.parametric.identity import SELF, NotCovered
from fsoft.parametric.names import LEAST_FREE, named_words
from fsoft.parametric.system import System, SystemMove
from fsoft.program.expr import Expr, const, fill

ANY = -1
OMEGA = 1 << 60
ME = LEAST_FREE - 1
OTHER = LEAST_FREE - 2
_OUTSIDE, _NAMES = LEAST_FREE - 3, LEAST_FREE - 1000
_BITS = 8  # inputs of a move up to which all their values are tried

WordTuple = tuple[int, ...]
Env = dict[str, int]


class Local(NamedTuple):
    """A local state. `name`: which of the threads named by the whole it is; 0: none."""

    kind: int
    name: int
    words: WordTuple


Counts = Mapping[Local, int]


class CounterState(NamedTuple):
    whole: WordTuple
    counts: Counts


class CounterShape:
    """How states of a system are written down. NotCovered if the system computes with numbers of threads."""

    def __init__(self, system: System):
        self.system = system
        self.singles = [kind for kind in system.kinds if not kind.many]
        self.names = [*system.shared, *(name for kind in self.singles for name in system.owned[kind.slots[0]])]
        self.at = {name: k for k, name in enumerate(self.names)}
        named = named_words(system)
        self.named = [k for k, name in enumerate(self.names) if name in named]
        self.own = [system.owned[kind.slots[0]] for kind in system.kinds]
        self.holding = [[k for k, name in enumerate(row) if name in named] for row in self.own]
        self.itself = [self._position_of_number(kind.index) for kind in system.kinds]
        self.moves: dict[tuple[int, int], list[SystemMove]] = {}
        for move in system.moves:
            self.moves.setdefault((system.kind_of[move.slot].index, move.step.source), []).append(move)
        self._inputs = {id(move): inputs_of(system, move) for move in system.moves}
        self._starts = {id(move): [starts(system, move, given) for given in self._inputs[id(move)]] for move in system.moves}

    def _position_of_number(self, kind: int) -> int | None:
        slot = self.system.kinds[kind].slots[0]
        entry = self.system.layout.registers[slot].get(SELF)
        return next((k for k, name in enumerate(self.own[kind]) if self.system.entries[name] == entry), None)

    # ------------------------------------------------------------ states

    def initial(self) -> CounterState:
        """No thread of an unbounded kind was created; of each there is any number."""
        first = {name: ANY if value is None else value for name, value in self.system.initial.items()}
        whole, _ = self.whole([first[name] for name in self.names])
        locals_ = [self.local(kind.index, 0, [first[name] for name in self.own[kind.index]]) for kind in self.system.kinds if kind.many]
        return CounterState(whole, dict.fromkeys(locals_, OMEGA))

    def whole(self, words: Sequence[int]) -> tuple[WordTuple, dict[int, int]]:
        """The words in normal form: what does not matter is ANY, and threads are named in order. Also the new names, by what stood for
        them."""
        out, names = list(words), dict[int, int]()
        for kind in self.singles:
            row = self.own[kind.index]
            live = self.system.live[kind.index][out[self.at[row[0]]]]
            for k, name in enumerate(row):
                if k not in live:
                    out[self.at[name]] = ANY
        for k in self.named:
            value = out[k]
            if _is_outside(value):
                out[k] = ANY
            elif value == ME or is_name(value):
                out[k] = names.setdefault(value, _NAMES - len(names))
        return tuple(out), names

    def local(self, kind: int, name: int, words: Sequence[int]) -> Local:
        """The words of a thread in normal form: what does not matter is ANY, and the number of another thread is OTHER."""
        live, out = self.system.live[kind][words[0]], list(words)
        for k in self.holding[kind]:
            if is_name(out[k]) or _is_outside(out[k]):
                out[k] = OTHER
        return Local(kind, name, tuple([word if k in live and k != self.itself[kind] else ANY for k, word in enumerate(out)]))

    def inside(self, local: Local) -> bool:
        """The thread is inside an atomic section."""
        return local.words[0] in self.system.atomic[local.kind]

    def insiders(self, state: CounterState) -> list[Local | int]:
        """Who is inside an atomic section, as local states (twice, if more than one thread is) and kinds of single threads. If there is
        anybody, nobody else can move."""
        out: list[Local | int] = []
        for kind in self.singles:
            if state.whole[self.at[self.own[kind.index][0]]] in self.system.atomic[kind.index]:
                out.append(kind.index)
        for local, number in state.counts.items():
            if self.inside(local):
                out += [local] * min(number, 2)
        return out

    def below(self, less: Counts, more: Counts) -> bool:
        """Whatever the first counts stand for, the second do, too."""
        for local, count in less.items():
            there = more.get(local, 0)
            if count > there or (count < there and self.inside(local)):
                return False
        return all(local in less or not count or not self.inside(local) for local, count in more.items())

    # ------------------------------------------------------------ what a move reads

    def environments(self, state: CounterState, move: SystemMove, mover: Local | None) -> Iterator[tuple[Env, int | None]]:
        """The values of words and inputs in a move, in all ways that may differ, and the slot in whose place a thread is started. Inputs
        that are too wide are not among them."""
        env, choices = dict(zip(self.names, state.whole, strict=True)), list[list[tuple[str, int]]]()
        if mover is not None:
            row = self.own[mover.kind]
            env |= {self.names[k]: ME for k in self.named if mover.name and state.whole[k] == mover.name}
            env.update(zip(row, mover.words, strict=True))
            me = self.itself[mover.kind]
            if me is not None:
                env[row[me]] = ME
            others = [k for k in self.holding[mover.kind] if mover.words[k] == OTHER]
            there = sorted({state.whole[k] for k in self.named if is_name(state.whole[k])} - {mover.name})
            choices = [[(row[k], value) for value in (*there, *(_OUTSIDE - i for i in range(n + 1)))] for n, k in enumerate(others)]
        for choice in product(*choices):
            for given, slot in zip(self._inputs[id(move)], self._starts[id(move)], strict=True):
                yield env | dict(choice) | given, slot

    def width(self, name: str) -> int:
        """Of a word or an input."""
        return self.system.widths[name] if name in self.system.widths else _input_width(name)


def is_name(value: int) -> bool:
    """A word of the whole with this value, if it is one that holds numbers of threads, names a thread of an unbounded kind."""
    return _NAMES - 1000 < value <= _NAMES


def _is_outside(value: int) -> bool:
    """The number of a thread that is neither the mover nor named by the whole."""
    return _NAMES < value <= _OUTSIDE


def inputs_of(system: System, move: SystemMove) -> list[Env]:
    """Values of the narrow inputs of a move, in all ways that make a difference."""
    terms = (move.enabled, move.bad, move.over, *move.writes.values())
    widths = {name: _input_width(name) for term in terms for name in term.reads if name not in system.widths}
    narrow: dict[str, int] = {}
    for name, width in sorted(widths.items(), key=lambda entry: (entry[1], entry[0])):
        if sum(narrow.values()) + width <= _BITS:
            narrow[name] = width
    found: dict[tuple[Expr, ...], Env] = {}
    for values in product(*(range(1 << width) for width in narrow.values())):
        given = dict(zip(narrow, values, strict=True))
        found.setdefault(_filled(terms, given, narrow), given)
    return list(found.values())


def starts(system: System, move: SystemMove, given: Env) -> int | None:
    """The slot whose words a creation changes with these inputs; NotCovered if it may change those of two."""
    owner = {name: slot for slot, row in enumerate(system.owned) for name in row if system.kind_of[slot] is not system.kind_of[move.slot]}
    foreign = {name: term for name, term in move.writes.items() if name in owner and system.kind_of[owner[name]].many}
    terms = _filled(tuple(foreign.values()), given, {name: _input_width(name) for name in given})
    slots = {owner[name] for name, term in zip(foreign, terms, strict=True) if term is not system.word(name)}
    if len(slots) > 1:
        raise NotCovered(f"{move.step.loc}: one step starts several threads")
    return next(iter(slots), None)


def _filled(terms: tuple[Expr, ...], given: Env, widths: Mapping[str, int]) -> tuple[Expr, ...]:
    known = {name: const(value, widths[name]) for name, value in given.items()}
    return tuple([fill(term, known) for term in terms])


def _input_width(name: str) -> int:
    return int(name.rsplit(".", 1)[1])


__all__ = ["ANY", "ME", "OMEGA", "OTHER", "Counts", "Env", "Local", "CounterShape", "CounterState", "WordTuple", "is_name"]
