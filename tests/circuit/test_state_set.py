"""The certificate of the engine `explicit`: right for what is TRUE, refused for what is not, and honest where there is none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fsoft.ask.load import load
from fsoft.checkers.cases import Circuit, satisfiable
from fsoft.checkers.certify import certify
from fsoft.checkers.explicit import Explicit
from fsoft.checkers.explicit import certificate as reached
from fsoft.checkers.explicit.reachable import TooMany, reachable
from fsoft.program.options import Options
from fsoft.program.program import Program
from fsoft.transactions import Reduction
from tests.models.table import MODELS

UNDEFINED = """#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct pair { unsigned char a, b; } *p;
void *t(void *x) { p->a = 1; return 0; }
int main(void) {
    pthread_t one;
    int rest;
    p = malloc(sizeof *p);
    pthread_create(&one, 0, t, 0);
    if (p->b > 250) rest = 1; else rest = 0;
    pthread_join(one, 0);
    assert(p->a == 1 && rest < 2);
    free(p);
    return 0;
}
"""


def program(path: Path, prop: str = "unreach-call", *define: str) -> Program:
    return load([str(path)], Options(checks=frozenset([prop])), define=define)


@pytest.mark.parametrize(
    ("name", "prop", "define"),
    [
        ("mutex/peterson.c", "unreach-call", ()),
        ("sync/prodcons_cond.c", "no-deadlock", ()),
        ("classic/account.c", "no-data-race", ()),
        ("races/matrix.c", "no-data-race", ("N=2", "COLUMNS")),
        ("threads/self_equal.c", "unreach-call", ()),
        ("daisy/seek.c", "unreach-call", ("HEAD_LOCK",)),
    ],
)
def test_true_is_certified(name: str, prop: str, define: tuple[str, ...]) -> None:
    line = reached.certified(program(MODELS / name, prop, *define))
    assert line.startswith("certified: inductive invariant: "), line


def test_memory_that_is_not_defined(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(UNDEFINED)
    assert reached.certified(program(tmp_path / "p.c")).startswith("certified: ")


def test_corrupted_certificates_are_refused() -> None:
    proof = reached.prove(program(MODELS / "mutex/peterson.c"))
    bits, good = proof.bits, proof.certificate
    assert certify(bits, good, "minisat22") is None and good.split
    assert certify(bits, replace(good, split=()), "minisat22") is None
    for wrong in (
        replace(good, model="0" * 64),
        replace(good, outputs=(good.outputs[0] ^ 1,)),
        replace(good, outputs=()),
        replace(good, clauses=good.clauses[1:] + ((good.clauses[0][0] ^ 1,),)),
        replace(good, circuit=((good.circuit[0][0] ^ 1, good.circuit[0][1]), *good.circuit[1:])),
        replace(good, split=((len(bits.latches) + len(bits.inputs),),)),
    ):
        assert certify(bits, wrong, "minisat22") is not None


def test_a_set_without_one_of_its_states_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = program(MODELS / "threads/self_equal.c")

    def fewer(given: Program, most: int) -> object:
        states = reachable(given, most)
        del states.keys[len(states.keys) // 2]
        return states

    monkeypatch.setattr(reached, "reachable", fewer)
    proof = reached.prove(asked)
    assert certify(proof.bits, proof.certificate, "minisat22") == "the invariant is not preserved by the transitions"


def test_a_violation_has_no_certificate() -> None:
    proof = reached.prove(program(MODELS / "mutex/peterson.c", "unreach-call", "SWAPPED"))
    assert certify(proof.bits, proof.certificate, "minisat22") == "the invariant does not exclude the bad"


def test_what_cannot_be_listed(tmp_path: Path) -> None:
    text = "extern int __VERIFIER_nondet_int(void);\nint x;\nint main(void) { x = __VERIFIER_nondet_int(); return x / 2; }\n"
    (tmp_path / "p.c").write_text(text)
    assert reached.certified(program(tmp_path / "p.c")).startswith("not certified: ")
    with pytest.raises(TooMany, match="more than 5 states"):
        reached.prove(program(MODELS / "mutex/peterson.c"), most=5)


def test_a_certified_verdict_relies_on_no_reduction() -> None:
    asked = program(MODELS / "mutex/peterson.c")
    verdict = Explicit().check(asked, lambda _stats: None, reduction=Reduction("cstub", "lock-pattern"))
    assert verdict.kind == "TRUE" and verdict.reasons[-1].startswith("relies on: ")
    verdict = reached.with_certificate(asked, verdict)
    assert verdict.reasons[-1].startswith("certified: ") and not any(line.startswith("relies on: ") for line in verdict.reasons)


def test_cases() -> None:
    """(a or b) and (not a or c) and not (b or c): no; without the last: yes. With every choice of leaves to split."""
    for split in ([], [[1]], [[1, 2]], [[], [3], [2, 1]]):
        for last in (False, True):
            circuit = Circuit(4, [], [], [])
            either, other = circuit.gate(3, 5) ^ 1, circuit.gate(2, 7) ^ 1
            circuit.roots = [either, other] + ([circuit.gate(5, 7)] if last else [])
            assert satisfiable(circuit, split, "minisat22") is not last
