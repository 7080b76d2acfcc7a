"""The Python door: load C files, check them, build their circuit.

>>> import fsoft
>>> program = fsoft.load("models/classic/account.c")
>>> program.threads
['main', 'deposit', 'withdraw']
>>> program.check("unreach-call", "no-data-race").verdict
'TRUE'

What a program does wrong is found in the same way, and comes as a trace (`fsoft.python.result`):

>>> racy = fsoft.load("models/classic/account.c", define=["UNLOCKED"])
>>> result = racy.check("no-data-race")
>>> print(result)
FALSE(no-data-race)
>>> [(guilty.thread.name, guilty.location.line, guilty.what) for guilty in result.trace.guilty]
[('deposit', 14, 'writes balance'), ('withdraw', 14, 'reads balance')]

Bad or unsupported input raises `fsoft.InputError`, whose text is the line that the command prints:

>>> fsoft.load("no/such/file.c")
Traceback (most recent call last):
    ...
fsoft.frontend.source.InputError: no/such/file.c: error: there is no such file
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from fsoft.ask import load as loading
from fsoft.checkers.registry import Progress, Unanswered, UnknownEngine, any_engine, model_engine, must_answer
from fsoft.frontend.source import InputError, Loc, Source, program_name
from fsoft.frontend.types import data_model
from fsoft.option import options_of
from fsoft.program.options import GROWING, PROPERTIES, Options
from fsoft.program.program import Program
from fsoft.program.verdict import Stats, Verdict
from fsoft.python.result import Result, result_of
from fsoft.trace.task import ReportTask

if TYPE_CHECKING:
    from fsoft.circuit.encode.encoding import ProgramCircuit
    from fsoft.circuit.encode.scheduler import Scheduler
    from fsoft.circuit.formats.export import Exported
    from fsoft.circuit.model import Model
    from fsoft.transactions import Reduction

AUTO = "auto"
"""Who answers if nobody is named: whoever has an answer first (docs/auto.md)."""
"""Bounds of a program that `auto` raises, unless `load` was given them."""

Paths = str | os.PathLike[str] | Source


def _silent(_stats: Stats) -> None:
    pass


def load(
    *paths: Paths,
    bits: int | None = None,
    cpp: str = "builtin",
    include: Sequence[str] = (),
    define: Sequence[str] = (),
    undefine: Sequence[str] = (),
    **options: Any,
) -> Loaded:
    """Read C files (`.c`, `.i`) as one program.

    `bits` is 32 (ILP32) or 64 (LP64), by default what the compiler here has; `cpp` is "builtin" or "gcc"; `include`, `define` and
    `undefine` are for the preprocessor. Other options are the fields of `fsoft.Options`: `threads`, `heap`, `recursion`, `entry`, ..."""
    if not paths:
        raise ValueError("load needs at least one C file")
    if bits not in (None, 32, 64):
        raise ValueError(f"bits is 32 or 64, not {bits}")
    if "checks" in options:
        raise ValueError("which properties are checked is said to check() and build(), not to load()")
    if options.get("unbounded"):
        raise ValueError("any number of threads is what engines ask for that prove it: check(engine='parametric')")
    sources = tuple(s if isinstance(s, Source) else Source(os.fspath(s)) for s in paths)
    if options.get("arguments") is not None:
        options["arguments"] = (program_name(sources[0]), *_arguments(options["arguments"]))
    given = frozenset(GROWING) & set(options)
    found = Loaded(tuple(s.also(include, define, undefine) for s in sources), data_model(bits).pointer_bits, cpp, Options(**options), given)
    found.program()
    return found


def _arguments(given: Sequence[str]) -> tuple[str, ...]:
    if isinstance(given, str):
        raise ValueError("arguments is a list of strings, one for each argument of main")
    return tuple(given)


@dataclass(eq=False)
class Loaded:
    """A C program, read. The Program that engines see depends on the properties that are asked, and is made when it is needed."""

    sources: tuple[Source, ...]
    bits: int
    cpp: str
    options: Options
    given: frozenset[str] = frozenset()
    _programs: dict[Options, Program] = field(default_factory=dict, repr=False)

    def program(self, *checks: str, unbounded: bool = False) -> Program:
        """The concurrent Program with these checks in it (assertions, if none are named). `unbounded`: for engines that prove for any
        number of threads."""
        options = replace(self.options, checks=_checks(checks), unbounded=unbounded)
        if options not in self._programs:
            self._programs[options] = loading.load(self.sources, options, bits=self.bits, cpp=self.cpp)
        return self._programs[options]

    @property
    def threads(self) -> list[str]:
        """The start routines of the thread slots, main first."""
        return [thread.name for thread in self.program().threads]

    @property
    def notes(self) -> list[str]:
        """What is assumed about the program, in words."""
        return list(self.program().notes)

    def __str__(self) -> str:
        """The concurrent program as `fsoft show` prints it."""
        from fsoft.program.text import text_of

        return text_of(self.program())

    def _task(self, options: Options) -> ReportTask:
        return ReportTask(tuple(source.path for source in self.sources), self.bits, options.checks, options.entry)

    def _with_race_model(self, race_model: str | None) -> Loaded:
        return self if race_model is None else replace(self, options=replace(self.options, race_model=race_model))

    # ------------------------------------------------------------ questions

    def check(
        self,
        *checks: str,
        engine: str | None = None,
        encoding: str | None = None,
        reduction: str | Reduction | None = None,
        timeout: float | None = None,
        race_model: str | None = None,
        shorten: bool = True,
        progress: Progress = _silent,
        **options: Any,
    ) -> Result:
        """The verdict on these properties together (assertions, if none are named; all of `fsoft.PROPERTIES` can be).

        Without `engine` and `encoding` several engines run side by side in child processes, and whoever has an answer first gives it, as
        in `fsoft check`; `jobs`, `memory` (megabytes) and `seed` are options then. Any engine can be chosen; "explicit" stays in this
        process.
        `reduction` is "cstub" for stubborn sets with lock-pattern transactions, or a `fsoft.transactions.Reduction`. `timeout` is in
        seconds; what is known by then is the answer. `options` are those of the engine: `depth`, `solver`, `seed`, ... With `shorten` a
        trace is made simpler where that is possible. `encoding` is one of the bounded ones (`fsoft.ask.encodings`), and `unwind` and
        the fields of its `Given` are then options too.

        >>> program = fsoft.load("models/mutex/peterson.c")
        >>> program.check(engine="pdr").holds, program.check(reduction="cstub").holds
        (True, True)
        >>> fsoft.load("models/classic/account.c", define=["UNLOCKED"]).check(encoding="lazy", rounds=3).verdict
        'FALSE'
        """
        from fsoft.passes.watch import under_race_model
        from fsoft.trace.shorten import shortened

        asked = self._with_race_model(race_model)
        if encoding is not None:
            if reduction is not None:
                raise ValueError("bounded encodings have no reduction")
            program = asked.program(*checks)
            verdict = _bounded(program, encoding, engine, timeout, progress, options)
        elif engine in (None, AUTO):
            program, verdict = asked._auto(checks, reduction, timeout, progress, options)
        else:
            program, verdict = asked._ask(engine, checks, reduction, timeout, progress, options)
        program, verdict = under_race_model(program, verdict)
        verdict = shortened(program, verdict) if shorten else verdict
        name = next(iter(program.checks)) if len(program.checks) == 1 else ""
        return result_of(program, verdict, self._task(replace(self.options, checks=program.checks)), name)

    def _ask(
        self, engine: str, checks: Sequence[str], reduction: str | Reduction | None, timeout: float | None, progress: Progress,
        options: dict[str, Any],
    ) -> tuple[Program, Verdict]:  # fmt: skip
        """The verdict of one engine, and the Program that it is about."""
        from fsoft.ask.engines import ask_engine

        found = any_engine(engine)
        must_answer(found, _checks(checks))
        program = self.program(*checks, unbounded=found.unbounded)
        given = {"reduction": _reduction(reduction) if reduction is not None else None, "timeout": timeout}
        options |= {name: value for name, value in given.items() if value is not None}
        return program, ask_engine(found, program, progress, **options)

    def _auto(
        self, checks: Sequence[str], reduction: str | Reduction | None, timeout: float | None, progress: Progress, options: dict[str, Any]
    ) -> tuple[Program, Verdict]:
        """The verdict of `auto`, and the Program that it is about: bounds that cut may have grown."""
        from fsoft.ask import auto

        unknown = sorted(set(options) - {"jobs", "memory", "seed"})
        if unknown:
            raise ValueError(f"{', '.join(unknown)}: for one engine or encoding, which must be named")
        program = self.program(*checks)
        answers = auto.check_growing(
            program,
            lambda larger: loading.load(self.sources, larger, bits=self.bits, cpp=self.cpp),
            replace(self.options, checks=program.checks),
            self.given,
            None if timeout is None else time.monotonic() + timeout,
            reduction=_reduction(reduction) if reduction is not None else None,
            progress=progress,
            **options,
        )
        last: tuple[Program, Verdict] | None = None
        try:
            for answer in answers:
                last = answer
        except auto.AnswersTimeout as late:
            last = last or (program, late.verdict)
        assert last is not None
        return last

    def check_ltl(
        self, formula: str, *, engine: str = "explicit", fairness: str | None = None, timeout: float | None = None,
        reduction: str | Reduction | None = None, **options: Any,
    ) -> Result:  # fmt: skip
        """The verdict on a property of runs (docs/ltl.md); "termination" is one of them. A violation is a lasso: `trace.loop` is the step
        with which its loop begins. A `reduction` is used where the formula and the fairness allow it.

        >>> fsoft.load("models/ltl/lights.c").check_ltl("G F (light == GREEN)").verdict
        'TRUE'
        >>> stuck = fsoft.load("models/ltl/lights.c", define=["STUCK"]).check_ltl("G F (light == GREEN)")
        >>> stuck.verdict, stuck.trace.loop is not None
        ('FALSE', True)
        """
        from fsoft.ask.runs import check_circuit, check_explicit, load_watched
        from fsoft.program.verdict import Limits
        from fsoft.properties.ltl import Text, read

        prop = read(Text(formula), fairness)
        watched = load_watched(self.sources, self.options, [prop], bits=self.bits, cpp=self.cpp)
        chosen = _reduction(reduction)
        if engine == "explicit":
            answered = check_explicit(watched, prop, Limits(timeout), reduction=chosen)
        else:
            answered = check_circuit(watched, prop, engine, timeout=timeout, reduction=chosen, **options)
        loop = None if answered.lasso is None else sum(move is not None for move in answered.lasso.stem)
        return result_of(watched.program, answered.verdict, self._task(replace(self.options, checks=frozenset())), str(prop), loop)

    # ------------------------------------------------------------ circuits

    def build(
        self,
        path: str | os.PathLike[str] | None = None,
        *checks: str,
        scheduler: Scheduler | None = None,
        reduction: str | Reduction | None = None,
        reduce: bool = True,
        narrow: bool = False,
        bad: str | None = None,
        fold_constraints: bool = False,
        aiger: str = "1.9",
        depth: int | None = None,
        arrays: bool | None = None,
        race_model: str | None = None,
    ) -> Built:
        """The circuit of the program with these checks. With a path (`.aag`, `.aig`, `.btor2`, `.smv`, `.smt2`) it is written there, and
        its map beside it, for other model checkers; `Built.explain` reads their answers back. The options are those of `fsoft build`.

        >>> built = fsoft.load("models/classic/account.c").build()
        >>> sorted(built.model.bad)
        ['unreach-call']
        """
        from fsoft.circuit.encode.banks import LEAST
        from fsoft.circuit.encode.scheduler import FreeScheduler
        from fsoft.circuit.formats.export import ARRAY_FORMATS, FORMATS, Form, export
        from fsoft.circuit.formats.mapfile import Recipe, comment_of, write_map
        from fsoft.passes.watch import exported_check
        from fsoft.process.files import write_file

        name = None if path is None else os.fspath(path)
        suffix = "btor2" if name is None else name.rpartition(".")[2]
        if suffix not in FORMATS:
            raise ValueError(f"{name}: the name must end in {', '.join('.' + one for one in FORMATS)}")
        keep = suffix in ARRAY_FORMATS if arrays is None else arrays
        asked = self._with_race_model(race_model)
        program, chosen, restrict = asked.program(*checks), scheduler or FreeScheduler(), _reduction(reduction)
        bad, depth = exported_check(program, bad), depth if suffix != "smt2" else depth or 10
        form = Form(suffix, reduce, narrow, bad, fold_constraints, aiger, depth, keep)
        encoding = restrict.circuit(program, chosen, LEAST if keep else 0)
        options = replace(asked.options, checks=_checks(checks))
        recipe = Recipe(self.sources, self.bits, self.cpp, options, chosen, form, (restrict.por, restrict.transactions))
        exported = export(encoding, form, comment_of(encoding, recipe))
        if name is not None:
            write_file(name, exported.data)
            write_file(name.rpartition(".")[0] + ".map.json", write_map(recipe, encoding, exported).encode())
        return Built(self._task(options), encoding, exported, name)


@dataclass(frozen=True, eq=False)
class Built:
    """A circuit: `model` in words (inputs, states, init, next, bad, bounds), `data` the bytes of its file, `path` where it was written."""

    task: ReportTask = field(repr=False)
    encoding: ProgramCircuit = field(repr=False)
    exported: Exported = field(repr=False)
    path: str | None = None

    @property
    def model(self) -> Model:
        return self.encoding.model

    @property
    def data(self) -> bytes:
        return self.exported.data

    @property
    def targets(self) -> list[str]:
        """The names of the file's bads, in order; bounds begin with `bound:`."""
        return list(self.exported.targets)

    def explain(self, witness: str, name: str = "<witness>") -> Result:
        """The counterexample of another model checker (text in aigsim's, ABC's or BTOR2 format) as a result: FALSE with a trace that has
        been replayed, or UNKNOWN if the run only reaches a bound. InputError if it reaches nothing."""
        from fsoft.ask.circuits import violated
        from fsoft.circuit.bits import BOUND
        from fsoft.circuit.encode.lift import Lifter
        from fsoft.circuit.formats.home import first_target, read_witness
        from fsoft.passes.watch import under_race_model
        from fsoft.program.cuts import cut_of_bound
        from fsoft.transactions import in_steps

        reached, run = first_target(self.encoding.model, read_witness(self.exported, witness, name))
        if not reached:
            raise InputError(Loc(name, 0), f"this run of {len(run.inputs)} steps reaches no bad and no bound of the program")
        program = self.encoding.program.taken_apart()
        if reached.startswith(BOUND):
            cut = cut_of_bound(program, reached.removeprefix(BOUND))
            moves = in_steps(self.encoding.program, Lifter(self.encoding).moves(run))
            verdict = Verdict("UNKNOWN", "", [], moves, cuts=[cut])
        else:
            verdict = violated(self.encoding, run, reached, Stats())
        program, verdict = under_race_model(program, verdict)
        return result_of(program, verdict, self.task, verdict.prop)


def check(*paths: Paths, checks: Sequence[str] = (), engine: str | None = None, timeout: float | None = None, **options: Any) -> Result:
    """`load(*paths, **options).check(*checks, engine=engine, timeout=timeout)`, for one question.

    >>> fsoft.check("models/classic/account.c", checks=["no-data-race"]).verdict
    'TRUE'
    """
    return load(*paths, **options).check(*checks, engine=engine, timeout=timeout)


def _bounded(
    program: Program, encoding: str, engine: str | None, timeout: float | None, progress: Progress, options: dict[str, Any]
) -> Verdict:
    """The verdict under a bounded encoding; `options` are its bounds, and options of the engine."""
    from fsoft.ask.by_name import encoding_of, given_for
    from fsoft.ask.encodings import DEFAULT_ENGINE, answer

    own = {one.name for one in options_of(encoding_of(encoding).bounds)}
    of_engine = set() if encoding_of(encoding).search else {one.name for one in model_engine(engine or DEFAULT_ENGINE).options} - own
    rest = {name: value for name, value in options.items() if name in of_engine}
    if engine is not None:
        rest["engine"] = engine
    bounds = given_for(encoding, **{name: value for name, value in options.items() if name not in of_engine})
    return answer(program, encoding, bounds, progress=progress, timeout=timeout, **rest)


def _checks(names: Sequence[str]) -> frozenset[str]:
    unknown = [name for name in names if name not in PROPERTIES]
    if unknown:
        raise ValueError(f"no property {unknown[0]!r}: one of {', '.join(PROPERTIES)}")
    return frozenset(names or ("unreach-call",))


def _reduction(asked: str | Reduction | None) -> Reduction:
    from fsoft.transactions import NO_REDUCTION, Reduction

    if isinstance(asked, Reduction):
        return asked
    if asked in (None, "none"):
        return NO_REDUCTION
    if asked != "cstub":
        raise ValueError(f"no reduction {asked!r}: 'cstub', 'none' or a Reduction")
    return Reduction("cstub", "lock-pattern")


__all__ = ["AUTO", "Built", "Loaded", "Unanswered", "UnknownEngine", "check", "load"]
