"""One `fsoft build`, held against everything that can contradict it.

The binary AIGER file is read back by our own reader, by ABC and, if it is small, in its 1.0 form by py-aiger. Then random runs of
the circuit are compared with the interpreter, state by state (`fsoft.circuit.encode.lift`), and the same runs are simulated on the file as
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
from fsoft.circuit.bits.simulate import Simulator
from fsoft.circuit.encode.encoding import ProgramCircuit
from fsoft.circuit.encode.lift import Lifter, LiftWalk
from fsoft.circuit.encode.scheduler import PICK
from fsoft.circuit.formats.aiger_read import read_aiger
from fsoft.circuit.formats.export import Exported
from fsoft.cli.arguments import request
from fsoft.cli.build import build_circuit, build_parser
from fsoft.cli.stages import Stages
from fsoft.process import tools
from fsoft.program.state import Violation

SMALL = 20_000
"""AND gates up to which py-aiger, which is slow, gets the file too."""
BATCH = 1024
"""Steps that are simulated together."""
_IDLE = 12  # frames without a move after which a run ends
_FRESH = 0.9  # how often a thread is picked that is not known to be stuck
_STUCK = 0.7  # how often a thread that could not move counts as stuck after a move of another one


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
    """One step of one run: words before it, inputs, words after it, and the targets that the interpreter says were hit (None: it does not
    say)."""

    before: list[int]
    given: list[int]
    after: list[int]
    hit: set[str] | None


class Walks:
    """Random runs of one circuit. `moves` and `lost` count what they did.

    The file is compared step by step, many steps at once: if it starts where the words start, and every step from a state of the words
    leads to the next state of the words, then its runs are theirs.
    """

    def __init__(self, encoding: ProgramCircuit, exported: Exported, bits: BitModel, runs: int) -> None:
        self.encoding, self.bits, self.runs = encoding, bits, runs
        self.moves = self.lost = 0
        model = encoding.model
        self.inputs, self.input_bits = _places(exported.inputs, model.inputs)
        self.states, self.state_bits = _places(exported.states, model.states)
        self.state_names = exported.states
        self.simulator = Simulator(bits.aig, [*bits.next, *bits.targets().values()], BATCH)
        self._waiting: list[Frame] = []

    def compare(self, rng: Random, steps: int) -> None:
        """Differs or InternalError if circuit, interpreter and file are not the same."""
        lifter = Lifter(self.encoding)
        for _ in range(self.runs):
            walk = LiftWalk(lifter, {name: rng.getrandbits(width) for name, width in self.encoding.model.states.items()})
            self._start(walk)
            self._path(walk, rng, steps)
            self.lost += walk.lost
        self._file()

    def _start(self, walk: LiftWalk) -> None:
        """The file starts where the words start."""
        values = [walk.values[name] for name in self.states]
        for reset, (place, bit), name in zip(self.bits.reset, self.state_bits, self.state_names):
            if reset is not None and reset != values[place] >> bit & 1:
                raise Differs(f"the file and the circuit disagree on {name} at the start")

    def _path(self, walk: LiftWalk, rng: Random, steps: int) -> None:
        """A run of circuit and interpreter side by side. It ends when nobody has moved for a while."""
        widths = self.encoding.model.inputs
        slots = 1 << widths.get(PICK, 0)
        moves = idle = 0
        stuck: set[int] = set()
        before = [walk.values[name] for name in self.states]
        while moves < steps and idle < _IDLE and not walk.lost:
            given = {name: rng.getrandbits(rng.choice((width, min(width, 2)))) for name, width in widths.items()}
            if PICK in widths and len(stuck) < slots and rng.random() < _FRESH:
                given[PICK] = rng.choice([slot for slot in range(slots) if slot not in stuck])
            moved = walk.advance(given) is not None
            stuck = {slot for slot in stuck if rng.random() < _STUCK} if moved else stuck | {given.get(PICK, 0)}
            moves, idle = moves + moved, 0 if moved else idle + 1
            after = [walk.values[name] for name in self.states]
            self._waiting.append(Frame(before, [given[name] for name in self.inputs], after, None if walk.lost else self._hit(walk)))
            before = after
            if len(self._waiting) == BATCH:
                self._file()
        self.moves += moves

    def _hit(self, walk: LiftWalk) -> set[str]:
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

    # ------------------------------------------------------------ the file, many steps at once

    def _file(self) -> None:
        """Every waiting step is a step of the file."""
        frames, self._waiting = self._waiting, []
        if not frames:
            return
        simulator, all_frames = self.simulator, (1 << len(frames)) - 1
        before, given, after = (columns([getattr(frame, what) for frame in frames]) for what in ("before", "given", "after"))
        for literals, places, table in ((self.bits.latches, self.state_bits, before), (self.bits.inputs, self.input_bits, given)):
            for literal, (place, bit) in zip(literals, places):
                simulator.set(literal, bit_of(table[place], bit))
        simulator.run()
        for literal, (place, bit), name in zip(self.bits.next, self.state_bits, self.state_names):
            if (simulator.get(literal) ^ bit_of(after[place], bit)) & all_frames:
                raise Differs(f"the file and the circuit disagree on {name} after a step")
        self._targets(frames)

    def _targets(self, frames: list[Frame]) -> None:
        """The bads of the file are those of the interpreter; some bound holds where the interpreter has one."""
        told = sum((frame.hit is not None) << k for k, frame in enumerate(frames))
        found: dict[str, int] = {BOUND: 0}
        for name, literal in self.bits.targets().items():
            key = BOUND if name.startswith(BOUND) else name
            found[key] = found.get(key, 0) | self.simulator.get(literal)
        for name, value in found.items():
            wanted = sum((name in (frame.hit or ())) << k for k, frame in enumerate(frames))
            if (value ^ wanted) & told:
                raise Differs(f"the file and the interpreter disagree on {'a bound' if name == BOUND else f'the bad {name}'}")


def _places(names: list[str], words: dict[str, int]) -> tuple[list[str], list[tuple[int, int]]]:
    """The words that these bits belong to, and for each bit the position of its word and its number in it."""
    known = {bit: (word, i) for word, width in words.items() for i, bit in enumerate(bit_names([(word, width)]))}
    used = {word: n for n, word in enumerate(dict.fromkeys(known[name][0] for name in names))}
    return list(used), [(used[known[name][0]], known[name][1]) for name in names]


def columns(rows: list[list[int]]) -> list[list[int]]:
    """For each word its bits, lowest first, as far as any is set; bit `j` of each belongs to row `j`."""
    found = []
    for values in zip(*rows):
        width = max(values).bit_length()
        texts = [format(value, f"0{width}b") for value in reversed(values)] if width else []
        found.append([int("".join(digits), 2) for digits in zip(*texts)][::-1])
    return found


def bit_of(column: list[int], bit: int) -> int:
    return column[bit] if bit < len(column) else 0
