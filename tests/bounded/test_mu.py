"""Memory unwinding: what each grain can tell with how many positions, coverage, properties of states. (Agreement: `campaign.py`.)"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fsoft.ask.by_name import given_for
from fsoft.ask.encodings import answer
from fsoft.ask.load import load
from fsoft.bounded.mu import GRAINS, MOST, MuBounds, mu
from fsoft.bounded.mu_walk import StepWalk
from fsoft.bounded.sequence import READS
from fsoft.bounded.shared import written_where
from fsoft.frontend.source import InputError
from fsoft.option import BadOption
from fsoft.passes.unwind import Bounds, unwind
from fsoft.program.expr import FALSE, TRUE, Expr, const, ite, reg
from fsoft.program.options import Options
from fsoft.program.program import Program
from fsoft.program.verdict import Verdict
from tests.bounded.fewest_writes import Fewest
from tests.models.table import MODELS

HEAD = "#include <pthread.h>\n#include <assert.h>\nvoid __VERIFIER_assume(int);\nint x, y, z;\npthread_mutex_t m, k;\n"
MAIN = "int main() { pthread_t a, b; pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0); %s return 0; }\n"


def program(folder: Path, text: str, check: str = "unreach-call") -> Program:
    path = folder / "p.c"
    path.write_text(HEAD + text)
    return load([str(path)], Options(checks=frozenset({check})))


def ask(one: Program, grain: str = "fine", reads: str = "explicit", writes: int | None = None, incremental: bool = False) -> Verdict:
    return answer(one, "mu", MuBounds(writes=writes, grain=grain, reads=reads, incremental=incremental))


LOST_UPDATE = (
    """
void *f(void *a) { int t = x; x = t + 1; return 0; }
void *g(void *a) { int t = x; x = t + 1; return 0; }
"""
    + MAIN % "pthread_join(a, 0); pthread_join(b, 0); assert(x == 2);"
)


@pytest.mark.parametrize("reads", READS)
@pytest.mark.parametrize("grain", GRAINS)
def test_every_variant_finds_a_lost_update(tmp_path: Path, grain: str, reads: str) -> None:
    assert ask(program(tmp_path, LOST_UPDATE), grain, reads, incremental=True).last_line() == "FALSE(unreach-call)"


RELAY = (
    """
void *f(void *a) { x = 1; x = 2; x = 3; y = 1; return 0; }
void *g(void *a) { %s return 0; }
"""
    + MAIN % ""
)


@pytest.mark.parametrize(
    "reader, needed",
    [
        ("if (y) assert(x == 0);", {"fine": 6, "intra": 2, "inter": 1}),  # f's writes are one cluster
        ("if (x == 2) assert(y == 1);", {"fine": 4, "intra": 2, "inter": 1}),  # the cluster ends early: nobody reads what comes later
        ("if (x == 1) if (y) assert(0);", {"fine": 6, "intra": 3, "inter": 2}),  # what is read in the middle must be exposed
    ],
)
def test_how_many_positions_each_grain_needs(tmp_path: Path, reader: str, needed: dict[str, int]) -> None:
    one = program(tmp_path, RELAY % reader)
    for grain, count in needed.items():
        assert Fewest(unwind(one, Bounds(1)).program, grain).search() == count
        assert ask(one, grain, "implicit", count).kind == "FALSE"
        assert count == 1 or ask(one, grain, "implicit", count - 1).kind == "UNKNOWN"


def test_coverage(tmp_path: Path) -> None:
    safe = program(tmp_path, RELAY % "if (y) assert(x == 3);")
    short = ask(safe, "fine", "implicit", 3)
    assert short.kind == "UNKNOWN" and any(cut.kind == "writes" for cut in short.cuts)
    for grain in GRAINS:
        assert ask(safe, grain, "implicit", incremental=True).kind == "TRUE"


def test_coarse_proofs_need_only_the_clusters_that_runs_need(tmp_path: Path) -> None:
    text = "void *f(void *a) { x = 1; x = 2; x = 3; x = 4; return 0; }\n"
    safe = program(tmp_path, text + "int main() { pthread_t a; pthread_create(&a, 0, f, 0); assert(x <= 4); return 0; }\n")
    assert ask(safe, "fine", "explicit", 4).kind == "UNKNOWN"
    assert ask(safe, "inter", "explicit", 3).kind == "TRUE"


def test_what_is_taken_where_nothing_is_said(tmp_path: Path) -> None:
    unwound = unwind(program(tmp_path, LOST_UPDATE), Bounds(1))
    nothing, writes = mu(unwound, MuBounds()), mu(unwound, MuBounds(writes=3))
    assert nothing.describe() == "3 inter-thread clusters of writes (implicit reads), --unwind 2"
    assert writes.describe() == "3 writes (implicit reads), --unwind 2"
    assert (
        mu(unwound, nothing.grown(MuBounds(), ("writes",))).describe() == "4 inter-thread clusters of writes (implicit reads), --unwind 2"
    )


DEADLOCK = (
    """
void *f(void *a) { pthread_mutex_lock(&m); pthread_mutex_lock(&k); x = 1; pthread_mutex_unlock(&k); pthread_mutex_unlock(&m); return 0; }
void *g(void *a) { pthread_mutex_lock(&k); pthread_mutex_lock(&m); x = 2; pthread_mutex_unlock(&m); pthread_mutex_unlock(&k); return 0; }
"""
    + MAIN % ""
)
RACE = "void *f(void *a) { x = 1; return 0; }\nvoid *g(void *a) { x = 2; return 0; }\n" + MAIN % ""


@pytest.mark.parametrize("grain", GRAINS)
@pytest.mark.parametrize("text, check", [(DEADLOCK, "no-deadlock"), (RACE, "no-data-race")])
def test_properties_of_states(tmp_path: Path, text: str, check: str, grain: str) -> None:
    assert ask(program(tmp_path, text, check), grain, "implicit", incremental=True).last_line() == f"FALSE({check})"


LATE_ASSUME = (
    """
void *f(void *a) { x = 1; __VERIFIER_assume(z == 7); return 0; }
void *g(void *a) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); y = 1; return 0; }
"""
    + MAIN % "assert(x == 0);"
)
"""f cannot get past its assume and g waits for itself, but the assertion fails."""


class ForcedCompletion(StepWalk):
    """The defect: every thread has to come to its end."""

    def close(self) -> None:
        super().close()
        for when, location, _ in self.stays:
            if any(step.source == location for step in self.template.steps):
                self.sequence.constrain(f"completed.{self.slot}.{location}", ite(when, FALSE, TRUE))


def test_forced_completion_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = program(tmp_path, LATE_ASSUME)
    assert ask(one).kind == "FALSE"
    monkeypatch.setattr("fsoft.bounded.mu.StepWalk", ForcedCompletion)
    assert ask(one).kind != "FALSE"


def test_main_alone_needs_no_writes(tmp_path: Path) -> None:
    text = "void *f(void *a) { assert(x + y + z != 6); return 0; }\n"
    one = program(tmp_path, text + "int main() { pthread_t a; x = 1; y = 2; z = 3; pthread_create(&a, 0, f, 0); x = 0; return 0; }\n")
    assert ask(one, writes=1).kind == "FALSE"


ARRAYS = (
    """
int cells[4], i;
void *f(void *p) { cells[i] = 1; return 0; }
void *g(void *p) { i = 2; return 0; }
"""
    + MAIN % "assert(!cells[2]);"
)


@pytest.mark.parametrize("reads", READS)
def test_elements_of_arrays_share_a_column(tmp_path: Path, reads: str) -> None:
    one = program(tmp_path, ARRAYS)
    formula = mu(unwind(one, Bounds(1)), MuBounds(grain="fine", reads=reads))
    shared = [c for c in formula.sequence.columns if any("cells[" in formula.sequence.name(e) for e in c)]  # type: ignore[attr-defined]
    assert len(shared) == 1
    assert ask(one, reads=reads).kind == "FALSE"


SECTION = (
    """
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void *f(void *a) { __VERIFIER_atomic_begin(); for (int i = 0; i < y; i++) { x++; x--; } __VERIFIER_atomic_end(); return 0; }
void *g(void *a) { y = 1; return 0; }
"""
    + MAIN % "assert(x == %d);"
)


@pytest.mark.parametrize("expected, kind", [(0, "TRUE"), (1, "FALSE")])
@pytest.mark.parametrize("grain", GRAINS)
def test_nobody_sees_the_middle_of_an_atomic_section(tmp_path: Path, grain: str, expected: int, kind: str) -> None:
    one = program(tmp_path, SECTION % expected)
    assert any(location.atomic for template in one.templates() for location in template.locations)
    assert ask(one, grain, "implicit", incremental=True).kind == kind


@pytest.mark.parametrize("given", [{"writes": 0}, {"grain": "coarse"}, {"reads": "lazy"}, {"rounds": 2}])
def test_options_that_mean_nothing(given: dict[str, Any]) -> None:
    with pytest.raises(BadOption, match="the encoding mu"):
        given_for("mu", **given)


@pytest.mark.parametrize("writes", [0, MOST + 1])
def test_bounds_that_mean_nothing(tmp_path: Path, writes: int) -> None:
    with pytest.raises(InputError):
        answer(program(tmp_path, LOST_UPDATE), "mu", MuBounds(writes=writes))


def test_what_a_term_writes() -> None:
    c, d, old, new = reg("c", 1), reg("d", 1), reg("old", 8), reg("new", 8)
    rows: list[tuple[Expr, Expr, Expr]] = [
        (old, FALSE, old),
        (new, TRUE, new),
        (ite(c, new, old), c, new),
        (ite(c, ite(d, new, old), old), ite(c, d, FALSE), new),
        (ite(c, new, const(3, 8)), TRUE, ite(c, new, const(3, 8))),
    ]
    for term, when, value in rows:
        assert written_where(term, old) == (when, value)


@pytest.mark.parametrize("grain", GRAINS)
def test_two_stores_of_a_step_to_one_array(grain: str) -> None:
    """Each may write the cell that the other writes, so the two cells cannot share a column."""
    crossed = load([str(MODELS / "memory" / "crossed_cells.c")], Options())
    assert answer(crossed, "mu", MuBounds(incremental=True, grain=grain)).kind == "FALSE"
