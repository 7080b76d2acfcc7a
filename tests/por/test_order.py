"""Peephole and monotonic reduction: the same verdicts as without, at the same depth, and fewer runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsoft.ask.circuits import decide
from fsoft.ask.load import load
from fsoft.checkers.explicit.engine import explore
from fsoft.circuit.encode.encoding import encode
from fsoft.circuit.encode.lift import Lifter, LiftWalk
from fsoft.cli.main import main
from fsoft.por.order import ORDERS, Dependence
from fsoft.program.options import Options
from fsoft.program.program import Program
from fsoft.program.verdict import Limits
from fsoft.transactions import Reduction
from tests.por.campaign import PROPERTIES, source

TWO = """
#include <pthread.h>
int x, y;
void *t(void *a) { x = 1; x = 2; x = 3; return 0; }
int main(void) { pthread_t p; pthread_create(&p, 0, t, 0); y = 1; y = 2; y = 3; pthread_join(p, 0); }
"""


def program_of(tmp_path: Path, text: str, check: str = "unreach-call", fold: bool = True) -> Program:
    path = tmp_path / "p.c"
    path.write_text(text)
    return load([str(path)], Options(checks=frozenset({check}), fold=fold))


@pytest.mark.parametrize("kind", ORDERS)
@pytest.mark.parametrize("part", range(1, 2))
def test_random_programs(tmp_path: Path, kind: str, part: int) -> None:
    decided = 0
    for seed in range(3 * part, 3 * part + 3):
        program = program_of(tmp_path, source(seed), PROPERTIES[seed % 3])
        expected = explore(program, limits=Limits(states=20_000))
        got = decide(program, "bmc", reduction=Reduction(kind), timeout=3)
        decided += got.kind != "UNKNOWN"
        assert "UNKNOWN" in (expected.kind, got.kind) or expected.last_line() == got.last_line(), seed
    print(f"{kind}: decided {decided}/3")


def _runs(program: Program, kind: str) -> int:
    """Complete runs of the circuit, counted by trying every schedule."""
    encoding = encode(program, None, 0, Reduction(kind).restrict(program))
    lifter, slots = Lifter(encoding), len(program.threads)
    name = next(name for name in encoding.model.inputs if name.startswith("schedule"))
    complete, todo = 0, list[tuple[int, ...]]([()])
    while todo:
        prefix = todo.pop()
        ends = True
        for slot in range(slots):
            walk = LiftWalk(lifter, {})
            moved = [walk.advance({name: one}) for one in (*prefix, slot)]
            if all(move is not None for move in moved):
                ends = False
                todo.append((*prefix, slot))
        complete += ends
    return complete


def test_independent_threads_have_one_run_each_way(tmp_path: Path) -> None:
    """Without reduction every way to mix them counts; monotonic leaves one."""
    program = program_of(tmp_path, TWO.replace("y = 1; y = 2; y = 3; ", "y = 1; ").replace("x = 1; x = 2; x = 3;", "x = 1;"), fold=False)
    without, peephole, monotonic = (_runs(program, kind) for kind in ("none", *ORDERS))
    assert monotonic <= peephole < without


def test_depth_is_kept(tmp_path: Path) -> None:
    text = TWO.replace("int x", "#include <assert.h>\nint x").replace("pthread_join(p, 0);", "assert(x < 2);")
    program = program_of(tmp_path, text)
    depths = {kind: decide(program, "bmc", reduction=Reduction(kind)).stats.depth for kind in ("none", *ORDERS)}
    assert len(set(depths.values())) == 1, depths


def test_a_dependence_that_is_overlooked_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The seeded defect: writes do not count."""
    text = TWO.replace("int x", "#include <assert.h>\nint x").replace("y = 3; pthread_join(p, 0);", "x = 0; assert(x == 0);")
    program = program_of(tmp_path, text)
    assert decide(program, "bmc", reduction=Reduction("monotonic"), timeout=20).kind == "FALSE"
    monkeypatch.setattr(Dependence, "__call__", lambda *_: False)
    assert decide(program, "bmc", reduction=Reduction("monotonic"), timeout=5, depth=14).kind != "FALSE"


def test_only_for_circuits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "p.c"
    path.write_text("int main(void) { return 0; }")
    assert main(["check", str(path), "--engine", "explicit", "--por", "monotonic"]) == 1
    assert "circuit" in capsys.readouterr().err
    assert main(["check", str(path), "--engine", "bmc", "--por", "peephole", "--transactions", "lockset"]) == 1
