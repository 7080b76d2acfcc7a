"""Creating threads: a creation site takes a slot, or stands for any number of threads (`Options.unbounded`)."""

from __future__ import annotations

from fsoft.frontend import tree
from fsoft.program import descriptor
from fsoft.program.expr import FALSE, Expr, conj, const, eq, ite, make, negate, own, resize
from fsoft.program.lower.atomics import AtomicLowering
from fsoft.program.lower.context import CreateSite
from fsoft.program.lower.layout import value_bits
from fsoft.program.options import Options
from fsoft.program.program import Halt, Input, Store

MAX_THREADS = 255  # slots that a program gets for creations whose number is known; beyond, each site gets `Options.threads`
MAX_NUMBERED = 6  # the same where threads may be any number: more at one site are taken for that
MAX_IN_SETS = 63  # where the library keeps sets of threads: those of conditions, barriers and readers are words of 64 bits
REPRESENTATIVES = 3  # slots that stand for any number of threads: one that moves, and two of which an invariant speaks


class Creation(AtomicLowering):
    """`create` lowers a call of the intrinsic that creates a thread."""

    def create(self, call: tree.Call) -> Expr:
        handle, start, argument, detached = (self.value(a) for a in call.args)
        starts = self.callees(start, None)
        repeat = self.repeat if self.repeat is not None and self.repeat <= self.shared.most_created else None
        site = CreateSite(len(self.shared.creates), self.name, repeat, starts, self.b.loc)
        self.shared.creates.append(site)
        self.shared.wanted.extend(s for s in starts if s not in self.shared.wanted)
        end = self.b.location()
        for name in starts:
            here, other = self.b.location(), self.b.location()
            self.b.branch(eq(start, self.static_address(self.memory.function(name).id)), here, other)
            self.b.place(here)
            if self.options.unbounded and site.repeat is None:
                self._start_any(site, name, handle, argument, detached)
            else:
                self._take_slot(site, name, handle, argument, detached)
            self.b.jump(end)
            self.b.place(other)
        if self.b.here is not None:
            self.undefined("the start routine of a thread is not a function", self.b.loc)
        self.b.place(end)
        return const(0, value_bits(call.type))

    def _take_slot(self, site: CreateSite, name: str, handle: Expr, argument: Expr, detached: Expr) -> None:
        """The first slot of the site that is not in use gets the argument and runs."""
        word = self.memory.word_bytes
        first = own(f"descriptor:{site.index}:{name}", self.word)
        number = own(f"slot:{site.index}:{name}", self.word)
        stride = len(descriptor.FIELDS) * word
        marker = self.shared.marker("slot", self.b.loc, "more threads are created here than there are slots", "raise --threads")
        with self.b.one_step():
            self.b.tag("create", number)
            chosen, identity, found = first, number, FALSE
            for k in reversed(range(slots_of(site, self.options))):
                at = self.add_bytes(first, self.word_const(k * stride))
                free = eq(self.load_bytes(at, word, self.b.loc, sync=True), self.word_const(descriptor.UNUSED))
                chosen = ite(free, at, chosen)
                identity = ite(free, make("add", self.word, (number, self.word_const(k))), identity)
                found = make("or", 1, (found, free))
            self.b.emit(Halt("cut", marker, negate(found), self.b.loc))
            values = {"state": self.word_const(descriptor.RUNNING), "detached": resize(detached, self.word, False), "arg": argument,
                      "cancel": self.word_const(0)}  # fmt: skip
            for key, value in values.items():
                at = self.add_bytes(chosen, self.word_const(descriptor.offset(0, key, word)))
                self.b.emit(Store(at, value, word, True, loc=self.b.loc))
            self.b.emit(Store(handle, identity, word, True, loc=self.b.loc))

    def _start_any(self, site: CreateSite, name: str, handle: Expr, argument: Expr, detached: Expr) -> None:
        """Some unused slot of the site, or a thread that has no slot, gets the argument and runs. The handle is any number: which of the
        threads without a slot it names cannot be said."""
        word = self.memory.word_bytes
        first = own(f"descriptor:{site.index}:{name}", self.word)
        count = slots_of(site, self.options)
        marker = self.shared.marker("handle", self.b.loc, "the handle of one of any number of threads is any number", cuts=False, adds=True)
        with self.b.one_step():
            self.b.tag("create", own(f"slot:{site.index}:{name}", self.word))
            pick, identity = self.b.temporary(self.word), self.b.temporary(self.word)
            everyone = self.word_const((1 << count + 1) - 1)
            self.b.emit(Input(str(pick.data), "which of the threads made here", everyone, loc=self.b.loc))
            values = {"state": self.word_const(descriptor.RUNNING), "detached": resize(detached, self.word, False), "arg": argument,
                      "cancel": self.word_const(0)}  # fmt: skip
            for k in range(count):
                at = self.add_bytes(first, self.word_const(k * len(descriptor.FIELDS) * word))
                free = eq(self.load_bytes(at, word, self.b.loc, sync=True), self.word_const(descriptor.UNUSED))
                chosen = conj(eq(pick, self.word_const(k)), free)
                for key, value in values.items():
                    field = self.add_bytes(at, self.word_const(descriptor.offset(0, key, word)))
                    self.b.emit(Store(field, value, word, True, chosen, self.b.loc))
            self.b.emit(Input(str(identity.data), "handle of the new thread", loc=self.b.loc, marker=marker))
            self.b.emit(Store(handle, identity, word, True, loc=self.b.loc))

    def callees(self, pointer: Expr, params: int | None) -> list[str]:
        """The functions that a pointer can be: the one it is, or all whose address is taken and whose parameters fit."""
        functions = self.shared.unit.functions
        if pointer.is_const:
            obj = self.memory.objects[pointer.value >> self.memory.offset_bits] if self._is_object(pointer.value) else None
            return [obj.name] if obj is not None and obj.storage == "function" else []
        names = [n for n in self.shared.scan.address_taken if n in functions]
        if params is None:
            return [n for n in names if len(functions[n].params) <= 1]
        return [n for n in names if self._accepts(functions[n], params)]

    @staticmethod
    def _accepts(function: tree.FunctionDef, count: int) -> bool:
        """Whether it may be called with that many arguments: a variadic function with more than it names, too."""
        return len(function.params) == count or (function.type.variadic and len(function.params) < count)

    def _is_object(self, address: int) -> bool:
        return address >> self.memory.offset_bits < len(self.memory.objects) and not address & ((1 << self.memory.offset_bits) - 1)


def slots_of(site: CreateSite, options: Options) -> int:
    """How many slots a creation site has."""
    if site.repeat is not None:
        return site.repeat
    return REPRESENTATIVES if options.unbounded else options.threads
