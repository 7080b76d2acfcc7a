"""Circuits with arrays: banks of cells, the interpreter beside them, engines, files and witnesses."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import fsoft.ask.circuits as decide_module
from fsoft.ask.circuits import decide
from fsoft.ask.load import Options, load
from fsoft.circuit.bits.bitblast import bitblast
from fsoft.circuit.encode.encoding import ProgramCircuit, encode
from fsoft.circuit.encode.lift import Lifter, LiftWalk, random_walk
from fsoft.circuit.model import check_model
from fsoft.circuit.model.flatten_arrays import flatten_arrays
from fsoft.cli.main import main
from fsoft.program.program import Program
from tests.models.table import Row, rows

PREFIX = """#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
"""

KINDS = """
int buffer[64], plain[4], bytes[16];
#define text "a constant string of some length"
struct pair { int key, value; } pairs[20];
struct odd { int a, b, c; } odds[20];
int *heap;
void *writer(void *a) {
  unsigned local[16], *p = local;
  unsigned i = (unsigned)__VERIFIER_nondet_int() & 63;
  p[i & 15] = 3;
  buffer[i] = text[i & 31];
  pairs[i & 15].value = buffer[63 - i];
  odds[i & 15].b = 5;
  plain[i & 3] = 1;
  ((char *)bytes)[i & 31] = 2;
  bytes[i & 15]++;
  heap[i & 31] = 5 + p[(i + 1) & 15];
  return 0;
}
int main(void) {
  pthread_t t;
  heap = malloc(32 * sizeof(int));
  pthread_create(&t, 0, writer, 0);
  unsigned j = (unsigned)__VERIFIER_nondet_int() & 63;
  int v = buffer[j] + buffer[5];
  pairs[3].key = heap[j & 31];
  pairs[j & 15].value = odds[2].b;
  pthread_join(t, 0);
  free(heap);
  heap = calloc(32, sizeof(int));
  assert(heap[j & 31] == 0 && v != 77);
  return bytes[3];
}
"""

INDEX = """
int a[64], n;
void *w(void *x) { int i = __VERIFIER_nondet_int() & 63; a[i] = 1; n = i; return 0; }
int main(void) {
  pthread_t t; pthread_create(&t, 0, w, 0);
  int j = __VERIFIER_nondet_int() & 63;
  int v = a[j];
  assert(v == 0 || %s);
  return 0;
}
"""

UNDEFINED = """
int main(void) {
  int *p = malloc(16 * sizeof(int));
  int j = __VERIFIER_nondet_int() & 15;
  p[3] = 1;
  assert(p[j] != 1234567 || j == 3);
  return 0;
}
"""


def program(text: str, tmp_path: Path, checks: str = "unreach-call") -> Program:
    path = tmp_path / "in.c"
    path.write_text(PREFIX + text)
    return load([str(path)], Options(checks=frozenset(checks.split())))


def walks(encoding: ProgramCircuit, runs: int, steps: int = 60) -> int:
    lifter, rng = Lifter(encoding), random.Random(7)
    return sum(random_walk(lifter, rng, steps) for _ in range(runs))


def test_which_cells_become_arrays(tmp_path: Path) -> None:
    encoding = encode(program(KINDS, tmp_path), None, 16)
    names, states = sorted(encoding.words.arrays.values()), sorted(encoding.model.states)
    assert {"buffer", "pairs.value", "heap0.0"} <= set(names) and any("local" in name for name in names)
    assert not any(name.startswith(("plain", "bytes", "odds", "pairs.key")) for name in names)  # few, other sizes, stride 12, constant
    assert not [name for name in states if name.startswith("text")], "what never changes is no state"
    usual = list(encode(program(KINDS, tmp_path)).model.arrays)
    assert not usual


@pytest.mark.parametrize("checks", ["unreach-call", "valid-deref"])
def test_arrays_of_every_kind_agree_with_the_interpreter(checks: str, tmp_path: Path) -> None:
    encoding = encode(program(KINDS, tmp_path, checks), None, 16)
    check_model(encoding.model)
    moves = walks(encoding, 20)
    assert moves > 150


def test_flat_and_bits_follow_a_circuit_with_arrays(tmp_path: Path) -> None:
    """`flatten_arrays` and `bitblast` of the kept model do what it does, frame by frame, on runs of the program."""
    from fsoft.circuit.bits import pack, unpack
    from fsoft.circuit.bits.simulate import Simulator
    from fsoft.circuit.model.simulate import evaluate_all
    from fsoft.program.expr import postorder

    encoding = encode(program(KINDS, tmp_path), None, 16)
    model, rng = encoding.model, random.Random(3)
    flat, home = flatten_arrays(model)
    order, bits = postorder(tuple(flat.next.values())), bitblast(model)
    simulator = Simulator(bits.aig, bits.next, 1)
    walk = LiftWalk(Lifter(encoding), {name: rng.getrandbits(width) for name, width in model.states.items()})
    for _ in range(25):
        given = {name: rng.getrandbits(rng.choice((width, min(2, width)))) for name, width in model.inputs.items()}
        terms = evaluate_all(order, home.flat(walk.values) | home.flat(given))
        for literals, values in ((bits.latches, unpack(bits.latch_words, walk.values)), (bits.inputs, unpack(bits.input_words, given))):
            for literal, value in zip(literals, values):
                simulator.set(literal, value)
        simulator.run()
        walk.advance(given)
        assert home.values({name: terms[term] for name, term in flat.next.items()}) == walk.values
        assert pack(bits.latch_words, (simulator.get(x) for x in bits.next)) == walk.values


SMALL = ["mutex/peterson3.c", "classic/bubble_sort.c", "threads/keys.c", "threads/argument_pointer.c", "heap/aba_index.c",
         "memory/one_past.c", "memory/container_of.c", "locks/heap_handles.c", "sync/rendezvous.c"]  # fmt: skip


def row_of(name: str) -> Row:
    return next(row for row in rows() if row.program == name and row.prop in ("unreach-call", "valid-deref") and not row.options)


def loaded(row: Row) -> Program:
    return load([str(row.path)], Options(checks=frozenset({row.prop})), bits=row.bits, define=row.defines)


@pytest.mark.parametrize("name", SMALL)
def test_models_with_every_array_kept(name: str) -> None:
    encoding = encode(loaded(row_of(name)), None, 2)
    arrays, moves = list(encoding.model.arrays), walks(encoding, 4)
    assert arrays and moves > 15


KEPT = ["memory/one_past.c", "probes/shared_index.c", "memory/container_of.c valid-deref -DTOO_MUCH"]


@pytest.mark.parametrize("name", KEPT)
def test_rows_under_smt_with_arrays(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows of the table whose names begin so, with arrays of any size kept."""
    pytest.importorskip("bitwuzla")
    monkeypatch.setattr(decide_module, "LEAST", 2)
    chosen = [row for row in rows() if row.name.startswith(name) and row.prop in ("unreach-call", "valid-deref") and not row.options]
    assert chosen
    for row in chosen:
        answer = decide(loaded(row), "smt", arrays="keep").last_line()
        assert answer == row.verdict, row.name


@pytest.mark.parametrize("condition,verdict", [("j < 60", "FALSE(unreach-call)"), ("j < 64", "UNKNOWN")])
def test_engines_agree_on_an_array_of_64_cells(condition: str, verdict: str, tmp_path: Path) -> None:
    pytest.importorskip("bitwuzla")
    question = program(INDEX % condition, tmp_path)
    ways: list[tuple[str, str, dict[str, Any]]] = [("bmc", "flatten", {}), ("bmc", "keep", {}), ("smt", "keep", {"induct": False})]
    for engine, arrays, more in ways:
        answer = decide(question, engine, arrays=arrays, depth=6, **more).last_line()
        assert answer == verdict, (engine, arrays)


# ---------------------------------------------------------------- files


def run(*arguments: object) -> int:
    return main([str(a) for a in arguments])


@pytest.mark.parametrize("text", [INDEX % "j < 60", UNDEFINED])
def test_a_witness_with_arrays_reads_back(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, model, witness = tmp_path / "p.c", tmp_path / "p.btor2", tmp_path / "p.wit"
    source.write_text(PREFIX + text)
    assert run("build", source, "-o", model) == 0
    assert " array " in model.read_text() and " read " in model.read_text() and " write " in model.read_text()
    assert run("check", model, "--engine", "bmc", "--witness", witness) == 10
    if text is UNDEFINED:
        assert "[0000] " in witness.read_text()
    capsys.readouterr()
    assert run("explain", model, witness) == 10
    said = capsys.readouterr().out.splitlines()
    assert any(line.endswith("an assertion fails") for line in said) and said[-1] == "FALSE(unreach-call)"
    first = model.read_bytes()
    assert run("build", source, "-o", model) == 0 and model.read_bytes() == first


def test_flatten_leaves_no_array(tmp_path: Path) -> None:
    source = tmp_path / "p.c"
    source.write_text(PREFIX + INDEX % "j < 60")
    for suffix, word in (("btor2", " sort array "), ("smt2", "(Array ")):
        model = tmp_path / f"p.{suffix}"
        assert run("build", source, "-o", model) == 0 and word in model.read_text()
        assert run("build", source, "-o", model, "--arrays", "flatten") == 0 and word not in model.read_text()


@pytest.mark.parametrize("arguments,message", [
    (("build", "p.c", "-o", "p.aag", "--arrays", "keep"), "--arrays keep is for .btor2 and .smt2 files, not .aag"),
    (("check", "p.c", "--engine", "explicit", "--arrays", "keep"), "the engine explicit has no --arrays"),
    (("check", "p.btor2", "--arrays", "keep"), "--arrays is for C programs: a model has the arrays that its file has"),
])  # fmt: skip
def test_arrays_where_they_make_no_sense(arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*arguments) == 1
    assert capsys.readouterr().err == f"fsoft: error: {message}\n"
