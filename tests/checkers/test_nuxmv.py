"""The wrapper of nuXmv and NuSMV: against recorded outputs that a stand-in prints, and against the tool itself where there is one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from fsoft.ask.circuits import decide
from fsoft.ask.load import Options, load
from fsoft.checkers.nuxmv import NuXmv, read_trace
from fsoft.checkers.registry import model_engine
from fsoft.circuit.bits.bitblast import bitblast
from fsoft.circuit.formats.smv import write_smv
from fsoft.circuit.model import Model
from fsoft.circuit.model.simulate import violates
from fsoft.circuit.model.verdict import Proved, Unknown, Violated
from fsoft.process.tools import NUXMV
from fsoft.program import expr
from fsoft.program.verdict import InternalError
from tests.checkers.oracle import shortest
from tests.circuit.random_models import random_model

BANNER = "*** This is nuXmv 2.0.0 (compiled on Mon Oct 14 18:05:39 2019)\n*** Copyright (c) 2014-2019, Fondazione Bruno Kessler\n\n"
TRUE = BANNER + "-- invariant !bool(n9)  is true\n"
FALSE = (
    BANNER
    + """-- invariant !bool(n9)  is false
-- as demonstrated by the following execution sequence
Trace Description: IC3 counterexample
Trace Type: Counterexample
  -> State: 1.1 <-
    i0 = 0ud1_1
    s0 = 0ud1_0
    s1 = 0ud1_0
    n2 = 0ud1_1
  -> State: 1.2 <-
    s0 = 0ud1_1
  -> State: 1.3 <-
    i0 = 0ud1_0
    s0 = 0ud1_0
    s1 = 0ud1_1
"""
)
SYNTAX = BANNER + "file m.smv: line 1: at token \";\": syntax error\naborting 'source commands'\n"


def model() -> Model:
    """A counter of two bits that the input moves on; it must not reach 2."""
    x, go = expr.reg("x", 2), expr.reg("go", 1)
    up = expr.ite(go, expr.binary("add", x, expr.const(1, 2)), x)
    return Model(inputs={"go": 1}, states={"x": 2}, init={"x": expr.const(0, 2)}, next={"x": up}, bad={"two": expr.eq(x, expr.const(2, 2))})


def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, name: str = "nuXmv") -> None:
    """Puts an executable of that name first on PATH."""
    path = tmp_path / name
    path.write_text("#!/bin/sh\n" + script)
    path.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)


def printing(tmp_path: Path, text: str) -> str:
    (tmp_path / "output").write_text(text)
    return f'cat "{tmp_path}/output"\n'


def test_a_proof_is_trusted_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(tmp_path, monkeypatch, printing(tmp_path, TRUE) + f'cp commands m.smv "{tmp_path}"\n')
    answer = NuXmv().check(model())
    assert isinstance(answer, Proved) and not answer.certificates
    assert answer.describe("nuxmv") == ["proved by nuxmv, uncertified: trusts nuXmv"]
    assert "check_invar_ic3" in (tmp_path / "commands").read_text()
    assert "INVARSPEC" in (tmp_path / "m.smv").read_text()


def test_nusmv_stands_in_for_nuxmv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(tmp_path, monkeypatch, printing(tmp_path, TRUE) + f'cp commands "{tmp_path}"\n', "NuSMV")
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    if shutil.which("nuXmv"):
        pytest.skip("nuXmv comes first")
    answer = NuXmv().check(model())
    assert isinstance(answer, Proved) and answer.trusted[0].whom == "NuSMV"
    assert re.search(r"^check_invar$", (tmp_path / "commands").read_text(), re.MULTILINE)


def test_a_counterexample_is_read_and_simulated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(tmp_path, monkeypatch, printing(tmp_path, FALSE))
    answer = NuXmv().check(model())
    assert isinstance(answer, Violated) and answer.depth == 2 and answer.bad == "two"
    assert violates(model(), answer.stimulus, model().bad["two"])


def test_values_that_are_not_repeated_stay() -> None:
    assert read_trace(FALSE, bitblast(model())).inputs == ((1,), (1,), (0,))
    assert read_trace(FALSE + FALSE, bitblast(model())).inputs == ((1,), (1,), (0,)), "only the last trace counts"


def test_a_counterexample_that_is_none_is_never_false(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for wrong in (FALSE.replace("i0 = 0ud1_1", "i0 = 0ud1_0"), FALSE.partition("Trace")[0], FALSE.replace("State: 1.3", "Stat")):
        stand_in(tmp_path, monkeypatch, printing(tmp_path, wrong))
        with pytest.raises(InternalError, match="does not simulate"):
            NuXmv().check(model())


SILENT = {
    "a syntax error": (SYNTAX, 1, "gave no answer: aborting"),
    "nothing": ("", 0, "gave no answer$"),
    "nonsense": ("\x00\x01 invariant is true maybe\n-- invariant\n is true\n", 0, "gave no answer"),
    "both": (TRUE + FALSE, 0, "gave no answer"),
    "a crash": (BANNER + "Segmentation fault\n", 139, "gave no answer: Segmentation fault"),
}


@pytest.mark.parametrize("name", SILENT)
def test_what_is_no_answer_is_unknown(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, code, pattern = SILENT[name]
    stand_in(tmp_path, monkeypatch, printing(tmp_path, text) + f"exit {code}\n")
    answer = NuXmv().check(model())
    assert isinstance(answer, Unknown) and re.search(pattern, answer.why), answer


def test_one_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(tmp_path, monkeypatch, printing(tmp_path, BANNER) + "exec sleep 600\n")
    answer = NuXmv().check(model(), timeout=0.5)
    assert isinstance(answer, Unknown) and answer.why == "time limit reached"


def test_a_counterexample_becomes_a_trace_of_c(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another engine finds the run; it is printed as the tool prints traces, values that do not change left out."""
    import fsoft.checkers.nuxmv as wrapper

    asked: list[Model] = []

    def remember(model: Model) -> str:
        asked.append(model)
        return write_smv(model)

    def answer(*_: object) -> tuple[str, bool]:
        found = model_engine("bmc").made().check(asked[-1])
        if isinstance(found, Proved):
            return TRUE, True
        assert isinstance(found, Violated)
        lines, before = [FALSE.partition("  -> State")[0]], dict[str, int]()
        for number, given in enumerate(found.stimulus.inputs, 1):
            lines.append(f"  -> State: 1.{number} <-\n")
            values = {f"i{k}": given.get(name, 0) for k, name in enumerate(asked[-1].inputs)}
            lines += [f"    {name} = 0ud1_{value}\n" for name, value in values.items() if before.get(name) != value]
            before = values
        return "".join(lines), True

    stand_in(tmp_path, monkeypatch, "exit 1\n")
    monkeypatch.setattr(wrapper, "write_smv", remember)
    monkeypatch.setattr(wrapper, "run", answer)
    path = tmp_path / "in.c"
    for text, expected in ((RACE, "FALSE(unreach-call)"), (LOCKED, "TRUE")):
        path.write_text(text)
        verdict = decide(load([str(path)], Options(checks=frozenset({"unreach-call"}))), "nuxmv", timeout=60)
        assert verdict.last_line() == expected and bool(verdict.trace) == (expected != "TRUE")


# ---------------------------------------------------------------- the tool itself

RACE = """#include <pthread.h>
#include <assert.h>
int x;
void *f(void *a) { int y = x; x = y + 1; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); pthread_join(t, 0); assert(x == 2); return 0; }
"""
LOCKED = RACE.replace("int x;", "int x; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;").replace(
    "int y = x; x = y + 1;", "pthread_mutex_lock(&m); int y = x; x = y + 1; pthread_mutex_unlock(&m);"
)


@pytest.mark.parametrize(("text", "expected"), [(RACE, "FALSE(unreach-call)"), (LOCKED, "TRUE")])
def test_programs_with_the_tool_itself(text: str, expected: str, tmp_path: Path) -> None:
    missing = model_engine("nuxmv").missing()
    if missing:
        pytest.skip(missing)
    path = tmp_path / "in.c"
    path.write_text(text)
    verdict = decide(load([str(path)], Options(checks=frozenset({"unreach-call"}))), "nuxmv", timeout=60)
    assert verdict.last_line() == expected and bool(verdict.trace) == (expected != "TRUE")


def test_words_mean_the_same_to_the_tool(tmp_path: Path) -> None:
    """Every operator of the SMV text, on random models."""
    import random

    tool = next((path for path in map(shutil.which, NUXMV.names) if path), None)
    if tool is None:
        pytest.skip("neither nuXmv nor NuSMV is installed")
    rng, answered, asked = random.Random(77), 0, 0
    (tmp_path / "commands").write_text(
        "set on_failure_script_quits 1\nread_model -i m.smv\nflatten_hierarchy\nencode_variables\nbuild_model\ncheck_invar\nquit\n"
    )
    for _ in range(60):
        some = random_model(rng)
        text = write_smv(some)
        (tmp_path / "m.smv").write_text(text)
        done = subprocess.run([tool, "-source", "commands"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
        said = dict(re.findall(r"^-- invariant !bool\((.*)\)\s+is (true|false)", done.stdout, re.MULTILINE))
        names = re.findall(r"^INVARSPEC !bool\((.*)\); --", text, re.MULTILINE)
        for name, target in zip(names, [*some.bad.values(), *some.bounds.values()], strict=True):
            asked += 1
            if name in said:
                answered += 1
                assert (said[name] == "true") == (shortest(some, [target]) is None), text
    assert answered >= 0.95 * asked
