"""`fsoft build`, `fsoft explain` and `fsoft check` on model files: every format, there and back; and every way they can go wrong."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fsoft.cli.main import main
from tests.cli.circuit_errors import AAG, ROWS, Row

RACE = """#include <assert.h>
#include <pthread.h>
int x;
void *f(void *a) { int y = x; x = y + 1; return 0; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  int y = x; x = y + 1;
  pthread_join(t, 0);
  assert(x == 2);
  return 0;
}
"""
SAFE = RACE.replace("x == 2", "x >= 1")
ABC = shutil.which("berkeley-abc")
OLD = ["--aiger", "1.0", "--fold-constraints"]
GIVEN = ["--scheduler", "given", "--schedule", "0,0,1,0"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "race.c").write_text(RACE)
    (tmp_path / "safe.c").write_text(SAFE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fsoft(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str], list[str]]:
    code = main(list(arguments))
    out = capsys.readouterr()
    return code, out.out.splitlines(), out.err.splitlines()


@pytest.mark.parametrize("suffix", ["aag", "aig", "btor2", "smv", "smt2"])
def test_building_twice_gives_the_same_bytes(suffix: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("one", "two"):
        command = [sys.executable, "-m", "fsoft", "build", "race.c", "-o", f"{name}.{suffix}"]
        environment = {**os.environ, "PYTHONHASHSEED": "1" if name == "one" else "77", "PYTHONPATH": str(Path(__file__).parents[2])}
        subprocess.run(command, check=True, env=environment, capture_output=True)
    assert (folder / f"one.{suffix}").read_bytes() == (folder / f"two.{suffix}").read_bytes()
    assert (folder / "one.map.json").read_bytes() == (folder / "two.map.json").read_bytes()
    wanted = {f"{name}.{kind}" for name in ("one", "two") for kind in (suffix, "map.json")}
    assert {p.name for p in folder.iterdir()} == wanted | {"race.c", "safe.c"}


def test_symbols_name_threads_variables_and_bits(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fsoft(capsys, "build", "race.c", "-o", "m.aag")[0] == 0
    text = (folder / "m.aag").read_text()
    assert re.search(r"^l\d+ thread_1\.pc\[0\]$", text, re.M)
    assert re.search(r"^l\d+ x\[0\]$", text, re.M)
    assert re.search(r"^b0 unreach-call$", text, re.M)
    assert re.search(r"^x: int x, race\.c:3", text, re.M)
    table = json.loads((folder / "m.map.json").read_text())
    assert table["words"]["x"]["line"].startswith("race.c:3")
    assert any(line.startswith("race.c:4") for line in table["words"]["thread_1.pc"]["lines"])
    assert table["targets"]["unreach-call"] == "violation of unreach-call"


@pytest.mark.parametrize(("suffix", "engine"), [("aag", "bmc"), ("aig", "pdr"), ("btor2", "bmc")])
def test_a_witness_of_ours_comes_home(suffix: str, engine: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fsoft(capsys, "build", "race.c", "-o", f"m.{suffix}")[0] == 0
    code, out, _ = fsoft(capsys, "check", f"m.{suffix}", "--engine", engine, "--witness", "w")
    assert (code, out[-1]) == (10, "FALSE(unreach-call)")
    code, out, _ = fsoft(capsys, "explain", f"m.{suffix}", "w")
    assert (code, out[-1]) == (10, "FALSE(unreach-call)")
    assert any("race.c:10" in line and "assert" in line for line in out)


@pytest.mark.skipif(ABC is None, reason="berkeley-abc is not installed")
@pytest.mark.parametrize("write", ["write_cex -a", "write_cex"])
@pytest.mark.parametrize("options", [[], ["--bad", "unreach-call"], ["--no-reduce"], ["--narrow"], OLD], ids=" ".join)
def test_a_counterexample_of_abc_comes_home(write: str, options: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fsoft(capsys, "build", "race.c", "-o", "m.aig", *options)[0] == 0
    subprocess.run([str(ABC), "-c", f"read m.aig; bmc3 -F 40; {write} w"], capture_output=True, cwd=folder)
    code, out, err = fsoft(capsys, "explain", "m.aig", "w")
    assert (code, out[-1:]) == (10, ["FALSE(unreach-call)"]), err


@pytest.mark.skipif(ABC is None, reason="berkeley-abc is not installed")
def test_abc_proves_what_we_prove(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fsoft(capsys, "build", "safe.c", "-o", "m.aig", "--bad", "unreach-call")[0] == 0
    done = subprocess.run([str(ABC), "-c", "read m.aig; pdr"], capture_output=True, cwd=folder, text=True)
    assert "Property proved" in done.stdout
    assert fsoft(capsys, "check", "m.aig")[0] == 0


def test_py_aiger_reads_the_old_form(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    aiger = pytest.importorskip("aiger")
    assert fsoft(capsys, "build", "race.c", "-o", "m.aag", "--aiger", "1.0")[0] == 0
    circuit = aiger.load("m.aag")
    assert "unreach-call" in circuit.outputs
    assert {"schedule[0]" in circuit.inputs or "schedule" in circuit.inputs} == {True}
    assert "x[0]" in circuit.latches


def test_a_model_with_a_reachable_bound_is_not_true(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "b.c").write_text("int __VERIFIER_nondet_int(void); int main(void) { int *p = 0; return __VERIFIER_nondet_int() ? *p : 0; }")
    assert fsoft(capsys, "build", "b.c", "-o", "m.aag")[0] == 0
    code, out, _ = fsoft(capsys, "check", "m.aag")
    assert (code, out[-1]) == (5, "UNKNOWN") and "bound 'undefined@b.c:1' is reachable" in out
    assert fsoft(capsys, "build", "b.c", "-o", "n.aag", "--bad", "bound:undefined@b.c:1")[0] == 0
    (folder / "w").write_text("")
    code, out, _ = fsoft(capsys, "check", "n.aag", "--json")
    assert code == 5


def test_a_bound_is_explained(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "b.c").write_text("int __VERIFIER_nondet_int(void); int main(void) { int *p = 0; return __VERIFIER_nondet_int() ? *p : 0; }")
    assert fsoft(capsys, "build", "b.c", "-o", "m.aag", "--no-reduce")[0] == 0
    header = (folder / "m.aag").read_text().split("\n")[0].split()
    inputs, latches = int(header[2]), int(header[3])
    (folder / "w").write_text("1\nb1\n" + "x" * latches + "\n" + ("1" * inputs + "\n") * 4 + ".\n")
    code, out, err = fsoft(capsys, "explain", "m.aag", "w")
    assert (code, out[-1:]) == (5, ["UNKNOWN"]), err
    assert out[-2] == "b.c:1: undefined behaviour"


def test_a_narrowed_model_says_when_a_value_is_lost(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "unsigned __VERIFIER_nondet_uint(void); unsigned x; int main(void) { unsigned y = __VERIFIER_nondet_uint(); %s return 0; }"
    (folder / "b.c").write_text(text % "if (y * 3 == 37035) x = y + y;")
    for options in ([], ["--bad", "bound:range"]):
        assert fsoft(capsys, "build", "b.c", "-o", "m.aag", "--narrow", *options)[0] == 0
    code, out, _ = fsoft(capsys, "check", "m.aag", "--engine", "bmc", "--witness", "w")
    assert (code, out[-1]) == (5, "UNKNOWN")
    text = (folder / "m.aag").read_text()
    (folder / "m.aag").write_text(text.replace("b0 bound:range", "b0 range"))
    assert fsoft(capsys, "check", "m.aag", "--engine", "bmc", "--witness", "w")[0] == 10
    (folder / "m.aag").write_text(text)
    code, _, err = fsoft(capsys, "explain", "m.aag", "w")
    assert code == 2 and "build without --narrow" in err[0]


def test_the_map_is_found_from_another_folder(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "out").mkdir()
    assert fsoft(capsys, "build", "race.c", "-o", "out/m.aag")[0] == 0
    assert fsoft(capsys, "check", "out/m.aag", "--engine", "bmc", "--witness", "out/w")[0] == 10
    monkeypatch.chdir(folder / "out")
    assert fsoft(capsys, "explain", "m.aag", "w")[0] == 10
    monkeypatch.chdir("/")
    assert fsoft(capsys, "explain", str(folder / "out/m.aag"), str(folder / "out/w"))[0] == 10


@pytest.mark.parametrize("options", [["--contexts", "3"], ["--rounds", "2"], GIVEN], ids=" ".join)
def test_schedulers_are_part_of_the_model(options: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fsoft(capsys, "build", "race.c", "-o", "m.aag", *options)[0] == 0
    assert json.loads((folder / "m.map.json").read_text())["scheduler"]["kind"] != "free"
    assert any(line.startswith("l") and " scheduler." in line for line in (folder / "m.aag").read_text().splitlines())


def test_check_takes_the_options_of_engines(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = fsoft(capsys, "check", "safe.c", "--engine", "bmc", "--depth", "3", "--solver", "glucose4")
    assert code == 5 and (out[0], out[-1]) == ("no violation within 3 steps", "UNKNOWN")
    code, out, _ = fsoft(capsys, "check", "race.c", "--engine", "bmc", "--contexts", "4", "--no-trace")
    assert (code, out[-1]) == (10, "FALSE(unreach-call)")
    code, out, _ = fsoft(capsys, "check", "safe.c", "--engine", "pdr", "--json")
    assert code == 0 and json.loads("\n".join(out))["verdict"] == "TRUE"


def test_checkers_lists_all(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = fsoft(capsys, "checkers")
    names = [line.split(":")[0] for line in out if not line.startswith(" ")]
    assert code == 0 and {"explicit", "bmc", "kinduction", "pdr", "bdd", "abc"} <= set(names)
    assert sum("available" in line for line in out) == len(names)


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_bad_input(row: Row, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "sub.aag").mkdir()
    if "built" in row.args:
        fsoft(capsys, "build", "race.c", "-o", "built.aag")
    for name, content in row.files.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    code, out, err = fsoft(capsys, *row.args.split())
    assert (code, out) == (row.code, []), err
    assert len(err) == 1 and "error: " in err[0] and len(err[0]) < 500
    assert re.search(row.pattern, err[0]), err[0]
    assert not [p for p in folder.iterdir() if p.name.startswith(".")], "a temporary file is left"


def test_a_run_that_reaches_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fsoft(capsys, "build", "race.c", "-o", "m.aag")
    header = (folder / "m.aag").read_text().split("\n")[0].split()
    (folder / "w").write_text("1\nb0\n" + "0" * int(header[3]) + "\n" + "0" * int(header[2]) + "\n.\n")
    code, _, err = fsoft(capsys, "explain", "m.aag", "w")
    assert code == 2 and "reaches no bad and no bound" in err[0]


def test_sources_that_changed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fsoft(capsys, "build", "race.c", "-o", "m.aag")
    (folder / "w").write_text("1\nb0\n0\n0\n.\n")
    (folder / "race.c").write_text(SAFE)
    code, _, err = fsoft(capsys, "explain", "m.aag", "w")
    assert code == 2 and "has changed since the model was built" in err[0]
    (folder / "race.c").unlink()
    code, _, err = fsoft(capsys, "explain", "m.aag", "w")
    assert code == 2 and "race.c: error: there is no such file" in err[0]


def test_a_model_that_is_not_its_maps(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fsoft(capsys, "build", "race.c", "-o", "m.aag")
    (folder / "w").write_text("1\nb0\n0\n0\n.\n")
    (folder / "m.aag").write_text(AAG)
    code, _, err = fsoft(capsys, "explain", "m.aag", "w")
    assert code == 2 and "this is not the model that m.map.json describes" in err[0]


def test_every_cut_of_a_map_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fsoft(capsys, "build", "race.c", "-o", "m.aag")
    (folder / "w").write_text("1\nb0\n0\n0\n.\n")
    table = json.loads((folder / "m.map.json").read_text())
    needed = ("map", "program", "sources", "bits", "cpp", "options", "scheduler", "form")
    for key in needed:
        for wrong in (None, 7, "x", [], {}, [7], {"x": 1}):
            (folder / "m.map.json").write_text(json.dumps({**table, key: wrong}))
            code, _, err = fsoft(capsys, "explain", "m.aag", "w")
            assert code == 2 and len(err) == 1, (key, wrong, err)


def test_missing_tools_are_named(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    for file in ("race.c", "m.aag"):
        (folder / "m.aag").write_text(AAG)
        code, _, err = fsoft(capsys, "check", file, "--engine", "abc")
        assert (code, len(err)) == (1, 1)
        assert "--engine abc: ABC is not installed" in err[0]
