"""The engine `explicit` for LTL: every state of the program with every state of the tableau, then strongly connected components.

A component is fair if its edges meet every justice set; strong fairness (a thread that can move infinitely often does so) is decided as in
Emerson and Lei, "Modalities for model checking" (1987): where a component has a thread that can move but never does, the nodes in which
it can are taken out and what is left is decomposed again. It is the oracle of the other engines.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product as combinations
from typing import NamedTuple

from fsoft.program.expr import TRUE, Expr, conj, postorder
from fsoft.program.pycode import HELPERS, operator_text
from fsoft.program.state import State
from fsoft.program.verdict import Limits, Move, Stats
from fsoft.properties.ltl.lasso import Lasso
from fsoft.properties.ltl.runs import Around, Runs
from fsoft.properties.ltl.tableau import Tableau

_CHECK_EVERY = 256


class ProductEdge(NamedTuple):
    """To a node, with the move made and the justice sets met, as a mask."""

    target: int
    move: Move | None
    met: int


class OutOfLimits(Exception):
    """The search was stopped; the argument says by what."""


LatchRow = tuple[int, ...]


class Guesses:
    """The tableau's transitions, by the values of its latches and of the atoms."""

    def __init__(self, tableau: Tableau):
        self.tableau = tableau
        self.latches = list(tableau.latches)
        self.atoms = list(tableau.atoms)
        legal: Expr = TRUE
        for constraint in tableau.constraints:
            legal = conj(legal, constraint)
        terms = [legal, *(term for _, term in tableau.latches.values()), *tableau.justice]
        self._evaluate = _compiled(terms, [*self.latches, *tableau.atoms.values(), *tableau.inputs])
        self._known: dict[tuple[LatchRow, LatchRow], list[tuple[LatchRow, int]]] = {}

    def initial(self) -> LatchRow:
        return tuple(start for start, _ in self.tableau.latches.values())

    def after(self, latches: LatchRow, atoms: LatchRow) -> list[tuple[LatchRow, int]]:
        """(latches after, justice sets met) for every guess that the constraints allow."""
        found = self._known.get((latches, atoms))
        if found is None:
            rows: dict[tuple[LatchRow, int], None] = {}
            for guess in combinations((0, 1), repeat=len(self.tableau.inputs)):
                legal, *rest = self._evaluate(*latches, *atoms, *guess)
                if legal:
                    following, justice = tuple(rest[: len(latches)]), rest[len(latches) :]
                    rows[following, sum(bit << k for k, bit in enumerate(justice))] = None
            found = self._known[latches, atoms] = list(rows)
        return found


def _compiled(terms: list[Expr], names: list[str]) -> Callable[..., list[int]]:
    """The terms as one Python function of the leaves, in this order."""
    text = {}
    lines = [f"def run({', '.join(f'x{k}' for k in range(len(names)))}):"]
    for node in postorder(tuple(terms)):
        if node.op == "const":
            text[node] = str(node.value)
        elif node.op == "reg":
            text[node] = f"x{names.index(str(node.data))}"
        else:
            text[node] = f"v{len(lines)}"
            lines.append(f"    {text[node]} = +({operator_text(node, [text[a] for a in node.args])})")
    lines.append(f"    return [{', '.join(text[term] for term in terms)}]")
    space = dict(HELPERS)
    exec(compile("\n".join(lines), "<tableau>", "exec"), space)
    function: Callable[..., list[int]] = space["run"]
    return function


@dataclass(slots=True)
class LassoAnswer:
    """A lasso that violates the property, or None: then there is none among the runs that were followed."""

    lasso: Lasso | None
    stats: Stats


class Product:
    """The reachable part of the product. `fairness` as in `lasso.FAIRNESS`."""

    def __init__(self, runs: Runs, tableau: Tableau, fairness: str, limits: Limits, progress: Callable[[Stats], None] | None = None):
        self.runs, self.guesses, self.fairness, self.limits, self.progress = runs, Guesses(tableau), fairness, limits, progress
        self.stats = Stats()
        self.slots = range(len(runs.program.threads))
        self.sets = len(tableau.justice)
        self.nodes: list[tuple[int, LatchRow]] = []
        self.edges: list[list[ProductEdge]] = []
        self.parent: list[tuple[int, Move | None]] = []
        self._number: dict[tuple[int, LatchRow], int] = {}
        self._states: list[State] = []
        self._state_number: dict[State, int] = {}
        self._around: dict[int, Around | None] = {}
        self._started = time.monotonic()

    def check(self) -> LassoAnswer:
        """Explore, then look for a fair loop."""
        self._explore()
        component = self._fair_component()
        self.stats.seconds = time.monotonic() - self._started
        return LassoAnswer(None if component is None else self._lasso(component), self.stats)

    # ------------------------------------------------------------ the graph

    def _explore(self) -> None:
        self._node(self._state(self.runs.initial()), self.guesses.initial(), -1, None)
        at = 0
        while at < len(self.nodes):
            if at % _CHECK_EVERY == 0:
                self._look_at_the_clock()
            self._expand(at)
            at += 1

    def _look_at_the_clock(self) -> None:
        self.stats.states, self.stats.seconds = len(self.nodes), time.monotonic() - self._started
        if self.progress is not None:
            self.progress(self.stats)
        if self.limits.seconds is not None and self.stats.seconds > self.limits.seconds:
            raise OutOfLimits(f"time limit of {self.limits.seconds:g} s")
        if self.limits.states is not None and len(self.nodes) > self.limits.states:
            raise OutOfLimits(f"limit of {self.limits.states} states")

    def _state(self, state: State) -> int:
        number = self._state_number.setdefault(state, len(self._states))
        if number == len(self._states):
            self._states.append(state)
        return number

    def _node(self, state: int, latches: LatchRow, parent: int, move: Move | None) -> int:
        key = (state, latches)
        number = self._number.setdefault(key, len(self.nodes))
        if number == len(self.nodes):
            self.nodes.append(key)
            self.edges.append([])
            self.parent.append((parent, move))
        return number

    def around(self, state: int) -> Around | None:
        if state not in self._around:
            self._around[state] = self.runs.around(self._states[state])
        return self._around[state]

    def _expand(self, number: int) -> None:
        state, latches = self.nodes[number]
        around = self.around(state)
        if around is None:
            return
        for frame in around.frames:
            values = around.atoms | self.runs.moving(frame)
            row = tuple(int(values[atom]) for atom in self.guesses.atoms)
            target = self._state(frame.after)
            fair = self._treated(around, frame.move)
            for following, met in self.guesses.after(latches, row):
                self.stats.transitions += 1
                node = self._node(target, following, number, frame.move)
                self.edges[number].append(ProductEdge(node, frame.move, met | fair << self.sets))

    def _treated(self, around: Around, move: Move | None) -> int:
        """Of which slots weak fairness is satisfied in this frame, as a mask."""
        if self.fairness != "weak":
            return 0
        return sum(1 << k for k in self.slots if k not in around.enabled or (move is not None and move.slot == k))

    # ------------------------------------------------------------ components

    def _wanted(self) -> int:
        weak = len(self.slots) if self.fairness == "weak" else 0
        return (1 << (self.sets + weak)) - 1

    def _fair_component(self) -> set[int] | None:
        """The fair component whose nearest node is nearest to the start."""
        wanted, best = self._wanted(), None
        work = [set(range(len(self.nodes)))]
        while work:
            inside = work.pop()
            for component in _components(self.edges, inside):
                met = 0
                for number in component:
                    for edge in self.edges[number]:
                        if edge.target in component:
                            met |= edge.met
                if met & wanted != wanted or not self._has_edge(component):
                    continue
                starved = self._starved(component) if self.fairness == "strong" else set()
                if starved:
                    rest = {n for n in component if not self._can_move(n, starved)}
                    if rest:
                        work.append(rest)
                elif best is None or min(component) < min(best):
                    best = component
        return best

    def _has_edge(self, component: set[int]) -> bool:
        return any(edge.target in component for number in component for edge in self.edges[number])

    def _enabled(self, number: int) -> frozenset[int]:
        around = self.around(self.nodes[number][0])
        return around.enabled if around is not None else frozenset()

    def _can_move(self, number: int, slots: set[int]) -> bool:
        return not self._enabled(number).isdisjoint(slots)

    def _starved(self, component: set[int]) -> set[int]:
        """Slots that can move somewhere in the component, but nowhere do."""
        able = {slot for number in component for slot in self._enabled(number)}
        for number in component:
            for edge in self.edges[number]:
                if edge.target in component and edge.move is not None:
                    able.discard(edge.move.slot)
        return able

    # ------------------------------------------------------------ the way there and round

    def _lasso(self, component: set[int]) -> Lasso:
        entry = min(component)
        stem: list[Move | None] = []
        at = entry
        while self.parent[at][0] >= 0:
            stem.append(self.parent[at][1])
            at = self.parent[at][0]
        return Lasso(tuple(reversed(stem)), tuple(self._loop(component, entry)))

    def _loop(self, component: set[int], entry: int) -> list[Move | None]:
        """Round the component, through every justice set and (strong fairness) a move of every slot that moves in it."""
        missing = self._wanted()
        slots: set[int] = set()
        if self.fairness == "strong":
            slots = {e.move.slot for n in component for e in self.edges[n] if e.target in component and e.move is not None}
        moves: list[Move | None] = []
        at = entry
        while missing or slots or at != entry or not moves:

            def good(edge: ProductEdge, left: int = missing, who: frozenset[int] = frozenset(slots)) -> bool:
                if left or who:
                    return bool(edge.met & left) or (edge.move is not None and edge.move.slot in who)
                return edge.target == entry

            for edge in self._path(component, at, good):
                moves.append(edge.move)
                missing &= ~edge.met
                if edge.move is not None:
                    slots.discard(edge.move.slot)
                at = edge.target
        return moves

    def _path(self, component: set[int], start: int, good: Callable[[ProductEdge], bool]) -> list[ProductEdge]:
        """The shortest way inside the component whose last edge is good."""
        came: dict[int, tuple[int, ProductEdge]] = {}
        queue, seen = deque([start]), {start}
        while queue:
            number = queue.popleft()
            for edge in self.edges[number]:
                if edge.target not in component:
                    continue
                if good(edge):
                    path = [edge]
                    while number != start:
                        number, last = came[number]
                        path.append(last)
                    return path[::-1]
                if edge.target not in seen:
                    seen.add(edge.target)
                    came[edge.target] = (number, edge)
                    queue.append(edge.target)
        raise AssertionError("a component is connected")


def _components(edges: list[list[ProductEdge]], inside: set[int]) -> Iterable[set[int]]:
    """Strongly connected components of a part of the graph (Tarjan, without recursion)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    for root in sorted(inside):
        if root in index:
            continue
        work = [(root, iter(edges[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, rest = work[-1]
            for edge in rest:
                target = edge.target
                if target not in inside:
                    continue
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(edges[target])))
                    break
                if target in on_stack:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    found: set[int] = set()
                    while node not in found:
                        found.add(stack.pop())
                    on_stack -= found
                    yield found


__all__ = ["LassoAnswer", "Guesses", "OutOfLimits", "Product"]
