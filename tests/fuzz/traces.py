"""Traces of random concurrent programs: shortened, told, shown and repeated.

For every program and property some random runs are made. The longest of those that violate the property is shortened: it must still
violate it, at the same place. Its story is told and written as HTML, and its schedule and inputs alone must make the same violation happen.
`python -m tests.fuzz.traces --count 500` is the campaign; a test takes a slice.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from fsoft.ask.load import load
from fsoft.frontend.source import Unsupported
from fsoft.program.inputs import Sampler
from fsoft.program.interpreter import Machine
from fsoft.program.locks import lock_lines
from fsoft.program.markers import approximations
from fsoft.program.options import Options
from fsoft.program.program import Program
from fsoft.program.replay import Finding, confirm
from fsoft.program.run import Run, random_run, scheduled_run
from fsoft.program.verdict import Verdict
from fsoft.properties import monitors
from fsoft.trace import Style, shortened, tell, text_of_story
from fsoft.trace.html import Page, report
from fsoft.trace.schedule import read_schedule
from fsoft.trace.shorten import switches
from tests.fuzz.concurrent import Generator
from tests.trace.test_html import Tree

PROPERTIES = ("unreach-call", "no-data-race", "no-deadlock", "valid-deref")
_RUNS, _STEPS = 6, 300


@dataclass(slots=True)
class Tally:
    """`moves` and `switches`: before and after shortening, over all traces."""

    traces: int = 0
    moves: list[int] = field(default_factory=lambda: [0, 0])
    switches: list[int] = field(default_factory=lambda: [0, 0])
    wrong: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        sizes = f"{self.moves[0]}/{self.switches[0]} -> {self.moves[1]}/{self.switches[1]} moves/switches"
        return "\n".join([*self.wrong, f"{self.traces} traces, {sizes}, {len(self.wrong)} wrong"])


def longest(program: Program, prop: str) -> Run | None:
    """The longest of some random runs that violate a property and nothing else."""
    machine, watching = Machine(program, logging=True), monitors([prop])
    runs = [random_run(machine, seed, _STEPS, monitors=watching) for seed in range(_RUNS)]
    found = [run for run in runs if run.why == "violated"]
    return max(found, key=lambda run: len(run.moves), default=None)


def verdict_of(program: Program, prop: str, run: Run) -> Verdict:
    plain = Machine(program, compiled=False)
    found = confirm(plain, run.moves, Finding(prop, ""), monitors([prop]), Sampler(program))
    reasons = [f"{found.loc}: {found.message}", *found.lines, *lock_lines(plain, run.moves, found)]
    return Verdict("FALSE", prop, reasons, run.moves, loc=found.loc)


def judge(program: Program, prop: str, run: Run, tally: Tally) -> str:
    """What is wrong with the trace of a run, "" if nothing is."""
    verdict = verdict_of(program, prop, run)
    if approximations(Machine(program, compiled=False), run.moves, ""):
        return ""
    short = shortened(program, verdict)
    found = confirm(Machine(program, compiled=False), short.trace, Finding(prop, ""), monitors([prop]), Sampler(program))
    tally.traces += 1
    for k, trace in enumerate((verdict.trace, short.trace)):
        tally.moves[k] += len(trace)
        tally.switches[k] += switches(trace)
    if found.loc != verdict.loc or len(short.trace) > len(verdict.trace) + 2 * switches(verdict.trace):
        return "the shortened trace is another one"
    story = tell(program, short.trace, prop=prop)
    text_of_story(story, Style(width=120))
    Tree(report(Page("prog.c", short.last_line(), short.reasons), story))
    inputs = [int(word) for word in story.inputs.split(",") if word]
    turns = read_schedule(story.schedule, program).turns
    again = scheduled_run(Machine(program, compiled=False), turns, inputs, len(turns), monitors([prop]))
    if again.moves != short.trace or again.why != "violated":
        return f"the schedule {story.schedule} with inputs {story.inputs} does not repeat the trace: {again.why}"
    return ""


def campaign(first: int, count: int) -> Tally:
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="fsoft-") as folder:
        file = Path(folder) / "prog.c"
        for seed in range(first, first + count):
            file.write_text(Generator(seed, blocking=seed % 2 == 1).program())
            for prop in PROPERTIES:
                try:
                    program = load([str(file)], Options(checks=frozenset({prop})))
                except Unsupported:
                    continue
                run = longest(program, prop)
                wrong = judge(program, prop, run, tally) if run is not None else ""
                if wrong:
                    tally.wrong.append(f"seed {seed}, {prop}: {wrong}")
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    args = parser.parse_args()
    tally = campaign(args.first, args.count)
    print(tally)
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
