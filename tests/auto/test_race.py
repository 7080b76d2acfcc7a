"""The race: who wins, who is paused, what is said when nobody wins, and that nothing is left behind."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from collections.abc import Callable
from typing import Any

import pytest

from fsoft.ask import auto
from fsoft.ask.auto.members import Member, Room
from fsoft.ask.auto.race import Entrant, Race
from fsoft.program.cuts import Cut
from fsoft.program.program import Program
from fsoft.program.verdict import InternalError, Stats, Verdict

PROGRAM = Program("none.c", 32, 8, checks=frozenset({"unreach-call"}))


def member(name: str, work: Callable[[Room], Verdict], turn: float = 0.2, **more: Any) -> Member:
    return Member(name, lambda _program, room: work(room), turn=turn, **more)


def says(kind: str, reason: str = "because") -> Callable[[Room], Verdict]:
    return lambda _room: Verdict(kind, "unreach-call", [reason])


def sleeps(_room: Room) -> Verdict:
    time.sleep(600)
    raise AssertionError


def spins(room: Room) -> Verdict:
    while True:
        room.tell(Stats(states=7))


def check(*members: Member, jobs: int = 2, seconds: float = 60, memory: int = 4000) -> Verdict:
    before = time.monotonic()
    try:
        return auto.check(PROGRAM, jobs=jobs, memory=memory, deadline=before + seconds, members=list(members))
    finally:
        with pytest.raises(ChildProcessError):  # all children have been ended and reaped
            os.waitpid(-1, os.WNOHANG)


@pytest.mark.parametrize("kind", ["TRUE", "FALSE"])
def test_the_first_conclusive_answer_wins(kind: str) -> None:
    verdict = check(member("slow", sleeps), member("unsure", says("UNKNOWN")), member("quick", says(kind)))
    assert verdict.kind == kind and verdict.reasons == ["because", "answered by quick"]


def test_a_member_whose_turn_is_over_is_paused_for_the_next() -> None:
    assert check(member("busy", spins), member("quick", says("TRUE")), jobs=1).reasons[-1] == "answered by quick"


def test_a_paused_member_goes_on_where_it_was() -> None:
    def long(_room: Room) -> Verdict:
        end = time.process_time() + 1.0
        while time.process_time() < end:
            pass
        return Verdict("TRUE", "unreach-call")

    assert check(member("long", long), member("busy", spins), jobs=1).reasons == ["answered by long"]


def test_a_failed_member_does_not_end_the_race() -> None:
    def fails(_room: Room) -> Verdict:
        raise ValueError("no such thing")

    assert check(member("bad", fails), member("good", says("TRUE")), jobs=1).kind == "TRUE"
    verdict = check(member("bad", fails))
    assert verdict.kind == "UNKNOWN" and any("bad: failed: ValueError: no such thing" in line for line in verdict.reasons)


def test_contradictions_are_internal_errors() -> None:
    def watch(running: list[Entrant]) -> None:
        """Both have spoken before the first is heard."""
        workers = [one.worker for one in running if one.worker is not None]
        while len(select.select(workers, [], [], 60)[0]) < len(running):
            time.sleep(0.05)

    race = Race(PROGRAM, [member("yes", says("TRUE")), member("no", says("FALSE"))], 2, 4000, watch=watch)
    with pytest.raises(InternalError, match="contradict each other"):
        race.run()


def test_at_the_deadline_it_says_what_is_known() -> None:
    def covers(room: Room) -> Verdict:
        room.tell("12 contexts")
        return sleeps(room)

    with pytest.raises(auto.AnswersTimeout) as late:
        check(member("states", spins), member("bounds", covers), member("unsure", says("UNKNOWN", "too hard")), jobs=3, seconds=1.5)
    reasons = late.value.verdict.reasons
    assert reasons[0] == "time limit reached"
    assert reasons[1:] == ["states: no violation among 7 states", "bounds: covered: 12 contexts", "unsure: too hard"]


def test_what_is_known_within_the_bounds_ends_all_but_those_who_see_further() -> None:
    cut = member("all", lambda _room: Verdict("UNKNOWN", "unreach-call", ["a bound cuts"], cuts=[Cut("slot")], complete=True))
    verdict = check(cut, member("slow", sleeps))
    assert verdict.kind == "UNKNOWN" and verdict.reasons == ["a bound cuts", "answered by all"]

    def late(_room: Room) -> Verdict:
        time.sleep(0.5)
        return Verdict("TRUE", "unreach-call")

    assert check(cut, member("slow", sleeps), member("any number", late, beyond=True)).reasons == ["answered by any number"]


def test_members_share_the_memory() -> None:
    def greedy(_room: Room) -> Verdict:
        kept = bytearray(400 << 20)
        for k in range(0, len(kept), 4096):
            kept[k] = 1
        time.sleep(600)
        raise AssertionError

    verdict = check(member("greedy", greedy), memory=300)
    assert verdict.kind == "UNKNOWN" and "greedy: failed: memory limit reached" in verdict.reasons


def test_what_a_member_starts_ends_with_it(tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("race") / "pid"

    def starts(_room: Room) -> Verdict:
        child = subprocess.Popen(["sleep", "600"])
        file.write_text(str(child.pid))
        return sleeps(_room)

    def waits(_room: Room) -> Verdict:
        while not file.exists() or not file.read_text():
            time.sleep(0.05)
        return Verdict("TRUE", "unreach-call")

    assert check(member("tool", starts, tools=True), member("quick", waits)).kind == "TRUE"
    for _ in range(100):
        try:
            os.kill(int(file.read_text()), 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    pytest.fail("a tool goes on")


def test_sigterm_during_the_race_ends_it() -> None:
    def kills(_room: Room) -> Verdict:
        os.kill(os.getppid(), signal.SIGTERM)
        return sleeps(_room)

    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit) as caught:
        check(member("killer", kills), member("slow", sleeps))
    assert caught.value.code == 128 + signal.SIGTERM and signal.getsignal(signal.SIGTERM) == before
