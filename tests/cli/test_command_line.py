"""The command line from outside: verdict lines, exit codes, limits, pipes, interrupts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

RACY = """#include <pthread.h>
#include <assert.h>
int x;
void *add(void *p) { int y = x; x = y + 1; return 0; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 2);
    return 0;
}
"""
SAFE = RACY.replace("int y = x; x = y + 1;", "__VERIFIER_atomic_begin(); x = x + 1; __VERIFIER_atomic_end();").replace(
    "int x;", "int x; void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);"
)
DEADLOCK = """#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int main(void) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); return 0; }
"""
LONG = """#include <pthread.h>
unsigned long long a, b, c;
void *f(void *p) { for (;;) { a = a * 3 + 1; } }
void *g(void *p) { for (;;) { b = b * 5 + 1; } }
int main(void) { pthread_t s, t; pthread_create(&s, 0, f, 0); pthread_create(&t, 0, g, 0); for (;;) c = c * 7 + a; }
"""
HARD = "#include <assert.h>\n" + LONG.replace("c = c * 7 + a;", "{ c = c * 7 + a; assert(c != 9); }")


def fsoft(*arguments: str, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "fsoft", *arguments], capture_output=True, text=True, timeout=timeout)


@pytest.fixture
def c(tmp_path: Path):
    def write(text: str, name: str = "prog.c") -> str:
        (tmp_path / name).write_text(text)
        return str(tmp_path / name)

    return write


def last(result: subprocess.CompletedProcess[str]) -> str:
    return result.stdout.splitlines()[-1]


def test_version_is_one_line() -> None:
    result = fsoft("--version")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.count("\n") == 1 and result.stdout.startswith("fsoft ")


def test_version_imports_nothing_heavy() -> None:
    heavy = "('argparse', 'pycparser', 'json')"
    code = f"import sys; from fsoft.cli.main import main; main(['--version']); print([m for m in {heavy} if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout.splitlines()[-1] == "[]"


def test_check_starts_without_what_answers() -> None:
    """Options are read before engines, circuits, solvers, temporal logic and pages of traces are there."""
    heavy = (
        "fsoft.circuit",
        "fsoft.solve",
        "fsoft.native",
        "fsoft.por",
        "fsoft.properties.ltl",
        "fsoft.trace.html",
        "fsoft.checkers.explicit",
        "pysat",
    )
    code = "import sys; import fsoft.cli.supervisor, fsoft.cli.check; print(*sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert [name for name in result.stdout.split() if name.startswith(heavy)] == []


@pytest.mark.parametrize("command", ["check", "show", "run", "reduce", "checkers"])
def test_every_command_has_help(command: str) -> None:
    result = fsoft(command, "--help")
    assert result.returncode == 0 and command in result.stdout
    assert command in fsoft("--help").stdout


def test_false(c) -> None:
    result = fsoft("check", c(RACY))
    assert (result.returncode, last(result), result.stderr) == (10, "FALSE(unreach-call)", "")
    assert "prog.c:4" in result.stdout, "the trace shows the racing lines"


def test_true(c) -> None:
    result = fsoft("check", c(SAFE), "--stats")
    assert (result.returncode, last(result)) == (0, "TRUE")
    assert "lower" in result.stderr and "memory" in result.stderr


@pytest.mark.parametrize(
    ("text", "flag", "line"),
    [
        (RACY, "--data-races-check", "FALSE(no-data-race)"),
        (DEADLOCK, "--deadlock-check", "FALSE(no-deadlock)"),
        ("int main(void) { int *p = 0; return *p; }", "--pointer-check", "FALSE(valid-deref)"),
        ("int a[3]; int main(void) { int i = 3; return a[i]; }", "--bounds-check", "FALSE(valid-deref)"),
        ("#include <stdlib.h>\nint main(void) { malloc(4); return 0; }", "--memory-leak-check", "FALSE(valid-memtrack)"),
        ("int main(void) { int x = 2147483647; x = x + 1; return x; }", "--signed-overflow-check", "FALSE(no-overflow)"),
        ("int z; int main(void) { return 1 / z; }", "--div-by-zero-check", "FALSE(no-division-by-zero)"),
        ("int z = 40; int main(void) { return 1 << z; }", "--undefined-shift-check", "FALSE(no-bad-shift)"),
        (DEADLOCK.replace("lock(&m); pthread_mutex_lock", "unlock(&m); pthread_mutex_lock"), "--lock-check", "FALSE(no-lock-misuse)"),
        ("#include <stdlib.h>\nint main(void) { int *p = malloc(4); free(p); free(p); return 0; }", "--all-checks", "FALSE(valid-free)"),
    ],
)
def test_checks(c, text: str, flag: str, line: str) -> None:
    file = c(text)
    result = fsoft("check", file, flag, "--no-trace")
    assert last(result) == line
    assert result.returncode == 10
    name = line[6:-1]
    if flag not in ("--all-checks",):
        assert last(fsoft("check", file, "--property", name)) == line


def test_unknown_names_the_bound(c) -> None:
    result = fsoft("check", c("int f(int n) { return n ? f(n - 1) + 1 : 0; } int main(void) { return f(100); }"))
    assert (result.returncode, last(result)) == (5, "UNKNOWN")
    assert "--recursion" in result.stdout


def test_property_file_and_task(c, tmp_path: Path) -> None:
    c(RACY)
    (tmp_path / "race.prp").write_text("CHECK( init(main()), LTL(G ! data-race) )\n")
    (tmp_path / "t.yml").write_text("input_files: prog.c\nproperties:\n  - property_file: race.prp\noptions:\n  data_model: LP64\n")
    assert last(fsoft("check", str(tmp_path / "t.yml"))) == "FALSE(no-data-race)"
    assert last(fsoft("check", str(tmp_path / "prog.c"), "--property", str(tmp_path / "race.prp"))) == "FALSE(no-data-race)"
    assert last(fsoft("check", str(tmp_path / "t.yml"), "--property", "unreach-call")) == "FALSE(unreach-call)"


def test_task_with_a_property_that_is_not_supported(c, tmp_path: Path) -> None:
    c(SAFE)
    (tmp_path / "end.prp").write_text("CHECK( init(main()), LTL(F end) )\n")
    (tmp_path / "safe.prp").write_text("CHECK( init(main()), LTL(G ! call(reach_error())) )\n")
    listed = "".join(f"  - property_file: {name}.prp\n" for name in ("end", "safe"))
    (tmp_path / "t.yml").write_text(f"input_files: prog.c\nproperties:\n{listed}")
    result = fsoft("check", str(tmp_path / "t.yml"))
    assert last(result) == "TRUE" and "end.prp:1: note: not checked: 'termination'" in result.stderr


def test_several_files_and_compile_commands(c, tmp_path: Path) -> None:
    c("extern int limit; static int x = LIMIT; int f(void); void reach_error(void);\n"
      "int main(void) { if (f() != x + limit) reach_error(); return 0; }", "a.c")  # fmt: skip
    c('#include "b.h"\nint limit = LIMIT; static int x = 1; int f(void) { return x + OTHER; }', "b.c")
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "b.h").write_text("#define OTHER 6\n")
    entries = [
        {"directory": str(tmp_path), "file": "a.c", "command": "cc -DLIMIT=3 -c a.c"},
        {"directory": str(tmp_path), "file": "b.c", "command": "cc -DLIMIT=4 -Iinc -c b.c"},
    ]
    (tmp_path / "cc.json").write_text(json.dumps(entries))
    result = fsoft("check", "--compile-commands", str(tmp_path / "cc.json"))
    assert last(result) == "TRUE", result.stdout + result.stderr


def test_entry_and_threads(c) -> None:
    file = c("int x; void a(void) { x = 1; x = 0; } void b(void) { if (x) { void reach_error(void); reach_error(); } }")
    assert last(fsoft("check", file, "--thread", "a", "--thread", "b")) == "FALSE(unreach-call)"
    assert last(fsoft("check", file, "--entry", "b")) == "TRUE"


def test_json(c) -> None:
    result = fsoft("check", c(RACY), "--json")
    answer = json.loads(result.stdout)
    assert (result.returncode, answer["verdict"], answer["property"]) == (10, "FALSE", "unreach-call")
    assert {step["thread"] for step in answer["trace"]} >= {"main"}
    assert all({"thread", "file", "line", "statement", "changes"} <= set(step) for step in answer["trace"])


def test_show_properties(c) -> None:
    result = fsoft("check", c(RACY), "--show-properties", "--deadlock-check")
    assert result.returncode == 0
    assert "prog.c:11" in result.stdout and "no-deadlock" in result.stdout


def test_show_forms(c) -> None:
    file = c(LONG)
    text = fsoft("show", file).stdout
    assert "main" in text
    assert fsoft("show", file, "--dot").stdout.startswith("digraph")
    assert "prog.c:3" in fsoft("show", file, "--show-loops").stdout
    assert fsoft("check", file, "--show-loops").stdout == fsoft("show", file, "--show-loops").stdout
    assert len(fsoft("show", file, "--no-fold").stdout) > len(text)
    assert len(fsoft("show", file, "--dump-after", "lower").stdout) > len(text)
    assert fsoft("show", file).stdout == text, "the same input gives the same text"


def test_run(c) -> None:
    file = c(RACY)
    result = fsoft("run", file, "--seed", "7")
    assert result.returncode in (0, 10) and "seed 7" in last(result)
    assert fsoft("run", file, "--seed", "7").stdout == result.stdout
    again = fsoft("run", file, "--schedule", "main*2")
    assert again.returncode == 0 and "the process ended" in last(again)


def test_run_takes_inputs(c) -> None:
    declared = "int __VERIFIER_nondet_int(void); void reach_error(void);"
    file = c(declared + "int main(void) { if (__VERIFIER_nondet_int() == 77) reach_error(); return 0; }")
    assert fsoft("run", file, "--inputs", "77").returncode == 10
    assert fsoft("run", file, "--inputs", "78").returncode == 0
    assert fsoft("run", file, "--inputs", "x").returncode == 1


def test_timeout_tells_what_is_known(c) -> None:
    started = time.monotonic()
    result = fsoft("check", c(LONG), "--engine", "explicit", "--timeout", "5")
    assert (result.returncode, last(result), result.stderr) == (31, "UNKNOWN", "")
    assert "time limit reached: no violation among" in result.stdout
    assert time.monotonic() - started < 15


def test_memory_limit_tells_what_is_known(c) -> None:
    result = fsoft("check", c(LONG), "--engine", "explicit", "--memory", "60", "--timeout", "50")
    assert (result.returncode, last(result)) == (5, "UNKNOWN"), result.stdout + result.stderr
    assert "memory limit reached" in result.stdout


def _heed_interrupts() -> None:
    """A test run in the background may have been started with SIGINT ignored; its children would inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_interrupt_is_quiet(c) -> None:
    for limit in ([], ["--timeout", "60"]):
        process = subprocess.Popen(
            [sys.executable, "-m", "fsoft", "check", c(HARD), *limit],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, preexec_fn=_heed_interrupts,
        )  # fmt: skip
        time.sleep(2)
        os.killpg(process.pid, signal.SIGINT)
        try:
            out, err = process.communicate(timeout=20)
        finally:
            process.kill()
        assert (process.returncode, out, err) == (130, b"", b"")


def test_broken_pipe_is_quiet(c) -> None:
    command = f"{sys.executable} -m fsoft show {c(LONG)} | head -n 1"
    result = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=30)
    assert result.stderr == ""


def test_internal_error_is_one_line(c, tmp_path: Path) -> None:
    code = (
        "import sys, fsoft.program.legal as legal\n"
        "def broken(program): raise AssertionError('no such thing')\n"
        "legal.check_legal = broken\n"
        "from fsoft.cli.main import main\n"
        f"sys.exit(main(['show', {c(SAFE)!r}]))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 6
    assert result.stderr.count("\n") == 1 and "internal error: AssertionError: no such thing" in result.stderr
    loud = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "FSOFT_DEBUG": "1"})
    assert "Traceback" in loud.stderr


def test_reduce_keeps_the_verdict(c, tmp_path: Path) -> None:
    file = c("int unused; int f(int a) { return a + 1; }\n" + RACY.replace("return 0; }", "f(3); return 0; }", 1))
    result = fsoft("reduce", file, "-o", str(tmp_path / "small.c"), "--timeout", "60", timeout=90)
    assert result.returncode == 0, result.stderr
    small = (tmp_path / "small.c").read_text()
    assert len(small) < len(RACY) / 2 and "unused" not in small
    assert last(fsoft("check", str(tmp_path / "small.c"))) == "FALSE(unreach-call)"


def test_reduce_keeps_the_error(c) -> None:
    result = fsoft("reduce", c("int a; int b[4];\nint main(void) { a = 1; b[2] = nowhere + a; return b[0]; }\n"))
    assert result.returncode == 0
    assert "nowhere" in result.stdout and "b" not in result.stdout.replace("nowhere", "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["check", "p.c", "--unwnd", "3"], "unknown option --unwnd: did you mean --unwind? (fsoft check --help lists the options)"),
        (["check", "p.c", "--data-race-check"], "unknown option --data-race-check: did you mean --data-races-check? ("),
        (["check", "p.c", "--zzzz"], "unknown option --zzzz (fsoft check --help"),
        (["chek", "p.c"], "unknown command 'chek': did you mean check? ("),
        (["zzzz", "p.c"], "unknown command 'zzzz': one of check, show, "),
        ([__file__], "is a file, not a command: fsoft check "),
        (["check", "p.c", "--property", "no-data-races"], "no property 'no-data-races': did you mean no-data-race?"),
        (["check", "p.c", "--property", "zzzz"], "no property 'zzzz': one of unreach-call, "),
    ],
)  # fmt: skip
def test_a_slip_is_answered_with_what_was_meant(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    from fsoft.cli.main import main

    assert main(words) == 1
    line = capsys.readouterr().err
    assert said in line and line.count("\n") == 1
