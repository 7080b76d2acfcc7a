"""`benchmarks/builds.py` in small: what `fsoft build` writes is what every reader reads and what the interpreter does."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from random import Random

import pytest

from benchmarks.build_check import Differs, Walks, columns, examine, same_names
from benchmarks.builds import of_table
from fsoft.ask.load import load
from fsoft.circuit.encode import ports
from fsoft.circuit.encode.encoding import ProgramCircuit, encode
from fsoft.circuit.formats.aiger_read import read_aiger
from fsoft.circuit.formats.export import Exported, Form, export

CHOSEN = (
    "mutex/peterson.c", "sync/prodcons_cond.c", "classic/account.c", "threads/nested_create.c", "locks/trylock.c", "atomics/counter.c",
    "heap/use_after_free.c", "memory/union_bytes.c", "memory/bounds.c", "checks/shift.c", "probes/halt.c", "probes/atomic_blocked.c",
)  # fmt: skip
TASKS = {task.arguments[0]: task for task in reversed(of_table())}
"""The first task of each program."""


@pytest.mark.parametrize("name", CHOSEN)
def test_build(name: str, tmp_path: Path) -> None:
    task = next(task for path, task in TASKS.items() if path.endswith("models/" + name))
    report = examine(task.arguments, task.checks, tmp_path, 20, 40)
    assert report.moves >= 20 and (tmp_path / "model.map.json").exists()


ARRAY = """int __VERIFIER_nondet_int(void);
void reach_error(void);
void __VERIFIER_atomic_swap(unsigned i);
int a[12], b[12];
void __VERIFIER_atomic_swap(unsigned i) { int x = a[i], y = a[(i + 1) % 12u]; a[i] = y; b[x & 7] = a[i]; a[(i + 1) % 12u] = x; }
void *f(void *p) { for (unsigned i = 0; i < 12; i++) { a[i] = (int)(i * 3); b[i] += a[11 - i]; } return 0; }
typedef unsigned long pthread_t;
int pthread_create(pthread_t *, void *, void *(*)(void *), void *);
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, f, 0);
  pthread_create(&u, 0, f, 0);
  __VERIFIER_atomic_swap(__VERIFIER_nondet_int() % 12u);
  if (b[__VERIFIER_nondet_int() & 7] == 77) reach_error();
  return 0;
}
"""


def circuit(folder: Path, few: int, monkeypatch: pytest.MonkeyPatch) -> tuple[ProgramCircuit, Exported]:
    monkeypatch.setattr(ports, "SHARED", few)
    path = folder / "in.c"
    path.write_text(ARRAY)
    encoding = encode(load([str(path)]))
    return encoding, export(encoding, Form("aig"))


def test_shared_ports_do_what_the_interpreter_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encoding, exported = circuit(tmp_path, 6, monkeypatch)
    walks = Walks(encoding, exported, read_aiger(exported.data), 10)
    walks.compare(Random(1), 60)
    assert walks.moves > 200
    _, alone = circuit(tmp_path, 1000, monkeypatch)
    assert exported.bits is not None and alone.bits is not None
    assert len(exported.bits.aig) < 0.7 * len(alone.bits.aig)


def test_a_wrong_file_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encoding, exported = circuit(tmp_path, 6, monkeypatch)
    bits = read_aiger(exported.data)
    same_names(bits, exported)
    with pytest.raises(Differs, match="other latches"):
        same_names(bits, dataclasses.replace(exported, states=exported.states[1:]))
    bits.next[3] ^= 1
    with pytest.raises(Differs, match="disagree on"):
        Walks(encoding, exported, bits, 5).compare(Random(1), 30)


def test_columns_are_rows_turned_over() -> None:
    assert columns([[1, 0], [2, 0], [3, 5]]) == [[0b101, 0b110], [0b100, 0, 0b100]]
