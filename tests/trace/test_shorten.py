"""Shorter traces: fewer moves and switches, the same violation."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fsoft.ask.load import load
from fsoft.checkers.explicit.engine import explore
from fsoft.program.inputs import Sampler
from fsoft.program.interpreter import Machine
from fsoft.program.locks import lock_lines
from fsoft.program.options import Options
from fsoft.program.program import Program
from fsoft.program.replay import Finding, confirm
from fsoft.program.run import random_run
from fsoft.program.verdict import Verdict
from fsoft.properties import monitors
from fsoft.trace.shorten import shortened, switches
from tests.trace.programs import CROSSED, LOST, MODELS, judged


def longest(program: Program, prop: str, seeds: int, limit: int = 6000) -> Verdict:
    """The longest of some random runs that violate a property, as a verdict."""
    machine, watching = Machine(program, logging=True), monitors([prop])
    runs = [random_run(machine, seed, limit, monitors=watching) for seed in range(seeds)]
    worst = max((run for run in runs if run.why == "violated"), key=lambda run: len(run.moves))
    plain = Machine(program, compiled=False)
    found = confirm(plain, worst.moves, Finding(prop, ""), watching, Sampler(program))
    reasons = [f"{found.loc}: {found.message}", *found.lines, *lock_lines(plain, worst.moves, found)]
    return Verdict("FALSE", prop, reasons, worst.moves, loc=found.loc)


def still_violates(program: Program, verdict: Verdict) -> bool:
    found = confirm(Machine(program, compiled=False), verdict.trace, Finding(verdict.prop, ""), monitors([verdict.prop]), Sampler(program))
    return found.loc == verdict.loc and verdict.reasons[0] == f"{found.loc}: {found.message}"


@pytest.mark.parametrize(
    ("file", "define", "moves", "most"),
    [("mutex/lamport_fast.c", "HASTY", 30, 6), ("mutex/burns.c", "NO_RECHECK", 20, 6), ("mutex/szymanski.c", "NO_QUEUE", 24, 7)],
)
def test_hundreds_of_random_moves_become_a_few(file: str, define: str, moves: int, most: int) -> None:
    program = load([str(MODELS / file)], Options(), define=[define])
    verdict = longest(program, "unreach-call", 12)
    assert len(verdict.trace) > 3 * moves
    shorter = shortened(program, verdict)
    assert len(shorter.trace) <= moves and switches(shorter.trace) <= most
    assert still_violates(program, shorter)


def test_threads_that_do_not_matter_disappear(tmp_path: Path) -> None:
    bystander = "int z; void *other(void *p) { for (int i = 0; i < 9; i++) z++; return 0; }\nint main(void) {\n    pthread_t c;\n"
    text = CROSSED.replace("int main(void) {\n", bystander).replace("&b, 0, two, 0);", "&b, 0, two, 0); pthread_create(&c, 0, other, 0);")
    program, _ = judged(text, "no-deadlock", tmp_path)
    verdict = longest(program, "no-deadlock", 25)
    assert 3 in {move.slot for move in verdict.trace}
    shorter = shortened(program, verdict)
    assert {move.slot for move in shorter.trace} == {0, 1, 2} and switches(shorter.trace) == 2
    assert still_violates(program, shorter)


def test_a_race_keeps_its_place_and_its_object(tmp_path: Path) -> None:
    program, _ = judged(LOST, "no-data-race", tmp_path)
    verdict = longest(program, "no-data-race", 30)
    shorter = shortened(program, verdict)
    assert still_violates(program, shorter) and shorter.loc == verdict.loc and switches(shorter.trace) <= 2


def test_what_cannot_be_shortened_stays_as_it_is(tmp_path: Path) -> None:
    program, verdict = judged(LOST, "unreach-call", tmp_path)
    shorter = shortened(program, verdict)
    assert shortened(program, shorter) is shorter
    assert shortened(program, verdict, work=0) is verdict
    safe = replace(verdict, kind="UNKNOWN")
    assert shortened(program, safe) is safe


def test_reasons_of_its_own_are_kept(tmp_path: Path) -> None:
    program, verdict = judged(LOST, "unreach-call", tmp_path)
    verdict.reasons.append("a remark")
    assert shortened(program, verdict).reasons[-1] == "a remark"


def test_traces_of_models_have_no_more_switches_than_before() -> None:
    for file, define in (("sync/sem_try.c", "IGNORED"), ("classic/stack.c", "SPLIT")):
        program = load([str(MODELS / file)], Options(), define=[define])
        verdict = explore(program)
        assert verdict.kind == "FALSE"
        shorter = shortened(program, verdict)
        assert still_violates(program, shorter) and switches(shorter.trace) <= switches(verdict.trace)
