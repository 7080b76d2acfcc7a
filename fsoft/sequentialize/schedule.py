"""Who may run in which round: `--rounds`, and `--schedule` (Lazy-CSeq, section III.B).

A schedule lists the rounds, with colons between them: `+` for all threads, or some threads with commas between them, by number or name
(main is 0, the others follow in the order of creation). Main may always run in the first round.
"""

from __future__ import annotations

from dataclasses import dataclass

from fsoft.passes.bounds import BadBound
from fsoft.program.program import Program

MOST = 1000


@dataclass(frozen=True, slots=True)
class RoundSchedule:
    """For each round the slots that may run in it, in order. `restricted`: someone is left out somewhere. `tail`: no more than that
    after the last round main has another turn."""

    rounds: tuple[tuple[int, ...], ...]
    restricted: bool = False
    tail: bool = False

    @property
    def full(self) -> int:
        """How many rounds all threads have."""
        return len(self.rounds) - self.tail

    def __str__(self) -> str:
        count = f"{self.full} round{'s' * (self.full != 1)}"
        return count + (" of the given schedule" if self.restricted else " and main once more" if self.tail else "")


def schedule_of(program: Program, rounds: int | None, text: str | None, default: int = 2, tail: bool = False) -> RoundSchedule:
    """The schedule that was asked for; a BadBound if it means nothing. `tail`: main has a turn after the rounds, to look at what the
    others have left; nearly for nothing, and often that is where the error is."""
    slots = tuple(range(len(program.threads)))
    if text is None:
        count = default if rounds is None else rounds
        if not 1 <= count <= MOST:
            raise BadBound(f"--rounds: from 1 to {MOST}, not {count}")
        tail = tail and len(slots) > 1
        return RoundSchedule((*((slots,) * count), *((slots[:1],) * tail)), tail=tail)
    parts = text.split(":")
    if rounds is not None and rounds != len(parts):
        raise BadBound(f"--schedule has {len(parts)} rounds, --rounds says {rounds}")
    if len(parts) > MOST:
        raise BadBound(f"--schedule: at most {MOST} rounds")
    chosen = [slots if part.strip() == "+" else _some(program, part) for part in parts]
    chosen[0] = tuple(sorted({0, *chosen[0]}))
    return RoundSchedule(tuple(chosen), any(one != slots for one in chosen))


def _some(program: Program, part: str) -> tuple[int, ...]:
    names = {name: t.index for t in program.threads for name in (t.name, str(t.index))}
    found = []
    if not part.strip():
        raise BadBound("--schedule: a round is empty: '+' for all, or threads with commas between them, as +:0,2:1")
    for word in part.split(","):
        if word.strip() not in names:
            known = ", ".join(f"{t.index} ({t.name})" for t in program.threads)
            raise BadBound(f"--schedule: no thread '{word.strip()}': '+' for all, or some of {known}")
        found.append(names[word.strip()])
    return tuple(sorted(set(found)))
