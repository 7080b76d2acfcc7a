"""The largest invariant among candidate clauses (Houdini), and the part of it that the proof needs.

Clauses speak of two threads; a move of a third is what the others do to them (thread-modular reasoning at level two: Owicki and Gries;
Hoenicke, Majumdar, Podelski, "Thread Modularity at Many Levels", POPL 2017). A clause is dropped when a state that satisfies all
candidates has a successor in which it is false. When nothing is left to drop, the rest is inductive. What cannot fail in it cannot fail.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from fsoft.parametric.clauses import ThreadClause, after_move, choices, role_name
from fsoft.parametric.evaluate import text_of_term
from fsoft.parametric.questions import ClauseQuestion, Meeting, Mover, SlotNumbers, Start, WordValues
from fsoft.parametric.system import System, SystemMove
from fsoft.program.expr import FALSE
from fsoft.program.pycode import HELPERS
from fsoft.solve.sat import SolverTimeout

_SHRINKINGS = 3
_AT_ONCE = 40  # hypotheses added after one model


@dataclass(frozen=True, slots=True)
class Stuck:
    """The candidates do not exclude a failure; `why` is a line for a person."""

    why: str


class Inference:
    """`prove` gives the clauses of an invariant that excludes all failures, or Stuck."""

    def __init__(self, system: System, candidates: list[ThreadClause], deadline: float):
        self.system, self.clauses, self.deadline = system, candidates, deadline
        self.active = [True] * len(candidates)
        self.judge = ClauseJudge(system, candidates, self.active)
        self.words = [frozenset(name for literal in clause.literals for name in literal.reads) for clause in candidates]
        self.movers: list[Mover | Meeting] = []
        self.cores: list[set[int]] = []
        self.dirty: deque[int] = deque()

    def prove(self) -> list[ThreadClause] | Stuck:
        self._start()
        for move in self.system.moves:
            self._check_time()
            self.movers.append(self._mover(move))
            self.cores.append(set())
        for clash in self.system.clashes:
            self.movers.append(Meeting(self.system, clash))
            self.cores.append(set())
        self.dirty.extend(range(len(self.movers)))
        while self.dirty:
            number = self.dirty[0]
            stuck = self._settle(number)
            if stuck is not None:
                return stuck
            self.dirty.popleft()
        return [self.clauses[number] for number in sorted(self._needed())]

    def dropped(self) -> list[ThreadClause]:
        """The candidates that were not invariant."""
        return [clause for clause, active in zip(self.clauses, self.active, strict=True) if not active]

    def _check_time(self) -> None:
        if time.monotonic() > self.deadline:
            raise SolverTimeout

    # ------------------------------------------------------------ questions

    def _start(self) -> None:
        """Drop what is false in some initial state."""
        question = Start(self.system)
        for number, clause in enumerate(self.clauses):
            slots = next(choices(self.system, clause.kinds))
            question.aim(number, clause, slots)
        question.finish(FALSE)
        while question.possible(question.leading, deadline=self.deadline):
            false = self.judge.false_in(question.before())
            self._drop({number for number, _ in false})
            question.give_up(number for number, _ in false)

    def _mover(self, move: SystemMove) -> Mover:
        mover = Mover(self.system, move)
        written = set(move.writes)
        several = {kinds: self._spoken_of(move.slot, kinds) for kinds in {clause.kinds for clause in self.clauses}}
        for number, clause in enumerate(self.clauses):
            if self.active[number]:
                for slots in several[clause.kinds]:
                    if move.slot in slots or self._touched(number, slots, written):
                        mover.aim(number, clause, slots)
        mover.finish(move.over)
        return mover

    def _spoken_of(self, mover: int, kinds: tuple[int, ...]) -> list[SlotNumbers]:
        """The slots for which a clause must be shown: all cases up to exchanging representatives that do not move."""
        allowed = set()
        for kind in self.system.kinds:
            still = [slot for slot in kind.slots if slot != mover]
            allowed.update(still[: kinds.count(kind.index)])
        out = [slots for slots in after_move(self.system, mover, kinds) if set(slots) <= allowed | {mover}]
        return [slots for slots in out if mover in slots or list(slots) == sorted(slots) or kinds[0] != kinds[1]]

    def _touched(self, number: int, slots: SlotNumbers, written: set[str]) -> bool:
        """Whether a move of another thread can change what the clause says about these slots."""
        if not written.isdisjoint(self.words[number]):
            return True
        for role, slot in enumerate(slots):
            for k, name in enumerate(self.system.owned[slot]):
                if name in written and (k == 0 or role_name(role, k) in self.words[number]):
                    return True
        return False

    # ------------------------------------------------------------ dropping

    def _settle(self, number: int) -> Stuck | None:
        """Drop clauses until this move keeps all others; it must not fail either."""
        mover = self.movers[number]
        while True:
            core: set[int] = set()
            if mover.fallible:
                if (failing := self._model(mover, mover.failing)) is not None:
                    return Stuck(mover.what(failing))
                core |= mover.used()
            while (state := self._model(mover, mover.leading)) is not None:
                self._drop({clause for clause, _ in self.judge.false_in(mover.follow(state))})
            core |= mover.used()
            if all(self.active[clause] for clause in core):  # what keeps it from failing was not dropped since
                self.cores[number] = core
                return None

    def _model(self, mover: ClauseQuestion, *wanted: int) -> WordValues | None:
        """A state that satisfies all clauses, from which the wanted happens."""
        while mover.possible(*wanted, deadline=self.deadline):
            state = mover.before()
            missing = self.judge.false_in(state)
            if not missing:
                return state
            for number, slots in missing[:_AT_ONCE]:
                if not mover.suppose(number, self.clauses[number], slots):
                    raise AssertionError("a hypothesis does not hold in a model of it")
        return None

    def _drop(self, numbers: Iterable[int]) -> None:
        gone = {number for number in numbers if self.active[number]}
        if not gone:
            raise AssertionError("a goal was reached that no clause explains")
        for number in gone:
            self.active[number] = False
        for k, mover in enumerate(self.movers):
            mover.give_up(gone)
            if k < len(self.cores) and not self.cores[k].isdisjoint(gone) and k not in self.dirty:
                self.dirty.append(k)

    # ------------------------------------------------------------ what is needed

    def _needed(self) -> set[int]:
        """Clauses that exclude all failures and are inductive together."""
        needed: set[int] = set()
        for one in self.movers:
            if one.fallible:
                needed |= self._excludes(one, needed, one.failing)
        goals: dict[int, list[tuple[ClauseQuestion, int]]] = {}
        for question in self.movers:
            for (number, _), goal in question.goals.items():
                goals.setdefault(number, []).append((question, goal))
        todo = sorted(needed)
        while todo:
            number = todo.pop()
            for asked, goal in goals.get(number, ()):
                fresh = self._excludes(asked, needed, asked.leading, goal) - needed
                needed |= fresh
                todo += sorted(fresh)
        return needed

    def _excludes(self, mover: ClauseQuestion, known: set[int], *wanted: int) -> set[int]:
        """Clauses that exclude the wanted: known ones if they suffice, else few others with them."""
        if not mover.possible(*wanted, only=known, deadline=self.deadline):
            return set()
        if self._model(mover, *wanted) is not None:
            raise AssertionError("what was excluded is possible")
        found = mover.used()
        for _ in range(_SHRINKINGS):
            smaller = found if mover.possible(*wanted, only=found | known, deadline=self.deadline) else mover.used()
            if len(smaller) >= len(found):
                break
            found = smaller
        return found


class ClauseJudge:
    """Says which active clauses are false in a state, for which slots. The clauses of one place are one Python function."""

    def __init__(self, system: System, clauses: list[ThreadClause], active: list[bool]):
        self.system, self.clauses, self.active = system, clauses, active
        self.at: dict[tuple[int, ...], dict[tuple[int, ...], list[int]]] = {}
        for number, clause in enumerate(clauses):
            self.at.setdefault(clause.kinds, {}).setdefault(clause.places, []).append(number)
        self._functions: dict[tuple[tuple[int, ...], tuple[int, ...]], object] = {}
        self._choices = {kinds: list(choices(system, kinds)) for kinds in self.at}

    def false_in(self, state: WordValues) -> list[tuple[int, SlotNumbers]]:
        shared = [state[name] for name in self.system.shared]
        threads = [[state[name] for name in row] for row in self.system.owned]
        found: list[tuple[int, SlotNumbers]] = []
        for kinds, places in self.at.items():
            for slots in self._choices[kinds]:
                place = tuple([threads[slot][0] for slot in slots])
                if place in places:
                    out: list[int] = []
                    self._function(kinds, place)(self.active, out, shared, *(threads[slot] for slot in slots))  # type: ignore[operator]
                    found += [(number, slots) for number in out]
        return found

    def _function(self, kinds: tuple[int, ...], place: tuple[int, ...]) -> object:
        function = self._functions.get((kinds, place))
        if function is None:
            function = self._functions[kinds, place] = self._compile(kinds, self.at[kinds][place])
        return function

    def _compile(self, kinds: tuple[int, ...], numbers: list[int]) -> object:
        names = {name: f"s[{k}]" for k, name in enumerate(self.system.shared)}
        for role, kind in enumerate(kinds):
            for k in range(len(self.system.owned[self.system.kinds[kind].slots[0]])):
                names[role_name(role, k)] = f"{'ij'[role]}[{k}]"
        lines = [f"def judge(active, out, s{''.join(', ' + 'ij'[role] for role in range(len(kinds)))}):"]
        for number in numbers:
            texts = [text_of_term(literal, names) for literal in self.clauses[number].literals]
            lines.append(f" if active[{number}] and not ({' or '.join(texts) or 'False'}): out.append({number})")
        space = dict(HELPERS)
        exec("\n".join(lines), space)
        function: object = space["judge"]
        return function


__all__ = ["Inference", "ClauseJudge", "Stuck"]
