"""Signals at bad moments: in the middle of writing a file, while a temporary folder is in use."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fsoft.process.files import write_file
from fsoft.process.interrupts import noticed, scratch, undisturbed
from fsoft.solve.sat import Sat


@pytest.fixture(autouse=True)
def heard() -> Iterator[None]:
    """Ctrl-C is heard, also where the tests run in the background of a shell that switches it off."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def ended(work: Callable[[], object]) -> int:
    """The exit code of a process that does the work; negative if a signal ended it.

    A process of its own has one thread, so a signal it sends itself is delivered before the call returns, and a late one ends
    nothing but that process.
    """
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        work()
        os._exit(0)
    except SystemExit as end:
        os._exit(int(str(end.code)))
    except KeyboardInterrupt:
        os._exit(130)
    finally:
        os._exit(99)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, -signal.SIGTERM), (signal.SIGINT, 130)])
def test_a_file_is_written_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals, code: int) -> None:
    (tmp_path / "report").write_text("old")
    monkeypatch.setattr(os, "fsync", lambda _handle: os.kill(os.getpid(), number))
    assert ended(lambda: write_file(str(tmp_path / "report"), b"new")) == code
    assert [path.name for path in tmp_path.iterdir()] == ["report"] and (tmp_path / "report").read_text() == "new"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_scratch_folder_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals, code: int) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def work() -> None:
        with scratch("x-") as folder:
            Path(folder, "file").write_text("")
            os.kill(os.getpid(), number)
            os._exit(98)

    assert ended(work) == code and not list(tmp_path.iterdir())


def test_signals_wait_for_their_turn(tmp_path: Path) -> None:
    def work() -> None:
        with undisturbed():
            os.kill(os.getpid(), signal.SIGINT)
            (tmp_path / "done").write_text("all of it")
        os._exit(98)

    assert ended(work) == 130 and (tmp_path / "done").read_text() == "all of it"


def test_a_native_call_that_asks_is_told(tmp_path: Path) -> None:
    def work() -> None:
        with noticed() as interrupted:
            before = interrupted()
            os.kill(os.getpid(), signal.SIGINT)
            (tmp_path / "asked").write_text(f"{before} {interrupted()}")
        os._exit(98)

    assert ended(work) == 130 and (tmp_path / "asked").read_text() == "False True"


def test_no_temporary_folder_is_an_error_of_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    with pytest.raises(Exception, match="TMPDIR: error: no temporary folder: No such file"), scratch("x-"):
        pass


def test_ctrl_c_in_a_solver_is_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    class Inner:
        def solve(self, _assumptions: object) -> bool:
            raise RuntimeError("Caught keyboard interrupt")

    sat = Sat()
    monkeypatch.setattr(sat, "_inner", Inner())
    with pytest.raises(KeyboardInterrupt):
        sat.solve()
