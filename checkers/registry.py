"""Engines by name. An entry says what its engine can do; the engine itself is imported only when it is asked to work.

Engines of other packages join through the entry point group `fsoft.checkers`: the entry point's object is an `Engine`, and its
name must not be taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from fsoft.program.options import PROPERTIES
from fsoft.program.program import Program
from fsoft.program.verdict import Progress as Progress
from fsoft.program.verdict import Verdict
from fsoft.records import dataclass

if TYPE_CHECKING:
    from fsoft.circuit.bits import BitModel
    from fsoft.circuit.model import Model
    from fsoft.circuit.model.verdict import Answer

GROUP = "fsoft.checkers"
_OF_PROGRAMS = ("explicit", "lock-order", "parametric", "values")
_OURS = {name: f"fsoft.checkers.{name.replace('-', '_')}" for name in _OF_PROGRAMS}
_OF_MODELS = ("bmc", "kinduction", "pdr", "bdd", "sat", "smt", "abc", "nuxmv", "simulation", "portfolio")
_MODELS = {name: f"fsoft.checkers.{name}" for name in _OF_MODELS}
_OF_CIRCUITS = ("make_scheduler", "arrays")
"""Options that say how the circuit is made, for engines that take one."""

_ELSEWHERE = ("auto", "klive")
"""Names that --engine has beside these: several engines side by side, and a way to ask pdr about runs."""

RUNS = ("ltl", "termination")
"""Properties of whole runs."""

ANYTHING = (*PROPERTIES, *RUNS)


class ProgramChecker(Protocol):
    """An engine that reads the Program itself. The properties asked are `program.checks`."""

    def check(self, program: Program, progress: Progress, **options: Any) -> Verdict: ...


class Unanswered(ValueError):
    """An engine was asked about what it does not answer, or with options that it does not have."""


@dataclass(frozen=True, slots=True)
class Engine:
    """`takes` is "program" or "model"; `properties` (of ANYTHING) is what it may be asked about; `proves` and `refutes` say which answers
    it can give; `options` are the names that its `check` understands, `timeout` beside them, and `reduction` if it `reduces`; `load`
    imports the engine; `unbounded`: it wants Programs whose creation sites without a known number of executions stand for any number of
    threads (`Options.unbounded`), and nobody else may be asked about such a Program."""

    name: str
    summary: str
    takes: str
    properties: tuple[str, ...]
    proves: bool
    refutes: bool
    load: Callable[[], ProgramChecker]
    options: tuple[str, ...] = ()
    unbounded: bool = False
    reduces: bool = False

    def check(self, program: Program, progress: Progress, **options: Any) -> Verdict:
        """The engine's verdict on `program.checks`; Unanswered if that is not for it. Whoever asks an engine by its name asks here."""
        must_answer(self, program.checks)
        if program.unbounded and not self.unbounded:
            raise Unanswered(f"the engine {self.name} does not answer for any number of threads: ask parametric")
        known = {*self.options, "timeout", *(("reduction",) if self.reduces else ()), *(_OF_CIRCUITS if self.takes == "model" else ())}
        unknown = [name for name in options if name not in known]
        if unknown:
            raise Unanswered(f"the engine {self.name} has no option {unknown[0]!r}")
        return self.load().check(program, progress, **options)


class ModelChecker(Protocol):
    """An engine that reads a Model, in words or in bits. `progress` is called with how deep it has come, `timeout` is in seconds,
    `bad` asks for one bad only, `options` are the fields of the engine."""

    def check(
        self,
        model: Model | BitModel,
        *,
        progress: Callable[[int], None] | None = None,
        timeout: float | None = None,
        bad: str | None = None,
        **options: Any,
    ) -> Answer: ...


class GrowingChecker(ModelChecker, Protocol):
    """A ModelChecker that is asked about one model after the other."""

    @property
    def cost(self) -> str: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class ModelEngine:
    """As `Engine`, for engines that take a Model. `missing` says what is not installed and how to get it, or None. `stateless`: it answers
    about models without states only, those of bounded encodings. `growing` makes, from the engine's options, a checker for a row of growing
    models that keeps what they share; its `cost` says what the last one took."""

    name: str
    summary: str
    proves: bool
    refutes: bool
    load: Callable[[], ModelChecker]
    options: tuple[str, ...] = ()
    missing: Callable[[], str | None] = lambda: None
    takes: str = "model"
    stateless: bool = False
    growing: Callable[..., GrowingChecker] | None = None
    properties: tuple[str, ...] = ANYTHING


class UnknownEngine(LookupError):
    """No engine of that name; the message lists those there are."""


def must_answer(entry: Engine | ModelEngine, asked: Iterable[str]) -> None:
    """Unanswered if one of these properties is not for the engine. Checks that fsoft itself has added to a Program have no name in
    ANYTHING: they are checks inside steps, which all engines answer."""
    refused = [name for name in ANYTHING if name in set(asked) - set(entry.properties)]
    if refused:
        raise Unanswered(f"the engine {entry.name} does not answer {', '.join(refused)}: ask explicit")


def names() -> list[str]:
    """All names that --engine takes."""
    return [*engines(), *model_engines(), *_ELSEWHERE]


def engines() -> dict[str, Engine]:
    """All engines: ours first, then those of other packages, by name."""
    from importlib.metadata import entry_points  # slow, and rarely needed

    found = {name: _ours(name) for name in _OURS}
    for point in sorted(entry_points(group=GROUP), key=lambda p: p.name):
        engine = point.load()
        if isinstance(engine, ModelEngine):
            continue
        if point.name in found:
            raise ValueError(f"two engines are called '{point.name}': the second is {point.value}")
        if not isinstance(engine, Engine):
            raise TypeError(f"the entry point '{point.name}' of {GROUP} is no Engine: {point.value}")
        found[point.name] = engine
    return found


def engine(name: str) -> Engine:
    """The engine of that name."""
    if name in _OURS:
        return _ours(name)
    found = engines()
    if name not in found:
        raise UnknownEngine(f"no engine '{name}': one of {', '.join(names())}")
    return found[name]


def model_engines() -> dict[str, ModelEngine]:
    """All engines that take a Model: ours first, then those of other packages, by name."""
    from importlib.metadata import entry_points

    found = {name: _our_model_engine(name) for name in _MODELS}
    for point in sorted(entry_points(group=GROUP), key=lambda p: p.name):
        engine = point.load()
        if not isinstance(engine, ModelEngine):
            continue
        if point.name in found or point.name in _OURS:
            raise ValueError(f"two engines are called '{point.name}': the second is {point.value}")
        found[point.name] = engine
    return found


def model_engine(name: str) -> ModelEngine:
    """The engine of that name that takes a Model."""
    if name in _MODELS:
        return _our_model_engine(name)
    found = model_engines()
    if name not in found:
        raise UnknownEngine(f"no engine '{name}' for models: one of {', '.join(found)}")
    return found[name]


def _our_model_engine(name: str) -> ModelEngine:
    entry = import_module(_MODELS[name]).ENGINE
    assert isinstance(entry, ModelEngine)
    return entry


def _ours(name: str) -> Engine:
    entry = import_module(_OURS[name]).ENGINE
    assert isinstance(entry, Engine)
    return entry
