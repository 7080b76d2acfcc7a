"""The judge of proofs for any number of threads accepts what is inductive and refuses everything else."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsoft.parametric import Proof, System, ThreadClause, refuted, text_of
from fsoft.program.expr import const, eq, negate, reg
from tests.parametric.programs import LOCKED, UNLOCKED, attempt, system_in


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> tuple[System, Proof]:
    system = system_in(tmp_path_factory.mktemp("locked"), LOCKED)
    proof = attempt(system)
    assert isinstance(proof, Proof)
    return system, proof


def test_a_proof_is_accepted_and_can_be_read(found: tuple[System, Proof]) -> None:
    system, proof = found
    assert refuted(system, proof.clauses) is None
    assert any("i: worker" in text_of(system, clause) for clause in proof.clauses)


def test_no_proof_of_something_wrong(tmp_path: Path) -> None:
    assert refuted(system_in(tmp_path, UNLOCKED), ()) is not None


def test_nothing_proves_nothing(found: tuple[System, Proof]) -> None:
    assert "leads out" in (refuted(found[0], ()) or "")


def test_what_does_not_hold_initially_is_refused(found: tuple[System, Proof]) -> None:
    system, proof = found
    x = next(name for name in system.shared if name == "x")
    wrong = ThreadClause((), (), (negate(eq(system.word(x), const(0, system.widths[x]))),))
    assert refuted(system, (*proof.clauses, wrong)) == "it does not hold initially"


def test_what_is_not_inductive_is_refused(found: tuple[System, Proof]) -> None:
    system, proof = found
    always = ThreadClause((), (), (eq(system.word("x"), const(0, system.widths["x"])),))
    assert "leads out" in (refuted(system, (*proof.clauses, always)) or "")


def test_a_clause_about_strangers_is_refused(found: tuple[System, Proof]) -> None:
    system, proof = found
    assert refuted(system, (*proof.clauses, ThreadClause((1,), (0,), (reg("j.1", 1),)))) is not None
    assert refuted(system, (*proof.clauses, ThreadClause((1, 1, 1), (0, 0, 0), ()))) is not None
