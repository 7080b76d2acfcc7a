"""The n-th write, fork, start of a thread or allocation fails, for every n: fsoft ends in order.

`python -m tests.fuzz.faults --count N` tries N faults of each kind with each command; `make fuzz` does. The exit code is one of `ALLOWED`,
there is no traceback, no process and no temporary file is left, and what a file held before is there or the whole of what was to be
written. Besides, fsoft starts in address spaces of many sizes. The calls are made to fail by `faults.c`, loaded before the C library.
"""

from __future__ import annotations

import argparse
import ctypes
import errno
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.fuzz.isolated import Ended, command, warm_up

HERE = Path(__file__).parent
MODELS = HERE.parents[1] / "models"
ALLOWED = (0, 10, 5, 2, 31)
KINDS = {"write": errno.ENOSPC, "fork": errno.EAGAIN, "thread": errno.EAGAIN, "allocation": errno.ENOMEM}
_SECONDS = 60.0
_OLD = b"what was there before\n"
_RACY = "account.c -D UNLOCKED --no-shorten"
COMMANDS = {
    "reports": f"check {_RACY} --html o.html --sarif o.sarif --trace-file o.json --witness o.graphml --junit o.xml",
    "auto": "check account.c --timeout 6 --junit o.xml",
    "explicit": f"check {_RACY} --engine explicit --json",
    "pdr": "check account.c --engine pdr --timeout 6",
    "smt": f"check {_RACY} --engine smt --timeout 6",
    "portfolio": f"check {_RACY} --engine portfolio --timeout 6",
    "abc": "check account.c --engine abc --timeout 6",
    "tcbmc": f"check {_RACY} --encoding tcbmc --timeout 6",
    "gcc": f"check {_RACY} --cpp gcc",
    "build": "build account.c -o o.aag",
    "sequentialize": "sequentialize account.c -o o.c",
    "show": "show account.c --html o.html",
    "run": "run account.c",
    "checkers": "checkers",
}
"""Commands that are tried. Files whose names begin with `o.` are what they write."""


def outputs(name: str) -> list[str]:
    return [word for word in COMMANDS[name].split() if word.startswith("o.")]


class Campaign:
    """`wrong`: what must not be, one line each. `whole`: what the files of a command end with."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.wrong, self.tried = folder, list[str](), 0
        self.whole: dict[str, dict[str, bytes]] = {}
        self.calls: dict[str, list[int]] = {}
        self.there: set[str] = set()
        self._library = ctypes.CDLL(None)
        self._library.fault_count.restype = ctypes.c_long

    def arm(self, kind: int, first: int, last: int, error: int) -> None:
        self._library.fault_arm(kind, ctypes.c_long(first), ctypes.c_long(last), error)

    def prepare(self, name: str) -> bool:
        """Runs the command without a fault; whether it can be run here."""
        ended = self.run(name, 0, 0, 0, 0)
        if ended.code == 1:  # a tool is not installed
            return False
        self.calls[name] = [self._library.fault_count(kind) for kind in range(len(KINDS))]
        self.whole[name] = {file: (self.folder / file).read_bytes() for file in outputs(name)}
        self.there = {path.name for path in self.folder.iterdir()}
        self.note(name, "no fault", ended)
        return True

    def run(self, name: str, kind: int, first: int, last: int, error: int) -> Ended:
        for file in outputs(name):
            (self.folder / file).write_bytes(_OLD)
        return command(COMMANDS[name].split(), self.folder, _SECONDS, lambda: self.arm(kind, first, last, error))

    def fault(self, name: str, kind: str, first: int, last: int) -> None:
        ended = self.run(name, list(KINDS).index(kind), first, last, KINDS[kind])
        self.tried += 1
        self.note(name, f"{kind} {first}" + (f" to {last}" if last > first else ""), ended)

    def note(self, name: str, what: str, ended: Ended) -> None:
        wrong = ended.wrong(ALLOWED) or self.torn(name)
        if wrong:
            self.wrong.append(f"{name}, {what}: {wrong}")
            print(self.wrong[-1], flush=True)

    def torn(self, name: str) -> str:
        """The file that is neither what it was nor what it should become."""
        for file, whole in self.whole[name].items():
            path = self.folder / file
            text = path.read_bytes() if path.exists() else _OLD  # a witness of another verdict is removed
            if text != _OLD and text[-4:] != whole[-4:]:
                return f"{file} is half written"
        extra = {path.name for path in self.folder.iterdir()} - self.there
        return f"left behind: {', '.join(sorted(extra))}" if extra else ""


def faults(calls: int, count: int, dice: random.Random) -> Iterator[tuple[int, int]]:
    """The first and the last call that fails, for `count` faults: single ones, and some in a row."""
    singles = list(range(1, calls + 1)) if calls <= count else sorted({dice.randint(1, calls) for _ in range(count)})
    for number in singles:
        yield (number, number) if number % 3 else (number, number + dice.choice([3, 30, 1000]))


def campaign(count: int, seed: int, names: list[str], kinds: list[str]) -> Campaign:
    dice = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="faults-") as top:
        found = Campaign(Path(top, "work"))
        for name in names:
            found.folder.mkdir()
            shutil.copy(MODELS / "classic" / "account.c", found.folder)
            for number, kind in enumerate(KINDS) if found.prepare(name) else ():
                for first, last in faults(found.calls[name][number], count, dice) if kind in kinds else ():
                    found.fault(name, kind, first, last)
            shutil.rmtree(found.folder)
        return found


def spaces(count: int, say: list[str]) -> int:
    """fsoft in address spaces from a size in which Python just starts to one in which all is well; what must not be goes to `say`. (In less
    than 30 MB Python's own `hashlib` prints a traceback.)"""
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    for number in range(count):
        size = int((32 << 20) * (15 ** (number / max(1, count - 1))))
        name = list(COMMANDS)[number % len(COMMANDS)]
        with tempfile.TemporaryDirectory(prefix="faults-") as folder:
            shutil.copy(MODELS / "classic" / "account.c", folder)
            done = subprocess.run([sys.executable, "-m", "fsoft", *COMMANDS[name].split()], capture_output=True, text=True, cwd=folder,
                                  env={**environment, "TMPDIR": folder}, timeout=_SECONDS,
                                  preexec_fn=lambda most=size: resource.setrlimit(resource.RLIMIT_AS, (most, most)))  # fmt: skip
            extra = {file for file in os.listdir(folder) if file != "account.c" and not file.startswith("o.")}
        wrong = Ended(done.returncode, done.stdout, done.stderr, sorted(extra)).wrong(ALLOWED)
        if wrong and not (done.returncode == 1 and "not installed" in done.stderr):
            say.append(f"{name} in {size >> 20} MB: {wrong}")
            print(say[-1], flush=True)
    return count


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=100, help="faults of each kind and command")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--command", choices=COMMANDS, action="append")
    parser.add_argument("--kind", choices=KINDS, action="append")
    parser.add_argument("--spaces", type=int, metavar="N", help="so many sizes of the address space (as many as faults)")
    args = parser.parse_args()
    if "LD_PRELOAD" not in os.environ:
        return _preloaded()
    warm_up()
    found = campaign(args.count, args.seed, args.command or list(COMMANDS), args.kind or list(KINDS))
    tried = found.tried + spaces(args.count if args.spaces is None else args.spaces, found.wrong)
    print(f"faults: {tried} tried, {len(found.wrong)} end in the wrong way")
    return 1 if found.wrong else 0


def _preloaded() -> int:
    """This program again, with the calls that can fail."""
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        library = Path(folder, "faults.so")
        subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", str(library), str(HERE / "faults.c"), "-ldl"], check=True)
        again = [sys.executable, "-m", "tests.fuzz.faults", *sys.argv[1:]]
        return subprocess.run(again, env={**os.environ, "LD_PRELOAD": str(library)}).returncode


if __name__ == "__main__":
    sys.exit(main())
