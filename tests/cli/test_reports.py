"""`--witness`, `--sarif`, `--junit`: what is written, and what happens where nothing can be written."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import jsonschema
import pytest
import yaml

from fsoft.cli.main import main
from tests.trace.schemas import SARIF

ROOT = Path(__file__).resolve().parents[2]
ACCOUNT = str(ROOT / "models/classic/account.c")
RACE = ["check", ACCOUNT, "-D", "UNLOCKED", "--property", "no-data-race", "--no-trace"]


def complaint(capsys: pytest.CaptureFixture[str], argv: list[str], code: int) -> str:
    assert main(argv) == code
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1, lines
    return lines[0]


def test_all_files_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = {flag: str(tmp_path / name) for flag, name in (("--witness", "w.yml"), ("--graphml-witness", "w.xml"),
                                                            ("--sarif", "r.sarif"), ("--junit", "j.xml"))}  # fmt: skip
    assert main([*RACE, *(part for pair in names.items() for part in pair)]) == 10
    assert capsys.readouterr().out.splitlines()[-1] == "FALSE(no-data-race)"
    assert sorted(os.listdir(tmp_path)) == ["j.xml", "r.sarif", "w.xml", "w.yml"]
    assert yaml.safe_load(Path(names["--witness"]).read_text())[0]["metadata"]["format_version"] == "2.2"
    log = json.loads(Path(names["--sarif"]).read_text())
    assert log["runs"][0]["results"][0]["ruleId"] == "no-data-race"
    assert log["runs"][0]["invocations"][0]["exitCode"] == 10
    assert "--sarif" in log["runs"][0]["invocations"][0]["commandLine"]
    assert ET.parse(names["--junit"]).getroot().get("failures") == "1"
    assert ET.parse(names["--graphml-witness"]).getroot().tag.endswith("graphml")


def test_versions(tmp_path: Path) -> None:
    for version in ("2.0", "2.2"):
        assert main([*RACE, "--witness", str(tmp_path / "w.yml"), "--witness-version", version]) == 10
        assert yaml.safe_load((tmp_path / "w.yml").read_text())[0]["metadata"]["format_version"] == version


def test_a_proof_has_a_correctness_witness(tmp_path: Path) -> None:
    assert main(["check", ACCOUNT, "--witness", str(tmp_path / "w.graphml")]) == 0
    assert "correctness_witness" in (tmp_path / "w.graphml").read_text()


def test_unknown_leaves_no_old_witness(tmp_path: Path) -> None:
    (tmp_path / "w.yml").write_text("old")
    source = tmp_path / "endless.c"
    source.write_text("int f(int n) { return n ? f(n - 1) : 0; }\nint main(void) { return f(9); }\n")
    assert main(["check", str(source), "--recursion", "4", "--witness", str(tmp_path / "w.yml"), "--junit", str(tmp_path / "j.xml")]) == 5
    assert not (tmp_path / "w.yml").exists()
    assert ET.parse(tmp_path / "j.xml").getroot().get("errors") == "1"


def test_properties_of_runs(tmp_path: Path) -> None:
    source = tmp_path / "loop.c"
    source.write_text("int x;\nint main(void) { x = 1; while (1) { x = 3 - x; } return 0; }\n")
    argv = ["check", str(source), "--ltl", "F (x == 7)", "--ltl", "G (x < 7)", "--no-trace"]
    assert main([*argv, "--sarif", str(tmp_path / "r.sarif"), "--junit", str(tmp_path / "j.xml")]) == 10
    log = json.loads((tmp_path / "r.sarif").read_text())
    jsonschema.validate(log, SARIF)
    assert [one["ruleId"] for one in log["runs"][0]["results"]] == ["ltl"]
    root = ET.parse(tmp_path / "j.xml").getroot()
    assert (root.get("tests"), root.get("failures")) == ("2", "1")


@pytest.mark.parametrize(
    ("argv", "code", "words"),
    [
        ([*RACE, "--witness", "w.txt"], 1, ".graphml or .yml"),
        ([*RACE, "--witness-version", "2.0"], 1, "needs --witness"),
        ([*RACE, "--witness", "w.graphml", "--witness-version", "2.2"], 1, "can only be 1.0"),
        ([*RACE, "--witness", "w.yml", "--witness-version", "1.0"], 1, "can only be 2.0 or 2.2"),
        (["check", ACCOUNT, "--ltl", "F 0", "--witness", "w.yml"], 1, "lassos"),
        ([*RACE, "--sarif", "/nowhere/at/all.sarif"], 2, "no such folder"),
        ([*RACE, "--junit", str(ROOT)], 2, "is a folder"),
    ],
)  # fmt: skip
def test_refused_before_any_work(argv: list[str], code: int, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert words in complaint(capsys, argv, code)


def test_models_have_stimuli_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.aag").write_text("aag 1 0 1 0 0 1\n2 3\n2\n")
    assert "about C programs" in complaint(capsys, ["check", str(tmp_path / "m.aag"), "--sarif", "x.sarif"], 1)
    assert main(["check", str(tmp_path / "m.aag"), "--engine", "bmc", "--witness", str(tmp_path / "w.txt")]) == 10
    assert (tmp_path / "w.txt").read_text().startswith("1\nb0\n")


def test_a_full_disk_costs_neither_the_verdict_nor_the_old_report(tmp_path: Path) -> None:
    old = tmp_path / "r.sarif"
    old.write_text("what was there before")
    done = subprocess.run(
        [sys.executable, "-m", "fsoft", *RACE, "--sarif", str(old), "--trace-file", f"{tmp_path}/t.json", "--html", f"{tmp_path}/h.html"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64)),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2 and done.stdout.splitlines()[-1] == "FALSE(no-data-race)"
    lines = [f"{tmp_path / name}: error: cannot be written: File too large" for name in ("t.json", "h.html", "r.sarif")]
    assert done.stderr.splitlines() == lines
    assert old.read_text() == "what was there before" and os.listdir(tmp_path) == ["r.sarif"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_devices_are_written_to_and_never_replaced(capsys: pytest.CaptureFixture[str]) -> None:
    assert "No space left" in complaint(capsys, [*RACE, "--sarif", "/dev/full"], 2)
    assert not os.path.isfile("/dev/full")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
@pytest.mark.parametrize("words", [RACE, [*RACE, "--timeout", "60"], ["--help"]], ids=["", "limited", "help"])
def test_an_output_that_cannot_be_written_is_no_verdict(words: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-m", "fsoft", *words], cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (2, "fsoft: error: the output cannot be written: No space left on device\n")


def test_a_trace_file_has_the_run_even_if_it_is_not_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*RACE, "--no-trace", "--trace-file", str(tmp_path / "t.json")]) == 10
    assert json.loads((tmp_path / "t.json").read_text())["moves"]


def test_a_read_only_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "r").mkdir(mode=0o555)
    if os.geteuid() == 0:  # who may write everywhere
        monkeypatch.setattr(os, "access", lambda path, _mode: not str(path).endswith("/r"))
    assert "read-only" in complaint(capsys, [*RACE, "--sarif", str(tmp_path / "r" / "x.sarif")], 2)


def test_a_folder_that_takes_no_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*RACE, "--sarif", "/proc/x.sarif"]) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith("/proc/x.sarif: error: cannot be written: ") and len(printed.err.splitlines()) == 1


def test_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link.sarif").symlink_to(tmp_path / "real" / "r.sarif")
    assert main([*RACE, "--sarif", str(tmp_path / "link.sarif")]) == 10
    assert (tmp_path / "link.sarif").is_symlink() and (tmp_path / "real" / "r.sarif").is_file()
