"""What goes wrong around fsoft: closed streams, full disks, odd files, scarce memory, native code that nothing interrupts. There is an
answer in time, or one line that says what is wrong."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from fsoft.cli import exits
from fsoft.cli.limits import limited
from fsoft.cli.main import guarded
from fsoft.frontend import inputs
from fsoft.frontend.source import InputError
from fsoft.process.files import check_writable, write_file

MODEL = Path(__file__).parents[2] / "models" / "classic" / "account.c"
FSOFT = f"{sys.executable} -m fsoft"
RACY = f"{FSOFT} check {MODEL} -D UNLOCKED --engine explicit"

needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")


def bash(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["bash", "-o", "pipefail", "-c", line], capture_output=True, text=True, timeout=60, cwd=folder)


@needs_bash
@pytest.mark.parametrize(
    ("line", "code", "err"),
    [
        (f"{RACY} >&-", 2, "the output cannot be written: Bad file descriptor"),
        (f"{RACY} 2>&-", 10, ""),
        (f"{RACY} <&-", 10, ""),
        (f"{RACY} --profile 2>/dev/full", 10, ""),
        (f"{RACY} >/dev/full", 2, "the output cannot be written: No space left on device"),
        (f"{RACY} >&- 2>&- <&-", 2, ""),
        (f"{RACY} | head -c 0", 141, ""),
        (f"{FSOFT} check nothing.c 2>&-", 2, ""),
        (f"{FSOFT} --version >&-", 2, "Bad file descriptor"),
        (f"{FSOFT} check --help >/dev/full", 2, "No space left"),
        ("ulimit -v 45000; " + RACY, 5, ""),
        ("ulimit -v 400000; " + RACY, 10, ""),
        (f"{RACY} --html loop.html", 2, "loop.html: error: cannot be written: Too many levels of symbolic links"),
        (f"{RACY} --sarif {MODEL}/x", 2, "x: error: cannot be written: Not a directory"),
        (f"{RACY} --sarif pipe", 2, "pipe: error: cannot be written: "),
        (f"{FSOFT} check /dev/zero", 2, "/dev/zero: error: this file is too large: more than 64 MB"),
        (f"{FSOFT} check large.c", 2, "large.c: error: this file is too large: 200 MB, and fsoft reads at most 64 MB of a file"),
        (f"{FSOFT} check large.aag", 2, "large.aag: error: this file is too large"),
        (f"{FSOFT} check {MODEL} --property /dev/zero", 2, "/dev/zero: error: this file is too large"),
        (f"{RACY} | cat; {FSOFT} check <(cat {MODEL}) -D UNLOCKED --engine explicit --sarif >(cat >s)", 10, ""),
        (f"{FSOFT} check <(cat {MODEL}) --cpp gcc --engine explicit", 0, ""),
    ],
)
def test_streams_and_files(tmp_path: Path, line: str, code: int, err: str) -> None:
    (tmp_path / "loop.html").symlink_to("loop.html")
    os.mkfifo(tmp_path / "pipe")
    for name in ("large.c", "large.aag"):
        with open(tmp_path / name, "wb") as file:
            file.truncate(200 << 20)  # takes no room
    before = {path.name for path in tmp_path.iterdir()}
    done = bash(line, tmp_path)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr and len(done.stderr.splitlines()) == (1 if err else 0) and err in done.stderr
    assert {path.name for path in tmp_path.iterdir()} - {"s"} == before


def test_a_pipe_is_read_once_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    monkeypatch.setattr(inputs, "_PATIENCE", 0.2)
    with pytest.raises(InputError, match="nobody writes to this pipe"):
        inputs.read_file(str(pipe))
    monkeypatch.setattr(inputs, "_PATIENCE", 20.0)
    text = b"int x;\n" * 20_000
    writer = threading.Thread(target=lambda: pipe.write_bytes(text))
    writer.start()
    assert inputs.read_file(str(pipe)) == text == inputs.read_file(str(pipe))
    writer.join()
    assert len(inputs.read_lines(str(pipe))) == 20_000


def test_a_limit_for_pipes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "MOST", 1 << 20)
    reading, writing = os.pipe()
    os.write(writing, b"x" * 100)
    os.close(writing)
    assert inputs.read_file(f"/dev/fd/{reading}") == b"x" * 100
    with pytest.raises(InputError, match="more than 1 MB"):
        inputs.read_file("/dev/zero")


def test_a_name_as_long_as_names_can_be(tmp_path: Path) -> None:
    file = tmp_path / ("x" * 250)
    write_file(str(file), b"new")
    assert file.read_bytes() == b"new"
    with pytest.raises(InputError, match="File name too long"):
        check_writable(str(file) + "y" * 10)


def stubborn() -> int:
    """Native code, to a timer: no handler is called."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
    while True:
        time.sleep(0.01)


def very_stubborn() -> int:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    return stubborn()


def hungry() -> int:
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
    held = []
    while True:
        held.append(b"x" * (1 << 20))


@pytest.mark.parametrize("work", [stubborn, very_stubborn])
def test_the_time_limit_holds_where_nothing_can_be_interrupted(work: Callable[[], int], capfd: pytest.CaptureFixture[str]) -> None:
    start = time.monotonic()
    assert limited(work, 0.5, None) == exits.TIMEOUT
    assert time.monotonic() - start < 0.5 + 3.0
    assert capfd.readouterr().out == "time limit reached\nUNKNOWN\n"


def test_the_memory_limit_holds_there_too(capfd: pytest.CaptureFixture[str]) -> None:
    most = inputs_resident() + 50
    assert limited(hungry, 30, most) == exits.UNKNOWN
    assert capfd.readouterr().out == "memory limit reached\nUNKNOWN\n"


def inputs_resident() -> int:
    """Megabytes that this process holds: so does a child from its beginning."""
    from fsoft.cli.supervisor import resident

    return resident() >> 20


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGXCPU])
def test_a_crash_is_no_answer(number: signal.Signals, capfd: pytest.CaptureFixture[str]) -> None:
    def crash() -> int:
        os.kill(os.getpid(), number)
        return exits.TRUE

    assert limited(crash, 30, None) == exits.UNKNOWN
    assert capfd.readouterr().out.endswith("want of memory\nUNKNOWN\n")


def test_an_exit_code_of_a_library_is_none_of_ours(capfd: pytest.CaptureFixture[str]) -> None:
    assert limited(lambda: os._exit(127), 30, None) == exits.UNKNOWN


def test_no_process_can_be_started(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    def fork() -> int:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", fork)
    assert limited(lambda: exits.TRUE, 30, None) == exits.UNKNOWN
    assert capfd.readouterr().out == "no process can be started: Resource temporarily unavailable\nUNKNOWN\n"


def test_many_at_once_keep_their_limits(tmp_path: Path) -> None:
    """The clock starts with the process: what it imports takes long where many import."""
    (tmp_path / "p.c").write_text(
        "#include <assert.h>\n#include <pthread.h>\nunsigned long long a, b;\nvoid *f(void *p) { for (;;) a = a * 3 + 1; }\n"
        "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); for (;;) { b = b * 7 + a; assert(b != 9); } }\n"
    )
    start = time.monotonic()
    command = [sys.executable, "-m", "fsoft", "check", str(tmp_path / "p.c"), "--timeout", "2"]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(8)]
    said = [process.communicate()[0].splitlines()[-1] for process in running]
    assert time.monotonic() - start < 2 + 3
    assert [process.returncode for process in running] == [exits.TIMEOUT] * 8 and set(said) == {"UNKNOWN"}


def test_a_module_that_python_cannot_read_is_for_want_of_memory(capsys: pytest.CaptureFixture[str]) -> None:
    """In a very small address space Python calls a correct module wrong."""

    def broken() -> int:
        raise SyntaxError("expected ':'", ("fsoft/trace/yaml_witness.py", 196, 1, ""))

    assert guarded(broken) == 5
    said = capsys.readouterr()
    assert "want of memory" in said.out + said.err and "internal error" not in said.err
