"""Frames that know which values words can have by then: the same answers, fewer clauses, and never a value that a run reaches left out."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import fsoft.checkers.bmc as bmc
import fsoft.checkers.frames as frames
from fsoft.ask.circuits import decide
from fsoft.ask.load import load
from fsoft.checkers.frames import FrameValues
from fsoft.circuit.bits import BitStimulus
from fsoft.circuit.bits.bitblast import bitblast
from fsoft.circuit.bits.simulate import run_bits
from fsoft.circuit.bits.unroll import influence
from fsoft.circuit.bits.word_tables import narrow_words
from fsoft.cli.main import main
from fsoft.program.options import Options
from fsoft.solve.sat import Sat
from fsoft.transactions import Reduction
from tests.circuit.random_models import random_model

ACCOUNT = Path(__file__).parents[2] / "models" / "classic" / "account.c"


def test_every_value_of_a_run_is_foreseen() -> None:
    """On random models with constraints: a run that keeps them has only values of the masks."""
    rng, seen = random.Random(3), 0
    for _ in range(60):
        bits = bitblast(random_model(rng))
        words = narrow_words(bits, influence(bits, bits.property_literals()))
        if not words:
            continue
        values = FrameValues(bits, words)
        for _ in range(4):
            initial = tuple(rng.randrange(2) if reset is None else reset for reset in bits.reset)
            run = BitStimulus(initial, tuple(tuple(rng.randrange(2) for _ in bits.inputs) for _ in range(6)))
            rows = run_bits(bits, run, [*bits.latches, *bits.constraints.values()])
            for k, row in enumerate(rows):
                masks = values.after(k)
                assert masks is not None
                for word, mask in zip(words, masks):
                    assert mask >> sum(row[i] << n for n, i in enumerate(word.latches)) & 1
                    seen += mask != word.every
                if not all(row[len(bits.latches) :]):
                    break
        values.close()
    assert seen > 100  # the masks say something


def _asked(monkeypatch: pytest.MonkeyPatch, text: str, reduction: Reduction, depth: int, tmp_path: Path, **options: Any) -> tuple[str, int]:
    """The last line of bmc, and how many clauses it took."""
    count = 0

    class Counting(Sat):
        def __init__(self, name: str) -> None:
            super().__init__(name)
            inner = self.add

            def add(clause: list[int]) -> None:
                nonlocal count
                count += 1
                inner(clause)

            self.add = add

    monkeypatch.setattr(bmc, "Sat", Counting)
    path = tmp_path / "p.c"
    path.write_text(text)
    verdict = decide(load([str(path)], Options()), "bmc", reduction=reduction, depth=depth, complete=False, **options)
    return f"{verdict.last_line()} {verdict.stats.depth}", count


@pytest.mark.parametrize("por", ["none", "cstub"])
@pytest.mark.parametrize("wrong", [False, True])
def test_fewer_clauses_and_the_same_answer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, por: str, wrong: bool) -> None:
    text = ACCOUNT.read_text()
    if wrong:
        text = "#define UNLOCKED\n" + text
    with_them, few = _asked(monkeypatch, text, Reduction(por), 12, tmp_path)
    without, many = _asked(monkeypatch, text, Reduction(por), 12, tmp_path, frames=False)
    assert with_them == without
    assert few < 0.95 * many


def test_a_value_that_is_left_out_is_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The seeded defect: no value is ever new after the third step."""
    text = "#define UNLOCKED\n" + ACCOUNT.read_text()
    right, _ = _asked(monkeypatch, text, Reduction(), 20, tmp_path)
    after = FrameValues.after
    monkeypatch.setattr(FrameValues, "after", lambda self, frame: after(self, min(frame, 3)))
    assert _asked(monkeypatch, text, Reduction(), 20, tmp_path)[0] != right


def test_too_many_questions_give_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    right, few = _asked(monkeypatch, ACCOUNT.read_text(), Reduction(), 8, tmp_path)
    monkeypatch.setattr(frames, "_WORK", 6000)
    monkeypatch.setattr(frames, "_VALUES", 4)
    found, many = _asked(monkeypatch, ACCOUNT.read_text(), Reduction(), 8, tmp_path)
    assert found == right
    assert many > few


def test_the_option(capsys: pytest.CaptureFixture[str]) -> None:
    question = ["check", str(ACCOUNT), "--depth", "4", "--no-trace", "--no-frames"]
    assert main([*question, "--engine", "bmc"]) == 5
    assert main([*question[:2], "--no-frames", "--engine", "pdr"]) == 1
    assert "pdr has no --frames" in capsys.readouterr().err
