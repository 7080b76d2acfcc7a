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
from typing import Any

from fsoft.ask import ask
from fsoft.ask.circuits import violated
from fsoft.ask.programs import Programs
from fsoft.ask.question import AUTO, Observer, Outcome, Question, engine_of, way_of
from fsoft.checkers.registry import Progress, Unanswered, UnknownEngine
from fsoft.circuit.bits import BOUND
from fsoft.circuit.encode.banks import LEAST
from fsoft.circuit.encode.encoding import ProgramCircuit
from fsoft.circuit.encode.lift import Lifter
from fsoft.circuit.encode.scheduler import FreeScheduler, Scheduler
from fsoft.circuit.formats.export import ARRAY_FORMATS, FORMATS, Exported, Form, export
from fsoft.circuit.formats.home import first_target, read_witness
from fsoft.circuit.formats.mapfile import Recipe, comment_of, map_name, write_map
from fsoft.circuit.model import Model
from fsoft.frontend.source import InputError, Loc, Source, program_name
from fsoft.frontend.types import data_model
from fsoft.passes.watch import exported_check, under_race_model
from fsoft.process.files import write_file
from fsoft.program.cuts import cut_of_bound
from fsoft.program.options import GROWING, PROPERTIES, Options
from fsoft.program.program import Program
from fsoft.program.text import text_of
from fsoft.program.verdict import Stats, Verdict
from fsoft.properties.ltl import Text, read
from fsoft.python.result import Result, result_of
from fsoft.trace.task import ReportTask
from fsoft.transactions import NO_REDUCTION, Reduction, in_steps

Paths = str | os.PathLike[str] | Source


def _silent(_stats: Stats) -> None:
    pass


class _Heard(Observer):
    """Passes on how far an engine is."""

    def __init__(self, listener: Progress):
        self.listener = listener

    def progress(self, stats: Stats) -> None:
        self.listener(stats)


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
    _programs: Programs = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._programs = Programs(self.sources, self.bits, self.cpp)

    def program(self, *checks: str, unbounded: bool = False) -> Program:
        """The concurrent Program with these checks in it (assertions, if none are named). `unbounded`: for engines that prove for any
        number of threads."""
        return self._programs.get(replace(self.options, checks=_checks(checks), unbounded=unbounded))

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
        asked = self._with_race_model(race_model)
        if encoding is not None and reduction is not None:
            raise ValueError("bounded encodings have no reduction")
        limits = {"memory": options.pop("memory", None)} if encoding is None and engine in (None, AUTO) else {}
        question = Question(
            sources=self.sources,
            bits=self.bits,
            options=replace(asked.options, checks=_checks(checks)),
            cpp=self.cpp,
            way=way_of(engine, encoding, options),
            reduction=None if reduction is None else _reduction(reduction),
            fixed=self.given,
            deadline=None if timeout is None else time.monotonic() + timeout,
            shorten=shorten,
            **limits,
        )
        return self._result(ask(question, _Heard(progress), self._programs))

    def _result(self, outcome: Outcome) -> Result:
        """The result of a question that had one answer."""
        [reply] = outcome.replies
        checks = outcome.question.options.checks
        task = self._task(replace(self.options, checks=frozenset() if reply.prop is not None else checks))
        program = reply.program if reply.program is not None else self.program()
        name = reply.title if reply.prop is not None or len(checks) == 1 else ""
        return result_of(program, reply.verdict, task, name, reply.loop)

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
        prop = read(Text(formula), fairness)
        question = Question(
            sources=self.sources,
            bits=self.bits,
            options=replace(self.options, checks=frozenset()),
            cpp=self.cpp,
            formulas=(prop,),
            way=engine_of(engine, options),
            reduction=None if reduction is None else _reduction(reduction),
            deadline=None if timeout is None else time.monotonic() + timeout,
        )
        return self._result(ask(question))

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
            write_file(map_name(name), write_map(recipe, encoding, exported).encode())
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


def _checks(names: Sequence[str]) -> frozenset[str]:
    unknown = [name for name in names if name not in PROPERTIES]
    if unknown:
        raise ValueError(f"no property {unknown[0]!r}: one of {', '.join(PROPERTIES)}")
    return frozenset(names or ("unreach-call",))


def _reduction(asked: str | Reduction | None) -> Reduction:
    if isinstance(asked, Reduction):
        return asked
    if asked in (None, "none"):
        return NO_REDUCTION
    if asked != "cstub":
        raise ValueError(f"no reduction {asked!r}: 'cstub', 'none' or a Reduction")
    return Reduction("cstub", "lock-pattern")


__all__ = ["AUTO", "Built", "Loaded", "Unanswered", "UnknownEngine", "check", "load"]
