"""`fsoft check`: a verdict, its reasons, and for FALSE the run that shows it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from fsoft.cli import exits
from fsoft.cli.arguments import (
    Parser,
    Request,
    add_checks,
    add_insight,
    add_limits,
    add_lowering,
    add_race_model,
    add_reading,
    add_trace_view,
    request,
)
from fsoft.cli.auto import ask_auto, check_auto, is_auto
from fsoft.cli.circuits import model_file
from fsoft.cli.encoding import add_encoding, ask_backend, ask_growing, chosen, chosen_backend
from fsoft.cli.limits import disarm, limited
from fsoft.cli.reports import Job, add_reports, check_reports, shown, write_reports
from fsoft.cli.search import Examined, Listed, Watch, add_engine, check_question, count, decide, find_engine, lowered_for
from fsoft.cli.stages import Dumped, Stages
from fsoft.cli.supervisor import begun
from fsoft.process.phases import collected, phase, seconds_until_now
from fsoft.program.abstractions import abstraction_lines, fixed_readings
from fsoft.program.program import Check, Program
from fsoft.program.verdict import Stats, Verdict

Ask = Callable[[Program, Watch], tuple[Program, Verdict]]
"""The verdict, and the Program that it is about: the one that was given, or one with larger bounds."""


def run(argv: Sequence[str]) -> int:
    args = make_parser().parse_args(argv)
    args.started, args.argv = begun(), list(argv)
    seconds_until_now()
    if (model := model_file(args.files)) is not None:
        from fsoft.cli.models import check_model_file

        if args.html:
            raise exits.UsageError("--html shows a run of a C program: a model file has none")
        return check_model_file(args, model)
    asked = request(args)
    check_reports(args, runs=bool(asked.formulas))
    if asked.formulas:
        return _runs(args, asked)
    asked, ask = _question(args, asked)
    return limited(lambda: _work(args, asked, Stages(args.dump_after), ask), args.timeout, args.memory)


def _question(args: argparse.Namespace, asked: Request) -> tuple[Request, Ask]:
    """Who is asked about states; UsageError if they cannot answer."""
    backend = chosen_backend(args)
    encoding = chosen(args, backend=backend is not None)
    if backend is not None:
        return asked, lambda program, _watch: (program, ask_backend(program, backend, args))
    if encoding is not None:
        return asked, lambda program, watch: ask_growing(program, asked, encoding, args, watch)
    if is_auto(args):
        check_auto(args)
        return asked, lambda program, watch: ask_auto(program, asked, args, watch)
    engine = find_engine(args.engine)
    check_question(engine, asked, args)
    return lowered_for(engine, asked), lambda program, watch: (program, decide(program, engine, args, watch))


def _runs(args: argparse.Namespace, asked: Request) -> int:
    """Properties of runs, after those of states if there are any."""
    from fsoft.cli.ltl import KLIVE, check_runs

    if args.trace_file:
        raise exits.UsageError("--trace-file is for properties of states: an infinite run ends in no failure to replay")
    if chosen_backend(args) is not None or chosen(args) is not None:
        raise exits.UsageError("--encoding and --backend are for properties of states: --ltl and termination need an engine")
    if not asked.options.checks:
        return check_runs(args, asked)
    given = argparse.Namespace(**{**vars(args), "engine": "pdr" if args.engine == KLIVE else args.engine})
    plain, ask = _question(given, replace(asked, formulas=()))
    return check_runs(args, asked, lambda: examined(given, plain, Stages(args.dump_after), ask))


def make_parser() -> Parser:
    parser = Parser("check", "Answer TRUE, FALSE with a trace, or UNKNOWN with the bound that cut.")
    add_reading(parser)
    add_checks(parser)
    add_race_model(parser)
    add_engine(parser, "auto")
    add_encoding(parser)
    add_lowering(parser)
    add_limits(parser)
    other = "another verifier in place of an engine, as 'cbmc {file}'"
    parser.add_argument_group("other verifiers").add_argument("--backend", metavar="NAME", help=other)
    output = parser.add_argument_group("output")
    trace = output.add_mutually_exclusive_group()
    trace.add_argument("--trace", dest="trace", action="store_true", default=True, help="print the counterexample (the default)")
    trace.add_argument("--no-trace", dest="trace", action="store_false", help="print only the verdict and its reasons")
    add_trace_view(output)
    output.add_argument("--no-shorten", dest="shorten", action="store_false", help="keep the trace as the engine found it")
    output.add_argument("--json", action="store_true", help="one JSON object on stdout instead of text")
    output.add_argument("--trace-file", metavar="FILE", help="write that JSON object to a file, beside the text: what fsoft replay reads")
    output.add_argument("--html", metavar="FILE", help="write a report to look at in a browser: one file, no network")
    add_reports(output)
    output.add_argument("--show-properties", action="store_true", help="list the checks of the program and stop")
    output.add_argument("--abstractions", action="store_true", help="list all that is not modelled exactly, and how C is read, and stop")
    output.add_argument("--show-loops", action="store_true", help="list the loops of the program and stop: the names for --unwindset")
    output.add_argument("--profile", action="store_true", help="the time of every phase, on stderr")
    add_insight(parser)
    return parser


def examined(args: argparse.Namespace, asked: Request, stages: Stages, ask: Ask) -> Examined:
    """Load and check, as far as the limits allow."""
    from fsoft.passes.watch import under_race_model

    watch, program, code, limit = Watch(), None, None, ""
    try:
        program = stages.load(asked)
        if args.show_properties or args.show_loops or args.abstractions:
            raise Listed(_listed(program, args))
        program, verdict = under_race_model(*ask(program, watch))
        verdict = _simpler(program, verdict) if args.shorten and shown(args) else verdict
    except exits.OutOfTime as late:
        limit = "time limit reached"
        known = late.args[0] if late.args else _stopped(limit, watch, program)
        verdict, code = known, exits.TIMEOUT
    except (exits.OutOfMemory, MemoryError):
        limit = "memory limit reached"
        verdict = _stopped(limit, watch, program)
    finally:
        watch.clear()
    stages.note("check", count(verdict.stats))
    if args.stats:
        stages.report()
    return Examined(program, verdict, code, limit)


def _work(args: argparse.Namespace, asked: Request, stages: Stages, ask: Ask) -> int:
    """Check and report; the exit code."""
    try:
        found = examined(args, asked, stages, ask)
    except Dumped as dumped:
        print(dumped.text())
        return exits.TRUE
    except Listed as listed:
        print(listed)
        return exits.TRUE
    disarm()
    program, verdict = found.program, found.verdict
    code = verdict.exit_code() if found.code is None else found.code
    with phase("report"):
        _report(args, asked, program, verdict)
    if args.profile:
        print("\n".join(collected().lines()), file=sys.stderr)
    write_reports(args, asked, program, verdict, code, list(_files(args, asked, program, verdict)))
    return code


def _files(args: argparse.Namespace, asked: Request, program: Program | None, verdict: Verdict) -> Iterator[Job]:
    """The run as data and as a page, where they are asked for."""
    if args.trace_file:
        from fsoft.cli.json import json_of
        from fsoft.process.files import write_file

        yield lambda: write_file(args.trace_file, json_of(asked, program, verdict, True).encode() + b"\n")
    if args.html:
        from fsoft.cli.story import write_report

        yield lambda: write_report(args, asked, program, verdict)


def _simpler(program: Program, verdict: Verdict) -> Verdict:
    """The verdict with a shorter trace; as it is, if a limit strikes before there is one."""
    from fsoft.trace.shorten import shortened

    try:
        return shortened(program, verdict)
    except (exits.OutOfTime, exits.OutOfMemory, MemoryError):
        return verdict


def _stopped(why: str, watch: Watch, program: Program | None) -> Verdict:
    """What is known when a limit strikes."""
    known = f"no violation {'among' if watch.stats.states else 'within'} {count(watch.stats)}"
    if program is None:
        known = "before the program was ready to be checked"
    elif watch.stats == Stats():
        known = "before anything was known"
    return Verdict("UNKNOWN", "", [f"{why}: {known}"], stats=watch.stats)


def _listed(program: Program, args: argparse.Namespace) -> str:
    """What was to be listed, and nothing else."""
    lines = properties(program) if args.show_properties else []
    if args.abstractions:
        lines += [*abstraction_lines(program), *fixed_readings(program, args.eval_order or "left", args.assume)]
    if args.show_loops:
        from fsoft.analysis.loops import show_loops

        lines.append(show_loops(program))
    return "\n".join(lines)


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
    more: list[str] = []
    if verdict.trace and program is not None and args.trace:
        from fsoft.cli.story import print_story, story_of, tail

        story = story_of(program, verdict)
        more = tail(args, story)
        print_story(args, story, [*verdict.lines(), *more, *program.notes])
    for line in [*verdict.lines(), *more, *(program.notes if program else [])]:
        print(line)
    print(verdict.last_line())
