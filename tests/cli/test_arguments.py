"""The arguments of main: free, or those behind `--`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import fsoft
from fsoft.cli.main import main

COUNT = "#include <assert.h>\nint main(int argc, char **argv) { if (argc >= 2) assert(0); return argv == 0; }\n"
NUMBER = """#include <assert.h>
#include <stdlib.h>
int main(int argc, char *argv[]) { int n = argc > 2 ? atoi(argv[2]) : 1; assert(n != 42); assert(argv[argc] == 0); return 0; }
"""
UNUSED = "int main(int argc, char **argv) { return 0; }\n"


def check(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    main(["check", *words])
    return capsys.readouterr().out.splitlines()


def test_a_verdict_does_not_depend_on_their_absence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "p.c"
    file.write_text(COUNT)
    said = check(capsys, str(file))
    assert said[-1] == "FALSE(unreach-call)" and "main is called with any arguments, at most 2097152 of them" in said
    assert check(capsys, str(file), "--")[-1] == "TRUE"
    assert check(capsys, str(file), "--", "--timeout")[-1] == "FALSE(unreach-call)"
    file.write_text(UNUSED)
    assert not any("arguments" in line for line in check(capsys, str(file)))


@pytest.mark.parametrize("engine", ["explicit", "bmc", "pdr"])
def test_given_arguments(engine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "p.c"
    file.write_text(NUMBER)
    said = check(capsys, str(file), "--engine", engine, "--", "-n", "42")
    assert said[-1] == "FALSE(unreach-call)" and "main is called with the arguments p -n 42" in said
    assert next(line for line in said if line.startswith("again:")).endswith(" -- -n 42")
    if engine != "bmc":
        assert check(capsys, str(file), "--engine", engine, "--", "-n", "41")[-1] == "TRUE"


def test_the_again_line_repeats_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import shlex

    file = tmp_path / "p.c"
    file.write_text(COUNT)
    for last in ((), ("--", "one argument", "-x")):
        again = next(line for line in check(capsys, str(file), *last) if line.startswith("again: "))
        assert main(shlex.split(again)[2:]) == 10
        capsys.readouterr()


def test_bounds_grow(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "p.c"
    file.write_text("#include <assert.h>\nint main(int argc, char **argv) { assert(argc < 6 || argv[5][9] != 'x'); return 0; }\n")
    assert check(capsys, str(file))[-1] == "FALSE(unreach-call)"
    said = check(capsys, str(file), "--args-bound", "2")
    assert said[-1] == "UNKNOWN" and any("raise --args-bound" in line for line in said)


def test_a_string_that_does_not_end_is_a_cut(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "p.c"
    file.write_text("int main(int argc, char **argv) { int i = 0; while (argc > 1 && argv[1][i] == 'a') i++; return i; }\n")
    said = check(capsys, str(file), "--arg-length", "2")
    assert said[-1] == "UNKNOWN" and any("raise --arg-length" in line for line in said)


def test_the_environment_is_a_cut(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "p.c"
    file.write_text("int main(int argc, char **argv, char **envp) { return envp[0] != 0; }\n")
    said = check(capsys, str(file))
    assert said[-1] == "UNKNOWN" and any("the environment is read" in line for line in said)


def test_dashes_before_files_are_for_files(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("-dash.c").write_text(COUNT)
    assert check(capsys, "--no-trace", "--", "-dash.c")[-1] == "FALSE(unreach-call)"


def test_python(tmp_path: Path) -> None:
    file = tmp_path / "p.c"
    file.write_text(COUNT)
    assert str(fsoft.load(file).check()) == "FALSE(unreach-call)"
    assert str(fsoft.load(file, arguments=[]).check()) == "TRUE"
    with pytest.raises(ValueError, match="a list of strings"):
        fsoft.load(file, arguments="-n 4")


def test_the_json_says_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "p.c"
    file.write_text(COUNT)
    assert "arguments" not in json.loads("\n".join(check(capsys, str(file), "--json")))
    assert json.loads("\n".join(check(capsys, str(file), "--json", "--", "a", "\u00fc")))["arguments"] == ["p", "a", "\u00fc"]


@pytest.mark.parametrize("given", [(), ("--", "-n", "42")])
def test_the_replay_has_the_arguments(given: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, trace = tmp_path / "p.c", str(tmp_path / "t.json")
    file.write_text(COUNT)
    check(capsys, str(file), "--no-trace", "--trace-file", trace, *given)
    assert main(["replay", str(file), trace, *given]) == 10
    assert main(["replay", str(file), trace, "--", "-n"]) == 2
    if given:
        assert main(["replay", str(file), trace]) == 2
        assert "the trace is of the arguments -- -n 42: give fsoft replay the same" in capsys.readouterr().err
