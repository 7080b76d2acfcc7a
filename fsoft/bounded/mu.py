"""`--encoding mu`: the Model of an unwound Program with a bounded number of writes to shared memory, its coverage, and the way home.

Coverage: the bound `writes` holds if some run uses all positions of the sequence and then somebody can write once more. In a coarse
sequence a run uses all if no cluster is empty and none could have taken in the first write of the next: because that is another thread's
(inter-thread: of a thread that comes before one that has been active in the cluster), or because somebody has seen what the cluster left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from fsoft.bounded.common import Common, common_of
from fsoft.bounded.final import FinalState
from fsoft.bounded.formula_program import sequential_program
from fsoft.bounded.given import BoundedEncoding, Given, longer_loops, rounds_for
from fsoft.bounded.home import InputValues, happened, moves_of
from fsoft.bounded.mu_walk import ClusterOverlay, ClusterWalk, MuWalk, StepWalk, first_meeting
from fsoft.bounded.sequence import READS, Clusters, Steps, Unwinding
from fsoft.bounded.sequential import Made
from fsoft.bounded.shared import SharedEntries, SharedWalk
from fsoft.bounded.walk import Taken, WalkGround, add_violations
from fsoft.circuit.encode.steps import StepTerms
from fsoft.circuit.model import Model, check_model
from fsoft.option import option
from fsoft.passes.bounds import BadBound
from fsoft.passes.unwind import Unwound
from fsoft.program.expr import FALSE, TRUE, Expr, conj, disj, negate
from fsoft.program.verdict import Move

BOUND = "writes"
GRAINS = ("fine", "intra", "inter")
FIRST = {"fine": 8, "intra": 4, "inter": 3}
"""How many positions there are if nothing is said; with a fine grain all that can be needed, if those are not more than twice as many."""
MOST = 4096


@dataclass(frozen=True)
class MuBounds(Given):
    """See the options."""

    writes: int | None = option(None, "at most N writes to shared memory, or clusters of writes", metavar="N", least=1)
    grain: str | None = option(None, "single writes or clusters (inter; with --writes: fine)", flag="mu-grain", allowed=GRAINS)
    reads: str | None = option(None, "how reads find their write (implicit)", flag="mu-reads", allowed=READS)


@dataclass(slots=True)
class Mu:
    """The formula."""

    unwound: Unwound
    given: MuBounds
    ground: WalkGround
    sequence: Unwinding
    walks: Sequence[MuWalk]
    final: FinalState
    grain: str
    reads: str

    @property
    def model(self) -> Model:
        return self.ground.model

    @property
    def steps(self) -> list[Taken]:
        return _steps(self.walks)

    def run(self, inputs: Mapping[str, int], prop: str) -> list[Move]:
        """The moves of the unwound Program that the inputs choose, up to where `prop` is violated."""
        program, value = self.unwound.program, InputValues(inputs, self.model.inputs)
        chosen = happened(program, self.steps, value)
        order = sorted(range(len(chosen)), key=lambda k: (sum(value(bit) for bit in chosen[k].turn), k))
        run = [chosen[k] for k in order] + self.final.last_step(prop, value)
        return moves_of(program, run, value, lambda event: event.prop == prop)

    def describe(self) -> str:
        return f"{self.name()}, {self.given.loops}"

    def name(self) -> str:
        """The bounds, apart from those of loops."""
        what = "writes" if self.grain == "fine" else f"{self.grain}-thread clusters of writes"
        return f"{self.sequence.count} {what} ({self.reads} reads)"

    def grown(self, given: MuBounds, cuts: tuple[str, ...]) -> MuBounds:
        """Loops unwound further where one is cut, with more positions as loops grow; twice as many writes, or half as many clusters
        again, where they are not enough."""
        after, count = longer_loops(self.unwound, given, cuts), self.sequence.count
        if BOUND in cuts:
            return replace(after, grain=self.grain, writes=2 * count if self.grain == "fine" else count + max(1, count // 2))
        if after == given or (given.writes is None and count > FIRST[self.grain]):
            return after
        rounds = rounds_for(after.loops.unwind)
        least = {"fine": 4 * rounds, "intra": 2 * rounds, "inter": 1 + rounds}[self.grain]
        return replace(after, grain=self.grain, writes=max(given.writes or 0, least))


def mu(unwound: Unwound, given: MuBounds) -> Mu:
    """The formula for at most `given.writes` writes, or clusters of writes. Where nothing is said, writes are counted one by one only if
    their number is given; clusters are quicker."""
    program, grain, reads = unwound.program, given.grain or ("inter" if given.writes is None else "fine"), given.reads or "implicit"
    if given.writes is not None and not 1 <= given.writes <= MOST:
        raise BadBound(f"--writes: from 1 to {MOST}, not {given.writes}")
    common = common_of(unwound)
    ground, shared = common.ground(), common.shared
    border = first_meeting(ground, shared)
    most = _most_writes(shared, border)
    count = given.writes or (most if grain == "fine" and most <= 2 * FIRST[grain] else FIRST[grain])
    walked = _Walked(ground, common, border, min(count, most), grain, reads)
    final = FinalState(ground, walked.walks, lambda entry: walked.sequence.at(walked.sequence.count, entry))
    add_violations(ground.model, program, _steps(walked.walks))
    final.add_states()
    ground.model.bounds[BOUND] = walked.needs_more(final) if count < most else FALSE
    walked.close()
    check_model(ground.model)
    return Mu(unwound, given, ground, walked.sequence, walked.walks, final, grain, reads)


def mu_scheme(unwound: Unwound, given: MuBounds) -> Made:
    """`--scheme mu`."""
    formula = mu(unwound, given)
    return Made(unwound, given, formula.name(), lambda coverage: sequential_program(unwound.program, formula, coverage))


def _steps(walks: Sequence[MuWalk]) -> list[Taken]:
    return [one for walk in walks for one in walk.steps]


def _most_writes(shared: SharedEntries, border: int) -> int:
    """No run has more steps that write than this (apart from those of main before the border, where it is alone)."""
    total = 0
    for slot, thread in enumerate(shared.program.threads):
        most = [0] * len(thread.template.locations)
        writes = shared.step_writes[slot]
        for index in sorted(range(len(thread.template.steps)), key=lambda k: thread.template.steps[k].source):
            step = thread.template.steps[index]
            counts = writes[index] & shared.mask != 0 and (slot > 0 or step.source >= border)
            most[step.target] = max(most[step.target], most[step.source] + counts)
        total += max(most)
    return total


class _Walked:
    """All threads, walked against one sequence."""

    def __init__(self, ground: WalkGround, common: Common, border: int, count: int, grain: str, reads: str):
        slots = range(len(ground.program.threads))
        self.fine: list[StepWalk] = []
        self.coarse: list[ClusterWalk] = []
        self.sequence: Unwinding
        if grain == "fine":
            steps = self.sequence = Steps(ground, common, count, reads)
            self.fine = [StepWalk(ground, steps, slot, border) for slot in slots]
        else:
            clusters = self.sequence = Clusters(ground, common, count, reads)
            self.overlay = ClusterOverlay(clusters, grain == "inter")
            self.coarse = [ClusterWalk(ground, clusters, slot, border, self.overlay) for slot in slots]
        self.walks: Sequence[MuWalk] = self.fine or self.coarse
        for walk in self.walks:
            walk.run()

    def close(self) -> None:
        """The constraints that the sequence is what the threads do."""
        for walk in self.fine:
            walk.close()
        if self.coarse:
            self.overlay.close()

    def needs_more(self, final: FinalState) -> Expr:
        """Some run that cannot be told with fewer positions writes once more after the last."""
        more = [final.can_go_on(walk, _writes) for walk in self.walks]
        count = self.sequence.count
        if self.fine:
            return conj(self.sequence.used(count) if count else TRUE, _any(more))
        total: Expr = TRUE
        for position in range(1, count + 1):
            following = more if position == count else [walk.writing[position + 1] for walk in self.coarse]
            total = conj(total, conj(_any([walk.writing[position] for walk in self.coarse]), self._forced(position, following)))
        return total

    def _forced(self, position: int, following: Sequence[Expr]) -> Expr:
        """The cluster could not have gone on with the one who writes next (inter-thread: the first by slot of those who do)."""
        observed = _any([walk.observing[position] for walk in self.coarse])
        total: Expr = FALSE
        before: Expr = FALSE
        for slot, writes in enumerate(following):
            if self.overlay.inter:
                busy = _any([walk.active[position] for walk in self.coarse[slot + 1 :]])
            else:
                busy = negate(self.sequence.owner(position, slot))
            total = disj(total, conj(conj(writes, negate(before)), busy))
            before = disj(before, writes) if self.overlay.inter else FALSE
        return conj(_any(following), disj(observed, total))


def _writes(walk: SharedWalk, terms: StepTerms) -> Expr:
    """The step writes what threads share."""
    assert isinstance(walk, MuWalk)
    return _any([when for when, _ in walk.written(terms).values()])


def _any(conditions: Sequence[Expr]) -> Expr:
    total: Expr = FALSE
    for condition in conditions:
        total = disj(total, condition)
    return total


ENCODING = BoundedEncoding("mu", "threads against a guessed sequence of writes (MU-CSeq)", MuBounds, mu, scheme=mu_scheme)
