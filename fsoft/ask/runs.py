"""Properties of whole runs: load a program with its observer, ask an engine, bring home a lasso.

    prop = read(Text("G (request -> F served)"))
    watched = load_watched(["prog.c"], Options(), [prop])
    verdict = check_property(watched, prop, "explicit")

Every FALSE has been replayed on the interpreter: the loop closed, the formula evaluated on the run (`properties/ltl/lasso.py`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from fsoft.ask.circuits import ask, refined, seconds_left, verdict_of
from fsoft.ask.load import After, load
from fsoft.checkers.explicit.product import OutOfLimits, Product
from fsoft.checkers.registry import any_engine, model_engine, must_answer
from fsoft.circuit.encode.encoding import encode
from fsoft.circuit.encode.lift import Lifter, LiftWalk
from fsoft.circuit.encode.live import live_model
from fsoft.circuit.encode.narrow import RANGE, narrow
from fsoft.circuit.model.liveness import LASSO, counted, influential, lasso_of, split, to_safety
from fsoft.circuit.model.verdict import Answer, Stimulus, Unknown, Violated
from fsoft.frontend import tree
from fsoft.frontend.load import load as read_files
from fsoft.frontend.source import InputError, Loc, Source
from fsoft.frontend.types import data_model
from fsoft.por.visible import seen_by
from fsoft.program.choice import Strayed
from fsoft.program.cuts import Cut
from fsoft.program.lower.scan import walk
from fsoft.program.markers import dependence, step_markers
from fsoft.program.options import Options
from fsoft.program.program import Program
from fsoft.program.verdict import NO_LIMITS, InternalError, Limits, Progress, Stats, Verdict
from fsoft.properties.ltl import (
    OBSERVER,
    FormulaError,
    Lasso,
    Looking,
    NotALasso,
    Property,
    Runs,
    Unconfirmed,
    Watched,
    WatchedAtom,
    confirm,
    observer_text,
    stutters,
    text_of,
    watched,
    watches,
)
from fsoft.trace.lassos import simpler
from fsoft.trace.values import user_loc
from fsoft.transactions import NO_REDUCTION, Reduction

if TYPE_CHECKING:
    from fsoft.circuit.encode.encoding import ProgramCircuit
    from fsoft.circuit.encode.ranges import WordShape
    from fsoft.circuit.model import Model
    from fsoft.por.visible import AtomReads


@dataclass(slots=True)
class Answered:
    """The verdict on one property; for FALSE with the lasso."""

    prop: Property
    verdict: Verdict
    lasso: Lasso | None = None

    @property
    def notes(self) -> list[str]:
        """What the verdict assumes."""
        return [f"(under {self.prop.fairness} fairness)"] if self.prop.fairness != "none" else []


# ---------------------------------------------------------------- loading


def load_watched(
    sources: Sequence[str | Source],
    options: Options,
    props: Sequence[Property],
    *,
    after: After = lambda _name, _program: None,
    **reading: Any,
) -> Watched:
    """The Program that all the properties are about, with their atoms. Formulas that can tell steps apart switch folding off."""
    files = [Source(s) if isinstance(s, str) else s for s in sources]
    watch = watches([(p.formula, p.source) for p in props])
    fold = options.fold and not any(stutters(p.formula) for p in props)
    chosen = replace(options, checks=frozenset(), observer=OBSERVER, fold=fold)
    homes = dict.fromkeys((one.number for one in watch), 0)
    first: dict[int, InputError] = {}
    while True:
        try:
            program = load(_with_atoms(files, watch, homes), chosen, after=after, **reading)
            return watched(program, watch)
        except InputError as error:
            one = _culprit(error, watch)
            if one is None:
                raise
            first.setdefault(one.number, error)
            if "undeclared" not in error.what or homes[one.number] + 1 >= len(files):
                raise _explained(first[one.number], one, files, options, reading) from None
            homes[one.number] += 1


def folding(options: Options, props: Sequence[Property]) -> list[str]:
    """Why folding is off although it was not switched off, for each property that needs that."""
    if not options.fold:
        return []
    return [f"{', '.join(found)} in '{p}': folding is off" for p in props if (found := stutters(p.formula))]


def _with_atoms(files: Sequence[Source], watch: Sequence[WatchedAtom], homes: dict[int, int]) -> list[Source]:
    """The files, each with the atoms that are read in its scope; the observer is in the first."""
    texts = ["".join(text_of(one) for one in watch if homes[one.number] == k) for k in range(len(files))]
    texts[0] += observer_text(watch)
    return [replace(file, more=file.more + text) for file, text in zip(files, texts)]


def _culprit(error: InputError, watch: Sequence[WatchedAtom]) -> WatchedAtom | None:
    """The atom in which an error is."""
    if isinstance(error, FormulaError):
        return None
    found = None
    for one in watch:
        source = one.source
        if error.loc.file == one.file:
            return one
        starts = [column for _, column in one.atom.pieces if column] or [one.atom.at]
        if (source.file, source.line) == (error.loc.file, error.loc.line):
            if found is None or min(starts) + source.column - 1 <= error.loc.column:
                found = one
    return found


def _explained(error: InputError, one: WatchedAtom, files: Sequence[Source], options: Options, reading: dict[str, Any]) -> FormulaError:
    """The error with the formula below it; a local variable is called by its name."""
    what = error.what
    if error.loc.file == one.file:  # the text around the atom: the atom as a whole is at fault
        what = f"'{one.atom.text}' is not a lock" if "not a lock" in what else f"'{one.atom.text}' is no expression of C: {what}"
        return one.source.error(one.atom.at, what)
    if "undeclared" in what:
        name = what.split("'")[1]
        owners = _local_in(name, files, options, reading)
        if owners:
            what = f"'{name}' is a local variable of {', '.join(f'{o}()' for o in owners)}: an atom reads globals only"
    return one.source.error(max(1, error.loc.column - one.source.column + 1), what)


def _local_in(name: str, files: Sequence[Source], options: Options, reading: dict[str, Any]) -> list[str]:
    """The functions that have a local variable or parameter of that name."""
    model = data_model(reading.get("bits"))
    unit = read_files(files, model=model, roots=None, cpp=reading.get("cpp", "builtin"))
    found = []
    for function in unit.functions.values():
        if "library" in function.attributes:
            continue
        symbols = [*function.params, *(node.symbol for node in walk(function.body) if isinstance(node, tree.Declare))]
        if any(symbol.name == name for symbol in symbols):
            found.append(function.name)
    return found


# ---------------------------------------------------------------- the explicit engine, and what all engines share


def allowed(prop: Property, reduction: Reduction) -> Reduction:
    """The reduction as far as it keeps the verdict: stubborn sets, where the property cannot tell in which order independent steps come."""
    return NO_REDUCTION if unreduced(prop, reduction) else reduction


def unreduced(prop: Property, reduction: Reduction) -> str:
    """Why a reduction that was asked for is off; "" if it is not."""
    if reduction.por in ("none", "cstub"):
        return prop.unreducible() if reduction.por != "none" else ""
    return f"--por {reduction.por} is for properties of states; runs have cstub"


def check_explicit(
    watched: Watched, prop: Property, limits: Limits = NO_LIMITS, progress: Progress | None = None, reduction: Reduction = NO_REDUCTION
) -> Answered:
    """The verdict by the product of all states, or of those that the reduction leaves, with the tableau."""
    reduction = allowed(prop, reduction)
    choice = reduction.choice(watched.program, _seen(watched, prop, reduction))
    try:
        answered = _by_product(watched, prop, limits, progress, choice)
    except Strayed:
        answered = _by_product(watched, prop, limits, progress, None)
        answered.verdict.reasons.append("without reduction: an access goes where no pointer was seen to lead")
        return answered
    return _relying(answered, reduction)


def _seen(watched: Watched, prop: Property, reduction: Reduction) -> AtomReads | None:
    """What a reduction has to know about the property."""
    if reduction.por == "none":
        return None
    return seen_by(watched, prop.atoms())


def _relying(answered: Answered, reduction: Reduction) -> Answered:
    if answered.verdict.kind == "TRUE" and reduction.por != "none":
        answered.verdict.reasons.append(f"relies on: {reduction}")
    return answered


def _by_product(watched: Watched, prop: Property, limits: Limits, progress: Progress | None, choice: Looking | None) -> Answered:
    runs = Runs(watched, prop.atoms(), choice=choice)
    product = Product(runs, prop.violation(), prop.fairness, limits, progress)
    try:
        answer = product.check()
        product.stats.skipped = runs.skipped
    except OutOfLimits as why:
        reason = f"nothing is known after {len(product.nodes)} states of the product ({why})"
        return Answered(prop, Verdict("UNKNOWN", prop.name, [reason], [], product.stats, list(runs.cuts)))
    product.stats.states = len(product.nodes)
    if answer.lasso is not None:
        return violated(watched, prop, answer.lasso, product.stats)
    cuts = [*runs.cuts, *runs.sampled()]
    if cuts:
        reason = f"no violation found among {len(product.nodes)} states of the product"
        return Answered(prop, Verdict("UNKNOWN", prop.name, [reason], [], product.stats, cuts))
    return Answered(prop, Verdict("TRUE", prop.name, [f"all {len(product.nodes)} states of the product explored"], [], product.stats))


# ---------------------------------------------------------------- engines on circuits


KLIVE = "klive"


def check_circuit(
    watched: Watched, prop: Property, name: str, *, timeout: float | None = None, progress: Progress | None = None,
    reduction: Reduction = NO_REDUCTION, **options: Any,
) -> Answered:  # fmt: skip
    """The verdict of a model checker on the circuit: liveness to safety, unless it looks for fair runs itself; `klive` counts instead."""
    if name != KLIVE:
        must_answer(any_engine(name), [prop.name])

    started, stats = time.monotonic(), Stats()

    def hear(depth: int) -> None:
        stats.depth, stats.seconds = depth, time.monotonic() - started
        if progress is not None:
            progress(stats)

    reduction = allowed(prop, reduction)
    encoding = live_encoding(watched, prop, reduction)
    live = live_model(encoding, watched, prop)
    asking = Asking(encoding, live, name, hear, None if timeout is None else started + timeout, options)
    answer = asking.answer()
    stats.seconds = time.monotonic() - started
    return _relying(_meaning(watched, prop, asking, answer, stats), reduction)


def live_encoding(watched: Watched, prop: Property, reduction: Reduction) -> ProgramCircuit:
    """The circuit of the program, reduced as far as the property allows."""
    reduction = allowed(prop, reduction)
    return encode(watched.program, restrict=reduction.restrict(watched.program, _seen(watched, prop, reduction)))


@dataclass(slots=True)
class Asking:
    """One question about a live model to one engine: narrow words first, wider ones where a value does not fit (see `decide`)."""

    encoding: ProgramCircuit
    live: Model
    name: str
    hear: Callable[[int], None]
    deadline: float | None
    options: dict[str, Any]

    def left(self) -> float | None:
        return seconds_left(self.deadline)

    def answer(self) -> Answer:
        needed = frozenset(influential(self.live))
        narrowed = partial(narrow_live, self.live)
        return refined(self.encoding, self.live, needed, narrowed, self._ask) or self._ask(self.live)

    def _ask(self, live: Model) -> Answer:
        """The engine's answer; Violated carries a run of `to_safety`, or one that loses a value."""
        if self.name == KLIVE:
            return self._counting(live)
        entry = model_engine(self.name)
        if entry.fair is not None:
            return entry.fair(entry.made(**self.options))(live, progress=self.hear, timeout=self.left())
        return ask(to_safety(live), self.name, self.hear, self.left(), self.options)

    def _counting(self, live: Model) -> Answer:
        """k-liveness: for k = 0, 1, ... a proof that no run is fair more than k times over, or a lasso no longer than the run that is."""
        safe, most, depth = to_safety(live), 0, 0
        while True:
            answer = ask(counted(live, most), "pdr", self.hear, self.left(), self.options)
            if not isinstance(answer, Violated) or answer.bad != LASSO:
                return answer
            depth = max(depth, answer.depth)
            found = ask(safe, "bmc", lambda _depth: None, self.left(), {"depth": depth, "complete": False})
            if isinstance(found, Violated):
                return found
            if self.deadline is not None and time.monotonic() > self.deadline:
                return Unknown(depth, f"time limit reached (k = {most})")
            most += 1


def narrow_live(live: Model, shapes: dict[str, WordShape]) -> Model:
    """The live model in narrow words; a run that loses a value is not fair, and losing one is a bad."""
    group = next(iter(live.justice))
    names = [f"{group}.{k}" for k in range(len(live.justice[group]))]
    carried = replace(live, bad=dict(zip(names, live.justice[group])) | {f"fair.{n}": t for n, t in live.fairness.items()})
    small = narrow(carried, shapes)
    small.justice = {group: tuple(small.bad[name] for name in names)}
    small.fairness = {name: small.bad[f"fair.{name}"] for name in live.fairness}
    small.bad = {RANGE: small.bounds.pop(RANGE)}
    return small


def _meaning(watched: Watched, prop: Property, asking: Asking, answer: Answer, stats: Stats) -> Answered:
    """What an engine's answer means for the property."""
    if isinstance(answer, Violated):
        stats.depth = answer.depth
        run = answer.stimulus
        lasso, ignore = lifted(asking.encoding, asking.live, lasso_of(run), split(run))
        return violated(watched, prop, lasso, stats, ignore)
    verdict = verdict_of(asking.encoding, answer, stats, asking.name)
    verdict.prop = prop.name
    atoms = {f"atom.{r.watch.number}": r.watch.atom for r in watched.readings.values()}
    unread = {name: Cut("said", what=f"the atom '{atom}' has no value in some state") for name, atom in atoms.items()}
    verdict.cuts = [unread.get(cut.what, cut) if cut.kind == "bound" else cut for cut in verdict.cuts]
    return Answered(prop, verdict)


def lifted(encoding: ProgramCircuit, live: Model, run: Stimulus, start: int) -> tuple[Lasso, frozenset[int]]:
    """A lasso of the circuit, whose loop begins with frame `start`, as one of the Program, and the entries of the state vector that need
    not be equal where it closes."""
    walk = LiftWalk(Lifter(encoding), run.initial)
    moves = [walk.advance(given) for given in run.inputs]
    needed = set(influential(live))
    ignore = frozenset(k for k, name in enumerate(encoding.words.names) if name and name not in needed)
    return Lasso(tuple(moves[:start]), tuple(moves[start:])), ignore


def violated(watched: Watched, prop: Property, lasso: Lasso, stats: Stats, ignore: frozenset[int] = frozenset()) -> Answered:
    """FALSE once the lasso has been confirmed. `ignore` are entries of the state vector that nothing in the property depends on."""
    runs = Runs(watched, prop.atoms(), compiled=False)
    try:
        found = confirm(runs, prop.formula, lasso, prop.fairness, ignore)
    except Unconfirmed as why:
        lost = Cut("said", what=f"a run was found, but it cannot be followed to its end: {why}")
        return Answered(prop, Verdict("UNKNOWN", prop.name, [], [], stats, [lost]))
    found = _simpler(watched, prop, found, ignore, runs)
    program, moves = watched.program, found.moves()
    loc = _place(program, found)
    reasons = [f"{loc}: {prop} does not hold: {_words(found)}"]
    if found.drift:
        reasons.append(f"(each pass of the loop changes {', '.join(found.drift)}, on which nothing here depends)")
    added = _approximations(program, found)
    if added:
        return Answered(prop, Verdict("UNKNOWN", prop.name, reasons, moves, stats, added), found)
    return Answered(prop, Verdict("FALSE", prop.name, reasons, moves, stats, loc=loc), found)


def _simpler(watched: Watched, prop: Property, lasso: Lasso, ignore: frozenset[int], runs: Runs) -> Lasso:
    """A shorter lasso that is confirmed as well, if there is one."""

    def judge(candidate: Lasso, by: Runs) -> Lasso | None:
        try:
            found = confirm(by, prop.formula, candidate, prop.fairness, ignore)
        except (InternalError, Unconfirmed):
            return None
        return None if set(found.drift) - set(lasso.drift) else found

    trial = Runs(watched, prop.atoms())
    found = simpler(lasso, lambda candidate: judge(candidate, trial))
    return lasso if found is lasso else judge(found, runs) or lasso


def _words(lasso: Lasso) -> str:
    stem = sum(move is not None for move in lasso.stem)
    loop = sum(move is not None for move in lasso.loop)
    if not loop:
        return f"after {stem} steps nobody moves any more"
    return f"after {stem} steps a loop of {loop} repeats for ever"


def _place(program: Program, lasso: Lasso) -> Loc:
    """Where the loop begins."""
    move = next((m for m in (*lasso.loop, *reversed(lasso.stem)) if m is not None), None)
    if move is None:
        return Loc(program.name, 0)
    return user_loc(program.threads[move.slot].template.steps[move.step])


def _approximations(program: Program, lasso: Lasso) -> list[Cut]:
    steps = [program.threads[move.slot].template.steps[move.step] for move in lasso.moves()]
    markers = dict.fromkeys(program.markers[k] for step in steps for k in step_markers(step))
    return [dependence(marker) for marker in markers if marker.adds]


__all__ = ["Answered", "NotALasso", "allowed", "check_explicit", "folding", "live_encoding", "load_watched", "unreduced", "violated"]
