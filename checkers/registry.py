"""Engines by name. An entry says what its engine can do; what the engine needs is imported only when it is asked to work.

Engines of other packages join through the entry point group `fsoft.checkers`: the entry point's object is an `Engine` or a `ModelEngine`,
and its name must not be taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, Union

from fsoft.option import BadOption, Option, chosen, options_of
from fsoft.program.options import PROPERTIES
from fsoft.program.program import Program
from fsoft.program.verdict import Progress as Progress
from fsoft.program.verdict import Verdict

if TYPE_CHECKING:
    from fsoft.circuit.bits import BitModel
    from fsoft.circuit.model import Model
    from fsoft.circuit.model.verdict import Answer

GROUP = "fsoft.checkers"
_OF_PROGRAMS = ("explicit", "lock-order", "parametric", "values")
_OF_MODELS = ("bmc", "kinduction", "pdr", "bdd", "sat", "smt", "abc", "nuxmv", "simulation", "portfolio")
_MODULES = {name: f"fsoft.checkers.{name.replace('-', '_')}" for name in (*_OF_PROGRAMS, *_OF_MODELS)}
"""Our own engines. This is the list that a new one is added to."""

_ELSEWHERE = ("auto", "klive")
"""Names that --engine has beside these: several engines side by side, and a way to ask pdr about runs."""

RUNS = ("ltl", "termination")
"""Properties of whole runs."""

ANYTHING = (*PROPERTIES, *RUNS)


class Unanswered(ValueError):
    """An engine was asked about what it does not answer, or with options that it does not have."""


class UnknownEngine(LookupError):
    """No engine of that name; the message lists those there are."""


class ProgramChecker(Protocol):
    """An engine that reads the Program itself. The properties asked are `program.checks`; `timeout` is in seconds, and an engine that
    `reduces` takes a `reduction` beside it. Its options are its fields."""

    def check(self, program: Program, progress: Progress, *, timeout: float | None = None) -> Verdict: ...


class ModelChecker(Protocol):
    """An engine that reads a Model, in words or in bits. `progress` is called with how deep it has come, `timeout` is in seconds,
    `bad` asks for one bad only. Its options are its fields."""

    def check(
        self,
        model: Model | BitModel,
        *,
        progress: Callable[[int], None] | None = None,
        timeout: float | None = None,
        bad: str | None = None,
    ) -> Answer: ...


class GrowingChecker(ModelChecker, Protocol):
    """A ModelChecker that is asked about one model after the other."""

    @property
    def cost(self) -> str: ...

    def close(self) -> None: ...


class Fair(Protocol):
    """Whether a model has a fair run: `Violated` carries the lasso as a run of `circuit.model.liveness.to_safety`."""

    def __call__(self, model: Model, *, progress: Callable[[int], None] | None = None, timeout: float | None = None) -> Answer: ...


@dataclass(frozen=True, slots=True)
class Engine:
    """`maker` is the engine: a dataclass whose fields declared by `fsoft.option.option` are what users may choose. `properties` (of
    ANYTHING) is what it may be asked about; `proves` and `refutes` say which answers it can give; `reduces`: its `check` takes a
    `reduction`; `unbounded`: it wants Programs whose creation sites without a known number of executions stand for any number of threads
    (`Options.unbounded`), and nobody else may be asked about such a Program."""

    name: str
    summary: str
    properties: tuple[str, ...]
    proves: bool
    refutes: bool
    maker: Callable[..., ProgramChecker]
    unbounded: bool = False
    reduces: bool = False

    takes = "program"

    @property
    def options(self) -> tuple[Option, ...]:
        """What users may choose."""
        return options_of(self.maker)

    def made(self, **options: Any) -> ProgramChecker:
        """The engine with these options; Unanswered if it does not have them."""
        found: ProgramChecker = _made(self, options)
        return found

    def missing(self) -> str | None:
        """What is not installed and how to get it: nothing is needed."""
        return None

    def check(
        self, program: Program, progress: Progress, *, timeout: float | None = None, reduction: Any = None, **options: Any
    ) -> Verdict:
        """The engine's verdict on `program.checks`; Unanswered if that is not for it. Whoever asks an engine by its name asks here."""
        must_answer(self, program.checks)
        must_have_threads(self, program)
        if reduction is None:
            return self.made(**options).check(program, progress, timeout=timeout)
        if not self.reduces:
            raise Unanswered(f"the engine {self.name} has no option 'reduction'")
        reducing: Any = self.made(**options)
        verdict: Verdict = reducing.check(program, progress, timeout=timeout, reduction=reduction)
        return verdict


@dataclass(frozen=True, slots=True)
class ModelEngine:
    """As `Engine`, for engines that take a Model. `missing` says what is not installed and how to get it, or None. `stateless`: it answers
    about models without states only, those of bounded encodings. `words`: it takes models in words as they are; `arrays`: it does better
    where they keep their arrays. `growing` makes of the engine a checker for a row of growing models that keeps what they share; its `cost`
    says what the last one took. `fair` makes of the engine one that looks for fair runs itself, where others are asked by way of liveness
    to safety."""

    name: str
    summary: str
    proves: bool
    refutes: bool
    maker: Callable[..., ModelChecker]
    missing: Callable[[], str | None] = lambda: None
    stateless: bool = False
    words: bool = False
    arrays: bool = False
    growing: Callable[[ModelChecker], GrowingChecker] | None = None
    fair: Callable[[ModelChecker], Fair] | None = None
    properties: tuple[str, ...] = ANYTHING

    takes = "model"
    reduces = True
    unbounded = False

    @property
    def options(self) -> tuple[Option, ...]:
        """What users may choose."""
        return options_of(self.maker)

    def made(self, **options: Any) -> ModelChecker:
        """The engine with these options; Unanswered if it does not have them."""
        found: ModelChecker = _made(self, options)
        return found


AnyEngine = Union[Engine, ModelEngine]


def _made(entry: AnyEngine, options: dict[str, Any]) -> Any:
    try:
        return chosen(entry.maker, options, f"the engine {entry.name}")  # type: ignore[arg-type]
    except BadOption as wrong:
        raise Unanswered(str(wrong)) from None


def must_answer(entry: AnyEngine, asked: Iterable[str]) -> None:
    """Unanswered if one of these properties is not for the engine. Checks that fsoft itself has added to a Program have no name in
    ANYTHING: they are checks inside steps, which all engines answer."""
    refused = [name for name in ANYTHING if name in set(asked) - set(entry.properties)]
    if refused:
        raise Unanswered(f"the engine {entry.name} does not answer {', '.join(refused)}: ask explicit")


def must_have_threads(entry: AnyEngine, program: Program) -> None:
    """Unanswered if the Program has threads without number and the engine wants to count them."""
    if program.unbounded and not entry.unbounded:
        raise Unanswered(f"the engine {entry.name} does not answer for any number of threads: ask parametric")


def names() -> list[str]:
    """All names that --engine takes."""
    return [*everyone(), *_ELSEWHERE]


def everyone() -> dict[str, AnyEngine]:
    """All engines: ours first, those that take a Program before those that take a Model, then those of other packages, by name."""
    from importlib.metadata import entry_points  # slow, and rarely needed

    found = {name: _ours(name) for name in _MODULES}
    for point in sorted(entry_points(group=GROUP), key=lambda p: p.name):
        entry = point.load()
        if not isinstance(entry, (Engine, ModelEngine)):
            raise TypeError(f"the entry point '{point.name}' of {GROUP} is no Engine: {point.value}")
        if point.name in found:
            raise ValueError(f"two engines are called '{point.name}': the second is {point.value}")
        found[point.name] = entry
    return found


def engines() -> dict[str, Engine]:
    """All engines that take a Program."""
    return {name: entry for name, entry in everyone().items() if isinstance(entry, Engine)}


def model_engines() -> dict[str, ModelEngine]:
    """All engines that take a Model."""
    return {name: entry for name, entry in everyone().items() if isinstance(entry, ModelEngine)}


def any_engine(name: str) -> AnyEngine:
    """The engine of that name, whatever it takes."""
    if name in _MODULES:
        return _ours(name)
    found = everyone()
    if name not in found:
        raise UnknownEngine(f"no engine '{name}': one of {', '.join(names())}")
    return found[name]


def engine(name: str) -> Engine:
    """The engine of that name that takes a Program."""
    found = any_engine(name)
    if not isinstance(found, Engine):
        raise UnknownEngine(f"no engine '{name}' for programs: one of {', '.join(engines())}")
    return found


def model_engine(name: str) -> ModelEngine:
    """The engine of that name that takes a Model."""
    found = None if name not in _MODULES else _ours(name)
    if found is None:
        found = everyone().get(name)
    if not isinstance(found, ModelEngine):
        raise UnknownEngine(f"no engine '{name}' for models: one of {', '.join(model_engines())}")
    return found


def _ours(name: str) -> AnyEngine:
    entry = import_module(_MODULES[name]).ENGINE
    assert isinstance(entry, (Engine, ModelEngine))
    return entry
