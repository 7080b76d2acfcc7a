"""What a story says about a run."""

from __future__ import annotations

from pathlib import Path

from fsoft.program.interpreter import Machine
from fsoft.program.program import Program
from fsoft.program.run import scheduled_run
from fsoft.trace.shorten import shortened
from fsoft.trace.story import Story, tell
from fsoft.trace.text import effects
from tests.trace.programs import CROSSED, INPUTS, LOST, judged


def story(text: str, prop: str, folder: Path) -> Story:
    program, verdict = judged(text, prop, folder)
    assert verdict.kind == "FALSE"
    verdict = shortened(program, verdict)
    return tell(program, verdict.trace, prop=prop)


def said(told: Story, slot: int) -> list[str]:
    return [part for line in told.lines if line.slot == slot for part in effects(line, everything=False)]


def test_a_lost_update_shows_the_stale_read_the_writes_and_the_values_that_fail(tmp_path: Path) -> None:
    told = story(LOST, "unreach-call", tmp_path)
    everything = [part for slot in (0, 1, 2) for part in said(told, slot)]
    assert "reads balance = 10" in everything and "preempted" in {line.stop for line in told.lines}
    assert {"starts 1 (deposit)", "starts 2 (withdraw)", "joins 1 (deposit)"} <= set(said(told, 0))
    last = told.lines[-1]
    assert last.text == "assert(balance == 12);" and last.loc.line == 16 and last.matters == 0
    assert told.failing in ({"balance": "7"}, {"balance": "15"})
    assert told.initial["balance"] == "10"


def test_the_stack_of_an_access_in_a_called_function_and_the_statement_of_a_wait(tmp_path: Path) -> None:
    inside = [line for line in story(LOST, "no-data-race", tmp_path).lines if line.loc.line in (5, 6)]
    assert inside and all([frame.function for frame in line.stack][1:] == ["change"] for line in inside)
    waits = [line.text for line in story(CROSSED, "no-deadlock", tmp_path).lines if line.pending]
    assert waits and all(text.count(";") == 1 for text in waits)


def test_call_stacks_name_functions_and_call_sites(tmp_path: Path) -> None:
    told = story(LOST, "unreach-call", tmp_path)
    writing = next(line for line in told.lines if "balance" in line.changes)
    assert [frame.function for frame in writing.stack] in (["deposit", "change"], ["withdraw", "change"])
    assert [frame.loc.line for frame in writing.stack] in ([8, 6], [9, 6])


def test_a_race_ends_in_the_two_accesses(tmp_path: Path) -> None:
    told = story(LOST, "no-data-race", tmp_path)
    pair = [line for line in told.lines if line.pending]
    assert pair == told.lines[-2:] and {line.slot for line in pair} == {1, 2}
    assert {part.split()[0] for line in pair for part in line.notes} <= {"reads", "writes"}
    assert all("balance" in line.text for line in pair)


def test_a_deadlock_ends_in_who_waits_for_what_and_locks_have_owners(tmp_path: Path) -> None:
    told = story(CROSSED, "no-deadlock", tmp_path)
    waiting = [line for line in told.lines if line.pending]
    notes = {line.slot: line.notes[0] for line in waiting}
    assert notes[1] == "waits for lock right, held by 2 (two)"
    assert notes[2] == "waits for lock left, held by 1 (one)"
    assert told.lines[-1].owners == {"left": [1], "right": [2]}
    assert "takes left" in said(told, 1) and "takes right" in said(told, 2)


def test_why_a_thread_does_not_go_on(tmp_path: Path) -> None:
    program, _ = judged(CROSSED, "no-deadlock", tmp_path)
    stops = {line.stop for line in _scheduled(program, [0] * 5 + [1] * 2 + [2] * 8).lines}
    assert any(stop.startswith("waits for the end of 1 (one)") for stop in stops) and "preempted" in stops
    told = _scheduled(program, [0] * 5 + [1] * 2 + [2, 1, 1])
    assert not any("internal" in line.stop for line in told.lines)


def _scheduled(program: Program, schedule: list[int]) -> Story:
    return tell(program, scheduled_run(Machine(program), schedule, limit=len(schedule)).moves)


def test_inputs_are_told_and_shortening_makes_them_zero_where_that_is_enough(tmp_path: Path) -> None:
    told = story(INPUTS, "unreach-call", tmp_path)
    assert told.inputs == "77,0"
    given = [part for line in told.lines for part in line.inputs]
    assert len(given) == 2 and given[0].endswith("= 77")
    assert told.failing["x"] == "77"
