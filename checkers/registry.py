"""Engines by name. An entry says what its engine can do; the engine itself is imported only when it is asked to work.

Engines of other packages join through the entry point group `fsoft.checkers`: the entry point's object is an `Engine`, and its
name must not be taken.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from fsoft.program.program import Program
from fsoft.program.verdict import Stats, Verdict
from fsoft.records import dataclass

if TYPE_CHECKING:
    from fsoft.circuit.bits import BitModel
    from fsoft.circuit.model import Model
    from fsoft.circuit.verdict import Answer

GROUP = "fsoft.checkers"
_OF_PROGRAMS = ("explicit", "lock-order", "parametric", "values")
_OURS = {name: f"checkers.{name.replace('-', '_')}" for name in _OF_PROGRAMS}
_OF_MODELS = ("bmc", "kinduction", "pdr", "bdd", "sat", "smt", "abc", "nuxmv", "simulation", "portfolio")
_MODELS = {name: f"checkers.{name}" for name in _OF_MODELS}

Progress = Callable[[Stats], None]
"""Hears from time to time how far the engine has come."""


class ProgramChecker(Protocol):
    """An engine that reads the Program itself. The properties asked are `program.checks`."""

    def check(self, program: Program, progress: Progress, **options: Any) -> Verdict: ...


@dataclass(frozen=True, slots=True)
class Engine:
    """`takes` is "program" or "model"; `proves` and `refutes` say which answers it can give; `options` are the names that
    its `check` understands; `load` imports the engine; `unbounded`: it wants Programs whose creation sites without a known number of
    executions stand for any number of threads (`Options.unbounded`)."""

    name: str
    summary: str
    takes: str
    properties: tuple[str, ...]
    proves: bool
    refutes: bool
    load: Callable[[], ProgramChecker]
    options: tuple[str, ...] = ()
    unbounded: bool = False


class ModelChecker(Protocol):
    """An engine that reads a Model, in words or in bits. `progress` hears how deep it has come, `timeout` is in seconds,
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


class UnknownEngine(LookupError):
    """No engine of that name; the message lists those there are."""


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
        raise UnknownEngine(f"no engine '{name}': one of {', '.join(found)}")
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
