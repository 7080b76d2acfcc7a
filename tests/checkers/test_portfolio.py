"""The portfolio: contradictions are noticed and their evidence is kept, proofs are certified, losers are ended and reaped."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import pytest

import fsoft.checkers.registry as registry
from fsoft.checkers.portfolio import Portfolio
from fsoft.checkers.registry import ModelEngine
from fsoft.checkers.safety import EngineCall, Excluded, Goal, Open, SafetyEngine, TargetOutcome, invariant
from fsoft.circuit.bits.bitblast import bitblast
from fsoft.circuit.bits.simulate import confirm
from fsoft.circuit.formats.aiger_read import read_aiger
from fsoft.circuit.formats.aiger_write import write_aiger
from fsoft.circuit.formats.witness import read_stimulus
from fsoft.circuit.model.verdict import Answer, Proved, Stimulus, Unknown, Violated
from fsoft.cli.main import main
from fsoft.process.tools import ExternalTool, run
from fsoft.program.verdict import InternalError
from tests.checkers.test_engines import counter

UNSAFE = counter(5, 4, 9)  # 'bad' holds after 4 steps
SAFE = counter(5, 9, 8)


@dataclass(slots=True)
class Fake(SafetyEngine):
    """An engine that does what its function says."""

    work: Callable[[Goal], TargetOutcome] = field(default=lambda goal: Open("nothing"))

    def solve(self, goal: Goal) -> TargetOutcome:
        return self.work(goal)


Register = Callable[[str, Callable[[], SafetyEngine]], None]


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Iterator[Register]:
    """Registers an engine of that name for the length of a test."""

    def add(name: str, make: Callable[[], SafetyEngine]) -> None:
        module = ModuleType(f"tests.checkers.fake_{name}")
        module.ENGINE = ModelEngine(name, "a fake", True, True, make)  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, module.__name__, module)
        monkeypatch.setitem(registry._MODULES, name, module.__name__)

    yield add


def children() -> bool:
    """Whether this process has a child, dead or alive."""
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return False
    return True


def trusting(goal: Goal) -> TargetOutcome:
    return Excluded(None, "a crystal ball")


def folder(message: str) -> Path:
    return Path(message.rpartition(" kept in ")[2])


def test_a_proof_and_a_counterexample_contradict_each_other(register: Register, tmp_path: Path) -> None:
    register("dreamer", lambda: Fake(trusting))
    with pytest.raises(InternalError, match=r"dreamer.* nothing is reachable.* bmc.* 'bad' holds after 4 steps|bmc.*dreamer") as caught:
        Portfolio(engines=("dreamer", "bmc"), every=True, keep=str(tmp_path)).check(UNSAFE)
    kept = folder(str(caught.value))
    assert kept.parent == tmp_path and len(list(kept.iterdir())) == 3
    bits = read_aiger((kept / "model.aig").read_bytes(), "model.aig")
    (witness,) = kept.glob("*.bmc.witness")
    stimulus, target = read_stimulus(witness.read_text(), bits)
    assert target == 0 and confirm(bits, stimulus, next(iter(bits.bad.values()))) is None
    (claim,) = kept.glob("*.dreamer.json")
    assert json.loads(claim.read_text())["trusted"][0]["whom"] == "a crystal ball"
    assert not children()


def test_evidence_never_replaces_evidence(register: Register, tmp_path: Path) -> None:
    register("dreamer", lambda: Fake(trusting))
    for _ in range(2):
        with pytest.raises(InternalError):
            Portfolio(engines=("dreamer", "bmc"), every=True, keep=str(tmp_path)).check(UNSAFE)
    assert len(list(tmp_path.iterdir())) == 2
    (tmp_path / "file").touch()
    with pytest.raises(InternalError, match=r"contradict.*could not be kept"):
        Portfolio(engines=("dreamer", "bmc"), every=True, keep=str(tmp_path / "file")).check(UNSAFE)


def test_a_depth_that_another_engine_refutes_is_a_contradiction(register: Register, tmp_path: Path) -> None:
    def boast(goal: Goal) -> TargetOutcome:
        goal.cover(7)
        return Open("tired")

    register("boaster", lambda: Fake(boast))
    with pytest.raises(InternalError, match="boaster says that no bad is reachable within 7 steps, but bmc"):
        Portfolio(engines=("boaster", "bmc"), jobs=1, keep=str(tmp_path)).check(UNSAFE)


def test_a_reachable_bound_contradicts_a_proof(register: Register, tmp_path: Path) -> None:
    register("dreamer", lambda: Fake(trusting))
    with pytest.raises(InternalError, match="the bound 'loop' is reachable"):
        Portfolio(engines=("dreamer", "pdr"), every=True, keep=str(tmp_path)).check(counter(5, 9, 3))


def test_a_wrong_certificate_is_refused_and_kept(register: Register, tmp_path: Path) -> None:
    register("liar", lambda: Fake(lambda goal: invariant([(0,)])))
    for bad in (None, "bad"):
        with pytest.raises(InternalError, match="the certificate of the engine liar is refused: the invariant") as caught:
            Portfolio(engines=("liar",), keep=str(tmp_path)).check(UNSAFE, bad=bad)
        (kept,) = folder(str(caught.value)).glob("*.json")
        assert json.loads(kept.read_text())["certificates"][0]["clauses"]


@dataclass(slots=True)
class Forger(SafetyEngine):
    """Answers without asking anybody."""

    def answer(self, question: EngineCall) -> Answer:
        return Violated(Stimulus({}, ({}, {})), 1, "bad")


def test_a_counterexample_that_does_not_simulate_is_refused(register: Register, tmp_path: Path) -> None:
    register("forger", Forger)
    with pytest.raises(InternalError, match="the counterexample of the engine forger is refused: the bad does not hold"):
        Portfolio(engines=("forger",), keep=str(tmp_path)).check(UNSAFE)


def test_a_contradiction_ends_the_command_with_6(
    register: Register, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    register("dreamer", lambda: Fake(trusting))
    model = tmp_path / "model.aig"
    model.write_bytes(write_aiger(bitblast(UNSAFE), binary=True))
    monkeypatch.chdir(tmp_path)
    command = ["check", "model.aig", "--engine", "portfolio", "--engines", "dreamer,bmc", "--every"]
    assert main(command) == 6
    assert "kept in ./fsoft-evidence-" in capsys.readouterr().err
    assert len(list(tmp_path.glob("fsoft-evidence-*"))) == 1
    assert main([*command, "--keep", "elsewhere"]) == 6
    assert len(list(tmp_path.glob("elsewhere/fsoft-evidence-*"))) == 1


def test_what_is_only_trusted_is_said(register: Register, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    register("dreamer", lambda: Fake(trusting))
    model = tmp_path / "model.aig"
    model.write_bytes(write_aiger(bitblast(SAFE), binary=True))
    assert main(["check", str(model), "--engine", "portfolio", "--engines", "dreamer"]) == 0
    assert "uncertified: trusts a crystal ball" in capsys.readouterr().out
    assert main(["check", str(model), "--engine", "portfolio", "--engines", "nobody"]) == 1
    assert main(["check", str(model), "--engine", "portfolio", "--engines", "portfolio"]) == 1
    assert main(["check", str(model), "--engine", "bmc", "--every"]) == 1


def test_engines_that_agree_may_all_finish() -> None:
    answer = Portfolio(every=True).check(SAFE)
    assert isinstance(answer, Proved) and answer.certificates
    found = Portfolio(every=True).check(UNSAFE)
    assert isinstance(found, Violated) and found.depth == 4
    assert not children()


def gone(pid: int) -> bool:
    """Whether the process is no more (an orphan waits a moment for whoever adopts it)."""
    for _ in range(200):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


def test_losers_and_what_they_started_are_ended_and_reaped(register: Register, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "fsoft-test-sleeper"
    script.write_text('#!/bin/sh\necho $$ > "$1.part"\nmv "$1.part" "$1"\nexec sleep 600\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    started = tmp_path / "pid"

    def sleep(goal: Goal) -> TargetOutcome:
        run(ExternalTool("sleeper", (script.name,), "no way"), [str(started)], str(tmp_path))
        return Open("awake")

    def win(goal: Goal) -> TargetOutcome:
        while not started.exists():
            time.sleep(0.02)
        return Excluded(None, "the clock")

    register("sleeper", lambda: Fake(sleep))
    register("winner", lambda: Fake(win))
    answer = Portfolio(engines=("sleeper", "winner"), jobs=2).check(SAFE)
    assert isinstance(answer, Proved)
    assert not children()
    assert gone(int(started.read_text()))


def test_time_is_up_for_all() -> None:
    from tests.checkers.test_engines import slow

    answer = Portfolio(engines=("pdr", "bmc")).check(slow(), timeout=0.5)
    assert isinstance(answer, Unknown) and answer.why.endswith("time limit reached")
    assert not children()
