"""`fsoft check`: a verdict, its reasons, and for FALSE the run that shows it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence

from fsoft.analysis.loops import show_loops
from fsoft.ask import ask
from fsoft.ask.question import TIME, Outcome, Question
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
from fsoft.cli.asking import add_engine, question_of
from fsoft.cli.circuits import model_file
from fsoft.cli.encoding import add_encoding
from fsoft.cli.limits import disarm, limited
from fsoft.cli.reports import Job, add_reports, check_reports, write_reports
from fsoft.cli.stages import CheckWatch, Dumped, Listed, Stages
from fsoft.cli.supervisor import begun
from fsoft.passes.bounds import BadBound
from fsoft.process.files import write_file
from fsoft.process.phases import collected, phase, seconds_until_now
from fsoft.program.abstractions import abstraction_lines, fixed_readings
from fsoft.program.program import Check, Program
from fsoft.program.verdict import Verdict
from fsoft.trace.schedule import BadSchedule


def run(argv: Sequence[str]) -> int:
    args = make_parser().parse_args(argv)
    args.started, args.argv = begun(), list(argv)
    seconds_until_now()
    if (model := model_file(args.files)) is not None:
        from fsoft.cli.models import check_model_file  # readers of models, and certificates: few runs have a model

        if args.html:
            raise exits.UsageError("--html shows a run of a C program: a model file has none")
        return check_model_file(args, model)
    asked = request(args)
    check_reports(args, runs=bool(asked.formulas))
    question = question_of(args, asked)
    watch = CheckWatch(Stages(args.dump_after), args.verbose, lambda program: _list(program, args))
    return limited(lambda: _work(args, asked, question, watch), args.timeout, args.memory)


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


def _work(args: argparse.Namespace, asked: Request, question: Question, watch: CheckWatch) -> int:
    """Ask and report; the exit code."""
    if args.show_properties and not question.options.checks:
        print("\n".join(_formulas(question)))
        return exits.TRUE
    try:
        outcome = _asked(question, watch)
    except Dumped as dumped:
        print(dumped.text())
        return exits.TRUE
    except Listed as listed:
        print("\n".join([str(listed), *(_formulas(question) if args.show_properties else [])]))
        return exits.TRUE
    disarm()
    if args.stats:
        watch.stages.report()
    if question.formulas:
        from fsoft.cli.ltl import report_runs  # temporal logic is seldom asked for

        return report_runs(args, asked, outcome)
    reply = outcome.worst
    code = exits.TIMEOUT if outcome.limit == TIME else reply.verdict.exit_code()
    with phase("report"):
        _report(args, asked, reply.program, reply.verdict)
    if args.profile:
        print("\n".join(collected().lines()), file=sys.stderr)
    write_reports(args, asked, reply.program, reply.verdict, code, list(_files(args, asked, reply.program, reply.verdict)))
    return code


def _formulas(question: Question) -> list[str]:
    """A line for each property of runs."""
    return [f"{prop.source.file}: {prop.name}: {prop.formula} (fairness: {prop.fairness})" for prop in question.formulas]


def _asked(question: Question, watch: CheckWatch) -> Outcome:
    """The outcome; bounds and schedules that mean nothing for this program are wrong options."""
    try:
        return ask(question, watch)
    except ValueError as error:
        raise _as_usage(error) from None
    finally:
        watch.clear()


def _as_usage(error: ValueError) -> Exception:
    """The error, or the same as one of the command line."""
    if isinstance(error, BadSchedule):
        return exits.UsageError(f"--schedule: {error}")
    return exits.UsageError(str(error)) if isinstance(error, BadBound) else error


def _files(args: argparse.Namespace, asked: Request, program: Program | None, verdict: Verdict) -> Iterator[Job]:
    """The run as data and as a page, where they are asked for."""
    if args.trace_file:
        yield lambda: write_file(args.trace_file, _json(asked, program, verdict, True).encode() + b"\n")
    if args.html:
        from fsoft.cli.story import write_report  # pages and pictures of traces: only where there is one

        yield lambda: write_report(args, asked, program, verdict)


def _json(asked: Request, program: Program | None, verdict: Verdict, with_trace: bool) -> str:
    from fsoft.cli.json import json_of  # records of traces: only where they are asked for

    return json_of(asked, program, verdict, with_trace)


def _list(program: Program, args: argparse.Namespace) -> None:
    """Stops with what was to be listed, if that is asked."""
    if not (args.show_properties or args.show_loops or args.abstractions):
        return
    lines = properties(program) if args.show_properties else []
    if args.abstractions:
        lines += [*abstraction_lines(program), *fixed_readings(program, args.eval_order or "left", args.assume)]
    if args.show_loops:
        lines.append(show_loops(program))
    raise Listed("\n".join(lines))


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
        print(_json(asked, program, verdict, args.trace))
        return
    more: list[str] = []
    if verdict.trace and program is not None and args.trace:
        from fsoft.cli.story import print_story, story_of, tail  # the same

        story = story_of(program, verdict)
        more = tail(args, story)
        print_story(args, story, [*verdict.lines(), *more, *program.notes])
    for line in [*verdict.lines(), *more, *(program.notes if program else [])]:
        print(line)
    print(verdict.last_line())
