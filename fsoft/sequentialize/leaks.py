"""Leaks (`valid-memtrack`) in the state after the last round: a live heap object to which no pointer leads from static storage.

As `properties/leaks.py` says it. Which objects are reachable is computed in as many rounds as there are heap objects.
"""

from __future__ import annotations

from fsoft.analysis.actions import members
from fsoft.analysis.points_to import PointsTo
from fsoft.program.expr import FALSE, Expr, conj, const, disj, eq, make, negate
from fsoft.program.program import Action, Assign, Check, Load, Measure, Object
from fsoft.program.state import can_die
from fsoft.properties.leaks import ROOTS
from fsoft.sequentialize.lives import Lives
from fsoft.sequentialize.sequential import TemplateWriter


def add_leaks(out: TemplateWriter, lives: Lives, over: Expr) -> None:
    """The check, if the process is `over`."""
    program = out.concurrent
    points_to = PointsTo(program)
    heap = [obj for obj in program.objects[1:] if obj.storage == "heap"]
    if not heap:
        return
    mask = sum(1 << obj.id for obj in heap)
    roots = [obj for obj in program.objects[1:] if obj.storage in ROOTS and points_to.contents(obj.id) & mask]
    mortal = [*heap, *(obj for obj in roots if can_die(obj))]
    live = {obj.id: lives.live.get(obj.id) or _live(out, obj) for obj in mortal}
    words = {obj.id: _words(out, obj, live.get(obj.id)) for obj in [*roots, *(o for o in heap if points_to.contents(o.id) & mask)]}
    reached = {obj.id: out.register(f"reached.{obj.id}", 1) for obj in heap}
    for _ in range(len(heap)):
        for obj in roots + heap:
            here = reached.get(obj.id)
            for target in members(points_to.contents(obj.id) & mask):
                points = _points(program.offset_bits, words.get(obj.id, []), target)
                found = points if here is None else conj(here, points)
                if found is not FALSE:
                    out.step([Assign(f"reached.{target}", disj(reached[target], found))], "a pointer leads there")
    lost: Expr = FALSE
    for obj in heap:
        lost = disj(lost, conj(live[obj.id], negate(reached[obj.id])))
    out.step([Check(negate(lost), "valid-memtrack", "memory leak", over)], "nothing is lost")


def _live(out: TemplateWriter, obj: Object) -> Expr:
    """The object is alive, as an object is that has some bytes."""
    program = out.concurrent
    size, alive = out.register(f"size.{obj.id}", program.word), out.register(f"live.{obj.id}", 1)
    actions: list[Action] = [Measure(str(size.data), const(program.address(obj), program.word))]
    actions.append(Assign(str(alive.data), negate(eq(size, const(0, program.word)))))
    out.step(actions, f"whether {obj.name} lives")
    return alive


def _words(out: TemplateWriter, obj: Object, live: Expr | None) -> list[Expr]:
    """The words in an object that may be pointers. Small cells are put together."""
    program = out.concurrent
    size, found = program.word // 8, []
    starts: dict[int, None] = {}
    for run in obj.runs:
        for k in range(run.count):
            at = run.start + k * run.stride
            starts.update(dict.fromkeys(range(at, at + run.size, size) if run.size >= size else [at - at % size]))
    for at in starts:
        if at + size <= obj.size:
            word = out.register(f"word.{obj.id}.{at}", program.word)
            address = const(program.address(obj, at), program.word)
            load = Load(str(word.data), address, size, True) if live is None else Load(str(word.data), address, size, True, live)
            out.step([load], f"what {obj.name} points to")
            found.append(word)
    return found


def _points(offset_bits: int, words: list[Expr], target: int) -> Expr:
    total: Expr = FALSE
    for word in words:
        width = word.width - offset_bits
        total = disj(total, eq(make("extract", width, (word,), offset_bits), const(target, width)))
    return total
