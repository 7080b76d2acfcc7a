"""`fsoft check`: a verdict, its reasons, and for FALSE the run that shows it."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from fsoft.cli import exits
from fsoft.cli.arguments import Parser, Request, add_checks, add_insight, add_limits, add_lowering, add_race_model, add_reading, request
from fsoft.cli.auto import add_auto, ask_auto, check_auto, is_auto
from fsoft.cli.circuits import model_file
from fsoft.cli.encoding import add_encoding, ask_bounded, chosen
from fsoft.cli.limits import limited
from fsoft.cli.search import Watch, add_engine, check_question, count, decide, find_engine
from fsoft.cli.stages import Dumped, Stages
from fsoft.phases import collected, phase, seconds_until_now
from fsoft.program.program import Check, Program
from fsoft.program.verdict import Verdict

if TYPE_CHECKING:
    from fsoft.encodings import Encoding


Ask = Callable[[Program, Watch], tuple[Program, Verdict]]
"""The verdict, and the Program that it is about: the one that was given, or one with larger bounds."""


def run(argv: Sequence[str]) -> int:
    args = _parser().parse_args(argv)
    args.started = time.monotonic() - time.process_time()
    seconds_until_now()
    if (model := model_file(args.files)) is not None:
        from fsoft.cli.models import check_model_file

        return check_model_file(args, model)
    if args.witness:
        raise exits.UsageError("--witness is for model files: the trace of a C program is printed")
    asked = request(args)
    if asked.formulas:
        from fsoft.cli.ltl import check_runs

        args.engine = None if args.engine == "auto" else args.engine
        return check_runs(args, asked)
    encoding = chosen(args)
    stages, ask = Stages(args.dump_after), _asking(args, asked, encoding)
    return limited(lambda: _work(args, asked, stages, ask), args.timeout, args.memory)


def _asking(args: argparse.Namespace, asked: Request, encoding: Encoding | None) -> Ask:
    """Who answers: an encoding of its own, or an engine."""
    if encoding is not None:
        return lambda program, watch: (program, ask_bounded(program, encoding, args, watch))
    if is_auto(args):
        check_auto(args)
        return lambda program, watch: ask_auto(program, asked, args, watch)
    engine = find_engine(args.engine)
    check_question(engine, asked, args)
    return lambda program, watch: (program, decide(program, engine, args, watch))


def _parser() -> Parser:
    parser = Parser("check", "Answer TRUE, FALSE with a trace, or UNKNOWN with the bound that cut.")
    add_reading(parser)
    add_checks(parser)
    add_race_model(parser)
    add_engine(parser, "auto")
    add_encoding(parser)
    add_auto(parser)
    add_lowering(parser)
    add_limits(parser)
    output = parser.add_argument_group("output")
    trace = output.add_mutually_exclusive_group()
    trace.add_argument("--trace", dest="trace", action="store_true", default=True, help="print the counterexample (the default)")
    trace.add_argument("--no-trace", dest="trace", action="store_false", help="print only the verdict and its reasons")
    output.add_argument("--json", action="store_true", help="one JSON object on stdout instead of text")
    output.add_argument("--witness", metavar="FILE", help="with a model file: write the counterexample there (aigsim or BTOR2)")
    output.add_argument("--show-properties", action="store_true", help="list the checks of the program and stop")
    output.add_argument("--profile", action="store_true", help="the time of every phase, on stderr")
    add_insight(parser)
    return parser


def _work(args: argparse.Namespace, asked: Request, stages: Stages, ask: Ask) -> int:
    """Load and check, as far as the limits allow; the exit code."""
    from fsoft.properties.race_models import under_race_model

    watch, program, code = Watch(), None, None
    try:
        program = stages.load(asked)
        if args.show_properties:
            print("\n".join(properties(program)))
            return exits.TRUE
        program, verdict = ask(program, watch)
        verdict = under_race_model(program, verdict, args.race_model)
    except Dumped as dumped:
        print(dumped.text())
        return exits.TRUE
    except exits.OutOfTime as late:
        known = late.args[0] if late.args else _stopped("time limit reached", watch, program)
        verdict, code = known, exits.TIMEOUT
    except (exits.OutOfMemory, MemoryError):
        verdict = _stopped("memory limit reached", watch, program)
    finally:
        watch.clear()
    stages.note("check", count(verdict.stats))
    if args.stats:
        stages.report()
    with phase("report"):
        _report(args, asked, program, verdict)
    if args.profile:
        print("\n".join(collected().lines()), file=sys.stderr)
    return verdict.exit_code() if code is None else code


def _stopped(why: str, watch: Watch, program: Program | None) -> Verdict:
    """What is known when a limit strikes."""
    known = f"no violation {'among' if watch.stats.states else 'within'} {count(watch.stats)}"
    if program is None:
        known = "before the program was ready to be checked"
    return Verdict("UNKNOWN", "", [f"{why}: {known}"], stats=watch.stats)


def properties(program: Program) -> list[str]:
    """A line for every check in the program, by place, then one for each property of whole states."""
    found: dict[tuple[str, int, int, str], str] = {}
    for template in program.templates():
        for step in template.steps:
            for action in step.actions:
                if isinstance(action, Check) and action.prop in program.checks:
                    place = action.loc if action.loc.line > 0 else step.loc
                    found[*place, action.message] = f"{place}: {action.prop}: {action.message}"
    everywhere = sorted(program.checks & {"no-data-race", "no-deadlock", "valid-memtrack"})
    return [found[key] for key in sorted(found)] + [f"{program.name}: {name}: in every state" for name in everywhere]


def _report(args: argparse.Namespace, asked: Request, program: Program | None, verdict: Verdict) -> None:
    """The trace and the reasons for a person, or JSON; the last line is for machines."""
    if args.json:
        from fsoft.cli.json import json_of

        print(json_of(asked, program, verdict, args.trace))
        return
    if verdict.trace and program is not None and args.trace:
        from fsoft.trace.text import text_of_trace

        print(text_of_trace(program, verdict.trace))
        print()
    for line in [*verdict.reasons, *(program.notes if program else [])]:
        print(line)
    print(verdict.last_line())
