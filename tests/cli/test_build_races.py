"""`fsoft build --race-model c11`: the monitor of races is in the file, and witnesses come home to the program without it."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

import fsoft
from fsoft.passes.watch import CHECK
from tests.cli.test_build import fsoft as run

MESSAGE = str(Path(__file__).parents[2] / "models/orders/message.c")
ABC = shutil.which("berkeley-abc")
RACY = ["-D", "STORE=memory_order_relaxed"]
C11 = ["--property", "no-data-race", "--race-model", "c11"]
COMPUTED = """#include <pthread.h>
int x, o, flag;
void *f(void *a) { x = 1; __atomic_store_n(&flag, 1, __ATOMIC_RELEASE); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); if (__atomic_load_n(&flag, o)) x = 2; return 0; }
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def build(capsys: pytest.CaptureFixture[str], file: str, *options: str) -> None:
    code, _, err = run(capsys, "build", MESSAGE, "--64", "-o", file, *options)
    assert code == 0, err


def comes_home(capsys: pytest.CaptureFixture[str], file: str) -> None:
    code, out, err = run(capsys, "explain", file, "w")
    assert (code, out[-1:]) == (10, ["FALSE(no-data-race)"]), err
    text = "\n".join(out)
    assert f"{MESSAGE}:20:5: thread 1 (sender) writes message" in text and f"{MESSAGE}:34:20: thread 2 (receiver) reads message" in text
    assert "the first does not happen before the second" in text and "watch" not in text


@pytest.mark.parametrize(("file", "engine", "options"), [
    ("m.aag", "bmc", []), ("m.btor2", "bmc", ["--no-reduce"]), ("m.aig", "sat", ["--encoding", "lazy", "--rounds", "2"]),
])  # fmt: skip
def test_a_race_comes_home(file: str, engine: str, options: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build(capsys, file, *RACY, *C11, *options)
    table = json.loads((folder / "m.map.json").read_text())
    assert table["options"]["race_model"] == "c11" and table["targets"][CHECK] == "violation of no-data-race in the race model c11"
    code, out, _ = run(capsys, "check", file, "--engine", engine, "--witness", "w")
    assert (code, out[-1]) == (10, f"FALSE({CHECK})")
    comes_home(capsys, file)


@pytest.mark.skipif(ABC is None, reason="berkeley-abc is not installed")
@pytest.mark.parametrize("options", [[], ["--encoding", "tcbmc", "--fold-constraints"]], ids=["circuit", "tcbmc"])
def test_abc_answers_the_question_of_the_model(options: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Racy and race-free by memory orders alone: in the model svcomp both are race-free."""
    for define, model, answer in (([], "c11", "proved"), (RACY, "svcomp", "proved"), (RACY, "c11", "asserted")):
        build(capsys, "m.aig", *define, "--property", "no-data-race", "--race-model", model, "--bad", "no-data-race", *options)
        done = subprocess.run([str(ABC), "-c", "read m.aig; pdr; write_cex -a w"], capture_output=True, cwd=folder, text=True)
        assert answer in done.stdout, (define, model)
    comes_home(capsys, "m.aig")


def test_a_bound_is_shown_without_the_monitor(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "b.c").write_text(COMPUTED.replace("x, o,", "x, *p,").replace("flag, o", "flag, __ATOMIC_RELAXED").replace("x = 2", "x = *p"))
    bound = "bound:undefined@b.c:4"
    assert run(capsys, "build", "b.c", *C11, "-o", "m.aag", "--bad", bound)[0] == 0
    text = (folder / "m.aag").read_text()
    (folder / "m.aag").write_text(text.replace(f"b0 {bound}", "b0 reached"))
    assert run(capsys, "check", "m.aag", "--engine", "bmc", "--witness", "w")[0] == 10
    (folder / "m.aag").write_text(text)
    code, out, _ = run(capsys, "explain", "m.aag", "w")
    assert (code, out[-2:]) == (5, ["b.c:4: undefined behaviour", "UNKNOWN"]) and "watch" not in "\n".join(out)


@pytest.mark.parametrize("options", [[], ["--encoding", "lazy", "--rounds", "2"]], ids=["circuit", "lazy"])
def test_a_weaker_question_is_not_written(options: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "b.c").write_text(COMPUTED)
    code, out, err = run(capsys, "build", "b.c", *C11, "-o", "m.aag", *options)
    assert code == 2 and not out and len(err) == 1 and "--race-model c11" in err[0] and "the memory order is computed" in err[0]
    assert not (folder / "m.aag").exists()
    assert run(capsys, "build", "b.c", "--property", "no-data-race", "-o", "m.aag", *options)[0] == 0


def test_maps_name_a_race_model_that_there_is(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build(capsys, "m.aag", *C11)
    (folder / "w").write_text("")
    for model, message in (("tso", "not a map that fsoft wrote"), ("svcomp", "changed since the model was built")):
        table = json.loads((folder / "m.map.json").read_text())
        table["options"]["race_model"] = model
        (folder / "m.map.json").write_text(json.dumps(table))
        code, _, err = run(capsys, "explain", "m.aag", "w")
        assert code == 2 and message in err[0]


def test_python_builds_it_too(folder: Path) -> None:
    loaded = fsoft.load(MESSAGE, define=[RACY[1]], bits=64)
    built = loaded.build("m.aag", "no-data-race", race_model="c11", bad="no-data-race")
    assert built.targets == [CHECK] and loaded.build(None, "no-data-race").targets[0] == "no-data-race"
    assert json.loads((folder / "m.map.json").read_text())["options"]["checks"] == ["no-data-race"]
