"""Reduced and unreduced search agree: a slice of the campaign, in the explorer and on circuits."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from fsoft.ask.load import load
from fsoft.checkers.explicit.engine import explore
from fsoft.checkers.explicit.search import Explorer
from fsoft.circuit.encode.encoding import Moves, encode
from fsoft.por.facts import StubbornFacts
from fsoft.por.stubborn import Stubborn
from fsoft.por.terms import StubbornTerms
from fsoft.program.expr import Expr, evaluate
from fsoft.program.options import Options
from fsoft.program.program import Program
from fsoft.program.run import random_values
from fsoft.transactions import Reduction, patterns
from tests.models.table import MODELS
from tests.por.campaign import CIRCUITS, KINDS, POINTERS, Campaign, flags, meetings, sections, source


@pytest.mark.parametrize("block", range(10))
def test_the_explorer_agrees_with_itself(block: int) -> None:
    """200 programs; each kind of transactions in turn."""
    tally = Campaign((KINDS[block % 3],), states=800).run(range(20 * block, 20 * block + 20))
    print("\n".join(tally.lines()))
    assert tally.wrong == []
    assert tally.strayed == 0
    assert tally.reduced.total() < 0.6 * tally.full.total()


def test_who_can_move_does_not_wait() -> None:
    """A thread outside the stubborn set, which could go on, is not taken for one that waits for its own lock."""
    program = load([str(MODELS / "locks" / "rwlock_twice.c")], Options(checks=frozenset({"no-deadlock"})))
    for kind in KINDS:
        assert explore(program, choice=Reduction("cstub", kind).choice(program)).last_line() == "TRUE"


def test_flags_agree_too() -> None:
    """Flags that are locks, or nearly; one of these programs was proved by joined steps when a lock given back counted as held."""
    tally = Campaign(("lock-pattern",), states=800, text=flags, properties=POINTERS).run(range(80, 110))
    print("\n".join(tally.lines()))
    assert tally.wrong == []
    assert len(tally.verdicts) > 1


def test_meetings_agree_too() -> None:
    """Barriers, conditions, and threads that write to the set of those who wait."""
    tally = Campaign(("lock-pattern",), states=300, text=meetings).run(range(14))
    print("\n".join(tally.lines()))
    assert tally.wrong == []
    assert len(tally.verdicts) > 3


def test_critical_sections_agree_too() -> None:
    """Locks beside their data, in arrays, as flags, tried; also with transactions as single steps."""
    tally = Campaign(("lock-pattern",), states=300, text=sections).run(range(1000, 1020))
    print("\n".join(tally.lines()))
    assert tally.wrong == []
    assert len(tally.verdicts) > 3
    assert tally.reduced["merged, lock-pattern"] < 0.5 * tally.full["merged, lock-pattern"]


def test_a_store_that_changes_nothing_still_races(tmp_path: Path) -> None:
    """y is 0 for ever; the accesses conflict all the same."""
    path = tmp_path / "p.c"
    path.write_text("""#include <pthread.h>
int x, y;
void *t(void *a) { y = x; return 0; }
int main(void) { pthread_t p, q; pthread_create(&p, 0, t, 0); pthread_create(&q, 0, t, 0); return 0; }
""")
    program = load([str(path)], Options(checks=frozenset({"no-data-race"})))
    assert explore(program, choice=Stubborn(StubbornFacts(program))).last_line() == "FALSE(no-data-race)"


STRAY = """#include <pthread.h>
#include <assert.h>
int __VERIFIER_nondet_int(void);
int x;
void *t(void *a) { int n = __VERIFIER_nondet_int(); if (n == ADDRESS) *(int *)n = 1; return 0; }
void *u(void *a) { assert(x == 0); return 0; }
int main(void) { pthread_t p, q; pthread_create(&q, 0, u, 0); pthread_create(&p, 0, t, 0); pthread_join(p, 0); x = 0; return 0; }
"""


def test_an_access_out_of_nowhere_abandons_the_reduction(tmp_path: Path) -> None:
    """An integer spells the address of x, which no pointer analysis can know."""
    path = tmp_path / "p.c"
    path.write_text(STRAY)
    program = load([str(path)], Options(), bits=32, define=("ADDRESS=0",))
    x = next(obj for obj in program.objects if obj.name == "x")
    program = load([str(path)], Options(), bits=32, define=(f"ADDRESS={program.address(x)}",))
    plain, reduced = explore(program), explore(program, choice=Stubborn(StubbornFacts(program)))
    assert plain.last_line() == reduced.last_line()
    assert reduced.reasons[-1].startswith("without reduction")


def test_engines_agree_with_the_explorer() -> None:
    """The violations of four small programs, each with one of the reductions of circuits in turn."""
    campaign = Campaign((), ("bmc", "pdr"), CIRCUITS[1:], states=400, properties=("unreach-call",), seconds=20)
    tally = campaign.run((306, 309, 317, 329))
    print("\n".join(tally.lines()))
    assert tally.wrong == []
    assert tally.decided.total() >= 6


@pytest.mark.parametrize("seed", [*range(400, 405), 505, 13])
def test_the_circuit_chooses_what_the_explorer_chooses(seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("p") / "p.c"
    path.write_text(source(seed) if seed >= 400 else meetings(seed))
    program = load([str(path)], Options(fold=seed % 5 != 0))
    assert _compared(program, KINDS[seed % 3], seed) > 20


def _compared(program: Program, kind: str, seed: int) -> int:
    """Walk at random and compare the sets in every state; the number of states."""
    facts = StubbornFacts(program, patterns(kind))
    allowed: list[Expr] = []

    def restrict(moves: Moves) -> list[Expr]:
        allowed.extend(StubbornTerms(facts, moves).allowed())
        return allowed

    names = encode(program, restrict=restrict).words.names
    choice, source_, count = Stubborn(facts), Random(seed), 0
    explorer = Explorer(program, sorted(program.checks), choice=choice, reduce=False)
    machine = explorer.machine
    for _ in range(4):
        v = machine.layout.initial()
        for _ in range(40):
            holder = machine.holder(v)
            ready = {slot: explorer._ready(v, slot) for slot in explorer.order}
            able = [slot for slot in explorer.order if any(step.enabled for step in ready[slot])]
            if v[0] or not able:
                break
            if holder is None:
                words = {name: value or 0 for name, value in zip(names, v, strict=True) if name}
                some = choice.select(v, ready, explorer.order)
                found = [slot for slot in able if evaluate(allowed[slot], lambda node, known=words: known.get(str(node.data), 0))]  # type: ignore[misc]
                assert found == (able if some is None else some)
                count += 1
            options = [(slot, s.step) for slot in (able if holder is None else [holder]) for s in ready[slot] if s.enabled]
            if not options:
                break
            slot, step = source_.choice(options)
            new = v[:]
            if machine.function(slot, step)(new, random_values(source_), [], []):
                v = new
    return count
