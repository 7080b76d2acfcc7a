"""Derived locks: which flags count, and what they are worth."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsoft.ask.load import load
from fsoft.checkers.explicit.engine import explore
from fsoft.por.facts import StubbornFacts
from fsoft.por.stubborn import Stubborn
from fsoft.program.options import Options
from fsoft.program.program import Program
from fsoft.transactions import patterns
from tests.por.defects import DERIVED


def loaded(folder: Path, statement: str) -> Program:
    path = folder / "p.c"
    path.write_text(DERIVED.replace("int x;", "int x, chosen;").replace("STATEMENT", statement))
    return load([str(path)], Options())


@pytest.mark.parametrize(
    ("statement", "count"),
    [
        ("", 1),
        ("acquire(i); release(i);", 2),
        ("{ int n = chosen; acquire(n); release(n); chosen = 1; }", 2),  # known by the register that keeps what was read
        ("acquire(chosen); release(chosen); chosen = 1;", 0),  # read twice: not certainly the same
        ("if (i) locks[0].held = 0;", 0),  # cleared by somebody else
        ("if (i == 2) release(0);", 0),  # cleared without having been set
        ("pthread_mutex_lock(&locks[0].token); locks[0].held = 1; pthread_mutex_unlock(&locks[0].token); release(0);", 0),  # not when free
        ("if (!locks[0].held) locks[0].held = 1; release(0);", 0),  # without the token
        ("pthread_mutex_lock(&locks[1].token); if (!locks[0].held) locks[0].held = 1; pthread_mutex_unlock(&locks[1].token);", 0),
    ],
)
def test_which_flags_are_locks(tmp_path: Path, statement: str, count: int) -> None:
    assert StubbornFacts(loaded(tmp_path, statement)).derived.bit_count() == count


def test_a_derived_lock_saves_interleavings(tmp_path: Path) -> None:
    program = loaded(tmp_path, "acquire(i); release(i);")
    plain = explore(program, choice=Stubborn(StubbornFacts(program)))
    locked = explore(program, choice=Stubborn(StubbornFacts(program, patterns("lock-pattern"))))
    assert plain.last_line() == locked.last_line() == explore(program).last_line() == "TRUE"
    assert locked.stats.transitions < 0.9 * plain.stats.transitions
