"""`fsoft replay`: what it says, and every way it can go wrong."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fsoft.cli.main import main
from fsoft.trace.record import digest_of, hash_of

RACE = """#include <assert.h>
#include <pthread.h>
int x;
void *f(void *a) { int y = x; x = y + 1; return a; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  int y = x; x = y + 1;
  pthread_join(t, 0);
  assert(x == 2);
  return 0;
}
"""
ELSEWHERE = """#include <assert.h>
#include <pthread.h>
static int x;
static void inc(void) { int y = x; x = y + 1; }
void *worker(void *p) { inc(); assert(!p); return p; }
static void test(int n, char *name, long k, double d) {
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  inc();
  pthread_join(t, 0);
  assert(x == 2 || n != -7 || k != 9 || name || d != 0.5);
}
static void both(void) { inc(); if (x == 2) assert(x != 2); }
int main(void) { test(0, 0, 0, 0); both(); return 0; }
"""
needs_gcc = pytest.mark.skipif(not all(map(shutil.which, ("gcc", "objcopy", "nm", "objdump"))), reason="gcc or binutils are not installed")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program and its trace."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "race.c").write_text(RACE)
    assert main(["check", "race.c", "--64", "--trace-file", "t.json"]) == 10
    return tmp_path


def fsoft(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str], list[str]]:
    capsys.readouterr()
    code = main(list(arguments))
    out = capsys.readouterr()
    return code, out.out.splitlines(), out.err.splitlines()


@needs_gcc
def test_the_failure_and_a_debugger_that_stops_there(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = fsoft(capsys, "replay", "race.c", "t.json", "--keep", "kept")
    assert code == 10 and out[-1] == "FALSE(unreach-call)"
    assert "race.c:10: main: Assertion `x == 2' failed." in out[0]
    code, out, _ = fsoft(capsys, "replay", "race.c", "t.json", "--gdb", "--keep", "kept")
    assert code == 0 and out == ["gdb -q -x kept/commands.gdb kept/program"]
    if shutil.which("gdb"):
        told = subprocess.run([*out[0].split(), "-batch"], capture_output=True, text=True, timeout=120).stdout
        if "ptrace" not in told:
            assert "SIGABRT" in told and "race.c:10" in told


@needs_gcc
def test_a_prediction_that_does_not_come_true_is_our_bug(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = json.loads((folder / "t.json").read_text())
    trace["moves"].sort(key=lambda move: -move["slot"])
    (folder / "t.json").write_text(json.dumps(trace))
    code, out, _ = fsoft(capsys, "replay", "race.c", "t.json")
    assert code == 5 and "the trace is not as fsoft wrote it" in out[-2] and out[-1] == "UNKNOWN"
    (folder / "t.json").write_text(json.dumps({**trace, "digest": digest_of(trace)}))
    code, _, err = fsoft(capsys, "replay", "race.c", "t.json")
    assert code == 6 and "THE REAL PROGRAM DOES NOT FAIL AS PREDICTED" in err[0] and err[0].startswith("race.c:10: error: ")


@needs_gcc
@pytest.mark.parametrize("start", [["--entry", "test"], ["--thread", "both", "--thread", "worker"]], ids=["entry", "threads"])
def test_runs_that_start_elsewhere(tmp_path: Path, capsys: pytest.CaptureFixture[str], start: list[str]) -> None:
    (tmp_path / "e.c").write_text(ELSEWHERE)
    trace = str(tmp_path / "e.json")
    assert main(["check", str(tmp_path / "e.c"), "--64", "--engine", "explicit", *start, "--trace-file", trace]) == 10
    code, out, err = fsoft(capsys, "replay", str(tmp_path / "e.c"), *start, trace)
    assert code == 10 and out[-1] == "FALSE(unreach-call)", (out, err)


@needs_gcc
def test_an_error_function_with_nothing_in_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "e.c").write_text("void reach_error(void) {}\nint main(void) { reach_error(); return 0; }\n")
    trace = str(tmp_path / "e.json")
    assert main(["check", str(tmp_path / "e.c"), "--64", "--engine", "explicit", "--trace-file", trace]) == 10
    assert fsoft(capsys, "replay", str(tmp_path / "e.c"), trace)[0] == 10


def test_an_argument_that_cannot_be_passed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "e.c").write_text("#include <assert.h>\nvoid f(float x) { assert(x != 3); }\n")
    trace = str(tmp_path / "e.json")
    assert main(["check", str(tmp_path / "e.c"), "--64", "--engine", "explicit", "--entry", "f", "--trace-file", trace]) == 10
    code, _, err = fsoft(capsys, "replay", str(tmp_path / "e.c"), "--entry", "f", trace)
    assert code == 2 and "the run starts with a parameter 'x' of a type that replay cannot pass" in err[0]


@needs_gcc
def test_nothing_is_left_behind(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder / "tmp"))
    assert fsoft(capsys, "replay", "race.c", "t.json")[0] == 10
    assert os.listdir(folder / "tmp") == [] and sorted(os.listdir(folder)) == ["race.c", "t.json", "tmp"]


@needs_gcc
def test_sigterm_leaves_nothing_behind(folder: Path) -> None:
    (folder / "tmp").mkdir()
    environment = {**os.environ, "TMPDIR": str(folder / "tmp"), "PYTHONPATH": str(Path(__file__).parents[2])}
    process = subprocess.Popen([sys.executable, "-m", "fsoft", "replay", "race.c", "t.json"], env=environment, stdout=subprocess.DEVNULL)
    while process.poll() is None and not list((folder / "tmp").glob("fsoft-replay-*/*.o")):
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    assert process.wait() == 143 and os.listdir(folder / "tmp") == []


@needs_gcc
def test_kill_leaves_nothing_behind(folder: Path) -> None:
    """The guard ends the program and removes the folder when fsoft is gone; what was left earlier goes at the next start."""
    (folder / "endless.c").write_text(RACE.replace("int x;", "int x, z;").replace("  assert", "  for (;;) z++;\n  assert"))
    trace = json.loads((folder / "t.json").read_text())
    trace["files"][0] = {**trace["files"][0], "path": "endless.c", "sha256": hash_of("endless.c")}
    (folder / "e.json").write_text(json.dumps(trace))
    (folder / "tmp" / "fsoft-replay-old.scratch").mkdir(parents=True)
    os.utime(folder / "tmp" / "fsoft-replay-old.scratch", (1, 1))
    environment = {**os.environ, "TMPDIR": str(folder / "tmp"), "PYTHONPATH": str(Path(__file__).parents[2])}
    process = subprocess.Popen([sys.executable, "-m", "fsoft", "replay", "endless.c", "e.json"], env=environment, stdout=subprocess.DEVNULL)
    while process.poll() is None and not list((folder / "tmp").glob("fsoft-replay-*/schedule")):
        time.sleep(0.01)
    time.sleep(0.5)
    assert process.poll() is None and len(os.listdir(folder / "tmp")) == 1
    process.kill()
    process.wait()
    deadline = time.monotonic() + 10
    while os.listdir(folder / "tmp") and time.monotonic() < deadline:
        time.sleep(0.05)
    assert os.listdir(folder / "tmp") == []


def test_a_program_that_has_changed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "race.c").write_text(RACE + "\n")
    code, _, err = fsoft(capsys, "replay", "race.c", "t.json")
    assert code == 2 and err == ["t.json: error: the trace is of another version of race.c (its SHA-256 differs): run fsoft check again"]


def test_no_compiler(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(folder))
    code, _, err = fsoft(capsys, "replay", "race.c", "t.json")
    assert code == 2 and len(err) == 1 and "gcc is not installed" in err[0]


@needs_gcc
def test_nowhere_to_write(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = fsoft(capsys, "replay", "race.c", "t.json", "--keep", "race.c/sub")
    assert code == 2 and len(err) == 1 and "cannot be written" in err[0]


@needs_gcc
def test_a_trace_brings_no_code(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Macros, include paths and starts come from the command line; a trace that needs others says so."""
    attack = 'main=x; __attribute__((constructor)) void go(void) { system("touch owned"); } int main'
    trace = json.loads((folder / "t.json").read_text())
    for change in ({"define": [attack]}, {"include": ["/evil"]}, {"undefine": ["x"]}):
        files = [{**trace["files"][0], **change}]
        (folder / "bad.json").write_text(json.dumps({**trace, "files": files}))
        code, _, err = fsoft(capsys, "replay", "race.c", "bad.json")
        assert code == 2 and "give fsoft replay the flags that fsoft check had" in err[0] and len(err) == 1
    for other in ({"entry": "f"}, {"starts": ["main", "f"]}):
        (folder / "bad.json").write_text(json.dumps({**trace, **other}))
        code, _, err = fsoft(capsys, "replay", "race.c", "bad.json")
        assert code == 2 and "the run starts" in err[0]
    assert not (folder / "owned").exists()


@needs_gcc
def test_the_flags_of_the_check(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "inc").mkdir()
    (folder / "inc" / "h.h").write_text("#define LIMIT 3\n")
    (folder / "cache.c").write_text(
        '#include <assert.h>\n#include "h.h"\nint main(void) {\n#ifdef BUG\n  assert(LIMIT != 3);\n#endif\n  return 0;\n}\n'
    )
    flags = ["-DBUG", "-Iinc", "-UOTHER"]
    assert main(["check", "cache.c", *flags, "--64", "--trace-file", "c.json"]) == 10
    assert fsoft(capsys, "replay", "cache.c", *flags, "c.json")[0] == 10
    code, _, err = fsoft(capsys, "replay", "cache.c", "c.json")
    assert code == 2 and "read with -Iinc -UOTHER -DBUG, not no flags" in err[0]


@needs_gcc
@pytest.mark.parametrize("name", ["-dash.c", "@list.c", "new\nline.c", "two words.c", "a=b.c", b"bytes\xff.c"], ids=repr)
def test_any_file_name(folder: Path, capsys: pytest.CaptureFixture[str], name: str | bytes) -> None:
    """Names that gcc would take for options or for lists of arguments; names that no line table can hold."""
    name = os.fsdecode(name)
    (folder / "list.c").write_text("-DOWNED")
    (folder / name).write_text(RACE)
    assert _run("check", "--64", "--cpp", "gcc", "--trace-file", "n.json", "--", name).returncode == 10
    done = _run("replay", "--", name, "n.json")
    assert done.returncode == 10, done
    if name.isprintable():
        (folder / "task.yml").write_text(f'format_version: "2.0"\ninput_files: "{name}"\noptions:\n  data_model: LP64\n')
        assert fsoft(capsys, "check", "--cpp", "gcc", "task.yml")[0] == 10
        assert fsoft(capsys, "replay", "task.yml", "n.json")[0] == 10


def _run(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    """In a process of its own: what is printed need not be UTF-8."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    return subprocess.run([sys.executable, "-m", "fsoft", *arguments], env=environment, capture_output=True)


@pytest.mark.parametrize(("arguments", "code", "said"), [
    (["race.c"], 1, "expected the C files and then the trace"),
    (["race.c", "none.json"], 2, "none.json: error: there is no such file"),
    (["race.c", "bad.json"], 2, "bad.json: error: not valid JSON"),
    (["race.c", "other.json"], 2, "not a trace that fsoft wrote"),
    (["race.c", "true.json"], 2, "the verdict is TRUE"),
    (["race.c", "t.json", "--32"], 2, "the trace is of the 64-bit program"),
    (["race.c", "bad.json", "t.json"], 2, "the trace is of 1 files, not 2"),
    (["none.c", "t.json"], 2, "none.c: error: there is no such file"),
])  # fmt: skip
def test_one_line_errors(folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, said: str) -> None:
    (folder / "bad.json").write_text("{")
    (folder / "other.json").write_text('{"schema": "fsoft-trace/2"}')
    (folder / "true.json").write_text((folder / "t.json").read_text().replace('"FALSE"', '"TRUE"'))
    found, _, err = fsoft(capsys, "replay", *arguments)
    assert found == code and len(err) == 1 and said in err[0]
