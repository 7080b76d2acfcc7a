"""`fsoft test`: what it finds in the compiled program, what it does not say, and that what it finds happens again."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from fsoft.cli.main import main
from tests.models.table import MODELS

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")

LOST = """#include <assert.h>
#include <pthread.h>
#include <unistd.h>
int x;
void *f(void *a) { int y = x; x = y + 1; return a; }
int main(int argc, char **argv) {
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  int y = x; x = y + argc;
  pthread_join(t, 0);
  assert(x == 1 + argc);
  return 0;
}
"""


def outcome(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(["test", *arguments])
    return code, capsys.readouterr().out


@pytest.mark.parametrize(
    ("program", "prop", "defines"),
    [
        ("mutex/peterson.c", "unreach-call", ["SWAPPED"]),
        ("sync/lost_wakeup.c", "no-deadlock", ["GAP"]),
        ("sync/timed_wait.c", "unreach-call", ["TRUSTING"]),
        ("sync/recursive_wait.c", "no-deadlock", []),
        ("sync/farewell.c", "valid-deref", ["BARRIER", "HASTY"]),
        ("threads/cancelled_join.c", "no-lock-misuse", ["TESTED"]),
        ("threads/created_last.c", "unreach-call", []),
        ("deadlocks/rw_preferred.c", "no-deadlock", ["PREFER"]),
        ("probes/halt.c", "unreach-call", ["ASSUME"]),
        ("library/printed.c", "no-data-race", ["RACY=1"]),
        ("checks/race_free.c", "no-data-race", []),
        ("heap/treiber.c", "unreach-call", []),
        ("heap/treiber.c", "valid-deref", []),
        ("locks/heap_handles.c", "valid-deref", ["TOO_EARLY"]),
        ("atomics/compare_exchange.c", "unreach-call", ["WEAK_ONCE"]),
        ("atomics/structs.c", "unreach-call", ["TWICE"]),
    ],
)
def test_failures_of_the_models(capsys: pytest.CaptureFixture[str], program: str, prop: str, defines: list[str]) -> None:
    flags = [part for name in defines for part in ("-D", name)]
    code, out = outcome(capsys, str(MODELS / program), *flags, "--check", prop, "--until-found", "--timeout", "20")
    assert (code, out.splitlines()[-1]) == (10, f"FALSE({prop})")


@pytest.mark.parametrize(
    ("program", "defines"),
    [
        ("mutex/peterson.c", ["ATOMIC"]),
        ("sync/timed_wait.c", []),
        ("sync/farewell.c", []),
        ("probes/atomic_blocked.c", []),
        ("atomics/structs.c", ["FUNCTIONS"]),
    ],
)
def test_correct_programs_have_no_findings_and_are_never_true(capsys: pytest.CaptureFixture[str], program: str, defines: list[str]) -> None:
    flags = [part for name in defines for part in ("-D", name)]
    code, out = outcome(capsys, str(MODELS / program), *flags, "--runs", "100", "--timeout", "10")
    assert (code, out.splitlines()[-1]) == (5, "UNKNOWN")
    assert "different interleavings" in out


def test_a_section_that_waits_in_its_middle_is_no_execution(capsys: pytest.CaptureFixture[str]) -> None:
    code, _ = outcome(capsys, str(MODELS / "probes/atomic_lock.c"), "--runs", "300", "--check", "unreach-call")
    assert code == 5


def test_a_finding_is_written_and_replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "lost.c").write_text(LOST)
    files = ["--output", str(tmp_path), "--sarif", str(tmp_path / "s"), "--junit", str(tmp_path / "j"), "--html", str(tmp_path / "h")]
    code, _ = outcome(capsys, str(tmp_path / "lost.c"), "--runs", "300", "--check", "unreach-call", *files, "--", "one", "two")
    assert code == 10
    found = json.loads((tmp_path / "finding-1.json").read_text())
    assert found["recipe"]["arguments"] == ["one", "two"]
    assert found["switches"] <= 3
    assert any("x" in line["changes"] for line in found["trace"])
    assert "<html" in (tmp_path / "h").read_text()
    assert json.loads((tmp_path / "s").read_text())["runs"][0]["results"][0]["ruleId"] == "unreach-call"
    assert "<failure" in (tmp_path / "j").read_text()
    assert main(["replay", str(tmp_path / "lost.c"), str(tmp_path / "finding-1.json")]) == 10
    assert "FALSE(unreach-call)" in capsys.readouterr().out
    assert main(["replay", str(tmp_path / "finding-1.json")]) == 1  # what is executed is not the finding's to say


def test_the_users_own_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "lost.c").write_text(LOST)
    (tmp_path / "Makefile").write_text("prog: lost.o\n\t$(CC) -o $@ lost.o -lpthread\n")
    monkeypatch.chdir(tmp_path)
    code, out = outcome(capsys, "--build", "make prog", "--runs", "300", "--check", "no-data-race", "--json", "--", "./prog")
    table = json.loads(out)
    assert code == 10
    assert table["verdict"] == "FALSE(no-data-race)"
    assert {Path(one["location"]["file"]).name for one in table["findings"]} == {"lost.c"}


TWO_RACES = """#include <pthread.h>
int first, second;
void *f(void *a) {
  first++;
  second++;
  return a;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  first++;
  second++;
  pthread_join(t, 0);
  return 0;
}
"""


def test_a_race_behind_another_one_is_repeated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "two.c").write_text(TWO_RACES)
    _, out = outcome(capsys, str(tmp_path / "two.c"), "--runs", "400", "--json")
    findings = json.loads(out)["findings"]
    assert {name for name in ("first", "second") for one in findings if f"'{name}'" in one["message"]} == {"first", "second"}
    assert all(one["repeated"] == one["tried"] == 3 for one in findings)


def test_the_same_seed_is_the_same_campaign(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "lost.c").write_text(LOST)
    tables = []
    for _ in range(2):
        _, out = outcome(capsys, str(tmp_path / "lost.c"), "--runs", "40", "--timeout", "30", "--seed", "7", "--strategy", "walk", "--json")
        table = json.loads(out)
        tables.append([(one["count"], one["seed"], one["schedule"]) for one in table["findings"]])
        assert table["covered"]["runs"] == 40
    assert tables[0] == tables[1]


@pytest.mark.parametrize(
    ("program", "defines", "last", "complete"),
    [
        ("sync/lost_wakeup.c", [], "UNKNOWN", True),
        ("sync/lost_wakeup.c", ["GAP"], "FALSE(no-deadlock)", True),
        ("sync/lazy_init.c", ["EARLY"], "FALSE(unreach-call)", True),
        ("threads/created_last.c", [], "FALSE(unreach-call)", True),
    ],
)
def test_every_interleaving(capsys: pytest.CaptureFixture[str], program: str, defines: list[str], last: str, complete: bool) -> None:
    flags = [part for name in defines for part in ("-D", name)]
    _, out = outcome(capsys, str(MODELS / program), *flags, "--strategy", "exhaustive", "--json")
    table = json.loads(out)
    assert (table["verdict"], table["covered"]["complete"]) == (last, complete)


def test_a_bound_on_preemptions_is_not_complete(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "lost.c").write_text(LOST)
    _, out = outcome(capsys, str(tmp_path / "lost.c"), "--strategy", "exhaustive", "--bound", "0", "--check", "unreach-call", "--json")
    table = json.loads(out)
    assert (table["verdict"], table["covered"]["complete"]) == ("UNKNOWN", False)


def test_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["test"]) == 1
    assert main(["test", "--build", "make"]) == 1
    assert main(["test", str(tmp_path / "missing.c")]) == 2
    (tmp_path / "wrong.c").write_text("int main(void) { return x; }\n")
    assert main(["test", str(tmp_path / "wrong.c")]) == 2
    assert "gcc does not compile it" in capsys.readouterr().err
