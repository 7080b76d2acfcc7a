"""Formulas of bounded encodings as files: witnesses of other tools come home as runs of C."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from fsoft.circuit.bits import BitStimulus, unpack
from fsoft.circuit.formats.aiger_read import read_aiger
from fsoft.circuit.formats.witness import write_stimulus
from tests.cli.test_build import folder, fsoft

__all__ = ["folder"]
ABC = shutil.which("berkeley-abc")
ENCODINGS = [["tcbmc"], ["lazy", "--rounds", "3"], ["mu"], ["schedule"]]
SMALL = [
    ["tcbmc", "--contexts", "2", "--bad", "bound:contexts"],
    ["lazy", "--rounds", "1", "--bad", "bound:rounds"],
    ["mu", "--writes", "1", "--bad", "bound:writes"],
    ["schedule", "--context-bound", "1", "--bad", "bound:switches"],
]


def build(capsys: pytest.CaptureFixture[str], file: str, *options: str) -> None:
    code, _, err = fsoft(capsys, "build", "race.c", "--encoding", *options, "-o", file)
    assert code == 0, err


@pytest.mark.skipif(ABC is None, reason="berkeley-abc is not installed")
@pytest.mark.parametrize("options", [*ENCODINGS, *SMALL], ids=" ".join)
def test_a_counterexample_of_abc_comes_home(options: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build(capsys, "m.aig", *options, "--fold-constraints")
    subprocess.run([str(ABC), "-c", "read m.aig; pdr; write_cex -a w"], capture_output=True, cwd=folder)
    code, out, err = fsoft(capsys, "explain", "m.aig", "w")
    if options in SMALL:
        assert (code, out[-1:]) == (5, ["UNKNOWN"]), err
        assert any("more" in line and options[1] in line for line in out)
    else:
        assert (code, out[-1:]) == (10, ["FALSE(unreach-call)"]), err
        assert any("race.c:10" in line and "assert" in line for line in out)


@pytest.mark.parametrize("file", ["m.aag", "m.btor2"])
def test_a_witness_of_ours_comes_home(file: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build(capsys, file, "tcbmc")
    assert fsoft(capsys, "check", file, "--engine", "sat", "--witness", "w")[0] == 10
    assert fsoft(capsys, "explain", file, "w")[0] == 10


def test_a_run_that_is_none_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All inputs 0: the values at the starts of contexts are not what the contexts before leave."""
    build(capsys, "m.aag", "tcbmc")
    bits = read_aiger((folder / "m.aag").read_bytes(), "m.aag")
    (folder / "w").write_text(write_stimulus(bits, BitStimulus((), (unpack(bits.input_words, {}),))))
    code, _, err = fsoft(capsys, "explain", "m.aag", "w")
    assert code == 2 and len(err) == 1 and "this run of 1 steps" in err[0]


@pytest.mark.parametrize(
    ("name", "bounds", "message"),
    [
        ("paths", {}, "no formulas of an encoding 'paths'"),
        ("tcbmc", {"contexts": "many"}, "not a map that fsoft wrote"),
        ("tcbmc", {"contexts": 3}, "not the model"),
        ("tcbmc", {"contexts": -1}, "not a map that fsoft wrote"),
        ("tcbmc", {"contexts": 1 << 19}, "--contexts: from 1 to"),
        ("tcbmc", {"nothing": 1}, "not a map that fsoft wrote"),
        ("tcbmc", {"loops": {"unwind": 0, "each": [], "static": 1, "largest": 1}}, "--unwind"),
        ("tcbmc", {"loops": 7}, "not a map that fsoft wrote"),
        (["tcbmc"], {}, "not a map that fsoft wrote"),
    ],
)
def test_maps_are_not_trusted(
    name: object, bounds: dict[str, object], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build(capsys, "m.aag", "tcbmc")
    table = json.loads((folder / "m.map.json").read_text())
    table["encoding"] = {"name": name, "bounds": table["encoding"]["bounds"] | bounds}
    (folder / "m.map.json").write_text(json.dumps(table))
    (folder / "w").write_text("")
    code, _, err = fsoft(capsys, "explain", "m.aag", "w")
    assert code == 2 and len(err) == 1 and message in err[0]
