"""`fsoft check --ltl` from outside: verdict lines, exit codes, marks in the trace, property files, errors."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from fsoft.cli.main import main

PROGRAM = """#include <pthread.h>
int x, y;
void *w(void *p) { while (!x) {} y = 1; return 0; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, w, 0);
    x = 1;
    pthread_join(t, 0);
    return 0;
}
"""


@pytest.fixture
def check(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Runs `fsoft check prog.c ...`: exit code, stdout lines, stderr."""
    (tmp_path / "prog.c").write_text(PROGRAM)

    def run(*arguments: str) -> tuple[int, list[str], str]:
        code = main(["check", str(tmp_path / "prog.c"), *arguments])
        said = capsys.readouterr()
        return code, said.out.splitlines(), said.err

    return run


def test_one_formula(check) -> None:
    assert check("--ltl", "F y", "--fairness", "weak")[:2][0] == 0
    code, lines, _ = check("--ltl", "F y")
    assert (code, lines[-1]) == (10, "FALSE(ltl)")
    assert "---- loop: what follows repeats for ever" in lines


def test_a_run_that_comes_to_rest_says_so(check) -> None:
    code, lines, _ = check("--ltl", "G !ended()")
    assert code == 10 and "---- nobody moves any more" in lines


def test_several_formulas_have_a_verdict_each(check) -> None:
    code, lines, _ = check("--ltl", "G (y -> O x)", "--ltl", "F y", "--no-trace")
    assert "G (y -> O x): TRUE" in lines and "F y: FALSE(ltl)" in lines
    assert (code, lines[-1]) == (10, "FALSE(ltl)")


def test_states_and_runs_have_a_verdict_each(check, tmp_path: Path) -> None:
    code, lines, _ = check("--ltl", "G (y -> O x)", "--data-races-check", "--no-trace")
    assert "no-data-race, unreach-call: FALSE(no-data-race)" in lines and "G (y -> O x): TRUE" in lines
    assert (code, lines[-1]) == (10, "FALSE(no-data-race)")
    file = tmp_path / "both.prp"
    file.write_text("CHECK( init(main()), LTL(G ! deadlock) )\nCHECK( init(main()), LTL(F y) )\n")
    code, lines, _ = check("--ltl", "G (y -> O x)", "--property", str(file), "--engine", "klive", "--json")
    states, first, second = json.loads("\n".join(lines))
    assert code == 10 and (states["checks"], states["verdict"]) == (["no-deadlock"], "TRUE") and "formula" not in states
    assert (first["formula"], first["verdict"], first["checks"]) == ("G (y -> O x)", "TRUE", [])
    assert (second["formula"], second["verdict"], second["checks"]) == ("F y", "FALSE", [])
    assert check("--ltl", "F x", "--deadlock-check", "--show-properties")[1][-1] == "--ltl: ltl: F (x) (fairness: none)"


def test_the_reduction_is_used_or_said_to_be_off(check) -> None:
    assert "relies on: cstub, lock-pattern transactions" in check("--ltl", "G (y -> O x)", "--por", "cstub")[1]
    _, _, error = check("--ltl", "F y", "--ltl", "X !x", "--property", "termination", "--por", "cstub", "--transactions", "none")
    assert error.splitlines() == [
        "fsoft: no reduction for 'X !x': X in 'X !x' can tell steps apart",
        "fsoft: no reduction for 'termination': weak fairness asks who could move in each state",
    ]


@pytest.mark.parametrize("engine", ["explicit", "bmc", "pdr", "klive", "bdd"])
def test_termination(engine: str, check) -> None:
    code, lines, _ = check("--property", "termination", "--engine", engine)
    assert (code, lines[-1]) == (0, "TRUE")
    code, lines, _ = check("--ltl", "termination", "--fairness", "none", "--engine", engine)
    assert (code, lines[-1]) == (10, "FALSE(termination)")


def test_property_files(check, tmp_path: Path) -> None:
    file = tmp_path / "p.prp"
    file.write_text("CHECK( init(main()), LTL(F end) )\n")
    assert check("--property", str(file))[1][-1] == "TRUE"
    file.write_text("CHECK( init(main()), LTL(G (!x -> F y)) )\n")
    assert check("--property", str(file))[1][-1] == "FALSE(ltl)"
    file.write_text("CHECK( init(main()), LTL(G (x -> F yy)) )\n")
    code, _, error = check("--property", str(file))
    first, line, caret = error.rstrip("\n").split("\n")
    assert code == 2 and first.startswith(f"{file}:1:36: error: 'yy' undeclared")
    assert line[caret.index("^") :].startswith("yy")


def test_folding_is_off_where_steps_can_be_told_apart(check) -> None:
    said = "X in 'X !x': folding is off"
    assert said in check("--ltl", "X !x")[1]
    assert said not in check("--ltl", "X !x", "--no-fold")[1]
    assert not any("folding" in line for line in check("--ltl", "F x", "--fairness", "strong")[1])


def test_json(check) -> None:
    code, lines, _ = check("--ltl", "F y", "--json")
    answer = json.loads("\n".join(lines))
    assert code == 10 and answer["verdict"] == "FALSE" and answer["formula"] == "F y" and 0 < answer["loop"] <= len(answer["trace"])
    assert len(json.loads("\n".join(check("--ltl", "F y", "--ltl", "G !y", "--json")[1]))) == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--ltl", "F x", "--encoding", "tcbmc"], "--encoding and --backend are for properties of states"),
        (["--ltl", "F x", "--por", "sleep"], "--por sleep is for --encoding paths"),
        (["--fairness", "weak"], "--fairness is for properties of runs"),
        (["--ltl", "F x", "--engine", "bmc", "--contexts", "2"], "about all schedules"),
        (["--ltl", "F x", "--engine", "nosuch"], "no engine 'nosuch'"),
        (["--ltl", "F x", "--engine", "pdr", "--depth", "3"], "has no --depth"),
        (["--engine", "klive"], "klive is for properties of runs"),
    ],
)
def test_wrong_use(arguments: list[str], words: str, check) -> None:
    code, _, error = check(*arguments)
    assert code == 1 and words in error


def test_justice_of_a_model_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "prog.c").write_text(PROGRAM)
    for fairness, last in (("none", "FALSE(violation)"), ("weak", "TRUE")):
        name = str(tmp_path / f"{fairness}.aig")
        assert main(["build", str(tmp_path / "prog.c"), "--ltl", "F y", "--fairness", fairness, "-o", name]) == 0
        main(["check", name, "--engine", "pdr"])
        assert capsys.readouterr().out.splitlines()[-1] == last


@pytest.mark.parametrize(("suffix", "por"), [("aag", "none"), ("btor2", "cstub")])
def test_a_lasso_of_a_model_file_is_explained(suffix: str, por: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The stimulus of a justice property comes home as a run of C with its loop."""
    (tmp_path / "prog.c").write_text(PROGRAM)
    model, stimulus = str(tmp_path / f"m.{suffix}"), tmp_path / "w.txt"
    assert main(["build", str(tmp_path / "prog.c"), "--ltl", "F y", "--por", por, "-o", model]) == 0
    assert main(["check", model, "--engine", "bmc", "--witness", str(stimulus)]) == 10
    assert stimulus.read_text().splitlines()[1] == "j0"
    capsys.readouterr()
    assert main(["explain", model, str(stimulus)]) == 10
    lines = capsys.readouterr().out.splitlines()
    assert "---- loop: what follows repeats for ever" in lines and lines[-1] == "FALSE(ltl)"
    rows = stimulus.read_text().splitlines()
    short = [*rows[:4], "."] if suffix == "aag" else [*rows[: rows.index("@1")], "."]
    stimulus.write_text("\n".join(short) + "\n")
    assert main(["explain", model, str(stimulus)]) == 2
    assert "does not come back" in capsys.readouterr().err


def test_the_graphml_witness_of_a_lasso(check, tmp_path: Path) -> None:
    file = tmp_path / "w.graphml"
    for formula, fairness in (("F y", "none"), ("G !ended()", "weak")):
        check("--ltl", "G (y -> O x)", "--ltl", formula, "--fairness", fairness, "--witness", str(file), "--no-trace")
        text = file.read_text()
        head = re.search(r'<node id="(N\d+)">\s*<data key="cyclehead">true', text)
        assert head is not None and f"LTL({formula})" in text and '<data key="violation">' not in text
        assert re.findall(r'target="(N\d+)"', text)[-1] == head[1]
