"""One step of one slot as terms: when it is enabled, what it writes, what it violates.

The step is executed symbolically on the words of the state before it, action by action, under the condition that it has
not stopped yet. The words are those of `program.state.Layout`, entry by entry, so that a state of the circuit and one of the
interpreter compare directly; an undefined entry of the interpreter is any value in the circuit. Inputs are shared by all
steps: only one runs at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fsoft.circuit.encode.banks import Bank
from fsoft.circuit.encode.memory_terms import AccessWay, AddressFacts, Beyond, MemoryTerms
from fsoft.circuit.encode.ports import Port, Ports, PortUse
from fsoft.frontend.source import NOWHERE, Loc
from fsoft.program.expr import FALSE, TRUE, Expr, binary, conj, const, disj, eq, fill, ite, make, negate, reg, select, store, substitute
from fsoft.program.program import (
    Action,
    Alloc,
    Assign,
    Check,
    Enter,
    Free,
    Halt,
    Input,
    Leave,
    Load,
    Measure,
    Program,
    Require,
    Step,
    Store,
)  # fmt: skip
from fsoft.program.state import ALIVE, DEAD, NEVER, OVER, Layout, Place, in_section

RESERVED = frozenset({"schedule", "scheduler.last", "scheduler.contexts", "scheduler.round", "scheduler.step", "which"})
"""Names of inputs and states that do not come from the program."""


@dataclass(slots=True)
class StepTouch:
    """A valid access: it covers `size` bytes at the place and offset of the one of its `ways` that holds, or lies `beyond`. For races."""

    ways: list[AccessWay]
    size: int
    write: bool
    sync: bool
    beyond: list[Beyond] = field(default_factory=list)


@dataclass(slots=True)
class StepEffect:
    """`writes` maps entries of the state vector to terms over the state before, `arrays` does so for banks; `fails` and `cuts` say when
    a property is violated or a bound is hit, `passes` the bounds that the step always hits without stopping, `lost` when the encoding
    gives up; `answers` list the choices made, in order: asked when, and the value; `born` the entries that become undefined, in order:
    which, when, and the value that stands for undefined; `touches` the accesses (where races are asked about); `ends` says when the step
    ends the process."""

    enabled: Expr = TRUE
    writes: dict[int, Expr] = field(default_factory=dict)
    arrays: dict[Bank, Expr] = field(default_factory=dict)
    fails: dict[str, Expr] = field(default_factory=dict)
    cuts: dict[str, Expr] = field(default_factory=dict)
    passes: list[str] = field(default_factory=list)
    lost: Expr = FALSE
    answers: list[tuple[Expr, Expr]] = field(default_factory=list)
    born: list[tuple[int, Expr, Expr]] = field(default_factory=list)
    touches: list[StepTouch] = field(default_factory=list)
    ends: Expr = FALSE


class Inputs:
    """The inputs that all steps share, by number within the step and width."""

    def __init__(self, prefix: str = "in") -> None:
        self.prefix = prefix
        self.widths: dict[str, int] = {}
        self.arrays: dict[str, int] = {}

    def get(self, number: int, width: int) -> Expr:
        name = f"{self.prefix}.{number}.{width}"
        self.widths[name] = width
        return reg(name, width)

    def array(self, number: int, bank: Bank) -> Expr:
        name = f"in.{number}.{bank.element}.{bank.index}"
        self.widths[name], self.arrays[name] = bank.width, bank.index
        return reg(name, bank.width, bank.index)


class VectorWords:
    """Names and widths of the entries of the state vector. An entry of a bank has no name: `arrays` names the banks, `at` says which
    element of which bank an entry is."""

    def __init__(self, program: Program, layout: Layout, banks: Sequence[Bank] = ()):
        self.program, self.layout = program, layout
        self.arrays: dict[Bank, str] = {}
        self.at = {entry: (bank, k) for bank in banks for k, entry in enumerate(bank.entries())}
        self._fixed = {bank: term for bank in banks if (term := bank.rom()) is not None}
        self.banks: dict[int, list[Bank]] = {}
        for bank in banks:
            self.banks.setdefault(bank.place.object.id, []).append(bank)
        self.names: list[str] = [""] * layout.size
        self.widths: list[int] = [0] * layout.size
        self._taken = set(RESERVED)
        self._name(OVER, "over", 1)
        for slot, thread in enumerate(program.threads):
            prefix = f"thread_{slot}"
            self._name(layout.pc[slot], f"{prefix}.pc", max(1, (len(thread.template.locations) - 1).bit_length()))
            for name, index in layout.registers[slot].items():
                self._name(index, f"{prefix}.{name}", thread.template.registers[name].width)
        for place in layout.places:
            if place is not None and place.rom is None:
                self._object(place)
        self._leaves = [reg(name, width) for name, width in zip(self.names, self.widths, strict=True)]
        self.registers = [{name: self._leaves[index] for name, index in known.items()} for known in layout.registers]

    def _name(self, index: int, name: str, width: int) -> None:
        self.names[index], self.widths[index] = self._unique(name), width

    def _unique(self, name: str) -> str:
        """Names are unique: a taken one gets `~2`, `~3`, ..."""
        unique, count = name, 1
        while unique in self._taken:
            count += 1
            unique = f"{name}~{count}"
        self._taken.add(unique)
        return unique

    def _object(self, place: Place) -> None:
        label = place.object.name
        if place.status >= 0:
            self._name(place.status, f"{label}.<status>", 2)
        if place.extent >= 0:
            self._name(place.extent, f"{label}.<size>", self.program.word)
        for cell in place.cells:
            entry = place.base + cell.number
            if entry not in self.at:
                self._name(entry, place.cells.name(cell.number), 8 * cell.size)
                continue
            bank, k = self.at[entry]
            self.widths[entry] = bank.element
            if k == 0:
                self.arrays[bank] = self._unique(bank.name)

    def leaf(self, index: int) -> Expr:
        """The entry in the state before the step."""
        if index in self.at:
            bank, k = self.at[index]
            return select(self.array(bank), const(k, bank.index))
        return self._leaves[index]

    def array(self, bank: Bank) -> Expr:
        """The bank in the state before the step."""
        return self._fixed.get(bank) or reg(self.arrays[bank], bank.width, bank.index)

    def value(self, index: int, values: Mapping[str, int]) -> int:
        """The value of an entry, given those of the states."""
        if index in self.at:
            bank, k = self.at[index]
            return values[self.arrays[bank]] >> k * bank.element & (1 << bank.element) - 1
        return values[self.names[index]]


class StepTerms:
    """Executes one step of one slot; `effect` is the result."""

    def __init__(self, words: VectorWords, inputs: Inputs, facts: AddressFacts, ports: Ports | None, slot: int, step: Step):
        self.words, self.inputs, self.slot, self.step = words, inputs, slot, step
        self.program, self.layout = words.program, words.layout
        self.thread = words.program.threads[slot]
        self.effect = StepEffect()
        self.running: Expr = TRUE
        self.numbers = 0
        self.ports, self.uses = ports, list[PortUse]()
        if any(isinstance(action, Require) for action in step.actions) or "no-data-race" in self.program.checks:
            self.ports = None  # what is asked of several steps at once
        self.memory = MemoryTerms(words.program, words.layout, self.read, facts, slot, words.banks, self.array)
        self.registers, self.changed = dict(words.registers[slot]), set[str]()
        self.effect.enabled = self.term(step.guard)
        for action in step.actions:
            self.action(action)
            if self.running is FALSE:
                break
        self._write(self.layout.pc[slot], const(step.target, words.widths[self.layout.pc[slot]]), self.running)
        if self.effect.enabled is not FALSE:
            self._keep_registers()

    # ------------------------------------------------------------ values

    def term(self, expr: Expr) -> Expr:
        """An expression of the program as a term over the state before the step and the inputs."""
        owned = substitute(expr, lambda leaf: const(self.thread.own[str(leaf.data)], leaf.width) if leaf.op == "own" else None)
        return fill(owned, self.registers)

    def read(self, index: int) -> Expr:
        if index in self.words.at:
            bank, k = self.words.at[index]
            return select(self.array(bank), const(k, bank.index))
        return self.effect.writes.get(index) or self.words.leaf(index)

    def array(self, bank: Bank) -> Expr:
        return self.effect.arrays.get(bank) or self.words.array(bank)

    def _write_bank(self, bank: Bank, value: Expr, when: Expr) -> None:
        if when is not FALSE:
            self.effect.arrays[bank] = ite(when, value, self.array(bank))

    def _write(self, index: int, value: Expr, when: Expr) -> None:
        if index in self.words.at:
            bank, k = self.words.at[index]
            self._write_bank(bank, store(self.array(bank), const(k, bank.index), value), when)
        elif when is not FALSE:
            self.effect.writes[index] = ite(when, value, self.read(index))

    def fresh(self, width: int) -> Expr:
        self.numbers += 1
        return self.inputs.get(self.numbers, width)

    def _set(self, name: str, value: Expr, when: Expr) -> None:
        self.registers[name] = ite(when, value, self.registers[name])
        self.changed.add(name)

    def _keep_registers(self) -> None:
        indices = self.layout.registers[self.slot]
        for name in sorted(self.changed, key=indices.__getitem__):
            if self.registers[name] is not self.words.leaf(indices[name]):
                self.effect.writes[indices[name]] = self.registers[name]

    # ------------------------------------------------------------ actions

    def action(self, action: Action) -> None:
        when = conj(self.running, self.term(action.when))
        if when is FALSE:
            return
        if isinstance(action, Assign):
            self._set(action.reg, self.term(action.value), when)
        elif isinstance(action, Require):
            self.effect.enabled = conj(self.effect.enabled, disj(negate(when), self.term(action.condition)))
        elif isinstance(action, Check):
            self._stop("failed", conj(when, negate(self.term(action.condition))), prop=action.prop)
        elif isinstance(action, Halt):
            named = f"marker.{action.marker}" if action.marker is not None else self._at(action.kind, action.loc)
            self._stop(action.kind, when, cut=named if action.kind in ("cut", "undefined") else "")
        elif isinstance(action, Input):
            self._input(action, when)
        elif isinstance(action, (Load, Store)):
            self._access(action, when)
        elif isinstance(action, Measure):
            self._set(action.reg, self._measured(action, when), when)
        elif isinstance(action, Alloc):
            self._alloc(action, when)
        elif isinstance(action, Free):
            self._free(action, when)
        else:
            self._lifetime(action, when)

    def _stop(self, kind: str, when: Expr, prop: str = "", cut: str = "") -> None:
        """The thread ends at a stop; `prop` is violated, or `cut` is hit, there."""
        if when is FALSE:
            return
        if prop:
            self.effect.fails[prop] = disj(self.effect.fails.get(prop, FALSE), when)
        if cut:
            self.effect.cuts[cut] = disj(self.effect.cuts.get(cut, FALSE), when)
        if kind == "ended":
            self.effect.ends = disj(self.effect.ends, when)
        pc = self.layout.pc[self.slot]
        self._write(pc, const(self.thread.template.stops[kind], self.words.widths[pc]), when)
        if in_section(self.program, self.slot, self.step):
            self._write(OVER, TRUE, when)
        self.running = conj(self.running, negate(when))

    def _broken(self, prop: str, when: Expr, loc: Loc) -> None:
        if prop in self.program.checks:
            self._stop("failed", when, prop=prop)
        else:
            self._stop("undefined", when, cut=self._at("undefined", loc))

    def _lose(self, when: Expr, loc: Loc) -> None:
        """The encoding does not follow the program any further: a bound, and the run is over."""
        self._write(OVER, TRUE, when)
        self.effect.lost = disj(self.effect.lost, when)
        self._stop("cut", when, cut=self._at("access", loc))

    def _at(self, kind: str, loc: Loc) -> str:
        """The name of a bound that no marker of the program names: what, and where in the C text."""
        place = self.step.loc if loc == NOWHERE else loc
        return f"{kind}@{place.file}:{place.line}".replace(" ", "_")

    def _input(self, action: Input, when: Expr) -> None:
        width = self.thread.template.registers[action.reg].width
        if action.among is None:
            value = self.fresh(width)
            self.effect.answers.append((when, value))
        else:
            value, several = self._among(self.term(action.among), width)
            self.effect.answers.append((conj(when, several), value))
        self._set(action.reg, value, when)

    def _among(self, mask: Expr, width: int) -> tuple[Expr, Expr]:
        """The number of some set bit (0 if none is set), and whether there is more than one to choose from."""
        if mask.is_const and mask.value & (mask.value - 1) == 0:
            return const(max(0, mask.value.bit_length() - 1), width), FALSE
        bits = [make("extract", 1, (mask,), k) for k in range(mask.width)]
        chosen = self.fresh(max(1, (mask.width - 1).bit_length()))
        lowest, picked, any_set, several = const(0, width), FALSE, FALSE, FALSE
        for k in reversed(range(mask.width)):
            lowest = ite(bits[k], const(k, width), lowest)
        for k, bit in enumerate(bits):
            several = disj(several, conj(any_set, bit))
            any_set = disj(any_set, bit)
            picked = disj(picked, conj(bit, eq(chosen, const(k, chosen.width))))
        wide = make("zext", width, (chosen,)) if chosen.width < width else make("extract", width, (chosen,), 0)
        return ite(picked, wide, lowest), several

    # ------------------------------------------------------------ memory

    def _access(self, action: Load | Store, when: Expr) -> None:
        address = self.term(action.address)
        port = None if self.ports is None else self.ports.find(self.memory, address, action, len(self.uses), self.effect.writes)
        if port is not None:
            self._shared(action, when, address, port)
            return
        reach = self.memory.reach(address, action.address, action.size, isinstance(action, Store))
        self._lose(conj(when, reach.odd), action.loc)
        self._broken("valid-deref", conj(when, negate(disj(reach.valid, reach.odd))), action.loc)
        done = conj(when, reach.valid)
        self._touch(reach.ways, action.size, isinstance(action, Store), action.sync, when, reach.beyond)
        if isinstance(action, Load):
            self._set(action.reg, self.memory.value(reach, action.size), done)
            return
        value = self.term(action.value)
        for index, new in self.memory.stored(reach, action.size, value).items():
            self._write(index, new, done)
        for way in reach.banks:
            self._write_bank(way.bank, store(self.array(way.bank), way.at, value), conj(done, way.when))

    def _shared(self, action: Load | Store, when: Expr, address: Expr, port: Port) -> None:
        """The same through a port."""
        valid, odd = port.judge(self.memory, address, action.address)
        self._lose(conj(when, odd), action.loc)
        self._broken("valid-deref", conj(when, negate(disj(valid, odd))), action.loc)
        done = conj(when, valid)
        low = make("extract", self.program.offset_bits, (address,), 0)
        if isinstance(action, Load):
            self.uses.append(PortUse(port, low))
            self._set(action.reg, port.value, done)
            return
        self.uses.append(PortUse(port, low, self.term(action.value), done))
        self.effect.writes.update(port.written)

    def _touch(self, ways: list[AccessWay], size: int, write: bool, sync: bool, when: Expr, beyond: Sequence[Beyond] = ()) -> None:
        if "no-data-race" not in self.program.checks:
            return
        atomic = sync or in_section(self.program, self.slot, self.step)
        found = [AccessWay(way.place, way.offset, conj(when, way.when)) for way in ways]
        past = [Beyond(one.place, one.low, conj(when, one.when)) for one in beyond]
        self.effect.touches.append(StepTouch([way for way in found if way.when is not FALSE], size, write, atomic, past))

    def _candidates(self, address: Expr, syntax: Expr, when: Expr, loc: Loc) -> tuple[list[tuple[Place, Expr]], Expr]:
        """The objects that an address may name, and whether it names another one: that is not followed."""
        found = self.memory.objects(address, syntax)
        stray = self.memory.stray(address, found)
        self._lose(conj(when, stray), loc)
        return found, stray

    def _measured(self, action: Measure, when: Expr) -> Expr:
        width = self.thread.template.registers[action.reg].width
        address = self.term(action.address)
        size = const(0, width)
        for place, match in self._candidates(address, action.address, when, NOWHERE)[0]:
            extent = self.read(place.extent) if place.extent >= 0 else const(place.limit, self.program.word)
            here = conj(match, self.memory.alive(place))
            size = ite(here, make("zext", width, (extent,)) if width > extent.width else make("extract", width, (extent,), 0), size)
        return size

    def _alloc(self, action: Alloc, when: Expr) -> None:
        pool = self.program.pools[action.pool]
        size = self.term(action.size)
        places = [self._place(number) for number in pool.objects]
        chosen = self.fresh(max(1, len(places).bit_length()))
        fresh_left: Expr = FALSE
        freed, address, reused = FALSE, const(0, self.program.word), FALSE
        for place in reversed(places):
            never = eq(self.read(place.status), const(NEVER, 2))
            address = ite(never, const(place.object.id << self.program.offset_bits, self.program.word), address)
            fresh_left = disj(fresh_left, never)
        if self.program.heap_reuse:
            for k, place in enumerate(places):
                dead = eq(self.read(place.status), const(DEAD, 2))
                pick = conj(dead, eq(chosen, const(k + 1, chosen.width)))
                address = ite(pick, const(place.object.id << self.program.offset_bits, self.program.word), address)
                reused, freed = disj(reused, pick), disj(freed, dead)
        fits = binary("ule", size, const(pool.capacity, size.width))
        self.effect.answers.append((conj(conj(when, fits), freed), address))
        got = conj(fits, disj(fresh_left, reused))
        self._stop("cut", conj(when, negate(got)), cut=f"marker.{pool.marker}")
        done = conj(when, got)
        self._set(action.reg, address, done)
        self._bring_to_life(places, address, size, action.zero, done)

    def _bring_to_life(self, places: list[Place], address: Expr, size: Expr, zero: bool, when: Expr) -> None:
        values: dict[tuple[int, int], Expr] = {}
        for place in places:
            mine = conj(when, eq(address, const(place.object.id << self.program.offset_bits, self.program.word)))
            self._write(place.status, const(ALIVE, 2), mine)
            if place.extent >= 0:
                self._write(place.extent, make("zext", self.program.word, (size,)) if size.width < self.program.word else size, mine)
            self._fill_banks(place, zero, mine)
            for cell in place.cells:
                if place.base + cell.number in self.words.at:
                    continue
                key = (cell.number, 8 * cell.size)
                if key not in values:
                    values[key] = const(0, key[1]) if zero else self.fresh(key[1])
                self._write(place.base + cell.number, values[key], mine)
                if not zero:
                    self.effect.born.append((place.base + cell.number, mine, values[key]))

    def _fill_banks(self, place: Place, zero: bool, when: Expr) -> None:
        """The banks of an object that comes to life: zero or anything."""
        for bank in self.words.banks.get(place.object.id, ()):
            if zero:
                self._write_bank(bank, const(0, bank.width, bank.index), when)
                continue
            self.numbers += 1
            fresh = self.inputs.array(self.numbers, bank)
            self._write_bank(bank, fresh, when)
            self.effect.born += [(entry, when, select(fresh, const(k, bank.index))) for k, entry in enumerate(bank.entries())]

    def _place(self, number: int) -> Place:
        place = self.layout.places[number]
        assert place is not None
        return place

    def _free(self, action: Free, when: Expr) -> None:
        address = self.term(action.address)
        found, good = self._candidates(address, action.address, when, action.loc)
        for place, match in found:
            if place.object.pool is None:
                continue
            start = make("extract", self.program.offset_bits, (address,), 0)
            exact = conj(conj(match, eq(start, const(0, start.width))), self.memory.alive(place))
            good = disj(good, exact)
            self._touch([AccessWay(place, 0, exact)], place.object.size, True, False, when)
            self._write(place.status, const(DEAD, 2), conj(when, exact))
            if place.extent >= 0:
                self._write(place.extent, const(0, self.program.word), conj(when, exact))
        self._broken("valid-free", conj(when, negate(good)), action.loc)

    def _lifetime(self, action: Enter | Leave, when: Expr) -> None:
        address = self.term(action.address)
        place = self.layout.place_of(address.value)
        assert place is not None
        if isinstance(action, Leave):
            self._touch([AccessWay(place, 0, TRUE)], place.object.size, True, False, when)
        if place.status < 0:
            return
        self._write(place.status, const(ALIVE if isinstance(action, Enter) else DEAD, 2), when)
        if isinstance(action, Enter):
            self._fill_banks(place, False, when)
            for cell in place.cells:
                if place.base + cell.number in self.words.at:
                    continue
                value = self.fresh(8 * cell.size)
                self._write(place.base + cell.number, value, when)
                self.effect.born.append((place.base + cell.number, when, value))
