"""`fsoft check --ltl` and `fsoft build --ltl`: properties of whole runs, one verdict each."""

from __future__ import annotations

import argparse
import json
import time
from typing import TYPE_CHECKING, Any

from fsoft.cli import exits
from fsoft.cli.arguments import Request
from fsoft.cli.circuits import engine_options
from fsoft.cli.files import write_file
from fsoft.cli.limits import limited
from fsoft.cli.reports import write_run_reports
from fsoft.cli.search import Watch, count, find_engine
from fsoft.cli.stages import Dumped, Stages
from fsoft.program.program import Program
from fsoft.program.verdict import Stats, Verdict
from fsoft.properties.ltl import Property, Watched, read

if TYPE_CHECKING:
    from fsoft.temporal import Answered

KLIVE = "klive"


def properties_of(args: argparse.Namespace, asked: Request) -> list[Property]:
    """The formulas that were asked, read."""
    return [read(text, args.fairness) for text in asked.formulas]


def check_runs(args: argparse.Namespace, asked: Request) -> int:
    """Check every formula; the exit code is that of the worst verdict."""
    props = properties_of(args, asked)
    if args.scheduler or args.contexts or args.rounds or args.schedule:
        raise exits.UsageError("properties of runs are about all schedules: --scheduler cannot be combined with them")
    if args.show_properties:
        print("\n".join(f"{p.source.file}: {p.name}: {p.formula} (fairness: {p.fairness})" for p in props))
        return exits.TRUE
    engine = args.engine or "explicit"
    if engine != KLIVE:
        found = find_engine(engine)
        args.engine_options = engine_options(found, args) if found.takes == "model" else {}
    else:
        args.engine_options = engine_options(find_engine("pdr"), args)
    return limited(lambda: _work(args, asked, props, engine), args.timeout, args.memory)


def _load(asked: Request, props: list[Property], stages: Stages) -> Watched:
    from fsoft.temporal import load_watched

    return load_watched(asked.sources, asked.options, props, after=stages, bits=asked.bits, cpp=asked.cpp)


def _work(args: argparse.Namespace, asked: Request, props: list[Property], engine: str) -> int:
    from fsoft.temporal import Answered, folding

    stages, watch, answers, code = Stages(args.dump_after), Watch(), list[Answered](), None
    program: Program | None = None
    try:
        watched = _load(asked, props, stages)
        program = watched.program
        for prop in props:
            answers.append(_answer(args, watched, prop, engine, watch))
            stages.note("check", count(answers[-1].verdict.stats))
    except Dumped as dumped:
        print(dumped.text())
        return exits.TRUE
    except exits.OutOfTime:
        code = exits.TIMEOUT
        answers += _open(props[len(answers) :], "time limit reached", watch)
    except (exits.OutOfMemory, MemoryError):
        answers += _open(props[len(answers) :], "memory limit reached", watch)
    finally:
        watch.clear()
    if args.stats:
        stages.report()
    notes = [*folding(asked.options, props), *(program.notes if program else [])]
    return _report(args, asked, program, answers, notes, code)


def _open(props: list[Property], why: str, watch: Watch) -> list[Answered]:
    from fsoft.temporal import Answered

    found = []
    for number, p in enumerate(props):
        far = f"no violation of '{p}' within {watch.stats.depth} steps" if watch.stats.depth > 0 and not number else ""
        line = f"{why}: " + (far or f"nothing is known about '{p}'")
        found.append(Answered(p, Verdict("UNKNOWN", p.name, [line], stats=watch.stats)))
    return found


def _answer(args: argparse.Namespace, watched: Watched, prop: Property, engine: str, watch: Watch) -> Answered:
    from fsoft.temporal import check_circuit, check_explicit

    if engine == "explicit":
        return check_explicit(watched, prop, progress=watch)
    watch.stats = Stats()
    left = None if args.timeout is None else max(0.1, args.timeout - (time.monotonic() - args.started) - 0.3)
    answered = check_circuit(watched, prop, engine, timeout=left, progress=watch, **args.engine_options)
    late = left is not None and answered.verdict.kind == "UNKNOWN" and not answered.verdict.bounds
    if late and time.monotonic() - args.started > args.timeout - 0.6:
        raise exits.OutOfTime
    return answered


# ---------------------------------------------------------------- what is printed


def _report(args: argparse.Namespace, asked: Request, program: Program | None, answers: list[Answered], notes: list[str],
            code: int | None) -> int:  # fmt: skip
    from fsoft.trace.outcome import outcome

    worst = _worst(answers)
    if args.json:
        objects = [_json(asked, program, one, args.trace, notes) for one in answers]
        print(json.dumps(objects if len(objects) > 1 else objects[0], indent=2, ensure_ascii=False))
    else:
        for one in answers:
            _print(args, program, one, several=len(answers) > 1)
        print("\n".join([*notes, worst.last_line()]))
    if args.html:
        _html(args, asked, program, answers, notes)
    code = worst.exit_code() if code is None else code
    write_run_reports(args, asked, lambda: [outcome(program, one.verdict, str(one.prop), _loop(one)) for one in answers], code)
    return code


def _html(args: argparse.Namespace, asked: Request, program: Program | None, answers: list[Answered], notes: list[str]) -> None:
    """The report on the worst answer; the others are named."""
    from fsoft.cli.story import write_report

    worst = _worst(answers)
    chosen = next(one for one in answers if one.verdict is worst)
    others = [f"{one.prop}: {one.verdict.last_line()}" for one in answers if one is not chosen]
    write_report(args, asked, program, worst, _loop(chosen), [*chosen.notes, *others, *notes])


def _worst(answers: list[Answered]) -> Verdict:
    """FALSE if one of them is, else UNKNOWN if one of them is, else TRUE."""
    order = {"FALSE": 0, "UNKNOWN": 1, "TRUE": 2}
    return min((one.verdict for one in answers), key=lambda verdict: order[verdict.kind])


def _loop(answer: Answered) -> int | None:
    """The number of the move with which the loop begins."""
    if answer.lasso is None:
        return None
    return sum(move is not None for move in answer.lasso.stem)


def _print(args: argparse.Namespace, program: Program | None, one: Answered, several: bool) -> None:
    from fsoft.cli.story import print_story, story_of, tail

    more: list[str] = []
    if several:
        print(f"== {one.prop}")
    if one.lasso is not None and program is not None and args.trace:
        story = story_of(program, one.verdict, _loop(one))
        more = tail(args, story)
        print_story(args, story, [*one.verdict.reasons, *more, *one.notes])
    for line in [*one.verdict.reasons, *more, *one.notes]:
        print(line)
    if several:
        print(f"{one.prop}: {one.verdict.last_line()}\n")


def _json(asked: Request, program: Program | None, one: Answered, trace: bool, notes: list[str]) -> dict[str, Any]:
    from fsoft.cli.json import json_of

    table: dict[str, Any] = json.loads(json_of(asked, program, one.verdict, trace))
    table["formula"], table["fairness"] = one.prop.source.text.strip(), one.prop.fairness
    table["notes"] = [*one.notes, *notes]
    if one.lasso is not None:
        table["loop"] = _loop(one)
    return table


# ---------------------------------------------------------------- run


def run_lasso(args: argparse.Namespace, asked: Request, inputs: list[int]) -> int:
    """`fsoft run --ltl F --schedule 'STEM(LOOP)'`: the run, and whether it violates the formulas."""
    if args.schedule is None or "(" not in args.schedule:
        raise exits.UsageError("a property of runs needs a run that never ends: --schedule 'STEM(LOOP)', as fsoft check prints it")
    props = properties_of(args, asked)
    return limited(lambda: _run(args, asked, props, inputs), args.timeout, args.memory)


def _run(args: argparse.Namespace, asked: Request, props: list[Property], inputs: list[int]) -> int:
    from fsoft.cli.run import read_turns
    from fsoft.program.interpreter import Machine
    from fsoft.program.run import NoSuchMove, scheduled_run
    from fsoft.properties.ltl import Lasso
    from fsoft.temporal import NotALasso, violated
    from fsoft.trace.story import tell
    from fsoft.trace.text import Style, text_of_story

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
            print("\n".join(["", *answer.verdict.reasons, answer.verdict.last_line()]))
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
    return limited(lambda: _build(args, asked, props, suffix), args.timeout, args.memory)


def _build(args: argparse.Namespace, asked: Request, props: list[Property], suffix: str) -> int:
    from fsoft.circuit.encode import encode
    from fsoft.circuit.export import live_file
    from fsoft.circuit.live import live_model
    from fsoft.temporal import folding

    stages = Stages(args.dump_after)
    try:
        watched = _load(asked, props, stages)
    except Dumped as dumped:
        print(dumped.text())
        return exits.TRUE
    model = live_model(encode(watched.program), watched, props[0])
    comment = f"the fair runs violate {props[0]} (fairness: {props[0].fairness})"
    data, small = live_file(model, suffix, comment, reduce=not args.no_reduce, fold=args.fold_constraints, version=args.aiger or "1.9")
    write_file(args.output, data)
    if args.stats:
        stages.report()
    for line in folding(asked.options, props):
        print(line)
    sets = len(next(iter(small.justice.values())))
    sizes = f"{sum(small.states.values())} state bits, {sum(small.inputs.values())} input bits"
    print(f"{args.output}: {sizes}, justice of {sets} sets, {len(small.fairness)} fairness, {len(small.bounds)} bounds")
    return exits.TRUE
