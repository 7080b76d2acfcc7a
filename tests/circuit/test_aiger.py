"""AIGER written and read: round trips, other tools, hostile files."""

from __future__ import annotations

import random
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from fsoft.circuit.bits import BitModel, BitStimulus
from fsoft.circuit.bits.bitblast import bitblast
from fsoft.circuit.bits.simulate import run_bits
from fsoft.circuit.bits.transform import fold_constraints, original_run, zero_resets
from fsoft.circuit.formats.aiger_read import read_aiger
from fsoft.circuit.formats.aiger_write import write_aiger
from fsoft.frontend.source import InputError
from tests.circuit.random_models import random_model

ABC = shutil.which("berkeley-abc") or shutil.which("abc") or shutil.which("yosys-abc")


def some_bits(seed: int) -> BitModel:
    rng = random.Random(seed)
    bits = bitblast(random_model(rng))
    if seed % 3 == 0:
        bits.bounds = {"loop": bits.next[0]}
    if seed % 4 == 0:
        bits.justice = {"live": (bits.next[0], bits.bad["bad0"] ^ 1)}
        bits.fairness = {"fair": bits.next[-1] ^ 1}
    return bits


def random_run(bits: BitModel, rng: random.Random, length: int = 10) -> BitStimulus:
    initial = tuple(rng.getrandbits(1) if r is None else r for r in bits.reset)
    return BitStimulus(initial, tuple(tuple(rng.getrandbits(1) for _ in bits.inputs) for _ in range(length)))


def same_behaviour(a: BitModel, b: BitModel, rng: random.Random) -> None:
    run = random_run(a, rng)
    watch_a = [*a.latches, *a.property_literals()]
    watch_b = [*b.latches, *b.property_literals()]
    assert run_bits(a, run, watch_a) == run_bits(b, run, watch_b)


@pytest.mark.parametrize("binary", [False, True])
def test_round_trip(binary: bool) -> None:
    rng = random.Random(3)
    for seed in range(60):
        bits = some_bits(seed)
        data = write_aiger(bits, binary, comment="a comment\nof two lines")
        assert data == write_aiger(bits, binary, comment="a comment\nof two lines")
        again = read_aiger(data)
        assert write_aiger(again, binary, comment="a comment\nof two lines") == data
        assert (again.input_words, again.latch_words, again.reset) == (bits.input_words, bits.latch_words, bits.reset)
        assert list(again.bad) == list(bits.bad) and list(again.bounds) == list(bits.bounds)
        same_behaviour(bits, again, rng)


def test_binary_and_ascii_mean_the_same() -> None:
    for seed in range(30):
        bits = some_bits(seed)
        assert write_aiger(read_aiger(write_aiger(bits, True)), False) == write_aiger(bits, False)


def test_gates_in_any_order() -> None:
    text = b"aag 5 2 0 1 3\n2\n4\n10\n10 8 6\n8 2 5\n6 4 3\ni0 a\ni1 b\no0 same\n"
    bits = read_aiger(text)
    assert list(bits.bad) == ["same"] and bits.input_words == [("a", 1), ("b", 1)]


def test_resets() -> None:
    bits = read_aiger(b"aag 3 0 3 1 0\n2 4\n4 6 1\n6 2 6\n2\n")
    assert bits.reset == [0, 1, None]
    assert write_aiger(bits, version="1.0").startswith(b"aag 3 0 3 1 0\n2 4\n4 6 1\n6 2 6\n2\n")


def test_transformations_keep_the_runs() -> None:
    rng = random.Random(5)
    for seed in range(60):
        bits = replace(some_bits(seed), justice={}, fairness={})
        plain = zero_resets(fold_constraints(bits))
        assert not plain.constraints and not any(plain.reset)
        run = random_run(plain, rng)
        home = original_run(bits, run)
        rows = run_bits(bits, home, [*bits.targets().values(), *bits.constraints.values()])
        got = run_bits(plain, run, list(plain.targets().values()))
        count = len(bits.targets())
        held = True
        for row, other in zip(rows, got):
            held = held and all(row[count:])
            assert other == [x & held for x in row[:count]]


@pytest.mark.skipif(ABC is None, reason="berkeley-abc is not installed")
def test_abc_reads_and_simplifies(tmp_path: Path) -> None:
    """ABC reads the binary form, writes it again, and our reader sees the same behaviour."""
    rng = random.Random(9)
    for seed in range(12):
        bits = some_bits(seed)
        plain = zero_resets(fold_constraints(replace(bits, justice={}, fairness={})))
        if not plain.inputs:
            continue
        (tmp_path / "m.aig").write_bytes(write_aiger(plain, True))
        command = f"read {tmp_path}/m.aig; strash; write_aiger -s {tmp_path}/out.aig"
        done = subprocess.run([str(ABC), "-c", command], capture_output=True, text=True, timeout=60)
        assert (tmp_path / "out.aig").exists(), done.stdout
        again = read_aiger((tmp_path / "out.aig").read_bytes())
        assert len(again.inputs) == len(plain.inputs) and len(again.latches) == len(plain.latches)
        run = random_run(plain, rng)
        assert run_bits(plain, run, list(plain.targets().values())) == run_bits(again, run, list(again.targets().values()))


HOSTILE = [
    (b"", "starts with neither"),
    (b"hello\n", "starts with neither"),
    (b"aag 1 1\n2\n", "header"),
    (b"aag x 1 0 0 0\n2\n", "header"),
    (b"aag -1 1 0 0 0\n2\n", "header"),
    (b"aag 99999999999 1 0 0 0\n2\n", "maximum"),
    (b"aag 999999999999 1 0 0 0\n2\n", "header"),
    (b"aag 1 2 0 0 0\n2\n4\n", "does not fit"),
    (b"aag 1000000 1 0 0 0\n2\n", "out of proportion"),
    (b"aig 1000000000 1000000000 0 0 0\n", "out of proportion"),
    (b"aag 4000 0 0 0 4000\n", "too early"),
    (b"aag 1 1 0 0 0\n", "too early"),
    (b"aag 1 1 0 1 0\n2\n", "too early"),
    (b"aag 1 1 0 0 0\n3\n", "positive"),
    (b"aag 2 2 0 0 0\n2\n2\n", "twice"),
    (b"aag 2 1 1 0 0\n2\n4 2 7\n", "reset"),
    (b"aag 2 1 1 1 0\n2\n4 2 0\n9\n", "beyond"),
    (b"aag 3 1 1 1 0\n2\n4 2 0\n6\n", "not defined"),
    (b"aag 2 1 0 0 1\n2\n4 4 2\n", "depends on itself"),
    (b"aag 3 1 0 0 2\n2\n4 6 2\n6 4 2\n", "depends on itself"),
    (b"aag 4 1 0 0 1\n2\n4 8 2\n", "not defined"),
    (b"aag 1 1 0 0 0\n2\nq0 x\n", "symbol"),
    (b"aag 1 1 0 0 0\n2\ni7 x\n", "names nothing"),
    (b"aag 1 1 0 0 0\n2\ni0 x\ni0 y\n", "twice"),
    (b"aag 1 1 0 0 0\n2\ni0 \xff\n", "not text"),
    (b"aag 1 1 0 0 0 0 0 1\n2\n999999\n1\n", "do not fit"),
    (b"aig 2 1 0 0 1\n\x00\x00", "corrupt"),
    (b"aig 2 1 0 0 1\n\x80\x80", "too early"),
    (b"aig 2 1 0 0 1\n\xff\xff\xff\xff\xff\xff\xff\x01\x01", "corrupt"),
]


@pytest.mark.parametrize("data,word", HOSTILE)
def test_hostile_files(data: bytes, word: str) -> None:
    with pytest.raises(InputError, match=word) as caught:
        read_aiger(data, "m.aag")
    assert str(caught.value).startswith("m.aag") and "\n" not in str(caught.value)


def test_truncated_and_corrupted_files_never_crash() -> None:
    rng = random.Random(1)
    for seed in range(8):
        for binary in (False, True):
            data = write_aiger(some_bits(seed), binary)
            for _ in range(150):
                broken = bytearray(data[: rng.randrange(len(data))] if rng.random() < 0.4 else data)
                for _ in range(rng.randrange(4)):
                    if broken:
                        broken[rng.randrange(len(broken))] = rng.getrandbits(8)
                try:
                    read_aiger(bytes(broken))
                except InputError:
                    pass
