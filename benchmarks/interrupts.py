"""Ended at any moment, fsoft leaves nothing behind: `python -m benchmarks.interrupts [WORD...] [--moments N] [--seed S]`.

Each of a list of commands (engines, encodings, report files, replay, reduce) is run to its end once, then N times more; each time it is
told to end at a random moment, by SIGTERM to its process or by what Ctrl-C does, SIGINT to its whole group. Afterwards there must be no
process of it, no file in its temporary folder, and in the folder of its results nothing but the old files or complete new ones; and it
must have ended within a few seconds, with the exit code of an interrupted or of a finished command and no traceback. Prints every command
that left something; the exit code is 1 if there is one.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fsoft.cli import exits

MODELS = Path(__file__).resolve().parents[1] / "models"
MARK = "FSOFT_INTERRUPTS"
OLD = "what was there before\n"
PATIENCE = 8.0  # seconds that a command has to end in
ENDED = (0, 2, 5, 10, 31, exits.INTERRUPTED, 128 + signal.SIGINT, 128 + signal.SIGTERM, -signal.SIGTERM, -signal.SIGINT)
REPORTS = ("--html", "r.html", "--sarif", "r.sarif", "--junit", "r.xml", "--trace-file", "r.json", "--witness", "r.yml")
COMPLETE = {".html": "</html>", ".sarif": "}", ".xml": ">", ".json": "}", ".yml": "", ".c": "}", ".aag": "", ".graphml": "</graphml>"}
"""How a complete file ends."""
SMALL, LARGE = "classic/account.c", "mutex/peterson.c"


@dataclass(frozen=True)
class Command:
    """A command of fsoft on a program; `files` are names that it writes."""

    words: tuple[str, ...]
    files: tuple[str, ...] = ()
    program: str = SMALL
    first: str = "check"

    def line(self, trace: str = "") -> list[str]:
        words = [trace if word == "TRACE" else word for word in self.words]
        return [sys.executable, "-m", "fsoft.cli.main", self.first, str(MODELS / self.program), *words, "--64"]


def commands() -> Iterator[Command]:
    reports = tuple(name for name in REPORTS if name.startswith("r."))
    for words in (("-D", "UNLOCKED"), ("-D", "UNLOCKED", "--timeout", "60"), ("-D", "UNLOCKED", "--engine", "explicit")):
        yield Command((*words, *REPORTS), reports)
    yield Command(())
    for engine in ("pdr", "abc", "portfolio", "smt", "bdd"):
        yield Command(("--engine", engine), program=LARGE)
        yield Command(("--engine", engine, "--timeout", "60"), program=LARGE)
    for encoding in ("tcbmc", "lazy", "mu", "paths"):
        yield Command(("--encoding", encoding, "--incremental", "--timeout", "20"), program=LARGE)
    yield Command(("TRACE",), first="replay")
    yield Command(("-D", "UNLOCKED", "-o", "s.c"), ("s.c",), first="reduce")
    yield Command(("-o", "m.aag"), ("m.aag", "m.map.json"), LARGE, "build")
    yield Command(("-o", "s.c"), ("s.c",), LARGE, "sequentialize")
    yield Command(("--html", "g.html"), ("g.html",), LARGE, "show")


@dataclass
class Run:
    """One run in folders of its own: `temporary` is its TMPDIR, `results` the folder it works in."""

    command: Command
    folder: Path
    said: str = ""
    code: int = 0
    wrong: list[str] = field(default_factory=list)

    def start(self) -> subprocess.Popen[bytes]:
        for name in ("temporary", "results"):
            (self.folder / name).mkdir()
        for name in self.command.files:
            (self.folder / "results" / name).write_text(OLD)
        if "TRACE" in self.command.words:
            find = Command(("-D", "UNLOCKED", "--engine", "explicit", "--trace-file", str(self.folder / "trace.json")))
            subprocess.run(find.line(), stdout=subprocess.DEVNULL, check=False)
        environment = os.environ | {"TMPDIR": str(self.folder / "temporary"), MARK: str(self.folder)}
        errors = (self.folder / "errors").open("wb")
        return subprocess.Popen(
            self.command.line(str(self.folder / "trace.json")), cwd=self.folder / "results", env=environment, stdin=subprocess.DEVNULL,
            stdout=errors, stderr=errors, start_new_session=True,
        )  # fmt: skip

    def until(self, process: subprocess.Popen[bytes], moment: float, number: int) -> None:
        """Let it run for a moment, tell it to end, and look at what is left."""
        try:
            process.wait(moment)
        except subprocess.TimeoutExpired:
            if number == signal.SIGINT:
                os.killpg(process.pid, number)
            else:
                process.send_signal(number)
        try:
            self.code = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.wrong.append(f"still there after {PATIENCE:.0f} s")
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self.look()

    def look(self) -> None:
        self.said = (self.folder / "errors").read_text(errors="replace")
        starting = "Traceback" in self.said and "_dispatch" not in self.said  # Python itself, not yet fsoft
        broken = self.code not in ENDED or "Traceback" in self.said or "Exception ignored" in self.said
        if broken and not starting:
            self.wrong.append(f"exit code {self.code}: {self.said[-400:]!r}")
        for process in alive(str(self.folder)):
            self.wrong.append(f"process {process}")
        left = [str(path.relative_to(self.folder)) for path in (self.folder / "temporary").rglob("*")]
        self.wrong += [f"left {name}" for name in left]
        for path in (self.folder / "results").iterdir():
            if path.name not in self.command.files:
                self.wrong.append(f"left {path.name}")
            elif (text := path.read_text()) != OLD and not text.rstrip().endswith(COMPLETE[path.suffix]):
                self.wrong.append(f"{path.name} is half-written")


def alive(mark: str) -> list[str]:
    """Processes that were started for a run, a moment after its end; they are ended here."""
    time.sleep(0.15)
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and f"{MARK}={mark}\0".encode() in (folder / "environ").read_bytes():
                found.append(f"{folder.name} {(folder / 'cmdline').read_bytes().decode(errors='replace')!r:.80}")
                os.kill(int(folder.name), signal.SIGKILL)
        except OSError:
            continue
    return found


def once(command: Command, moment: float, number: int) -> tuple[list[str], float]:
    """What is wrong after a run that was told to end at a moment, and how long it took."""
    folder = Path(tempfile.mkdtemp(prefix="interrupts-"))
    try:
        run = Run(command, folder)
        process, start = run.start(), time.monotonic()
        run.until(process, moment, number)
        return run.wrong, time.monotonic() - start
    finally:
        shutil.rmtree(folder)


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.interrupts", description=__doc__.split("\n")[0])
    parser.add_argument("words", nargs="*", help="only commands that contain all of these")
    parser.add_argument("--moments", type=int, default=4, metavar="N", help="how often each command is interrupted")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    chance, bad, count = random.Random(args.seed), 0, 0
    for command in commands():
        name = " ".join([command.first, command.program, *command.words])
        if not all(word in name for word in args.words):
            continue
        wrong, length = once(command, 120, signal.SIGTERM)
        before = bad
        for number in range(args.moments + 1):
            if number:
                wrong, _ = once(command, moment := chance.uniform(0.05, length), kind := chance.choice((signal.SIGTERM, signal.SIGINT)))
            how = f"{kind.name} after {moment:.2f} of {length:.1f} s" if number else "to its end"
            count += 1
            bad += bool(wrong)
            if wrong:
                print(f"{name}, {how}: {'; '.join(wrong)}", flush=True)
        print(f"{args.moments + 1 - (bad - before)} of {args.moments + 1} {name}", flush=True)
    print(f"{count - bad} of {count} runs left nothing behind")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
