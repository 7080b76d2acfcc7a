"""Run one C program with gcc and with fsoft's interpreter and compare what they compute.

`python -m tests.fuzz.compare --count 1000` is the campaign of `make fuzz`; the tests take a slice of it. A program
ends with its checksum in the global `fsoft_result`, which it prints as well.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

from fsoft.ask.load import load
from fsoft.frontend.source import InputError
from fsoft.program.interpreter import Machine
from fsoft.program.options import Options
from tests.fuzz import generator

HERE = Path(__file__).parent
CSMITH_INCLUDE = Path("/usr/include/csmith")
CSMITH_FLAGS = [
    "--no-packed-struct", "--max-funcs", "4", "--max-block-depth", "3", "--max-expr-complexity", "6", "--max-block-size", "3",
    "--max-array-len-per-dim", "4", "--no-argc", "--max-array-dim", "2",
]  # fmt: skip
STEP_LIMIT = 60_000


@dataclass(frozen=True)
class Outcome:
    """`agree` is None where the program was not decided (gcc refused it or it runs too long)."""

    name: str
    bits: int
    agree: bool | None
    detail: str


def gcc_value(source: Path, bits: int, include: list[str]) -> int | None:
    """The checksum that the compiled program prints; None if it does not compile or end in time."""
    binary = source.with_suffix(f".{bits}")
    flags = [f"-m{bits}", "-O0", "-w", "-fwrapv", "-std=gnu11", "-msse2", "-mfpmath=sse", "-ffp-contract=off"]
    command = ["gcc", *flags, *(f"-I{d}" for d in include), str(source), "-o", str(binary)]
    if subprocess.run(command, capture_output=True).returncode:
        return None
    try:
        done = subprocess.run([str(binary)], capture_output=True, timeout=5, text=True)
    except subprocess.TimeoutExpired:
        return None
    return int(done.stdout, 16) if done.returncode == 0 and done.stdout.strip() else None


def fsoft_value(source: Path, bits: int, include: list[str], options: Options) -> int | None:
    """The checksum at the end of the interpreter's run; None if it takes too many steps."""
    program = load([str(source)], options, bits=bits, include=include)
    machine = Machine(program)
    state = machine.initial()
    for _ in range(STEP_LIMIT):
        enabled = machine.enabled(state)
        if not enabled:
            obj = next(o for o in program.objects if o.name == "fsoft_result")
            return machine.layout.cell(state, program.address(obj), 8)
        slot, step = enabled[0]
        state, events = machine.execute(state, slot, step, lambda question, options: options[0] if options else 0)
        for event in events:
            if getattr(event, "kind", "") != "ended":
                raise RuntimeError(f"the run stops: {event}")
    return None


def compare(name: str, text: str, bits: int, include: list[str], options: Options) -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "program.c"
        source.write_text(text)
        expected = gcc_value(source, bits, include)
        if expected is None:
            return Outcome(name, bits, None, "gcc gives no value")
        try:
            got = fsoft_value(source, bits, include, options)
        except (InputError, RuntimeError) as error:
            return Outcome(name, bits, False, str(error))
    if got is None:
        return Outcome(name, bits, None, "too many steps")
    return Outcome(name, bits, got == expected, f"gcc {expected:x}, fsoft {got:x}")


def csmith_text(seed: int) -> str | None:
    """A Csmith program; None if Csmith is not installed or gives up."""
    if shutil.which("csmith") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:  # csmith leaves a file where it runs
        done = subprocess.run(["csmith", "--seed", str(seed), *CSMITH_FLAGS], capture_output=True, text=True, timeout=60, cwd=folder)
    return done.stdout if done.returncode == 0 else None


def outcomes(first: int, count: int, kinds: tuple[str, ...], deadline: float = float("inf")) -> list[Outcome]:
    """Compare `count` programs of each kind from seed `first` on, data models and call modes by turns."""
    out = []
    for seed in range(first, first + count):
        for kind in kinds:
            if time.monotonic() > deadline:
                return out
            text = generator.program(seed) if kind == "own" else csmith_text(seed)
            if text is None:
                continue
            options = replace(Options(), calls="once" if seed % 4 == 3 else "inline", fold=seed % 2 == 0)
            include = [str(HERE / "csmith"), str(CSMITH_INCLUDE)] if kind == "csmith" else []
            out.append(compare(f"{kind} {seed}", text, 32 if seed % 2 else 64, include, options))
    return out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--kind", choices=("own", "csmith"), action="append")
    arguments = parser.parse_args()
    kinds = tuple(arguments.kind or ("own", "csmith"))
    done: list[Outcome] = []
    for seed in range(arguments.first, arguments.first + arguments.count):
        for outcome in outcomes(seed, 1, kinds):
            done.append(outcome)
            if outcome.agree is False:
                print(f"DISAGREE {outcome.name} -m{outcome.bits}: {outcome.detail}", flush=True)
    decided = [o for o in done if o.agree is not None]
    wrong = sum(not o.agree for o in decided)
    print(f"C semantics against gcc: {len(decided)} decided of {len(done)}, {wrong} disagreements")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
