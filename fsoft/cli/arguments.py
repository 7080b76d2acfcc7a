"""Options that several commands share, and the request they add up to."""

from __future__ import annotations

import argparse
import difflib
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NoReturn

from fsoft.cli.choices import DeclaredOptions
from fsoft.cli.exits import UsageError
from fsoft.cli.tasks import StatedProperties, Task, formula_text, read_compile_commands, read_property, read_task
from fsoft.frontend.source import Loc, Source, Unsupported, printed, program_name
from fsoft.frontend.types import HOST
from fsoft.program.options import ASSUMPTIONS, PROPERTIES, RACE_MODELS, UNWOUND_EXPANSION, Options

if TYPE_CHECKING:
    from fsoft.properties.ltl.syntax import Text

CHECKS = {
    "--data-races-check": ("no-data-race", "two conflicting accesses, not both atomic, at the same time"),
    "--deadlock-check": ("no-deadlock", "every thread that is left waits for ever"),
    "--bounds-check": ("valid-deref no-bad-index", "accesses outside an object, and indices outside a member or a row"),
    "--pointer-check": ("valid-deref valid-free", "null, dangling, freed, misaligned pointers; bad or double free"),
    "--memory-leak-check": ("valid-memtrack", "heap memory that nothing points to any more"),
    "--signed-overflow-check": ("no-overflow", "signed arithmetic that overflows"),
    "--div-by-zero-check": ("no-division-by-zero", "division or remainder by zero"),
    "--undefined-shift-check": ("no-bad-shift", "shifts by a negative or too large amount"),
    "--conversion-check": ("no-bad-conversion", "floating numbers converted to an integer type that cannot hold them"),
    "--handle-check": ("no-handle-misuse", "files and directories that are used after they were closed, or closed twice"),
    "--lock-check": ("no-lock-misuse", "unlocking what is not held, destroying what is in use, ..."),
}
TERMINATION = "termination"
FAIRNESS = ("none", "weak", "strong")


class Parser(argparse.ArgumentParser):
    """An `argparse` parser that answers a mistake with one line."""

    def __init__(self, command: str, description: str):
        super().__init__(prog=f"fsoft {command}", description=description, allow_abbrev=False, usage=f"fsoft {command} FILE... [options]")
        self.runs_main = False
        self.declared = DeclaredOptions(self)

    def parse_args(self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None) -> argparse.Namespace:  # type: ignore[override]
        """What follows `--` is for main, if there are C files before it. Else it is files whose names look like options, or the command of
        a build, and what is for main follows a second `--`."""
        words = list(sys.argv[1:] if args is None else args)
        at = words.index("--") if "--" in words else len(words)
        self.declared.load(words[:at])
        found = self._parsed(words, at, namespace)
        found.declared = self.declared.flags
        return found

    def _parsed(self, words: list[str], at: int, namespace: argparse.Namespace | None) -> argparse.Namespace:
        if self.runs_main and at < len(words):
            found = super().parse_args(words[:at], namespace)
            if found.files or found.compile_commands is not None:
                found.arguments = tuple(words[at + 1 :])
                return found
            if at + 1 < len(words) and not words[at + 1].endswith((".c", ".i", ".yml")):
                after = words[at + 1 :]
                end = after.index("--") if "--" in after else len(after)
                found.build, found.arguments = tuple(after[:end]), tuple(after[end + 1 :]) if end < len(after) else None
                return found
        return super().parse_args(words, namespace)

    def error(self, message: str) -> NoReturn:
        _, unknown, rest = message.partition("unrecognized arguments: ")
        wrong = next((word.partition("=")[0] for word in rest.split() if word.startswith("-")), "")
        if unknown and wrong:
            message = f"unknown option {wrong}{nearest(wrong, self._option_string_actions)}"
        raise UsageError(f"{message} ({self.prog} --help lists the options)")


def nearest(wrong: str, known: Iterable[str]) -> str:
    """What may have been meant, as the end of a sentence; nothing if that is far from everything."""
    found = difflib.get_close_matches(wrong, list(known), 1)
    return f": did you mean {found[0]}?" if found else ""


def positive(text: str) -> int:
    value = int(text)
    if value <= 0:
        raise argparse.ArgumentTypeError(f"must be at least 1, not {text}")
    return value


def seconds(text: str) -> float:
    value = float(text.removesuffix("s"))
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"must be a positive number of seconds, not {text}")
    return value


def heap(text: str) -> tuple[int | None, bool]:
    """`N`, `fresh` or `N,fresh`: objects per allocation site, and whether freed memory is ever handed out again."""
    count, reuse = None, True
    for part in text.split(","):
        if part == "fresh":
            reuse = False
        elif part.isdigit() and int(part) > 0:
            count = int(part)
        else:
            raise argparse.ArgumentTypeError(f"expected a number, 'fresh' or both ('8,fresh'), not '{text}'")
    return count, reuse


for _type, _name in ((positive, "number"), (seconds, "number of seconds"), (heap, "heap")):
    _type.__name__ = _name  # argparse prints it: "invalid number value: 'x'"


def add_reading(parser: Parser, many: bool = True) -> None:
    """The C files and how they are read."""
    parser.add_argument("files", nargs="*" if many else 1, metavar="FILE", help="C files (.c, .i) or one SV-COMP task (.yml)")
    group = parser.add_argument_group("reading C")
    model = group.add_mutually_exclusive_group()
    model.add_argument("--32", dest="bits", action="store_const", const=32, help="32-bit data model, ILP32")
    host = "64-bit data model, LP64 (the default is what the compiler here has)"
    model.add_argument("--64", dest="bits", action="store_const", const=64, help=host)
    group.add_argument("-I", dest="include", action="append", default=[], metavar="DIR", help="look for headers here")
    group.add_argument("-D", dest="define", action="append", default=[], metavar="NAME[=TEXT]", help="define a macro")
    group.add_argument("-U", dest="undefine", action="append", default=[], metavar="NAME", help="undefine a macro")
    group.add_argument("--cpp", choices=("builtin", "gcc"), default="builtin", help="the preprocessor: built in, or the system's gcc")
    group.add_argument("--compile-commands", metavar="FILE", help="take files and their flags from a compile_commands.json")
    group.add_argument("--target", metavar="NAME", help="which program of the build (-- make), or of the compile_commands.json")


def add_lowering(parser: Parser) -> None:
    """What decides how C becomes a Program."""
    parser.runs_main = True
    parser.usage = f"{parser.prog} FILE... [options] [-- ARGUMENT...]   or   {parser.prog} [options] -- BUILD-COMMAND..."
    parser.set_defaults(arguments=None, build=())
    group = parser.add_argument_group("the program")
    group.add_argument("--args-bound", type=positive, metavar="N", help="how many of free arguments of main may be read (3)")
    group.add_argument("--arg-length", type=positive, metavar="N", help="how many characters of each may be read (8)")
    entry = "the function where the run starts (main); F,G,...: functions of a library without main, which threads call in any order"
    group.add_argument("--entry", metavar="F[,G...]", help=entry)
    group.add_argument(
        "--init", metavar="F", help="with functions of a library: called before all calls; its result, or what it fills, is shared"
    )
    group.add_argument("--fini", metavar="F", help="with functions of a library: called after all calls")
    group.add_argument("--calls-each", type=positive, metavar="K", help="calls of each thread (any number)")
    group.add_argument("--linearizable", action="store_true", help="the results are those of some sequential order of the calls")
    group.add_argument("--thread", action="append", default=[], metavar="F", help="run F as a thread from the start (again for more)")
    group.add_argument("--threads", type=positive, metavar="N", help="threads per creating statement whose count is not known (3)")
    group.add_argument("--heap", type=heap, metavar="N|fresh", help="heap objects per size if the count is not known (5); fresh: no reuse")
    group.add_argument("--malloc-may-fail", action="store_true", help="malloc may return a null pointer")
    group.add_argument("--library-may-fail", action="store_true", help="pthread_create, the *_init functions and their kin may fail")
    group.add_argument("--recursion", type=positive, metavar="N", help="active calls of one function in a thread (4)")
    group.add_argument("--array-limit", type=positive, metavar="N", help="keep the first N cells of each array: the others are any value")
    calls = "one copy of a function per thread, or one per call (the default, if that is not too large)"
    group.add_argument("--calls", choices=("once", "inline"), help=calls)
    group.add_argument("--eval-order", choices=("left", "right", "any"), help="the order of evaluation of operands and arguments")
    group.add_argument("--strict", action="store_true", help="what cannot be modelled exactly is an error, not an abstraction")
    group.add_argument(
        "--effects", action="append", default=[], metavar="FILE", help="rows of effects for functions without a body (again for more)"
    )
    group.add_argument("--assume", action="append", default=[], choices=tuple(ASSUMPTIONS),
                       help="; ".join(f"{name}: {text}" for name, text in ASSUMPTIONS.items()))  # fmt: skip
    returns = "the return of main ends the process (as in C), or waits for the other threads"
    group.add_argument("--main-return", choices=("ends", "waits"), help=returns)
    group.add_argument("--no-fold", action="store_true", help="keep one step per statement part")


def add_checks(parser: Parser) -> None:
    """Which questions are asked."""
    group = parser.add_argument_group("properties (assertions are always checked, unless --property asks for something else)")
    group.add_argument("--property", metavar="P", help="a .prp file, or a name: " + ", ".join((*PROPERTIES, TERMINATION)))
    group.add_argument("--ltl", action="append", default=[], metavar="F", help="a formula over runs: 'G (x > 0 -> F y)' (again for more)")
    group.add_argument("--fairness", choices=FAIRNESS, help="with --ltl: none (the default), weak (termination's default) or strong")
    for flag, (_, text) in CHECKS.items():
        group.add_argument(flag, dest="checks", action="append_const", const=flag, default=[], help=text)
    group.add_argument("--error-label", action="append", default=[], metavar="NAME",
                       help="reaching this label violates unreach-call; ERROR does in competition tasks (again for more)")  # fmt: skip
    group.add_argument("--race-on", action="append", default=[], metavar="OBJECT",
                       help="only data races on this count: a C name, as queue, queue.head or items[3] (again for more)")  # fmt: skip
    group.add_argument("--all-checks", action="store_true", help="all of the above")


def add_race_model(parser: Parser) -> None:
    group = parser.add_argument_group("races")
    text = "svcomp (the default): conflicting accesses at the same time; c11: not ordered by happens-before"
    group.add_argument("--race-model", choices=RACE_MODELS, default=RACE_MODELS[0], help=text)


def add_limits(parser: Parser) -> None:
    group = parser.add_argument_group("limits")
    group.add_argument("--timeout", type=seconds, metavar="S", help="end with what is known after S seconds (exit code 31)")
    group.add_argument("--memory", type=positive, metavar="MB", help="end with what is known at that much memory")


def add_trace_view(group: argparse._ArgumentGroup) -> None:
    """How much of a run is shown."""
    group.add_argument("--stack", action="store_true", help="with every step of the trace, the calls that led there")
    group.add_argument("--all-steps", action="store_true", help="show every step, also those that do not matter for the failure")


def add_insight(parser: Parser) -> None:
    group = parser.add_argument_group("insight")
    group.add_argument("--stats", action="store_true", help="sizes and times of every stage, on stderr")
    group.add_argument("--dump-after", metavar="PASS", help="print the program after that pass and stop ('lower' for the first)")


@dataclass(frozen=True, slots=True)
class Request:
    """What the user asked for, with every file that only says so already read."""

    sources: tuple[Source, ...]
    bits: int
    cpp: str
    options: Options
    formulas: tuple[Text, ...] = ()

    @property
    def name(self) -> str:
        return self.sources[0].path


def request(args: argparse.Namespace) -> Request:
    """From parsed arguments to a request; contradictions are `UsageError`s."""
    task = _task(args.files)
    sources = _sources(args, task)
    question = _question(args, task)
    if called := _called(args):
        sources, question = _with_client(args, called, sources, question)
    bits = args.bits or (task and task.bits) or HOST.pointer_bits
    if getattr(args, "fairness", None) and not question.formulas:
        raise UsageError("--fairness is for properties of runs: --ltl, or --property termination")
    return Request(sources, bits, args.cpp, _options(args, question, task, sources), question.formulas)


def sources_of(args: argparse.Namespace) -> tuple[Source, ...]:
    """The C files with their flags, for a command that asks no question of its own."""
    return _sources(args, _task(args.files))


def _task(files: list[str]) -> Task | None:
    tasks = [f for f in files if f.endswith((".yml", ".yaml"))]
    if tasks and len(files) > 1:
        raise UsageError("a .yml task names its own C files: give it alone")
    return read_task(tasks[0]) if tasks else None


def _sources(args: argparse.Namespace, task: Task | None) -> tuple[Source, ...]:
    """The C files, each once, with their flags: those of the compilation database, then those of the command line."""
    files = list(dict.fromkeys(task.files if task else args.files))
    for file in files:
        if file.endswith(".prp"):
            raise UsageError(f"{file} is a property, not a program: --property {file}")
    if getattr(args, "build", ()):
        return _from_build(args)
    if args.target and args.compile_commands is None:
        raise UsageError("--target chooses among the programs of a build (-- make) or of --compile-commands FILE")
    if args.compile_commands is not None:
        sources = _from_database(args.compile_commands, files, args.target)
    elif files:
        sources = [Source(file) for file in files]
    else:
        raise UsageError("no input file")
    return tuple(source.also(args.include, args.define, args.undefine) for source in sources)


def _from_build(args: argparse.Namespace) -> tuple[Source, ...]:
    """Runs the build; the data model is that for which it compiles."""
    from fsoft.builds import program_of, record_build  # few runs build anything

    found = program_of(record_build(args.build), args.target or "")
    for path in found.foreign:
        print(f"{printed(os.path.relpath(path))}: note: what this defines is unknown: the build has no C source for it", file=sys.stderr)
    if not found.sources:
        raise UsageError(f"{os.path.basename(found.output)} has no C sources")
    if found.bits and args.bits and found.bits != args.bits:
        raise UsageError(f"the build compiles for {found.bits} bits: --{args.bits} contradicts it")
    args.bits = found.bits or args.bits
    return tuple(source.also(args.include, args.define, args.undefine) for source in found.sources)


def _from_database(database: str, files: list[str], target: str | None) -> list[Source]:
    """The given files, or all of them (of a target), with the flags that the database has for them."""
    entries = read_compile_commands(database)
    if target:
        chosen = [c for c in entries if target in c.targets]
        if not chosen:
            names = ", ".join(sorted({name for c in entries for name in c.targets}))
            raise UsageError(f"no target '{target}' in {database}" + (f": one of {names}" if names else ": its entries name no output"))
        entries = chosen
    known = {os.path.realpath(c.file): Source(c.file, c.include, c.define, c.undefine) for c in entries}
    missing = [file for file in files if os.path.realpath(file) not in known]
    if missing:
        raise UsageError(f"{missing[0]} is not in {database}")
    return [replace(known[os.path.realpath(file)], path=file) for file in files] if files else list(known.values())


def _called(args: argparse.Namespace) -> tuple[str, ...]:
    """The functions of a library that threads call; none if the options start one function."""
    asked = [f"--{name}" for name in ("init", "fini", "calls-each", "linearizable") if getattr(args, name.replace("-", "_"), None)]
    entries = tuple(filter(None, (args.entry or "").split(",")))
    if not asked and "," not in (args.entry or ""):
        return ()
    if not entries:
        raise UsageError(f"{asked[0] if asked else '--entry'} is for a library: --entry F,G,... names the functions that threads call")
    if args.thread:
        raise UsageError("--thread and a client of a library (--entry F,G,...) exclude each other")
    return entries


def _with_client(
    args: argparse.Namespace, entries: tuple[str, ...], sources: tuple[Source, ...], question: StatedProperties
) -> tuple[tuple[Source, ...], StatedProperties]:
    """With a client of the library that calls these functions."""
    from fsoft.frontend.client import ENTRY, Client, with_client  # few runs make one

    each = args.calls_each or (1 if args.linearizable else None)
    client = Client(entries, args.init or "", args.fini or "", args.threads or 2, each, args.linearizable)
    args.entry = ENTRY
    checks = question.checks | {"unreach-call", "no-deadlock"} if client.linearizable else question.checks
    found = with_client(sources, client, args.cpp, args.bits or HOST.pointer_bits)
    return tuple(found), replace(question, checks=checks, entry=None)


def _question(args: argparse.Namespace, task: Task | None) -> StatedProperties:
    """The properties to check: those asked for by name or flag, else those of the task, else assertions."""
    flags = getattr(args, "checks", [])
    everything = getattr(args, "all_checks", False)
    asked = getattr(args, "property", None)
    given = tuple(getattr(args, "ltl", []))
    if given:
        names = ["--ltl"] if len(given) == 1 else [f"--ltl[{k}]" for k in range(1, len(given) + 1)]
        formulas = tuple(formula_text(" ".join(text.splitlines()), name) for text, name in zip(given, names))
        if asked is None and not flags and not everything:
            return StatedProperties(frozenset(), None, formulas)
        beside = _beside(asked, flags, everything)
        return replace(beside, formulas=(*formulas, *beside.formulas))
    if not flags and asked is None and not everything and task and task.properties and hasattr(args, "property"):
        return _of_task(task)
    return _beside(asked, flags, everything)


def _beside(asked: str | None, flags: list[str], everything: bool) -> StatedProperties:
    """What --property and the flags ask, beside any formulas of the command line."""
    if asked is not None:
        if flags or everything:
            raise UsageError(f"--property says what to check: it cannot be combined with {flags[0] if flags else '--all-checks'}")
        if asked == TERMINATION:
            return StatedProperties(frozenset(), None, (formula_text(TERMINATION, "--property"),))
        if asked not in PROPERTIES and "." not in asked and not os.path.exists(asked):
            meant = nearest(asked, (*PROPERTIES, TERMINATION))
            known = f": one of {', '.join((*PROPERTIES, TERMINATION))}, or a file FILE.prp"
            raise UsageError(f"no property '{asked}'{meant or known}")
        found = StatedProperties(frozenset({asked})) if asked in PROPERTIES else read_property(asked)
        return found
    if everything:
        return StatedProperties(frozenset(PROPERTIES))
    added = {name for flag in flags for name in CHECKS[flag][0].split()}
    return StatedProperties(frozenset({"unreach-call", *added}))


def _of_task(task: Task) -> StatedProperties:
    """All properties of a task that fsoft can check, together. One that it cannot is named; if there is no other, it is the error."""
    questions, refused = [], []
    for file in task.properties:
        try:
            questions.append(read_property(file))
        except Unsupported as error:
            refused.append(error)
    if not questions:
        raise refused[0]
    checks = frozenset[str]().union(*(q.checks for q in questions))
    formulas = tuple(text for q in questions for text in q.formulas)
    if not checks:
        return StatedProperties(checks, questions[0].entry, formulas)
    refused += [Unsupported(Loc(t.file, t.line), f"'{t.text.strip()}' (ask for it with --property)") for t in formulas]
    for one in refused:  # those of runs may take much longer
        print(f"{one.loc}: note: not checked: {one.what}", file=sys.stderr)
    return StatedProperties(checks, questions[0].entry)


def _options(args: argparse.Namespace, question: StatedProperties, task: Task | None, sources: Sequence[Source]) -> Options:
    entry = args.entry or question.entry
    if args.entry and question.entry and args.entry != question.entry and question.entry != "main":
        raise UsageError(f"--entry {args.entry} contradicts the property, which starts at {question.entry}()")
    given = {
        "entry": entry,
        "threads": args.threads,
        "heap": args.heap[0] if args.heap else None,
        "recursion": args.recursion,
        "array_limit": args.array_limit,
        "args_bound": args.args_bound,
        "arg_length": args.arg_length,
        "calls": args.calls,
        "expansion": UNWOUND_EXPANSION if _unwinds(args) else None,
        "eval_order": args.eval_order,
        "main_return": args.main_return,
    }
    chosen = {name: value for name, value in given.items() if value is not None}
    return Options(
        **chosen,
        thread_functions=tuple(args.thread),
        heap_reuse=args.heap[1] if args.heap else True,
        malloc_may_fail=args.malloc_may_fail,
        library_may_fail=args.library_may_fail,
        strict=args.strict,
        effects=tuple(args.effects),
        assume=tuple(dict.fromkeys(args.assume)),
        checks=question.checks,
        fold=not args.no_fold,
        race_on=_race_on(args, question),
        error_labels=_error_labels(args, task),
        arguments=None if args.arguments is None else (program_name(sources[0]), *args.arguments),
        race_model=getattr(args, "race_model", "svcomp"),
    )


def _error_labels(args: argparse.Namespace, task: Task | None) -> tuple[str, ...]:
    """Those that the user names, and ERROR if the question comes from the competition's files."""
    named = dict.fromkeys(getattr(args, "error_label", []))
    asked = getattr(args, "property", None)
    if task is not None or (asked is not None and asked not in PROPERTIES and asked != TERMINATION):
        named["ERROR"] = None
    return tuple(named)


def _unwinds(args: argparse.Namespace) -> bool:
    """Whether a bounded encoding is asked for, or sequential C."""
    if getattr(args, "encoding", None) not in (None, "circuit") or getattr(args, "scheme", None):
        return True
    return bool(getattr(args, "backend", None)) and args.engine is None


def _race_on(args: argparse.Namespace, question: StatedProperties) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(getattr(args, "race_on", [])))
    if names and "no-data-race" not in question.checks:
        raise UsageError("--race-on says which data races count: ask for them with --property no-data-race or --data-races-check")
    return names
