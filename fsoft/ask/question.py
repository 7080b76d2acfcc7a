"""What is asked, in one record whatever the door; who listens meanwhile; and what comes back.

A `Question` says everything that the answer depends on. Its `way` says who answers: `ByAuto` (several engines side by side), `ByEngine`,
`ByEncoding` (a bounded encoding), `ByBackend` (another verifier), each with its own record of options. Doors build one (`way_of` reads
options by name), call `fsoft.ask.ask` and show the `Outcome`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Union

from fsoft.ask.by_name import encoding_of, given_for
from fsoft.ask.settings import AutoOptions
from fsoft.checkers.registry import Unanswered, any_engine, model_engine, must_answer
from fsoft.frontend.source import Source
from fsoft.option import BadOption, chosen, options_of
from fsoft.program.options import Options
from fsoft.program.program import Program
from fsoft.program.verdict import Stats, Verdict

if TYPE_CHECKING:
    from fsoft.ask.auto.race import Entrant
    from fsoft.ask.backend import Backend
    from fsoft.bounded.given import Given
    from fsoft.properties.ltl import Property
    from fsoft.transactions import Reduction

AUTO = "auto"
KLIVE = "klive"
CIRCUIT = "circuit"
EXPLICIT = "explicit"
FORMULA_ENGINE = "sat"
"""Who answers about the formula of a bounded encoding if nobody is named."""

TIME, MEMORY = "time", "memory"
"""The limits that can strike."""


# ---------------------------------------------------------------- who answers


@dataclass(frozen=True, slots=True)
class ByAuto:
    """Whoever has an answer first. `members`: only those of `ask/auto/members.py` take part, and nothing is tried before them."""

    options: AutoOptions = field(default_factory=AutoOptions)
    members: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ByEngine:
    """The engine of that name; `options` is the engine itself, a record of its options. `klive` has those of the engine that it asks."""

    name: str
    options: Any

    @property
    def given(self) -> dict[str, Any]:
        """The options by name."""
        return {one.name: getattr(self.options, one.name) for one in options_of(type(self.options))}


@dataclass(frozen=True, slots=True)
class ByEncoding:
    """The bounded encoding of that name within these bounds; `engine` answers about its formula (None: it asks a solver itself)."""

    name: str
    bounds: Given
    engine: ByEngine | None


@dataclass(frozen=True, slots=True)
class ByBackend:
    """Another verifier, about the sequential program that the encoding of that name makes within these bounds."""

    backend: Backend
    scheme: str
    bounds: Given


Way = Union[ByAuto, ByEngine, ByEncoding, ByBackend]


def way_of(engine: str | None, encoding: str | None, options: Mapping[str, Any]) -> Way:
    """Who answers, from names and options: those of loops (`unwind`, ...) and of the encoding, else those of the engine. What nobody has is
    a BadOption or Unanswered, an unknown name a LookupError or ValueError."""
    if encoding is not None and encoding != CIRCUIT:
        return _by_encoding(engine, encoding, options)
    if engine in (None, AUTO) and encoding is None:
        own = {one.name for one in options_of(AutoOptions)}
        if others := sorted(set(options) - own):
            raise BadOption(f"{', '.join(others)}: for one engine or encoding, which must be named")
        return ByAuto(chosen(AutoOptions, options, AUTO))
    return engine_of(engine or EXPLICIT, options)


def engine_of(name: str, options: Mapping[str, Any]) -> ByEngine:
    """One engine, with these options. `klive` takes those of pdr, which it asks."""
    return ByEngine(name, any_engine("pdr" if name == KLIVE else name).made(**options))


def _by_encoding(engine: str | None, name: str, options: Mapping[str, Any]) -> ByEncoding:
    encoding = encoding_of(name)
    if encoding.search:
        if engine is not None:
            raise BadOption(f"the encoding {name} asks a solver itself: choose one with solver, not an engine")
        return ByEncoding(name, given_for(name, **options), None)
    own = {one.name for one in options_of(encoding.bounds)}
    entry = model_engine(engine or FORMULA_ENGINE)
    of_engine = {one.name for one in entry.options} - own
    rest = {key: value for key, value in options.items() if key in of_engine}
    bounds = given_for(name, **{key: value for key, value in options.items() if key not in of_engine})
    return ByEncoding(name, bounds, engine_of(entry.name, rest))


# ---------------------------------------------------------------- what is asked


@dataclass(frozen=True, slots=True)
class Scheduling:
    """Who may run in the circuit: `kind` is one of SCHEDULERS, `count` the contexts or rounds, `text` the given schedule."""

    kind: str = "free"
    count: int = 0
    text: str = ""


SCHEDULERS = ("free", "context-bounded", "round-robin", "given")


@dataclass(frozen=True, slots=True)
class Question:
    """`sources`, `bits`, `cpp` and `options` say how C is read and which properties of states (`options.checks`, maybe none) are asked;
    `formulas` are properties of runs. `reduction`: which interleavings are left out (None: none, or for `auto` as it likes); where it would
    not be sound it is off. `scheduling` and `arrays` ("keep" or "flatten") are about circuits. `fixed` names the bounds of GROWING that the
    user has set, so that they do not grow. `deadline` is a time of the monotonic clock by which engines end; `memory` is megabytes, for
    `auto`. `shorten`: somebody looks at the trace, so it should be simple."""

    sources: tuple[Source, ...]
    bits: int
    options: Options
    cpp: str = "builtin"
    formulas: tuple[Property, ...] = ()
    way: Way = field(default_factory=ByAuto)
    reduction: Reduction | None = None
    scheduling: Scheduling = field(default_factory=Scheduling)
    arrays: str | None = None
    fixed: frozenset[str] = frozenset()
    deadline: float | None = None
    memory: int | None = None
    shorten: bool = True


def check_question(question: Question) -> None:
    """Unanswered, before any work is done, if whoever is to answer does not answer that, or not so."""
    way = question.way
    if not isinstance(way, (ByAuto, ByEngine)):
        if question.reduction is not None and question.reduction.por != "none":
            raise Unanswered("bounded encodings have no reduction")
        if question.formulas:
            raise Unanswered("bounded encodings and other verifiers are for properties of states: runs need an engine")
    if question.formulas and isinstance(way, ByEngine) and way.name != KLIVE:
        must_answer(any_engine(way.name), [prop.name for prop in question.formulas])
    if isinstance(way, ByEngine) and question.options.checks:
        entry = any_engine("pdr" if way.name == KLIVE else way.name)
        must_answer(entry, question.options.checks)
        if question.reduction is not None and question.reduction.por != "none" and not entry.reduces:
            raise Unanswered(f"the engine {way.name} looks at no interleavings: it has no reduction")


class Observer:
    """Is told how an answer comes along. Whoever wants to know derives from it; here nothing is done."""

    def stage(self, name: str, program: Program) -> None:
        """A stage of reading C has made this Program."""

    def loaded(self, program: Program) -> None:
        """The Program is there, and nothing has been asked about it."""

    def progress(self, stats: Stats) -> None:
        """An engine has come so far."""

    def racing(self, entrants: list[Entrant]) -> None:
        """The members of `auto` that are at work."""

    def say(self, line: str) -> None:
        """What a step of growing bounds cost."""

    def note(self, line: str) -> None:
        """Something that was asked for is not done, and why."""

    def answered(self, verdict: Verdict) -> None:
        """One answer is there."""


# ---------------------------------------------------------------- what comes back


@dataclass(slots=True)
class Reply:
    """One answer. `title` is what was asked; `program` is what the verdict is about (None: a limit struck before it was there); `notes`:
    what the answer assumes; `prop` is the property of runs, None for the properties of states; `loop` is the number of the move with which
    the loop of a lasso begins."""

    title: str
    program: Program | None
    verdict: Verdict
    notes: list[str]
    prop: Property | None = None
    loop: int | None = None


_WORST_FIRST = {"FALSE": 0, "UNKNOWN": 1, "TRUE": 2}


@dataclass(slots=True)
class Outcome:
    """The answer about states, if states were asked about, then those about runs. `limit` is TIME, MEMORY or "". `tried` says who was
    asked; `notes`: what was switched off for the sake of a formula."""

    question: Question
    replies: list[Reply]
    limit: str = ""
    tried: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)

    @property
    def worst(self) -> Reply:
        """A reply that is FALSE if one is, else one that is UNKNOWN if one is."""
        return min(self.replies, key=lambda one: _WORST_FIRST[one.verdict.kind])

    def hashes(self) -> dict[str, str]:
        """SHA-256 of every file that was named."""
        found = {}
        for source in self.question.sources:
            with open(source.path, "rb") as file:
                found[source.path] = hashlib.sha256(file.read()).hexdigest()
        return found


def about_states(question: Question) -> Question:
    """The question without its formulas."""
    return replace(question, formulas=())


__all__ = [
    "AUTO", "ByAuto", "ByBackend", "ByEncoding", "ByEngine", "CIRCUIT", "EXPLICIT", "KLIVE", "MEMORY", "Observer", "Outcome", "Question",
    "Reply", "SCHEDULERS", "Scheduling", "TIME", "Way", "about_states", "check_question", "engine_of", "way_of",
]  # fmt: skip
