"""Every pass keeps what can be observed: violations, kinds of stops, memory in complete final states. On random programs."""

from __future__ import annotations

import pytest

from fsoft.passes import PIPELINE, Atomic, Dead, Fold, Known, Pass, Settled, Simplify, run
from fsoft.program.legal import check_legal
from fsoft.program.program import Program
from tests.passes.mutants import assume_in_guard
from tests.passes.programs import Random, Seen, explore

STATES = 2500
SEEDS = range(36)
CHAINS: dict[str, list[Pass]] = {
    "simplify": [Simplify()],
    "settled": [Settled()],
    "known": [Known()],
    "atomic": [Atomic()],
    "dead": [Dead()],
    "fold": [Fold()],
    "atomic, fold": [Atomic(), Fold()],
    "all": PIPELINE,
}


def after(program: Program, chain: list[Pass]) -> Program:
    for one in chain:
        program = one.apply(program)
        check_legal(program)
    return program


def same(a: Seen, b: Seen) -> bool:
    return (a.violations, a.halts, a.finals) == (b.violations, b.halts, b.finals)


@pytest.mark.parametrize("seed", SEEDS)
def test_passes_keep_what_can_be_observed(seed: int) -> None:
    program = Random(seed).make()
    before = explore(program, STATES)
    if before is None:
        pytest.skip("too many states")
    for name, chain in CHAINS.items():
        result = explore(after(program, chain), 2 * STATES)
        assert result is not None and same(before, result), name


def test_the_mix_is_honest() -> None:
    """A good share of the programs violate something, a good share do not, and folding saves most states."""
    seen = [(explore(p, STATES), explore(after(p, PIPELINE), 2 * STATES)) for p in (Random(seed).make() for seed in SEEDS)]
    pairs = [(a, b) for a, b in seen if a is not None and b is not None]
    violating = sum(bool(a.violations) for a, _ in pairs)
    assert len(pairs) * 0.2 <= violating <= len(pairs) * 0.8
    assert sum(b.states for _, b in pairs) < 0.4 * sum(a.states for a, _ in pairs)


def test_an_assume_folded_into_a_guard_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The seeded defect must show in a campaign of this size."""
    assume_in_guard(monkeypatch)
    caught = 0
    for seed in SEEDS:
        program = Random(seed).make()
        before = explore(program, STATES)
        result = explore(run(program), 2 * STATES) if before is not None else None
        caught += before is not None and result is not None and not same(before, result)
    assert caught >= 3


def test_passes_are_deterministic() -> None:
    def shape(seed: int) -> list[object]:
        program = after(Random(seed).make(), PIPELINE)
        return [(s.source, s.target, str(s.guard), str(s.actions), s.tags) for t in program.templates() for s in t.steps]

    for seed in range(5):
        assert shape(seed) == shape(seed)
