"""Real programs: what of Goblint's collection becomes a legal Program, how fast, and what is in the way of the rest.

    python -m benchmarks.real FOLDER [NAME...] [--seconds 60] [--megabytes 1500] [--csv FILE]

FOLDER has the folders `pthread` and `concrat` of github.com/goblint/bench. Each `pthread/*_comb.c` and `concrat/*/main.c` is given to
`fsoft show` in a process of its own. The goal: legal, within 2 s for each thousand lines and within the megabytes.
"""

from __future__ import annotations

import argparse
import csv
import os
import re
import resource
import subprocess
import sys
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

PER_THOUSAND_LINES = 2.0
_LOCATIONS = re.compile(rb"^thread ", re.MULTILINE)


@dataclass(frozen=True)
class Row:
    """One program. `why` is the first line that says what is in the way, without its place."""

    name: str
    lines: int
    legal: bool
    seconds: float
    megabytes: int
    why: str = ""

    @property
    def quick(self) -> bool:
        return self.seconds <= max(PER_THOUSAND_LINES, PER_THOUSAND_LINES * self.lines / 1000)


def programs(folder: Path) -> list[Path]:
    """The programs of the collection, by name."""
    return [*sorted(folder.glob("pthread/*_comb.c")), *sorted(folder.glob("concrat/*/main.[ci]"))]


def measured(path: Path, seconds: float, megabytes: int) -> Row:
    """`fsoft show` of one program, within limits."""
    name = path.parent.name if path.stem == "main" else path.stem
    lines = path.read_bytes().count(b"\n")
    row = _shown(name, lines, path, [], seconds, megabytes)
    if "--32" in row.why:
        return _shown(name, lines, path, ["--32"], seconds, megabytes)
    return row


def _shown(name: str, lines: int, path: Path, flags: list[str], seconds: float, megabytes: int) -> Row:
    def limits() -> None:
        most = megabytes * 2 << 20  # of addresses: stacks of threads are reserved, not used
        resource.setrlimit(resource.RLIMIT_AS, (most, most))

    started = time.monotonic()
    command = [sys.executable, "-m", "fsoft", "show", *flags, str(path)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=limits) as child:
        assert child.stderr is not None
        code, usage, said = _waited(child, started + seconds)
    taken = time.monotonic() - started
    used = usage.ru_maxrss >> 10
    if code is None:
        return Row(name, lines, False, taken, used, f"no answer within {seconds:g} s")
    why = "" if code == 0 else _reason(said, code)
    return Row(name, lines, code == 0 and used <= megabytes, taken, used, why or (f"{used} MB" if used > megabytes else ""))


def _waited(child: subprocess.Popen[bytes], deadline: float) -> tuple[int | None, resource.struct_rusage, bytes]:
    """The exit code (None: it took too long), what it used, and what it said."""
    late = False
    while True:
        pid, status, usage = os.wait4(child.pid, os.WNOHANG)
        if pid:
            child.returncode = os.waitstatus_to_exitcode(status)
            assert child.stderr is not None
            return (None if late else child.returncode), usage, child.stderr.read()
        if time.monotonic() > deadline and not late:
            late = True
            child.kill()
        time.sleep(0.02)


def _reason(said: bytes, code: int) -> str:
    lines = said.decode("utf-8", "replace").strip().splitlines()
    found = next((line for line in lines if "error:" in line), lines[-1] if lines else f"exit code {code}")
    return found.partition("error: ")[2] or found


def report(rows: list[Row], megabytes: int) -> str:
    """The table, then what is in the way how often."""
    out = ["| program | lines | legal | s | MB | why not |", "|---|---|---|---|---|---|"]
    for row in rows:
        speed = f"{row.seconds:.1f}" + ("" if row.quick else " (slow)")
        out.append(f"| {row.name} | {row.lines} | {'yes' if row.legal else 'no'} | {speed} | {row.megabytes} | {row.why} |")
    legal = [row for row in rows if row.legal]
    out += [
        "",
        f"{len(legal)} of {len(rows)} are legal; {sum(row.quick for row in legal)} of them within {PER_THOUSAND_LINES:g} s per 1,000 lines",
    ]
    for why, count in Counter(re.sub(r"'[^']*'", "'...'", row.why) for row in rows if not row.legal).most_common():
        out.append(f"- {count}: {why}")
    return "\n".join(out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", help="only these programs")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--megabytes", type=int, default=1500)
    parser.add_argument("--csv", type=Path, help="write the rows there, too")
    args = parser.parse_args()
    rows = []
    for path in programs(args.folder):
        if not args.names or any(name in str(path) for name in args.names):
            rows.append(measured(path, args.seconds, args.megabytes))
            print(rows[-1].name, "legal" if rows[-1].legal else rows[-1].why, f"{rows[-1].seconds:.1f} s", file=sys.stderr, flush=True)
    print(report(rows, args.megabytes))
    if args.csv:
        with args.csv.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(asdict(rows[0])) if rows else [])
            writer.writeheader()
            writer.writerows(asdict(row) for row in rows)


if __name__ == "__main__":
    main()
