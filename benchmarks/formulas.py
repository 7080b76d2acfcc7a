"""How large the formulas of the bounded encodings are: `python benchmarks/formulas.py [FILE...] [--peer 'cbmc {file}' | --no-peer]`.

For each program and encoding: inputs, AIG nodes, variables and clauses of the CNF, with the bounds that are the default. With a peer, the
same program as sequentialized C (`fsoft sequentialize --scheme lazy`) is given to CBMC, whose own count of variables and clauses stands
beside ours. Without one, say `--no-peer`: then there is no claim.
"""

from __future__ import annotations

import argparse
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.measured import PROGRAMS, fsoft, table  # noqa: E402
from fsoft.api import load  # noqa: E402
from fsoft.bounded.given import Given  # noqa: E402
from fsoft.circuit.bitblast import bitblast  # noqa: E402
from fsoft.circuit.cnf import POSITIVE, Encoder  # noqa: E402
from fsoft.circuit.model import Model  # noqa: E402
from fsoft.encodings import ENCODINGS  # noqa: E402
from fsoft.passes.unwind import unwind  # noqa: E402

FORMULAS = tuple(name for name, one in ENCODINGS.items() if not one.search)
_COUNT = re.compile(r"(\d+) variables, (\d+) clauses")


@dataclass(frozen=True, slots=True)
class Size:
    """Of a formula: the question whether one of its bads can hold."""

    inputs: int
    nodes: int
    variables: int
    clauses: int


def size_of(model: Model) -> Size:
    """The CNF that the engine `sat` solves first."""
    bits = bitblast(model)
    variables = clauses = 0

    def var() -> int:
        nonlocal variables
        variables += 1
        return variables

    def add(_clause: list[int]) -> None:
        nonlocal clauses
        clauses += 1

    encoder = Encoder(bits.aig, add, var)
    for literal in [*bits.constraints.values(), *bits.bad.values()]:
        encoder.literal(literal, POSITIVE)
    return Size(len(bits.inputs), len(bits.aig), variables, clauses + len(bits.constraints) + 1)


def formula_of(path: str, name: str, given: Given | None = None, define: tuple[str, ...] = ()) -> Model:
    """The model of a C program under an encoding."""
    bounds = given or Given()
    model: Model = ENCODINGS[name].load()(unwind(load([path], define=define), bounds.loops), bounds).model
    return model


def _peer(command: str, path: str, timeout: float) -> str:
    """What the peer says about the size of its formula for the sequentialized program."""
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "sequential.c")
        made = fsoft(["sequentialize", path, "--scheme", "lazy", "--for", "cbmc", "-o", file], timeout)
        if not Path(file).exists():
            return made.answer
        words = [part.replace("{file}", file) for part in shlex.split(command)]
        try:
            done = subprocess.run(words, capture_output=True, text=True, timeout=timeout, check=False)
        except subprocess.TimeoutExpired:
            return "time"
        found = _COUNT.findall(done.stdout + done.stderr)
        return f"{int(found[-1][0]):,} / {int(found[-1][1]):,}" if found else "no count"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--peer", default="cbmc {file}", metavar="COMMAND")
    parser.add_argument("--no-peer", action="store_true")
    parser.add_argument("--timeout", type=float, default=120)
    args = parser.parse_args()
    tool = shlex.split(args.peer)[0]
    if not args.no_peer and shutil.which(tool) is None:
        print(f"{tool} is not installed: give another command with --peer, or say --no-peer", file=sys.stderr)
        return 1
    rows = []
    for path in args.files or sorted(str(p) for p in PROGRAMS.glob("*.c")):
        for name in FORMULAS:
            size = size_of(formula_of(path, name))
            row = [Path(path).name, name, f"{size.inputs:,}", f"{size.nodes:,}", f"{size.variables:,} / {size.clauses:,}"]
            rows.append([*row, "" if args.no_peer else _peer(args.peer, path, args.timeout)])
    print(table(["program", "encoding", "input bits", "AIG nodes", "variables / clauses", "peer"], rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
