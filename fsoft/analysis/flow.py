"""Control flow of a template: orders, predecessors, cycles, dominators. Locations are numbers; nothing here recurses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import TypeVar

from fsoft.analysis.actions import ending
from fsoft.program.program import Template

FlowNode = TypeVar("FlowNode", int, tuple[str, int])


def successors(template: Template) -> list[list[int]]:
    """Targets by location, each once, in step order. A step that certainly stops its thread has no successor."""
    out: list[list[int]] = [[] for _ in template.locations]
    for step in template.steps:
        if step.target not in out[step.source] and not ending(step):
            out[step.source].append(step.target)
    return out


def predecessors(succ: Sequence[Sequence[int]]) -> list[list[int]]:
    back: list[list[int]] = [[] for _ in succ]
    for source, targets in enumerate(succ):
        for target in targets:
            back[target].append(source)
    return back


def depth_first(succ: Callable[[int], Iterable[int]], root: int = 0) -> tuple[list[int], list[int], set[tuple[int, int]]]:
    """(preorder, postorder, retreating edges) of a depth-first walk from `root`."""
    pre = [root]
    post: list[int] = []
    seen = {root}
    open_: set[int] = {root}
    retreating: set[tuple[int, int]] = set()
    stack = [(root, iter(list(succ(root))))]
    while stack:
        node, rest = stack[-1]
        for target in rest:
            if target in open_:
                retreating.add((node, target))
            elif target not in seen:
                seen.add(target)
                open_.add(target)
                pre.append(target)
                stack.append((target, iter(list(succ(target)))))
                break
        else:
            stack.pop()
            open_.discard(node)
            post.append(node)
    return pre, post, retreating


def dominators(succ: Sequence[Sequence[int]], root: int = 0) -> dict[int, int]:
    """Immediate dominator of each location reachable from the root (the root is its own), by the iteration of Cooper, Harvey
    and Kennedy over reverse postorder."""
    _, post, _ = depth_first(lambda n: succ[n], root)
    rank = {node: i for i, node in enumerate(post)}
    back = predecessors(succ)
    idom = {root: root}
    changed = True
    while changed:
        changed = False
        for node in reversed(post):
            if node == root:
                continue
            new: int | None = None
            for p in back[node]:
                if p in idom:
                    new = p if new is None else _meet(p, new, idom, rank)
            if new is not None and idom.get(node) != new:
                idom[node] = new
                changed = True
    return idom


def _meet(a: int, b: int, idom: dict[int, int], rank: dict[int, int]) -> int:
    while a != b:
        while rank[a] < rank[b]:
            a = idom[a]
        while rank[b] < rank[a]:
            b = idom[b]
    return a


def dominates(a: int, b: int, idom: dict[int, int]) -> bool:
    while b != a:
        up = idom.get(b)
        if up is None or up == b:
            return False
        b = up
    return True


def components(succ: Mapping[FlowNode, Set[FlowNode]]) -> list[set[FlowNode]]:
    """Strongly connected parts, each after those that it can reach (Tarjan's algorithm without recursion)."""
    index: dict[FlowNode, int] = {}
    low: dict[FlowNode, int] = {}
    stack: list[FlowNode] = []
    on: set[FlowNode] = set()
    parts: list[set[FlowNode]] = []
    for root in sorted(succ):
        if root in index:
            continue
        work = [(root, iter(sorted(succ[root])))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on.add(root)
        while work:
            node, rest = work[-1]
            other = next(rest, None)
            if other is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    at = stack.index(node)
                    part = set(stack[at:])
                    del stack[at:]
                    on -= part
                    parts.append(part)
            elif other not in index:
                index[other] = low[other] = len(index)
                stack.append(other)
                on.add(other)
                work.append((other, iter(sorted(succ[other]))))
            elif other in on:
                low[node] = min(low[node], index[other])
    return parts
