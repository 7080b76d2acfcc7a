"""The Python door: from C files to a Program, and from a Program to a verdict.

program = load(["prog.c"])
verdict = check(["prog.c"], Options(checks=frozenset({"no-data-race"})))
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fsoft.ask import ask
from fsoft.ask.programs import After
from fsoft.ask.question import Question, engine_of
from fsoft.frontend.load import deeply
from fsoft.frontend.load import load as read
from fsoft.frontend.source import Source
from fsoft.frontend.tree import Unit
from fsoft.frontend.types import data_model
from fsoft.passes import PIPELINE, pipeline
from fsoft.passes.watch import with_race_model
from fsoft.process.phases import phase
from fsoft.program.abstractions import abstraction_notes
from fsoft.program.legal import check_legal
from fsoft.program.lower import lower
from fsoft.program.options import Options
from fsoft.program.program import Program
from fsoft.program.verdict import Verdict
from fsoft.properties.race_objects import race_ranges


def stages() -> list[str]:
    """The names with which `after` is called, in order."""
    return ["lower", *(one.name for one in PIPELINE)]


def read_unit(sources: Iterable[str | Source], options: Options, *, bits: int | None = None, cpp: str = "builtin") -> Unit:
    """The linked C of the files: what a Program is made of."""
    roots = (*(options.thread_functions or (options.entry,)), *filter(None, [options.observer]))
    return read(tuple(sources), model=data_model(bits), roots=roots, cpp=cpp, effects=options.effects)


def load(
    sources: Iterable[str | Source],
    options: Options | None = None,
    *,
    bits: int | None = None,
    cpp: str = "builtin",
    include: Sequence[str] = (),
    define: Sequence[str] = (),
    undefine: Sequence[str] = (),
    after: After = lambda _name, _program: None,
) -> Program:
    """C files to one legal concurrent Program.

    `bits` is 32 (ILP32) or 64 (LP64), None for what the compiler here has; `cpp` is "builtin" or "gcc". Bad or
    unsupported input is an `InputError`.
    """
    options = options or Options()
    files = [(Source(s) if isinstance(s, str) else s).also(include, define, undefine) for s in sources]
    with phase("read"):
        unit = read_unit(files, options, bits=bits, cpp=cpp)
    with phase("lower"):
        program = deeply(lambda: lower(unit, options))
    after("lower", program)
    for one in pipeline(options):
        with phase(one.name):
            program = one.apply(program)
        after(one.name, program)
    with phase("legal"):
        check_legal(program)
    program.notes = [*program.notes, *abstraction_notes(program)]
    if program.race_on:
        race_ranges(program)  # the names mean something
        program.notes = [*program.notes, f"only data races on {', '.join(program.race_on)} count (--race-on)"]
    if program.race_model != "svcomp":
        with phase("watch"):
            program = with_race_model(program)
            check_legal(program)
    return program


def check(
    sources: Iterable[str | Source],
    options: Options | None = None,
    *,
    engine: str = "explicit",
    bits: int | None = None,
    cpp: str = "builtin",
    include: Sequence[str] = (),
    define: Sequence[str] = (),
    undefine: Sequence[str] = (),
) -> Verdict:
    """The verdict of an engine on `options.checks` (assertions, unless said otherwise). A FALSE has been replayed, its trace shortened.
    `fsoft.checkers.registry.Unanswered`, a ValueError, if the engine does not answer that."""
    files = tuple((Source(s) if isinstance(s, str) else s).also(include, define, undefine) for s in sources)
    outcome = ask(Question(files, data_model(bits).pointer_bits, options or Options(), cpp, way=engine_of(engine, {})))
    return outcome.worst.verdict


__all__ = ["After", "Options", "Program", "Source", "Verdict", "check", "load", "stages"]
