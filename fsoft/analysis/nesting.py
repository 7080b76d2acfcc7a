"""The nesting of cycles: a weak topological order (Bourdoncle, FMPA'93), for any control-flow graph, reducible or not.

Every cycle belongs to a component with one head. A step that does not go forward in the order goes to the head of a component that
contains its source; so a walk is fixed by its forward steps and by how often it went round each component.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Nesting:
    """`rank[l]` is the place of a location in the order; `heads[l]` are the heads of the components around it, outermost first (its own,
    if it is a head, last); `members[h]` are the locations of the component of head h. Locations that the root does not reach are
    in none of them."""

    rank: dict[int, int] = field(default_factory=dict)
    heads: dict[int, tuple[int, ...]] = field(default_factory=dict)
    members: dict[int, frozenset[int]] = field(default_factory=dict)


def nesting(succ: Sequence[Iterable[int]], root: int = 0) -> Nesting:
    """The components of the graph, those inside of components included."""
    found = Nesting()
    todo: list[tuple[list[int], tuple[int, ...]]] = [(part, ()) for part in reversed(_parts(succ, (root,), None))]
    while todo:
        part, around = todo.pop()
        head = part[0]
        found.rank[head] = len(found.rank)
        if len(part) == 1 and head not in succ[head]:
            found.heads[head] = around
            continue
        inside = (*around, head)
        found.heads[head] = inside
        found.members[head] = frozenset(part)
        rest = set(part) - {head}
        roots = [t for t in succ[head] if t in rest]
        todo += [(inner, inside) for inner in reversed(_parts(succ, roots, rest))]
    return found


def _parts(succ: Sequence[Iterable[int]], roots: Iterable[int], within: Collection[int] | None) -> list[list[int]]:
    """The strongly connected parts that the roots reach (Tarjan), in topological order; the location that the walk reached
    first comes first."""
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    open_: list[int] = []
    on: set[int] = set()
    parts: list[list[int]] = []
    inside: Callable[[int], bool] = (lambda _: True) if within is None else within.__contains__
    for root in roots:
        if root in number:
            continue
        number[root] = low[root] = len(number)
        open_.append(root)
        on.add(root)
        stack = [(root, iter(list(succ[root])))]
        while stack:
            node, rest = stack[-1]
            for target in rest:
                if not inside(target):
                    continue
                if target not in number:
                    number[target] = low[target] = len(number)
                    open_.append(target)
                    on.add(target)
                    stack.append((target, iter(list(succ[target]))))
                    break
                if target in on:
                    low[node] = min(low[node], number[target])
            else:
                stack.pop()
                if stack:
                    low[stack[-1][0]] = min(low[stack[-1][0]], low[node])
                if low[node] == number[node]:
                    at = open_.index(node)
                    part = open_[at:]
                    del open_[at:]
                    on.difference_update(part)
                    parts.append(part)
    parts.reverse()
    return parts
