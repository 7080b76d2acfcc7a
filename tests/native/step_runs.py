"""Single steps as machine code, on any states: what they do there, and what the generated Python does.

The states are those of some runs with registers and cells of memory changed at random, so that steps see values that no run brings.
"""

from __future__ import annotations

import random
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from fsoft.checkers.explicit.hunter import Hunter
from fsoft.checkers.explicit.search import Explorer
from fsoft.native.source import AskedProperties, Generated, generate
from fsoft.program.interpreter import Chooser
from fsoft.program.program import Program
from fsoft.program.state import Event, Vector
from fsoft.properties import monitors

MAIN = """
int main(void) {
    static Search search;
    static Worker worker;
    u64 state[WORDS + 1];
    unsigned move;
    search.workers = 1;
    if (!open_store(&search.store)) return 3;
    open_worker(&search, &worker, 0);
    while (scanf("%u", &move) == 1) {
        Worker *c = &worker;
        for (u32 k = 0; k < WORDS; k++) {
            unsigned long long word;
            if (scanf("%llx", &word) != 1) return 2;
            state[k] = word;
        }
        c->before = state;
        c->known_held = 0;
        c->picks = c->position = 0;
        if (possible(&MOVE[move], state))
            do {
                memcpy(c->next, state, sizeof(u64) * WORDS);
                int event = MOVE[move].step(c, c->next);
                if (!event) continue;
                printf("%d", event > 1);
                print_words(c->next);
            } while (advance(c));
        printf(".\\n");
    }
    return 0;
}
"""

Outcome = tuple[bool, tuple[int, ...]]
"""Whether an event stopped the thread, and the words of the state after the step."""
Case = tuple[int, Vector]
"""The number of a move, and a state."""


def prepared(program: Program) -> tuple[Explorer, Generated]:
    asked = sorted(program.checks)
    explorer = Explorer(program, asked, monitors(asked), hunts=False)
    return explorer, generate(program, AskedProperties(tuple(asked), explorer.local, explorer.order, True))


def shaken(v: Vector, generated: Generated, rng: random.Random) -> Vector:
    """The state with some values changed: live registers, cells, definedness."""
    new, packing = v[:], generated.packing
    for _ in range(rng.randrange(4)):
        index = rng.randrange(1, len(v))
        width = packing.field[index].width
        if width == 0 or index in packing.layout.pc or (packing.defined[index] is None and width < 3):
            continue
        value = rng.choice([0, 1, (1 << width) - 1, rng.getrandbits(width), v[rng.randrange(len(v))] or 0])
        new[index] = value & (1 << width) - 1 if isinstance(value, int) else 0
        if packing.defined[index] is not None and rng.random() < 0.4:
            new[index] = rng.choice([None, (rng.randrange(256), *[None] * (width // 8 - 1))]) if width > 8 else None
    return new


def cases(explorer: Explorer, generated: Generated, rng: random.Random, number: int) -> Iterator[Case]:
    """Moves of a thread, each in a state in which the thread is where the move begins."""
    states = [v for run in Hunter(explorer).runs(6, 60) for v in run]
    by_source: dict[tuple[int, int], list[int]] = {}
    for k, (slot, index) in enumerate(generated.moves):
        by_source.setdefault((slot, explorer.machine.step(slot, index).source), []).append(k)
    for _ in range(number):
        v = rng.choice(states)
        slot = rng.randrange(len(explorer.program.threads))
        moves = by_source.get((slot, v[explorer.layout.pc[slot]]), [])
        if moves:
            yield rng.choice(moves), shaken(v, generated, rng)


def expected(explorer: Explorer, generated: Generated, case: Case) -> list[Outcome] | None:
    """What the generated Python does; None if the state is too strange for it."""
    slot, index = generated.moves[case[0]]
    explorer._current = case[1]
    chooser, found = Chooser(explorer._domain), list[Outcome]()
    while True:
        v, events = case[1][:], list[Event]()
        try:
            if explorer.machine.function(slot, index)(v, chooser, events, []):
                found.append((bool(events), tuple(generated.packing.pack(v))))
        except (AttributeError, KeyError, TypeError):
            return None
        if not chooser.picks or not chooser.advance():
            return found


def made(generated: Generated, asked: list[Case]) -> list[list[Outcome]]:
    """What the machine code does."""
    text = generated.text.partition("int main(")[0] + MAIN
    lines = [f"{move} {' '.join(f'{word:x}' for word in generated.packing.pack(v))}" for move, v in asked]
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder, "steps.c"), Path(folder, "steps")
        source.write_text(text)
        subprocess.run(["cc", "-O0", "-w", "-fwrapv", "-pthread", str(source), "-o", str(program), "-lm"], check=True)
        said = subprocess.run([str(program)], input="\n".join(lines), check=True, capture_output=True, text=True).stdout
    found: list[list[Outcome]] = [[]]
    for line in said.splitlines():
        if line == ".":
            found.append([])
            continue
        event, *words = line.split()
        found[-1].append((event == "1", tuple(int(word, 16) for word in words)))
    return found[:-1]


def differences(program: Program, seed: int = 1, number: int = 400) -> list[str]:
    """Steps that do something else as machine code."""
    explorer, generated = prepared(program)
    told = [(case, expected(explorer, generated, case)) for case in cases(explorer, generated, random.Random(seed), number)]
    asked = [(case, outcomes) for case, outcomes in told if outcomes is not None]
    assert len(asked) > number // 4, "states are too strange"
    found = made(generated, [case for case, _ in asked])
    lines = []
    for (case, outcomes), mine in zip(asked, found, strict=True):
        if sorted(mine) != sorted(outcomes):
            slot, index = generated.moves[case[0]]
            lines.append(f"thread {slot}, step {index} ({explorer.machine.step(slot, index).text}): {mine}, expected {outcomes}")
    return lines
