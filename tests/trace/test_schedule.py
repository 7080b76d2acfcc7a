"""What a trace shows is enough to see the failure again: the printed command is run and ends in the same violation."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from fsoft.ask.load import load
from fsoft.cli.story import said
from fsoft.program.interpreter import Machine
from fsoft.program.options import Options
from fsoft.program.run import Turn, random_run
from fsoft.properties import monitors
from fsoft.trace.schedule import BadSchedule, Schedule, read_schedule, text_of_turns
from tests.trace.programs import CROSSED, INPUTS, LOST, MODELS, command


def test_schedules_are_written_and_read(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(LOST)
    program = load([str(tmp_path / "p.c")])
    turns = [Turn(0), Turn(0), Turn(1, 2), Turn(2), Turn(1, 2), Turn(1, 2)]
    assert text_of_turns(turns) == "0*2,1/2,2,1/2*2"
    assert text_of_turns(turns, 3) == "0*2,1/2(2,1/2*2)"
    assert read_schedule("0*2,1/2,2,1/2*2", program) == Schedule(turns)
    assert read_schedule("main*2, deposit/2 (withdraw,1/2*2)", program) == Schedule(turns, 3)
    for wrong in ("7", "nobody*2", "0*x", "0(1", "0(1)2"):
        with pytest.raises(BadSchedule):
            read_schedule(wrong, program)


def again(*argv: str) -> tuple[str, str]:
    """The last lines of `check` and of the command that it names."""
    code, out, err = command("check", *argv)
    assert code == 10, out + err
    line = next(line for line in out.splitlines() if line.startswith("again: fsoft "))
    code, seen, err = command(*shlex.split(line.removeprefix("again: fsoft ")))
    assert code == 10, seen + err
    return out, seen


@pytest.mark.parametrize(
    ("text", "flags", "prop"),
    [(LOST, (), "unreach-call"), (LOST, ("--data-races-check",), "no-data-race"), (CROSSED, ("--deadlock-check",), "no-deadlock"),
     (INPUTS, ("--64", "--engine=explicit", "--seed", "3", "--no-fold"), "unreach-call")],
)  # fmt: skip
def test_a_failure_is_seen_again(text: str, flags: tuple[str, ...], prop: str, tmp_path: Path) -> None:
    (tmp_path / "a program.c").write_text(text)
    out, seen = again(str(tmp_path / "a program.c"), *flags)
    assert f"FALSE({prop})" in out and prop in seen and "a property is violated" in seen


def test_only_what_says_which_program_it_is_goes_into_the_command() -> None:
    asked = ["a b.c", "-DX=1", "-D", "Y", "--64", "--engine", "bmc", "--timeout=5", "--depth", "7", "--property", "unreach-call", "--stats"]
    assert said(asked) == ["a b.c", "-DX=1", "-D", "Y", "--64", "--property", "unreach-call"]


@pytest.mark.parametrize(
    "argv",
    [("heap/treiber.c", "-DFREE", "--property", "unreach-call"), ("sync/lost_wakeup.c", "-DGAP", "--deadlock-check"),
     ("heap/leak.c", "-DTORN", "--property", "valid-memtrack"),
     ("ltl/peterson_loop.c", "-DRUDE", "--ltl", "G F in[1]", "--fairness", "weak"),
     ("ltl/condition.c", "--property", "termination", "--64"), ("sync/prodcons_cond.c", "-DIF")],
)  # fmt: skip
def test_models_fail_again(argv: tuple[str, ...]) -> None:
    again(str(MODELS / argv[0]), *argv[1:])


def test_a_schedule_that_cannot_be_followed_is_refused(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(LOST)
    for schedule, word in (("9", "no thread"), ("0/7", "no step 7"), ("0(1)", "properties of runs")):
        code, _, err = command("run", str(tmp_path / "p.c"), "--schedule", schedule)
        assert code == 1 and word in err and len(err.splitlines()) == 1


def test_a_random_run_is_watched_for_races_and_deadlocks(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(LOST)
    program = load([str(tmp_path / "p.c")], Options(checks=frozenset({"no-data-race"})))
    runs = [random_run(Machine(program), seed, monitors=monitors(["no-data-race"])) for seed in range(8)]
    found = [run.finding for run in runs if run.why == "violated"]
    assert found and all(one is not None and one.message == "data race on balance" for one in found)
