"""What is asked about the state after the last round: coverage, races, deadlocks.

Coverage. A run that needs another round can be arranged so that no round could have begun later: the first thread of a round comes before
one that ran in the round before. So more rounds are needed only if that is so for all rounds, and in the end a thread can go on that
comes before one that ran in the last.

Deadlocks. Global: nobody has stopped early, somebody has not finished, nobody can move. Local: a set of threads is guessed, and each of
them waits for something that another one of them owns; such a set contains a circle. (The paper guesses the chain of waiting
threads on the fly, section II.B; the set at the end is the same guess without its order.)
"""

from __future__ import annotations

from fsoft.analysis.points_to import PointsTo
from fsoft.analysis.validity import Validity
from fsoft.program import descriptor
from fsoft.program.expr import FALSE, TRUE, Expr, binary, conj, const, disj, eq, ite, make, negate
from fsoft.program.program import Action, Assign, Check, Halt, Input, Load, Marker, Program, Step
from fsoft.properties.race_objects import race_ranges
from fsoft.properties.waits import Waits, WaitSource
from fsoft.sequentialize.coverage import beyond
from fsoft.sequentialize.leaks import add_leaks
from fsoft.sequentialize.lives import Lives
from fsoft.sequentialize.probe import Probe, SeenAccess
from fsoft.sequentialize.sequential import TemplateWriter
from fsoft.sequentialize.threads import Positions, ThreadSource


class Final:
    """Writes the end of the sequential Program. `held`: somebody is inside an atomic section."""

    def __init__(self, out: TemplateWriter, positions: Positions, sources: list[ThreadSource], lives: Lives, held: Expr = FALSE):
        self.out, self.positions, self.sources, self.lives, self.held = out, positions, sources, lives, held
        self.program: Program = out.concurrent
        self.validity, self.points_to = Validity(self.program), PointsTo(self.program)
        self.races = "no-data-race" in self.program.checks
        self.probes: dict[tuple[int, int], list[Probe]] = {}

    def look(self) -> None:
        """Look at every step that some thread may be about to take."""
        for source in self.sources:
            for location, steps in enumerate(source.out):
                if location not in source.ranks:
                    continue  # nobody rests here
                here = self.positions.at(source, location)
                self.probes[source.slot, location] = [self._probe(source, step, here) for _, step in steps]

    def _probe(self, source: ThreadSource, step: Step, here: Expr) -> Probe:
        return Probe(self.out, source, step, here, self.validity, self.lives, self.points_to, self.races).look()

    def moves(self, slot: int, besides: str = "") -> Expr:
        """The thread has an enabled step (one without that tag)."""
        total: Expr = FALSE
        for (who, _), probes in self.probes.items():
            for probe in probes if who == slot else ():
                if not any(tag.kind == besides for tag in probe.step.tags):
                    total = disj(total, conj(probe.here, probe.enabled))
        return self._kept(f"moves.{slot}.{besides}", total)

    def _kept(self, name: str, value: Expr) -> Expr:
        """The value in a register of its own, so that expressions stay small."""
        register = self.out.register(name, value.width)
        self.out.step([Assign(name, value)], name)
        return register

    # ------------------------------------------------------------ coverage

    def coverage(self, rounds: list[list[Expr]], marker: Marker, ended: Expr = FALSE) -> None:
        """A bound that holds if some run needs another round and has not `ended`; `rounds` says who takes steps in each."""
        more = [self.moves(slot) for slot in range(len(self.sources))]
        needed = beyond(rounds, more, negate(disj(ended, self.held)), lambda term: self._kept("tight", term))
        self.out.step([Halt("cut", self.out.marker(marker), needed)], "another round")

    def leaks(self, ended: Expr) -> None:
        """Someone ended the process, or everybody has finished."""
        idle: Expr = TRUE
        for source in self.sources:
            idle = conj(idle, negate(disj(self.positions.gone(source), self.moves(source.slot))))
        add_leaks(self.out, self.lives, self._kept("over", disj(ended, conj(idle, negate(self._unfinished())))))

    def _unfinished(self) -> Expr:
        """Somebody is where he has something to do."""
        total: Expr = FALSE
        for (slot, location), probes in self.probes.items():
            if not any(t.kind == "start" for p in probes for t in p.step.tags):
                total = disj(total, self.positions.at(self.sources[slot], location))
        return total

    # ------------------------------------------------------------ deadlocks

    def deadlocks(self) -> None:
        stuck = self._stuck()
        circle = self._circle()
        check = Check(disj(self.held, negate(disj(stuck, circle))), "no-deadlock", "deadlock")
        self.out.step([check], "nobody waits for ever")

    def _stuck(self) -> Expr:
        """A global deadlock."""
        stuck, inside = TRUE, FALSE
        for source in self.sources:
            stuck = conj(stuck, negate(disj(self.positions.gone(source), self.moves(source.slot, "spurious"))))
            for (who, location), probes in self.probes.items():
                if who != source.slot or any(t.kind == "start" for p in probes for t in p.step.tags):
                    continue
                here = self.positions.at(source, location)
                sections: Expr = TRUE
                tried: Expr = FALSE
                for probe in probes:
                    guard = source.expr(probe.step.guard)
                    tried = disj(tried, guard)
                    sections = sections if any(t.kind == "section" for t in probe.step.tags) else conj(sections, negate(guard))
                inside = disj(inside, conj(here, conj(tried, sections)))
        return self._kept("stuck", conj(stuck, conj(self._unfinished(), negate(inside))))

    def _circle(self) -> Expr:
        """Guessed threads wait for each other."""
        waits, slots = Waits(self.program), range(len(self.sources))
        edges = [self._edges(waits, source) for source in self.sources]
        chosen = [self.out.register(f"circle.{slot}", 1) for slot in slots]
        guesses: list[Action] = [Input(str(one.data), f"whether thread {k} waits in a circle") for k, one in enumerate(chosen)]
        if not any(row is not FALSE for rows in edges for row in rows):
            return FALSE
        self.out.step(guesses, "threads that wait for each other")
        someone, all_wait = FALSE, TRUE
        for slot in slots:
            someone = disj(someone, chosen[slot])
            waiting: Expr = FALSE
            for other in slots:
                waiting = disj(waiting, conj(edges[slot][other], chosen[other]))
            all_wait = conj(all_wait, disj(negate(chosen[slot]), waiting))
        return self._kept("circling", conj(someone, all_wait))

    def _edges(self, waits: Waits, source: ThreadSource) -> list[Expr]:
        """For each thread whether this one waits for it."""
        count = len(self.sources)
        found: list[Expr] = [FALSE] * count
        blocked: Expr | None = None
        for location, rows in waits.at(source.slot).items():
            if (source.slot, location) not in self.probes:
                continue
            if blocked is None:
                blocked = negate(self.moves(source.slot))
            here = conj(self.positions.at(source, location), blocked)
            common: list[Expr] = [TRUE] * count
            tried: Expr = FALSE
            for index, waited in rows:
                guard = source.expr(source.template.steps[index].guard)
                tried = disj(tried, guard)
                named = self._named(source, waited, conj(here, guard))
                common = [conj(old, disj(negate(guard), new)) for old, new in zip(common, named, strict=True)]
            found = [disj(old, conj(here, conj(tried, new))) for old, new in zip(found, common, strict=True)]
        return [row if row is FALSE else self._kept(f"waits.{source.slot}.{k}", row) for k, row in enumerate(found)]

    def _named(self, source: ThreadSource, waited: tuple[WaitSource, ...], here: Expr) -> list[Expr]:
        """Whom the words name that a blocked step reads."""
        count = len(self.sources)
        named: list[Expr] = [FALSE] * count
        for one in waited:
            address = source.expr(one.address)
            word = self.out.register(f"owner.{source.slot}.{len(self.out.registers)}", 8 * one.size)
            self.out.step([Load(str(word.data), address, one.size, True, here)], "who owns it")
            for slot in range(count):
                named[slot] = disj(named[slot], self._owns(one.kind, word, address, slot))
        return named

    def _owns(self, kind: str, word: Expr, address: Expr, slot: int) -> Expr:
        if kind == "owner":
            return eq(word, const(slot + 1, word.width))
        if kind == "readers":
            return make("extract", 1, (word,), slot) if slot < word.width else FALSE
        array = next(obj for obj in self.program.objects if obj.name == descriptor.ARRAY)
        state = self.program.address(array, descriptor.offset(slot, "state", self.program.word // 8))
        return conj(eq(word, const(descriptor.RUNNING, word.width)), eq(address, const(state, address.width)))

    # ------------------------------------------------------------ races

    def data_races(self) -> None:
        """Of each thread one access is looked at; two of them must not conflict."""
        rows = [self._accesses(source) for source in self.sources]
        pending = [self._pending(source.slot, seen) for source, seen in zip(self.sources, rows, strict=True)]
        for k, one in enumerate(pending):
            for other in pending[:k]:
                if one is not None and other is not None:
                    self.out.step([Check(negate(self._race(one, other)), "no-data-race", "data race")], "two accesses at once")

    def _accesses(self, source: ThreadSource) -> list[list[SeenAccess]]:
        """The accesses of a thread that could meet one of another thread, by location."""
        reach = [0] * len(self.sources)
        for (slot, _), probes in self.probes.items():
            for seen in [s for p in probes for s in p.seen]:
                reach[slot] |= self.points_to.touched(slot, seen.action)
        others = 0
        for slot, mask in enumerate(reach):
            others |= mask if slot != source.slot else 0
        found = []
        for (slot, _), probes in self.probes.items():
            if slot == source.slot:
                found.append([s for p in probes for s in p.seen if self.points_to.touched(slot, s.action) & others and s.when is not FALSE])
        return [row for row in found if row]

    def _pending(self, slot: int, rows: list[list[SeenAccess]]) -> tuple[Expr, Expr, Expr, Expr, Expr] | None:
        """(there is one, address, size, it writes, it is atomic) of the access of a thread that is looked at."""
        if not rows:
            return None
        word = self.program.word
        names = {"any": 1, "address": word, "size": word, "write": 1, "atomic": 1}
        registers = {name: self.out.register(f"access.{slot}.{name}", width) for name, width in names.items()}
        most = max(map(len, rows))
        pick = self.out.register(f"access.{slot}.pick", max(1, (most - 1).bit_length()))
        if most > 1:
            self.out.step([Input(str(pick.data), f"which access of thread {slot}")], "a look at one access")
        for row in rows:
            for k, seen in enumerate(row):
                when = conj(seen.when, eq(pick, const(k, pick.width))) if len(row) > 1 else seen.when
                values = {
                    "any": TRUE, "address": seen.address, "size": seen.size,
                    "write": const(seen.write, 1), "atomic": const(seen.atomic, 1),
                }  # fmt: skip
                self.out.step([Assign(str(registers[n].data), value, when) for n, value in values.items()], "an access")
        any_, address, size, write, atomic = (registers[name] for name in names)
        return any_, address, size, write, atomic

    def _race(self, a: tuple[Expr, Expr, Expr, Expr, Expr], b: tuple[Expr, Expr, Expr, Expr, Expr]) -> Expr:
        low = ite(binary("ult", a[1], b[1]), b[1], a[1])
        ends = binary("add", a[1], a[2]), binary("add", b[1], b[2])
        high = ite(binary("ult", *ends), *ends)
        meet = conj(binary("ult", low, high), self._counts(low, high))
        return conj(conj(a[0], b[0]), conj(conj(disj(a[3], b[3]), negate(conj(a[4], b[4]))), meet))

    def _counts(self, low: Expr, high: Expr) -> Expr:
        """A race on these bytes was asked for."""
        ranges = race_ranges(self.program)
        if ranges is None:
            return TRUE
        total: Expr = FALSE
        for number, parts in ranges.items():
            base = number << self.program.offset_bits
            for start, end in parts:
                inside = conj(binary("ult", low, const(base + end, low.width)), binary("ult", const(base + start, high.width), high))
                total = disj(total, inside)
        return total
