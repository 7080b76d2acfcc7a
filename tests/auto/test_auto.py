"""`fsoft check` without options: right verdicts for rows of the table, and nothing left behind however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from fsoft.ask.auto.facts import ProgramFacts
from fsoft.ask.auto.members import MEMBERS, plan
from fsoft.cli.main import main
from tests.models.table import MODELS, RUNS, rows

HARD = """#include <pthread.h>
#include <assert.h>
unsigned a, b, c;
void *f(void *p) { for (;;) a = a * 3 + b + 1; }
void *g(void *p) { for (;;) b = b * 5 + a + 1; }
int main(void) { pthread_t s, t; pthread_create(&s, 0, f, 0); pthread_create(&t, 0, g, 0); for (;;) { c = c * 7 + a; assert(c != 3); } }
"""
MANY = """#include <pthread.h>
int x;
void *f(void *p) { x++; return 0; }
int main(void) { pthread_t t; while (1) pthread_create(&t, 0, f, 0); x = 7; }
"""
ROWS = [row for row in rows() if row.prop not in RUNS and not row.program.startswith("daisy/")][::41]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_rows_of_the_table(row, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", "--no-trace", *row.arguments()])
    assert capsys.readouterr().out.splitlines()[-1] == row.verdict


def load(tmp_path: Path, text: str, *checks: str) -> ProgramFacts:
    from fsoft.ask.load import Options
    from fsoft.ask.load import load as read

    file = tmp_path / "p.c"
    file.write_text(text)
    return ProgramFacts(read([str(file)], Options(checks=frozenset(checks or ("unreach-call",)))))


def test_facts_and_plan(tmp_path: Path) -> None:
    facts = load(tmp_path, MANY)
    assert facts.unbounded_threads and facts.endless and facts.threads == 4
    some = MANY.replace("while (1)", "for (int i = 0; i < 3; i++)")
    facts = load(tmp_path, some)
    assert not facts.unbounded_threads and not facts.endless and facts.threads == 4 and facts.longest == 3
    names = [one.name for one in plan(facts)]
    assert "tcbmc" in names and "lock-order" not in names and len(set(names)) == len(names)
    assert plan(load(tmp_path, some, "no-deadlock"))[0].name == "lock-order"
    assert not any(one.cstub for one in plan(load(tmp_path, some, "valid-memtrack")))
    assert len({one.name for one in MEMBERS}) == len(MEMBERS)


@pytest.mark.parametrize("option", [["--depth", "3"], ["--scheduler", "free"], ["--arrays", "keep"], ["--solver", "cadical195"]])
def test_options_of_one_engine_need_its_name(tmp_path: Path, option: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "p.c"
    file.write_text("int main(void) { return 0; }")
    assert main(["check", str(file), *option]) == 1
    assert f"{option[0]} is for one engine or encoding" in capsys.readouterr().err


def test_profile_names_the_phases(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "p.c"
    file.write_text("int main(void) { return 0; }")
    assert main(["check", str(file), "--profile"]) == 0
    phases = [line.split()[0] for line in capsys.readouterr().err.splitlines()]
    assert {"read", "lower", "fold", "explicit", "total"} <= set(phases)


def ours(mark: str) -> list[int]:
    """The processes whose environment has the mark."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if mark.encode() in (entry / "environ").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("limit", [[], ["--timeout", "50"]], ids=["", "limited"])
def test_ended_at_a_random_moment_it_leaves_nothing(tmp_path: Path, number: signal.Signals, limit: list[str]) -> None:
    (tmp_path / "p.c").write_text(HARD)
    scratch = tmp_path / "tmp"
    scratch.mkdir()
    moment = 0.5 + 4 * Random(f"{number}{limit}{os.getpid()}").random()
    mark = f"FSOFT_TEST_MARK={tmp_path}"
    name, _, value = mark.partition("=")
    process = subprocess.Popen(
        [sys.executable, "-m", "fsoft", "check", str(tmp_path / "p.c"), *limit],
        env={**os.environ, name: value, "TMPDIR": str(scratch)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    time.sleep(moment)
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    if number != signal.SIGKILL:
        assert process.returncode in (128 + number, -number) and (out, err) == (b"", b"")
    for _ in range(100):
        if not ours(mark):
            break
        time.sleep(0.1)
    assert not ours(mark), f"after {moment} s"
    if number != signal.SIGKILL:
        assert not list(scratch.iterdir()), f"after {moment} s"


FOUR = """#include <pthread.h>
extern void reach_error(void);
int n = 4, x;
void *f(void *p) { __sync_fetch_and_add(&x, 1); return 0; }
int main(void) {
    pthread_t t[8];
    n = n + 0;
    for (int i = 0; i < n; i++) pthread_create(&t[i], 0, f, 0);
    for (int i = 0; i < n; i++) pthread_join(t[i], 0);
    if (x != 4) reach_error();
    return 0;
}
"""


def test_bounds_grow_unless_the_user_says_how_large(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "four.c"
    file.write_text(FOUR)
    assert main(["check", str(file)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert "with --threads 5" in said and said[-1] == "TRUE"
    assert main(["check", str(file), "--threads", "3"]) == 5
    assert "raise --threads" in capsys.readouterr().out
    file.write_text(FOUR.replace("x != 4", "x == 4"))
    assert main(["check", str(file), "--trace"]) == 10  # the trace is one of the larger program
    assert "f#4" in capsys.readouterr().out


def test_who_sees_further_is_asked_where_the_bounds_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from fsoft.ask import auto
    from fsoft.ask.auto.members import Member
    from fsoft.program.verdict import Verdict

    program = load(tmp_path, MANY).program
    assert auto.check(program).complete
    for kind, engine in (("TRUE", "any number"), ("UNKNOWN", "explicit")):
        further = Member("any number", lambda _program, _room, kind=kind: Verdict(kind, "unreach-call"), beyond=True)
        monkeypatch.setattr(auto, "plan", lambda *_, further=further: [*MEMBERS, further])
        verdict = auto.check(program)
        assert (verdict.kind, verdict.engine) == (kind, engine)


def test_what_grows() -> None:
    from fsoft.ask.grow import difference, grown
    from fsoft.frontend.source import Loc
    from fsoft.program.cuts import Cut
    from fsoft.program.options import Options

    start = Options()
    cuts = [Cut("slot", Loc("p.c", 3)), Cut("heap", Loc("p.c", 9))]
    after = grown(start, cuts, frozenset())
    assert after is not None and difference(start, after) == "--threads 5, --heap 7"
    assert grown(start, cuts, frozenset({"threads", "heap"})) is None
    assert grown(start, [Cut("undefined", Loc("p.c", 1))], frozenset()) is None
    last = start
    while (more := grown(last, cuts, frozenset())) is not None:
        last = more
    assert (last.threads, last.heap, last.recursion) == (48, 80, 4)


def test_any_number_of_threads() -> None:
    """Threads are created without end: no search gets through, an invariant does."""
    file = MODELS / "parametric" / "owner.c"
    command = [sys.executable, "-m", "fsoft", "check", str(file), "--64", "--no-trace", "--timeout", "60"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "answered by parametric" in done.stdout, done.stdout + done.stderr
