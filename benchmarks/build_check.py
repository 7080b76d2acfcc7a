"""One `fsoft build`, held against everything that can contradict it.

The binary AIGER file is read back by our own reader, by ABC and, if it is small, in its 1.0 form by py-aiger. Then random runs of
the circuit are compared with the interpreter, state by state (`fsoft.circuit.lift`), and the same runs are simulated on the file as
it was read back, all at once: every latch and every bad must be what the words say.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from fsoft.circuit.bits import BOUND, BitModel, bit_names
from fsoft.circuit.encode import Encoding
from fsoft.circuit.export import Exported
from fsoft.circuit.formats.aiger_read import read_aiger
from fsoft.circuit.lift import Lifter, Walk
from fsoft.circuit.simulate import Simulator
from fsoft.cli.arguments import request
from fsoft.cli.build import build_circuit, build_parser
from fsoft.cli.stages import Stages
from fsoft.program.state import Violation
from fsoft.solve import tools

SMALL = 20_000
"""AND gates up to which py-aiger, which is slow, gets the file too."""
_IDLE = 25  # frames without a move after which a run ends


class Differs(Exception):
    """Two readers or two semantics of one circuit disagree; says how."""


@dataclass(slots=True)
class Report:
    """What is known about one file. `seconds` of processor time from C to the file; `moves` over all runs, `lost` the runs that ended
    where the circuit does not follow the program (a bound)."""

    seconds: float = 0.0
    nodes: int = 0
    latches: int = 0
    inputs: int = 0
    moves: int = 0
    lost: int = 0


def examine(arguments: Sequence[str], checks: frozenset[str] | None, folder: Path, runs: int, steps: int) -> Report:
    """`fsoft build` with these arguments (and these properties), and all comparisons. Differs, InputError or InternalError if something
    is wrong."""
    path = folder / "model.aig"
    args = build_parser().parse_args([*arguments, "-o", str(path)])
    asked = request(args)
    if checks is not None:
        asked = replace(asked, options=replace(asked.options, checks=checks))
    start = time.process_time()
    encoding, exported = build_circuit(args, asked, "aig", Stages())
    report = Report(time.process_time() - start)
    bits = read_aiger(path.read_bytes(), str(path))
    report.nodes, report.latches, report.inputs = len(bits.aig), len(bits.latches), len(bits.inputs)
    same_names(bits, exported)
    read_by_abc(path, bits)
    if report.nodes < SMALL:
        read_by_pyaiger(exported)
    walks = Walks(encoding, exported, bits, runs)
    walks.compare(Random(str(arguments)), steps)
    report.moves, report.lost = walks.moves, walks.lost
    return report


# ---------------------------------------------------------------- readers


def same_names(bits: BitModel, exported: Exported) -> None:
    """Our reader finds what was written."""
    found = bit_names(bits.input_words), bit_names(bits.latch_words), list(bits.targets())
    for what, ours, wanted in zip(("inputs", "latches", "bads"), found, (exported.inputs, exported.states, exported.targets)):
        if ours != wanted:
            raise Differs(f"our reader finds other {what}: {len(ours)}, not {len(wanted)}")


def read_by_abc(path: Path, bits: BitModel) -> None:
    """ABC, where it is installed, reads as many inputs, outputs and latches."""
    if tools.missing(tools.ABC):
        return
    said, _ = tools.run(tools.ABC, ["-c", f"read_aiger {path.name}; print_stats"], str(path.parent), 60)
    found = re.search(r"i/o *= *(\d+)/ *(\d+).*?lat *= *(\d+)", said)
    wanted = (len(bits.inputs), len(bits.targets()) + len(bits.constraints), len(bits.latches))
    if found is None:
        raise Differs("ABC does not read the file: " + (said.strip().splitlines() or ["no output"])[-1])
    if tuple(map(int, found.groups())) != wanted:
        raise Differs(f"ABC finds {found.group()}, not {wanted}")


def read_by_pyaiger(exported: Exported) -> None:
    """py-aiger, where it is installed, parses the AIGER 1.0 form and finds every signal by its name."""
    from fsoft.circuit.formats.pyaiger import to_pyaiger

    try:
        import aiger  # noqa: F401
    except ImportError:
        return
    assert exported.bits is not None
    circuit = to_pyaiger(exported.bits)
    pairs = ((circuit.inputs, exported.inputs), (circuit.latches, exported.states), (circuit.outputs, exported.targets))
    for what, (found, wanted) in zip(("inputs", "latches", "outputs"), pairs):
        if found != frozenset(wanted):
            raise Differs(f"py-aiger finds other {what}: {', '.join(sorted(set(wanted) ^ set(found))[:3])}")


# ---------------------------------------------------------------- runs


@dataclass(slots=True)
class Frame:
    """One step of one run: what the inputs were, the words after it, the targets that the interpreter says were hit (None: it does not
    say)."""

    given: dict[str, int]
    after: dict[str, int]
    hit: set[str] | None


class Walks:
    """Random runs of one circuit. `moves` and `lost` count what they did."""

    def __init__(self, encoding: Encoding, exported: Exported, bits: BitModel, runs: int) -> None:
        self.encoding, self.exported, self.bits, self.runs = encoding, exported, bits, runs
        model = encoding.model
        self.place = {bit: (word, i) for word, width in [*model.inputs.items(), *model.states.items()] for i, bit in _bits(word, width)}
        self.moves = self.lost = 0

    def compare(self, rng: Random, steps: int) -> None:
        """Differs or InternalError if circuit, interpreter and file are not the same."""
        lifter = Lifter(self.encoding)
        initial, paths = [], []
        for _ in range(self.runs):
            start = {name: rng.getrandbits(width) for name, width in self.encoding.model.states.items()}
            walk = Walk(lifter, start)
            initial.append(dict(walk.values))
            paths.append(self._path(walk, rng, steps))
            self.lost += walk.lost
        if self.runs:
            self._file(initial, paths)

    def _path(self, walk: Walk, rng: Random, steps: int) -> list[Frame]:
        """A run of circuit and interpreter side by side. It ends when nobody has moved for a while."""
        inputs = self.encoding.model.inputs
        frames: list[Frame] = []
        moves = idle = 0
        while moves < steps and idle < _IDLE and not walk.lost:
            given = {name: rng.getrandbits(rng.choice((width, min(width, 2)))) for name, width in inputs.items()}
            moved = walk.advance(given) is not None
            moves, idle = moves + moved, 0 if moved else idle + 1
            frames.append(Frame(given, walk.values, None if walk.lost else self._hit(walk)))
        self.moves += moves
        return frames

    def _hit(self, walk: Walk) -> set[str]:
        """The bads of the last frame, and BOUND if there was a bound, as the interpreter has it."""
        checks, hit = self.encoding.program.checks, set()
        for event in walk.events:
            if isinstance(event, Violation):
                hit.add(event.prop if event.prop in checks else BOUND if event.prop != "unreach-call" else "")
            elif event.kind in ("cut", "undefined"):
                hit.add(BOUND)
        if walk.fired is not None and walk.fired.effect.passes:
            hit.add(BOUND)
        return hit - {""}

    # ------------------------------------------------------------ the file, all runs at once

    def _file(self, initial: list[dict[str, int]], paths: list[list[Frame]]) -> None:
        bits = self.bits
        simulator = Simulator(bits.aig, [*bits.next, *bits.targets().values()], self.runs)
        latches = list(zip(bits.latches, bits.next, map(self.place.__getitem__, self.exported.states), self.exported.states))
        inputs = list(zip(bits.inputs, map(self.place.__getitem__, self.exported.inputs)))
        columns = Columns(initial)
        state = [columns.get(word, bit) for _, _, (word, bit), _ in latches]
        for number in range(max(map(len, paths))):
            rows = [path[min(number, len(path) - 1)] for path in paths]
            going = sum((number < len(path)) << run for run, path in enumerate(paths))
            given, after = Columns([row.given for row in rows]), Columns([row.after for row in rows])
            for literal, (word, bit) in inputs:
                simulator.set(literal, given.get(word, bit))
            for (literal, *_), value in zip(latches, state):
                simulator.set(literal, value)
            simulator.run()
            state = []
            for _, following, (word, bit), name in latches:
                value, wanted = simulator.get(following), after.get(word, bit)
                if (value ^ wanted) & going:
                    raise Differs(f"the file and the circuit disagree on {name} after step {number}")
                state.append(value)
            self._targets(simulator, rows, going, number)

    def _targets(self, simulator: Simulator, rows: list[Frame], going: int, number: int) -> None:
        """The bads of the file are those of the interpreter; some bound holds where the interpreter has one."""
        told = sum((row.hit is not None) << run for run, row in enumerate(rows)) & going
        bounds = 0
        for name, literal in self.bits.targets().items():
            value = simulator.get(literal)
            if name.startswith(BOUND):
                bounds |= value
            elif (value ^ sum((name in (row.hit or ())) << run for run, row in enumerate(rows))) & told:
                raise Differs(f"the file and the interpreter disagree on the bad {name} in step {number}")
        if (bounds ^ sum((BOUND in (row.hit or ())) << run for run, row in enumerate(rows))) & told:
            raise Differs(f"the file and the interpreter disagree on a bound in step {number}")


def _bits(word: str, width: int) -> list[tuple[int, str]]:
    return list(enumerate(bit_names([(word, width)])))


class Columns:
    """Words of many runs, read bit by bit: bit `j` of a column belongs to run `j`."""

    def __init__(self, rows: Sequence[dict[str, int]]) -> None:
        self.rows = rows
        self._columns: dict[str, list[int]] = {}

    def get(self, word: str, bit: int) -> int:
        column = self._columns.get(word)
        if column is None:
            values = [row[word] for row in self.rows]
            width = max(1, max(values).bit_length())
            texts = [format(value, f"0{width}b") for value in reversed(values)]
            column = [int("".join(digits), 2) for digits in zip(*texts)][::-1]
            self._columns[word] = column
        return column[bit] if bit < len(column) else 0
