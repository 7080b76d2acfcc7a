"""From lowered templates to slots, objects and the Program.

Slot 0 runs the entry. Every creation site of a running slot has slots of its own, so that the k-th thread made at one place is
the same slot in every run. A start routine that creates itself gets slots until there are no more; the sites beyond
point to descriptors that are always taken, and passing them is a cut. So do sites for which there is no room (`crowded`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

from fsoft.frontend import types as ct
from fsoft.frontend.source import InputError
from fsoft.program import descriptor
from fsoft.program.expr import postorder
from fsoft.program.liveness import expressions
from fsoft.program.lower.context import ProgramContext
from fsoft.program.lower.creation import MAX_IN_SETS, MAX_THREADS, slots_of
from fsoft.program.lower.memory import HeapPool, LocalObject, initial_cells
from fsoft.program.program import CellRun, Object, Pool, Program, Template, Thread


class Assembly:
    """Builds the Program once all templates are known. `locals` are the memory locals of each template."""

    def __init__(self, shared: ProgramContext, templates: Mapping[str, Template], local_objects: Mapping[str, dict[str, LocalObject]]):
        self.shared = shared
        self.templates = templates
        self.locals = local_objects
        self.threads: list[Thread] = []
        self.roots: int = 0
        self.running: set[int] = set()  # slots that run from the start
        self.parents: dict[int, int] = {}
        self.unbounded: list[tuple[int, ...]] = []  # groups of slots that stand for any number of threads
        self.busy = 1  # descriptors at the end of the array that are never free
        self.crowded = False  # some site has no slots because others have taken all that there may be

    def program(self, name: str, entries: list[str]) -> Program:
        self._slots(entries)
        self._descriptors()
        self._local_objects()
        program = Program(name, self.shared.word, self.shared.memory.offset_bits)
        program.pools = self._pools()
        program.threads, program.objects = self.threads, self.shared.memory.objects
        program.markers, program.checks = self.shared.memory.markers, self.shared.options.checks
        program.heap_reuse, program.race_on = self.shared.options.heap_reuse, self.shared.options.race_on
        program.race_model = self.shared.options.race_model
        program.unbounded = tuple(self.unbounded)
        succeeding = _taken_to_succeed(self.shared.succeeding)
        program.notes = [self._model(), *self.shared.unit.notes, *self.shared.notes, *succeeding]
        self._check_numbers(program)
        return program

    def _model(self) -> str:
        model = self.shared.unit.types.model
        sizes = "long and pointers have 64 bits" if model.pointer == 8 else "int, long and pointers have 32 bits"
        return f"data model {model.name} (--{model.pointer_bits}): {sizes}"

    # ------------------------------------------------------------ slots

    def _slots(self, entries: list[str]) -> None:
        for entry in entries:
            self._thread(entry, None)
        self.roots = len(entries)
        pending = list(self.threads)
        while pending:
            creator = pending.pop(0)
            for site in self.shared.creates:
                if site.template == creator.template.name:
                    for start in site.starts:
                        group = self._group(creator, site.index, start, slots_of(site, self.shared.options))
                        if self.shared.options.unbounded and site.repeat is None and group:
                            self.unbounded.append(tuple(thread.index for thread in group))
                        pending += group
        self.running = set(range(self.roots))
        if self.shared.options.observer:
            self.running.add(self._thread(self.shared.options.observer, None).index)

    def _thread(self, start: str, parent: int | None) -> Thread:
        index = len(self.threads)
        same = sum(t.template.name == start for t in self.threads)
        thread = Thread(index, start if same == 0 else f"{start}#{same + 1}", self.templates[start])
        self.threads.append(thread)
        if parent is not None:
            self.parents[index] = parent
        return thread

    def _group(self, creator: Thread, site: int, start: str, count: int) -> list[Thread]:
        """Slots for one site of one creator; none if the start routine is its own ancestor once too often."""
        self.busy = max(self.busy, count)
        most = self._most if len(self.threads) + count > MAX_IN_SETS else MAX_IN_SETS
        full = len(self.threads) + count > most
        recursive = self._ancestors(creator.index).count(start)
        if full or recursive >= self.shared.options.threads:
            self.crowded = self.crowded or not recursive
            creator.own[f"group:{site}:{start}"] = -1
            return []
        group = [self._thread(start, creator.index) for _ in range(count)]
        creator.own[f"group:{site}:{start}"] = group[0].index if group else -1
        return group

    @cached_property
    def _most(self) -> int:
        """How many slots there may be: fewer where threads may be bits of a word."""
        steps = (step for template in self.templates.values() for step in template.steps)
        terms = (term for step in steps for term in (step.guard, *(e for action in step.actions for e in expressions(action))))
        in_sets = any(node.op == "shl" and node.width == 64 and node.args[1].op != "const" for node in postorder(tuple(terms)))
        return MAX_IN_SETS if in_sets else max(MAX_THREADS, 4 * self.shared.options.threads)

    def _ancestors(self, index: int) -> list[str]:
        out = []
        current: int | None = index
        while current is not None:
            out.append(self.threads[current].template.name)
            current = self.parents.get(current)
        return out

    # ------------------------------------------------------------ descriptors and own values

    def _descriptors(self) -> None:
        memory = self.shared.memory
        word, fields = memory.word_bytes, len(descriptor.FIELDS)
        total = len(self.threads) + self.busy
        obj = memory.descriptors
        obj.size = total * fields * word
        obj.runs = tuple(CellRun(i * word, word, fields * word, total, f"[].{f}") for i, f in enumerate(descriptor.FIELDS))
        for slot in range(total):
            if slot in self.running or slot >= len(self.threads):
                obj.initial[descriptor.offset(slot, "state", word)] = descriptor.RUNNING
        base = obj.id << memory.offset_bits
        users = len(self.threads) - bool(self.shared.options.observer)
        for thread in self.threads:
            groups = {k: v for k, v in thread.own.items() if k.startswith("group:")}
            thread.own = {"self": thread.index + 1, "threads": users, "descriptor": base + thread.index * fields * word}
            if self.shared.limits:
                thread.own["static"] = self._end_of_static()
            for key, first in groups.items():
                slot = first if first >= 0 else len(self.threads)
                _, site, start = key.split(":", 2)
                thread.own[f"slot:{site}:{start}"] = slot + 1
                thread.own[f"descriptor:{site}:{start}"] = base + slot * fields * word

    def _end_of_static(self) -> int:
        """The first address behind static storage: its objects have their numbers by now. 0: what some of them hold is not known."""
        memory = self.shared.memory
        return 0 if any(obj.undefined for obj in memory.objects) else len(memory.objects) << memory.offset_bits

    def _local_objects(self) -> None:
        memory = self.shared.memory
        for thread in self.threads:
            for key, local in self.locals[thread.template.name].items():
                name = f"{key[1:]}:{thread.name}" if len(self.threads) > 1 else key[1:]
                runs = memory.runs(local.type, local.loc)
                if local.cut is not None:
                    runs = (replace(runs[0], count=local.kept),)
                storage = "thread" if local.image is not None else "local"
                obj = memory.new(name, ct.size_of(local.type), runs, storage, local.loc)
                obj.slot = thread.index
                obj.undefined, obj.alive = local.image is None, local.image is not None and not local.dies
                if local.cut is not None:
                    obj.dropped, obj.cut = ((local.kept, obj.size),), local.cut
                if local.image is not None:
                    obj.initial = initial_cells(runs, local.image)
                thread.own[key] = obj.id << memory.offset_bits

    # ------------------------------------------------------------ heap

    def _pools(self) -> list[Pool]:
        memory = self.shared.memory
        out = []
        for pool in memory.pools.values():
            runs = memory.heap_runs(pool)
            objects = [self._heap_object(pool, k, runs) for k in range(self._pool_size(pool))]
            out.append(Pool(pool.index, tuple(o.id for o in objects), pool.capacity, pool.exact, pool.marker))
        return out

    def _heap_object(self, pool: HeapPool, k: int, runs: tuple[CellRun, ...]) -> Object:
        obj = self.shared.memory.new(f"heap{pool.index}.{k}", pool.capacity, runs, "heap", pool.loc)
        obj.undefined, obj.alive, obj.pool = True, False, pool.index
        self.shared.memory.shorten(obj)
        return obj

    def _pool_size(self, pool: HeapPool) -> int:
        """As many objects as can be asked for, where that is known; `--heap` for every place where it is not."""
        total, unknown = 0, False
        for site in pool.sites:
            threads = [t for t in self.threads if t.template.name == site.template]
            if site.repeat is None or any(self._restarts(t) for t in threads):
                unknown = True
            else:
                total += site.repeat * len(threads)
        return min(total, 256) + (self.shared.options.heap if unknown else 0)

    def _restarts(self, thread: Thread) -> bool:
        """Whether a slot can be created again after it was joined."""
        sites = [s for s in self.shared.creates if thread.template.name in s.starts]
        return thread.index >= self.roots and any(s.repeat is None for s in sites)

    def _check_numbers(self, program: Program) -> None:
        limit = 1 << (program.word - program.offset_bits)
        if len(program.objects) >= limit:
            loc = program.objects[-1].loc
            raise InputError(loc, f"the program has more than {limit - 1} objects; use fewer threads or a smaller --heap")


def _taken_to_succeed(functions: Mapping[str, Mapping[str, None]]) -> list[str]:
    """The assumption about functions that could fail, as a person reads it."""
    notes = []
    for option, names in functions.items():
        *first, last = names
        are = f"{', '.join(first)} and {last} are" if first else f"{last} is"
        notes.append(f"{are} taken to succeed ({option})")
    return notes
