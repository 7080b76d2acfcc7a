"""How large the formulas of the bounded encodings are: `python benchmarks/formulas.py [FILE...] [--peer COMMAND | --no-peer]`.

For each program and encoding: inputs, AIG nodes, variables and clauses of the CNF, with the bounds that are the default (for `tcbmc` two
contexts a thread, the two rounds of `lazy`). With a peer, the same program as sequentialized C, of the same bounds, is given to CBMC,
whose own count of variables and clauses stands beside ours: that of the file of `--scheme mu` beside `mu`, of `--scheme lazy` beside
`lazy` and `tcbmc`. `schedule` has no such bound. `--models N` asks about every Nth row of `models/`, too. The last lines say how often
ours is the smaller one.

CBMC is asked about the claims in the file only; version 6 would add some of its own. (`--peer 'cbmc {file}'` for versions that do not know
the option.) Without a peer, say `--no-peer`: then there is no claim.
"""

from __future__ import annotations

import argparse
import math
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.measured import PROGRAMS, table  # noqa: E402
from benchmarks.sequentialized import of_states, program_of  # noqa: E402
from fsoft.ask.by_name import encoding_names, encoding_of, scheme_of  # noqa: E402
from fsoft.ask.load import load  # noqa: E402
from fsoft.bounded.given import Given  # noqa: E402
from fsoft.bounded.tcbmc import FIRST, TcbmcBounds  # noqa: E402
from fsoft.circuit.bits.bitblast import bitblast  # noqa: E402
from fsoft.circuit.bits.cnf import POSITIVE, Encoder  # noqa: E402
from fsoft.circuit.model import Model  # noqa: E402
from fsoft.passes.bounds import Bounds  # noqa: E402
from fsoft.passes.unwind import Unwound, unwind  # noqa: E402
from fsoft.program.program import Program  # noqa: E402
from fsoft.sequentialize.c_text import c_text  # noqa: E402
from fsoft.sequentialize.targets import TARGETS  # noqa: E402

FORMULAS = tuple(name for name in encoding_names() if not encoding_of(name).search)
_COUNT = re.compile(r"(\d+) variables, (\d+) clauses")
_SCHEMES = {"lazy": "lazy", "tcbmc": "lazy", "mu": "mu"}
"""Which sequentialized file has the bounds of an encoding."""
_NOTHING_LEFT = ", 0 remaining after simplification"


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

    encoder = Encoder(bits.aig, add, var, redundant=False)
    for literal in [*bits.constraints.values(), *bits.bad.values()]:
        encoder.literal(literal, POSITIVE)
    return Size(len(bits.inputs), len(bits.aig), variables, clauses + len(bits.constraints) + 1)


def formula_of(path: str, name: str, given: Given | None = None, define: tuple[str, ...] = ()) -> Model:
    """The model of a C program under an encoding."""
    encoding = encoding_of(name)
    bounds = given or encoding.bounds()
    model: Model = encoding.door(unwind(load([path], bits=32, define=define), bounds.loops), bounds).model
    return model


@dataclass(frozen=True, slots=True)
class Peer:
    """CBMC. `command` has `{file}` where the name of the C file goes."""

    command: str
    timeout: float

    def size(self, unwound: Unwound, scheme: str) -> tuple[int, int] | str:
        """Variables and clauses of its formula for the sequentialized program, or why there are none."""
        made = scheme_of(scheme)(unwound, encoding_of(scheme).bounds())
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "sequential.c"
            file.write_text(c_text(made.plain.program, TARGETS["cbmc"], made.name))
            words = [part.replace("{file}", str(file)) for part in shlex.split(self.command)]
            words += [] if "--verbosity" in words else ["--verbosity", "8"]  # less does not count
            try:
                done = subprocess.run(words, capture_output=True, text=True, timeout=self.timeout, check=False)
            except subprocess.TimeoutExpired:
                return "time"
        found = _COUNT.findall(done.stdout + done.stderr)
        if not found:
            return (0, 0) if _NOTHING_LEFT in done.stdout else "no count"
        return int(found[0][0]), int(found[0][1])  # later ones are what its solver has left of it


@dataclass(slots=True)
class Comparison:
    """Rows of the table, and by encoding the ratios of the peer's clauses to ours."""

    peer: Peer | None
    rows: list[list[str]] = field(default_factory=list)
    ratios: dict[str, list[float]] = field(default_factory=dict)

    def add(self, name: str, program: Program, encodings: tuple[str, ...]) -> None:
        unwound, theirs = unwind(program, Bounds()), dict[str, tuple[int, int] | str]()
        for encoding in encodings:
            made = encoding_of(encoding)
            given = TcbmcBounds(contexts=FIRST * len(program.threads)) if encoding == "tcbmc" else made.bounds()
            size = size_of(made.door(unwound, given).model)
            row = [name, encoding, f"{size.inputs:,}", f"{size.nodes:,}", f"{size.variables:,} / {size.clauses:,}"]
            scheme = _SCHEMES.get(encoding)
            if self.peer is not None and scheme is not None:
                if scheme not in theirs:
                    theirs[scheme] = self.peer.size(unwound, scheme)
                row += self._beside(encoding, size, theirs[scheme])
            self.rows.append(row if self.peer is None or scheme is not None else [*row, "", ""])

    def _beside(self, encoding: str, ours: Size, theirs: tuple[int, int] | str) -> list[str]:
        if isinstance(theirs, str):
            return [theirs, ""]
        ratio = (theirs[1] + 1) / (ours.clauses + 1)
        self.ratios.setdefault(encoding, []).append(ratio)
        return [f"{theirs[0]:,} / {theirs[1]:,}", f"{ratio:.1f}"]

    def __str__(self) -> str:
        header = ["program", "encoding", "input bits", "AIG nodes", "variables / clauses"]
        lines = [table([*header, "peer", "peer's clauses to ours"] if self.peer else header, self.rows), ""]
        for encoding, ratios in self.ratios.items():
            smaller, mean = sum(ratio >= 1 for ratio in ratios), math.exp(sum(map(math.log, ratios)) / len(ratios))
            said = f"{encoding}: ours has no more clauses in {smaller} of {len(ratios)}"
            lines.append(f"{said}; the peer has {mean:.1f} times as many (geometric mean)")
        return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--peer", default="cbmc --no-standard-checks {file}", metavar="COMMAND")
    parser.add_argument("--no-peer", action="store_true")
    parser.add_argument("--models", type=int, metavar="N", help="every Nth row of models/, too")
    parser.add_argument("--timeout", type=float, default=120)
    args = parser.parse_args()
    tool = shlex.split(args.peer)[0]
    if not args.no_peer and shutil.which(tool) is None:
        print(f"{tool} is not installed: give another command with --peer, or say --no-peer", file=sys.stderr)
        return 1
    comparison = Comparison(None if args.no_peer else Peer(args.peer, args.timeout))
    for path in args.files or sorted(str(p) for p in PROGRAMS.glob("*.c")):
        comparison.add(Path(path).name, load([path], bits=32), FORMULAS)
    for row in of_states()[:: args.models] if args.models else ():
        comparison.add(row.name, program_of(row), ("tcbmc", "lazy", "mu"))
    print(comparison)
    return 0


if __name__ == "__main__":
    sys.exit(main())
