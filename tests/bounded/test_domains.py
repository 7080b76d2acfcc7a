"""What shared entries can hold: small, and never too small. `python -m tests.bounded.test_domains N` is the campaign."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from fsoft.ask.load import load
from fsoft.bounded.common import common_of
from fsoft.bounded.domains import WordDomain
from fsoft.circuit.encode.steps import VectorWords
from fsoft.passes.unwind import Bounds, Unwound, unwind
from fsoft.program.expr import evaluate, reg
from fsoft.program.inputs import Sampler
from fsoft.program.interpreter import Machine
from fsoft.program.options import Options
from tests.fuzz.concurrent import Generator

PROGRAM = """
#include <pthread.h>
pthread_mutex_t m; int flag, count, mixed, *where, left, right; unsigned seen;
int __VERIFIER_nondet_int(void);
void *f(void *a) {
  pthread_mutex_lock(&m); count++; flag = 1; pthread_mutex_unlock(&m);
  where = &left; if (mixed == 3) seen |= 4; return 0; }
void *g(void *a) {
  pthread_mutex_lock(&m); count++; pthread_mutex_unlock(&m);
  where = &right; seen |= seen << count; mixed = __VERIFIER_nondet_int();
  if (flag) seen &= mixed; return 0; }
int main(void) {
  pthread_t a, b; pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);
  return *where + mixed + seen + flag + count; }
"""


def _domains(unwound: Unwound) -> dict[str, WordDomain]:
    common, words = common_of(unwound), common_of(unwound).ground().words
    return {words.names[k]: common.domains.of(k) for k in range(len(words.names)) if common.shared.mask >> k & 1}


def test_domains_are_small(tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text(PROGRAM)
    found = _domains(unwind(load([str(path)], Options())))
    assert found["m.__owner"].values == (0, 2, 3)
    assert found["flag"].values == (0, 1) and found["flag"].bits == 1
    assert found["count"].values == (0, 1, 2), "two steps increase it"
    assert found["where"].bits == 2, "no address, or one of two"
    assert found["mixed"].values is None and found["mixed"].bits == 32


def test_a_guess_can_be_every_value() -> None:
    for values, mask in (((0, 1, 2), 3), ((0, 7, 1 << 20, 1 << 30), 7 | 1 << 20 | 1 << 30), ((5, 6), 7), (None, 0b1010)):
        domain = WordDomain(32, values, mask)
        word = domain.decoded(reg("guess", domain.bits))
        got = {evaluate(word, lambda _node, k=k: k) for k in range(1 << domain.bits)}
        assert got >= set(values if values is not None else (0, 2, 8, 10)) and word.width == 32


def outside(seed: int, folder: Path, most: int = 2000) -> tuple[int, list[str]]:
    """How many states of a random program were looked at, and the entries that hold in one of them what their domains do not have."""
    path = folder / "p.c"
    path.write_text(Generator(seed, small=True).program())
    unwound = unwind(load([str(path)], Options()), Bounds(unwind=2))
    common, machine = common_of(unwound), Machine(unwound.program)
    sampler, words = Sampler(unwound.program), VectorWords(unwound.program, machine.layout)
    shared = [k for k in range(len(words.names)) if common.shared.mask >> k & 1]
    todo, wrong = [machine.initial()], []
    seen = set(todo)
    while todo and len(seen) < most:
        state = todo.pop()
        for k in shared:
            value, domain = state[k], common.domains.of(k)
            values = domain.values
            if isinstance(value, int) and ((values is not None and value not in values) or value & ~domain.mask):
                wrong.append(f"seed {seed}: {words.names[k]} is {value}, not one of {values}, {domain.mask:#x}")
        for slot in machine.movable(state):
            for index in machine.outgoing(slot, state[machine.layout.pc[slot]]):
                for _, after, _ in machine.successors(state, slot, index, sampler):
                    if after not in seen:
                        seen.add(after)
                        todo.append(after)
    return len(seen), wrong


@pytest.mark.parametrize("first", [700, 710])
def test_no_state_is_outside(first: int, tmp_path: Path) -> None:
    for seed in range(first, first + 3):
        assert outside(seed, tmp_path, 250)[1] == []


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as place:
        rows = [outside(seed, Path(place)) for seed in range(int(sys.argv[1]))]
    bad = [line for _, lines in rows for line in lines]
    print(f"{len(rows)} programs, {sum(count for count, _ in rows)} states, {len(bad)} values outside", *bad, sep="\n")
    sys.exit(bool(bad))
