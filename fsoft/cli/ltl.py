"""`fsoft check --ltl` and `fsoft build --ltl`: properties of whole runs, one verdict each, beside one about states if that is asked."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from typing import Any

from fsoft.ask.question import TIME, Outcome, Reply
from fsoft.ask.runs import NotALasso, folding, live_encoding, load_watched, unreduced, violated
from fsoft.circuit.encode.live import live_model
from fsoft.circuit.encode.scheduler import FreeScheduler
from fsoft.circuit.formats.export import Form, export_live
from fsoft.circuit.formats.mapfile import Recipe, map_name, write_map
from fsoft.cli import exits
from fsoft.cli.arguments import Request
from fsoft.cli.circuits import note, reduction_of
from fsoft.cli.json import json_of
from fsoft.cli.limits import limited
from fsoft.cli.reports import write_run_reports
from fsoft.cli.stages import Dumped, Stages
from fsoft.cli.story import print_story, story_of, tail, write_report
from fsoft.cli.turns import read_turns
from fsoft.process.files import write_file
from fsoft.program.interpreter import Machine
from fsoft.program.run import NoSuchMove, scheduled_run
from fsoft.program.verdict import Stats
from fsoft.properties.ltl import Lasso, Property, Watched, read
from fsoft.trace.outcome import outcome as reported
from fsoft.trace.record import digest_of
from fsoft.trace.story import tell
from fsoft.trace.text import Style, text_of_story
from fsoft.transactions import NO_REDUCTION, Reduction


def properties_of(args: argparse.Namespace, asked: Request) -> list[Property]:
    """The formulas that were asked, read."""
    return [read(text, args.fairness) for text in asked.formulas]


def reductions(args: argparse.Namespace, props: list[Property]) -> Reduction:
    """The reduction that the options ask for; a line on stderr for every property that it is not made for."""
    reduction = reduction_of(args) or NO_REDUCTION
    for prop in props:
        if why := unreduced(prop, reduction):
            note(f"no reduction for '{prop}': {why}")
    return reduction


def _load(asked: Request, props: list[Property], stages: Stages) -> Watched:
    return load_watched(asked.sources, asked.options, props, after=stages, bits=asked.bits, cpp=asked.cpp)


# ---------------------------------------------------------------- what is printed


def report_runs(args: argparse.Namespace, asked: Request, outcome: Outcome) -> int:
    """Shows all answers; the exit code is that of the worst."""
    said, worst, notes = outcome.replies, outcome.worst, outcome.notes
    several = len(said) > 1
    common = list(dict.fromkeys(note for one in said for note in one.notes if several and all(note in other.notes for other in said)))
    if args.json:
        objects = [_json(asked, one, args.trace, notes) for one in said]
        print(json.dumps(objects if several else objects[0], indent=2, ensure_ascii=False))
    else:
        for one in said:
            _print(args, one, several, common)
        print("\n".join([*common, *notes, worst.verdict.last_line()]))
    if args.html:
        _html(args, asked, worst, [one for one in said if one is not worst], notes)
    code = exits.TIMEOUT if outcome.limit == TIME else worst.verdict.exit_code()
    shown = (said.index(worst), worst.program, str(worst.prop) if worst.prop is not None else "")
    write_run_reports(args, asked, lambda: [reported(one.program, one.verdict, _name(one), one.loop) for one in said], code, shown)
    return code


def _name(one: Reply) -> str:
    """What report files call the question: several properties of states have no one name."""
    return one.title if one.prop is not None or ", " not in one.title else ""


def _html(args: argparse.Namespace, asked: Request, worst: Reply, others: list[Reply], notes: list[str]) -> None:
    """The report on the worst answer; the others are named."""
    named = [f"{one.title}: {one.verdict.last_line()}" for one in others]
    known = worst.program.notes if worst.program is not None else []
    own = [note for note in worst.notes if note not in known]
    write_report(args, asked, worst.program, worst.verdict, worst.loop, [*own, *named, *notes])


def _print(args: argparse.Namespace, one: Reply, several: bool, common: list[str]) -> None:
    """One of several answers; what is said of all of them (`common`) comes later."""
    more: list[str] = []
    notes = [note for note in one.notes if note not in common]
    if several:
        print(f"== {one.title}")
    if one.verdict.trace and one.program is not None and args.trace:
        story = story_of(one.program, one.verdict, one.loop)
        more = tail(args, story)
        print_story(args, story, [*one.verdict.lines(), *more, *notes])
    for line in [*one.verdict.lines(), *more, *notes]:
        print(line)
    if several:
        print(f"{one.title}: {one.verdict.last_line()}\n")


def _json(asked: Request, one: Reply, trace: bool, notes: list[str]) -> dict[str, Any]:
    if one.prop is None:
        table: dict[str, Any] = json.loads(json_of(asked, one.program, one.verdict, trace))
        return table
    plain = replace(asked, options=replace(asked.options, checks=frozenset()))
    table = json.loads(json_of(plain, one.program, one.verdict, trace))
    table["formula"], table["fairness"] = one.prop.source.text.strip(), one.prop.fairness
    table["notes"] = [*one.notes, *notes]
    if one.loop is not None:
        table["loop"] = one.loop
    table["digest"] = digest_of(table)
    return table


# ---------------------------------------------------------------- run


def run_lasso(args: argparse.Namespace, asked: Request, inputs: list[int]) -> int:
    """`fsoft run --ltl F --schedule 'STEM(LOOP)'`: the run, and whether it violates the formulas."""
    if args.schedule is None or "(" not in args.schedule:
        raise exits.UsageError("a property of runs needs a run that never ends: --schedule 'STEM(LOOP)', as fsoft check prints it")
    props = properties_of(args, asked)
    return limited(lambda: _run(args, asked, props, inputs), args.timeout, args.memory)


def _run(args: argparse.Namespace, asked: Request, props: list[Property], inputs: list[int]) -> int:
    watched = _load(asked, props, Stages())
    schedule = read_turns(args.schedule, watched.program)
    try:
        done = scheduled_run(Machine(watched.program, compiled=False), schedule.turns, inputs, len(schedule.turns))
    except NoSuchMove as error:
        raise exits.UsageError(f"--schedule: {error}") from None
    except ValueError as error:
        raise exits.UsageError(f"--inputs: {error}") from None
    stem, loop = done.moves[: schedule.loop], done.moves[schedule.loop :]
    print(text_of_story(tell(watched.program, done.moves, len(stem)), Style.of_terminal(args.stack, args.all_steps, rows=None)))
    worst = exits.TRUE
    for prop in props:
        try:
            answer = violated(watched, prop, Lasso(tuple(stem), tuple(loop) or (None,)), Stats())
            print("\n".join(["", *answer.verdict.lines(), answer.verdict.last_line()]))
            worst = max(worst, answer.verdict.exit_code())
        except NotALasso as why:
            print(f"\n{prop}: not violated by this run: {why}")
    return worst


# ---------------------------------------------------------------- build


def build_runs(args: argparse.Namespace, asked: Request, suffix: str) -> int:
    """Write the circuit with its justice property: one formula per file, because the tableau is part of the circuit."""
    props = properties_of(args, asked)
    if len(props) > 1:
        raise exits.UsageError("build takes one formula: its tableau is part of the circuit")
    if suffix == "smt2" or args.narrow or args.bad or args.scheduler:
        wrong = "a .smt2 file" if suffix == "smt2" else "--narrow" if args.narrow else "--bad" if args.bad else "--scheduler"
        raise exits.UsageError(f"{wrong} cannot hold a property of runs")
    if asked.options.checks:
        raise exits.UsageError("a file holds properties of states or a formula: build them apart")
    args.reduction = reductions(args, props)
    return limited(lambda: _build(args, asked, props, suffix), args.timeout, args.memory)


def _build(args: argparse.Namespace, asked: Request, props: list[Property], suffix: str) -> int:
    stages, prop = Stages(args.dump_after), props[0]
    try:
        watched = _load(asked, props, stages)
    except Dumped as dumped:
        print(dumped.text())
        return exits.TRUE
    encoding = live_encoding(watched, prop, args.reduction)
    form = Form(suffix, not args.no_reduce, fold=args.fold_constraints, aiger=args.aiger or "1.9")
    exported, small = export_live(live_model(encoding, watched, prop), form, live_comment(prop))
    reduction = (args.reduction.por, args.reduction.transactions)
    recipe = Recipe(
        asked.sources, asked.bits, asked.cpp, asked.options, FreeScheduler(), form, reduction, (prop.source.text, prop.fairness)
    )
    write_file(args.output, exported.data)
    write_file(map_name(args.output), write_map(recipe, encoding, exported, watched.whole).encode())
    if args.stats:
        stages.report()
    for line in folding(asked.options, props):
        print(line)
    sets = len(next(iter(small.justice.values())))
    sizes = f"{sum(small.states.values())} state bits, {sum(small.inputs.values())} input bits"
    print(f"{args.output}: {sizes}, justice of {sets} sets, {len(small.fairness)} fairness, {len(small.bounds)} bounds")
    return exits.TRUE


def live_comment(prop: Property) -> str:
    """What a file with a property of runs says about itself."""
    return f"the fair runs violate {prop} (fairness: {prop.fairness})"
