"""`fsoft run`: one execution, with a random or a given schedule and inputs, and what happened in it."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence

from fsoft.cli import exits
from fsoft.cli.arguments import (
    Parser,
    add_checks,
    add_limits,
    add_lowering,
    add_race_model,
    add_reading,
    add_trace_view,
    positive,
    request,
)
from fsoft.cli.limits import limited
from fsoft.cli.ltl import run_lasso
from fsoft.cli.stages import Stages
from fsoft.cli.turns import schedule_turns
from fsoft.program.interpreter import Machine
from fsoft.program.program import Program
from fsoft.program.run import NoSuchMove, Run, random_run, scheduled_run
from fsoft.program.state import Halted, Violation
from fsoft.properties import monitors
from fsoft.trace.story import tell
from fsoft.trace.text import Style, text_of_story

ENDINGS = {
    "violated": "a property is violated",
    "ended": "the process ended",
    "pruned": "an assumption failed: this is no execution",
    "cut": "a bound cut the run",
    "undefined": "undefined behaviour",
    "finished": "every thread finished",
    "deadlock": "deadlock: no thread that is left can move",
    "limit": "stopped after the number of steps that --steps allows",
}


def run(argv: Sequence[str]) -> int:
    parser = Parser("run", "Execute once and say what happened. Exit code 10 if a property was violated.")
    add_reading(parser)
    group = parser.add_argument_group("the run")
    group.add_argument("--seed", type=int, default=0, metavar="N", help="of the random choices (0)")
    group.add_argument("--schedule", metavar="S",
                       help="which thread makes each move, number or name: '0,1*3,worker,2/2' (0: main; /2: its second way)")  # fmt: skip
    group.add_argument("--inputs", default="", metavar="V", help="values of the first choices of the program, in order: '3,-1,0x10'")
    group.add_argument("--steps", type=positive, default=1000, metavar="N", help="stop after that many steps (1000)")
    add_checks(parser)
    add_race_model(parser)
    add_lowering(parser)
    add_limits(parser)
    add_trace_view(parser.add_argument_group("output"))
    args = parser.parse_args(argv)
    inputs = [_number(word) for word in _words(args.inputs)]
    asked = request(args)
    if asked.formulas:
        return run_lasso(args, asked, inputs)
    return limited(lambda: _work(args, inputs, _plain(Stages().load(asked))), args.timeout, args.memory)


def _plain(program: Program) -> Program:
    """Without a monitor of races in it: here it is the run that is judged."""
    return program.plain or program


def _words(text: str) -> list[str]:
    return [word for word in re.split(r"[,\s]+", text) if word]


def _number(word: str) -> int:
    try:
        return int(word, 0)
    except ValueError:
        raise exits.UsageError(f"--inputs: '{word}' is not an integer") from None


def _work(args: argparse.Namespace, inputs: list[int], program: Program) -> int:
    done = _execute(args, inputs, program)
    if done.moves:
        style = Style.of_terminal(args.stack, args.all_steps or done.why != "violated", rows=None)
        print(text_of_story(tell(program, done.moves, finding=done.finding), style))
        print()
    for event in done.events:
        print(_event(program, event))
    if done.finding is not None:
        print("\n".join([f"{done.finding.loc}: {done.finding.prop}: {done.finding.message}", *done.finding.lines]))
    print(f"{ENDINGS[done.why]} ({len(done.moves)} steps{'' if args.schedule else f', seed {args.seed}'})")
    return exits.FALSE if done.why == "violated" else exits.TRUE


def _execute(args: argparse.Namespace, inputs: list[int], program: Program) -> Run:
    machine, watching = Machine(program, compiled=False), monitors(sorted(program.checks))
    try:
        if args.schedule is None:
            return random_run(machine, args.seed, args.steps, inputs, watching)
        turns = schedule_turns(args.schedule, program)
        return scheduled_run(machine, turns, inputs, max(args.steps, len(turns)), watching)
    except NoSuchMove as error:
        raise exits.UsageError(f"--schedule: {error}") from None
    except ValueError as error:
        raise exits.UsageError(f"--inputs: {error}") from None


def _event(program: Program, event: Violation | Halted) -> str:
    if isinstance(event, Violation):
        return f"{event.loc}: {event.prop}: {event.message}"
    what = program.markers[event.marker].message if event.marker is not None else event.message
    return f"{event.loc}: {event.kind}{what and ': '}{what}"
