"""`fsoft ... -- make`: the program is what its link command links, each file as it was compiled."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fsoft.builds import program_of, record_build
from fsoft.builds.calls import ArchiverCall, CompilerCall, read_call
from fsoft.frontend.source import InputError

pytestmark = pytest.mark.skipif(not all(map(shutil.which, ("gcc", "ar", "nm"))), reason="no compiler")

FILES = {
    "main.c": '#include "lib/queue.h"\nint main(void) { start(); return other(LIMIT); }\n',
    "other.c": "int other(int x) { return x + SIZE; }\n",
    "twin.c": "int main(void) { return 0; }\n",
    "lib/queue.h": "void start(void); int other(int);\n",
    "lib/queue.c": """#include <pthread.h>
static int shared;
static void *run(void *arg) { shared++; return arg; }
void start(void) { pthread_t a, b; pthread_create(&a, 0, run, 0); pthread_create(&b, 0, run, 0); }
""",
    "lib/unused.c": "int other(int x) { return x; }\n",
    "build.sh": """set -e
gcc -DLIMIT=3 -c main.c
cc -c -o objects.o -DSIZE=4 other.c
(cd lib && gcc -I. -c queue.c unused.c && ar rcs libqueue.a queue.o unused.o)
echo '-o prog main.o objects.o -Llib -lqueue -pthread' > args
gcc @args
gcc -shared -fPIC -o libother.so -DSIZE=5 other.c
gcc -O2 twin.c -o twin
gcc -DLIMIT=7 main.c -L. -lother -Llib -lqueue -o late -pthread
""",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def told(sources: object) -> list[tuple[str, list[str]]]:
    return [(s.path, [flag for flag in s.command if flag.startswith("-D") and "FSOFT" not in flag]) for s in sources]  # type: ignore[attr-defined]


def test_a_program_is_what_its_link_command_links(project: Path) -> None:
    record = record_build(["sh", "build.sh"])
    assert told(program_of(record, "prog").sources) == [("main.c", ["-DLIMIT=3"]), ("other.c", ["-DSIZE=4"]), ("lib/queue.c", [])]
    assert told(program_of(record, "twin").sources) == [("twin.c", [])]
    assert told(program_of(record, "late").sources) == [("main.c", ["-DLIMIT=7"]), ("other.c", ["-DSIZE=5"]), ("lib/queue.c", [])]
    with pytest.raises(InputError, match="several programs: choose one with --target: prog, twin, late"):
        program_of(record, "")
    with pytest.raises(InputError, match="links no 'x', only"):
        program_of(record, "x")


def test_the_build_produces_the_same(project: Path) -> None:
    record_build(["sh", "build.sh"])
    ours = {path.name: path.read_bytes() for path in project.iterdir() if path.suffix == ".o" or path.name == "twin"}
    subprocess.run(["sh", "build.sh"], check=True, capture_output=True)
    assert ours == {path.name: path.read_bytes() for path in project.iterdir() if path.suffix == ".o" or path.name == "twin"}


def fsoft(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "fsoft", *words], capture_output=True, text=True, timeout=100, check=False)


def test_check_of_a_build(project: Path) -> None:
    done = fsoft("check", "--data-races-check", "--target", "prog", "--", "sh", "build.sh")
    assert done.returncode == 10, done.stdout + done.stderr
    assert done.stdout.endswith("FALSE(no-data-race)\n")
    assert "lib/queue.c:3:31: data race on shared" in done.stdout
    assert "again: fsoft run --data-races-check --target prog --schedule" in done.stdout
    assert "-- sh build.sh" in done.stdout


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("exit 3", "the build fails (exit code 3)"),
        ("true", "the build compiled nothing"),
        ("gcc -c other.c -DSIZE=1", "the build links no program"),
    ],
)
def test_what_is_wrong_with_a_build_is_one_line(project: Path, script: str, said: str) -> None:
    done = fsoft("show", "--", "sh", "-c", script)
    assert done.returncode == 2
    assert "error: " + said in done.stderr
    assert "Traceback" not in done.stderr


def test_calls() -> None:
    call = read_call("/w", "gcc", ["-O2", "-c", "-I", "inc", "-DA=1", "-include", "x.h", "-MD", "-MF", "a.d", "a.c"])
    assert call == CompilerCall("/w", "gcc", "compile", ("/w/a.c",), "", ("-I", "inc", "-DA=1", "-include", "x.h"))
    assert isinstance(call, CompilerCall)
    assert call.object_of("/w/a.c") == "/w/a.o"
    assert read_call("/w", "gcc-ar", ["rcs", "l.a", "x.o"]) == ArchiverCall("/w/l.a", ("/w/x.o",))
    assert read_call("/w", "ar", ["t", "l.a"]) is None
    nothing = read_call("/w", "cc", ["-E", "a.c"])
    assert isinstance(nothing, CompilerCall)
    assert nothing.kind == ""


def test_a_database_by_target(project: Path) -> None:
    entries = [
        {"directory": str(project), "file": "twin.c", "command": "cc -o CMakeFiles/twin.dir/twin.c.o -c twin.c"},
        {"directory": str(project), "file": "lib/queue.c", "arguments": ["cc", "-c", "lib/queue.c"], "output": "libqueue.a.p/queue.c.o"},
    ]
    (project / "compile_commands.json").write_text(json.dumps(entries))
    assert fsoft("check", "--compile-commands", "compile_commands.json", "--target", "twin").stdout.endswith("TRUE\n")
    wrong = fsoft("check", "--compile-commands", "compile_commands.json", "--target", "win")
    assert (wrong.returncode, "one of libqueue.a, twin" in wrong.stderr) == (1, True)
    assert fsoft("check", "--target", "twin", os.fspath(project / "twin.c")).returncode == 1
