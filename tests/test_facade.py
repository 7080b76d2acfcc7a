"""The Python door: programs, results, traces, circuits."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import pytest
import yaml

import fsoft
from fsoft.transactions import Reduction
from tests.trace.schemas import SARIF, violation

MODELS = Path(__file__).resolve().parents[1] / "models"
ACCOUNT = MODELS / "classic/account.c"
LONG = """#include <assert.h>
#include <pthread.h>
unsigned a, b, c;
void *f(void *p) { for (;;) a = a * 3 + b + 1; }
void *g(void *p) { for (;;) b = b * 5 + a + 1; }
int main(void) { pthread_t s, t; pthread_create(&s, 0, f, 0); pthread_create(&t, 0, g, 0); for (;;) { c = c * 7 + a; assert(c != 3); } }
"""


@pytest.fixture(scope="module")
def racy() -> fsoft.Loaded:
    return fsoft.load(ACCOUNT, define=["UNLOCKED"])


def test_importing_costs_nothing() -> None:
    code = "import sys, fsoft; print(sorted(m for m in sys.modules if m.startswith('fsoft')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=MODELS.parent)
    assert done.stdout.strip() == "['fsoft', 'fsoft.version']"


def test_every_public_name_is_there() -> None:
    assert all(getattr(fsoft, name) is not None for name in fsoft.__all__)
    with pytest.raises(AttributeError):
        fsoft.nothing  # noqa: B018


def test_a_trace_can_be_walked(racy: fsoft.Loaded) -> None:
    result = racy.check("unreach-call")
    assert result.violated and not result.holds and not result.unknown and str(result) == "FALSE(unreach-call)"
    trace = result.trace
    assert trace is not None and len(trace) == len(list(trace)) and trace[0].thread.name == "main"
    assert [thread.name for thread in trace.threads] == ["main", "deposit", "withdraw"]
    assert [thread.creator for thread in trace.threads] == [None, 0, 0]
    assert trace.switches() >= 4
    values = [(step.thread.number, c.old, c.new) for step in trace for c in step.changes if c.name == "balance"]
    assert [old for _, old, _ in values][1:] == [new for _, _, new in values][:-1]
    assert trace.of_thread(1)[0].thread.name == "deposit"
    assert all(step.statement for step in trace)
    assert "unreach-call: an assertion fails" in [note for step in trace for note in step.notes]
    assert "deposit" in str(trace) and "balance" in str(trace)


def test_results_are_not_booleans(racy: fsoft.Loaded) -> None:
    with pytest.raises(TypeError, match="three verdicts"):
        bool(racy.check())


@pytest.mark.parametrize("engine", ["explicit", "bmc"])
def test_no_reduction_where_the_end_of_the_run_is_looked_at(engine: str) -> None:
    program = fsoft.load(str(MODELS / "heap/leak_at_work.c"))
    assert program.check("valid-memtrack", engine=engine, reduction="cstub").verdict == "FALSE"


def test_engines_and_reductions_agree(racy: fsoft.Loaded) -> None:
    good = fsoft.load(ACCOUNT)
    for program, verdict in ((racy, "FALSE"), (good, "TRUE")):
        assert program.check("no-data-race", engine="bmc" if verdict == "FALSE" else "pdr").verdict == verdict
        assert program.check("no-data-race", reduction="cstub").verdict == verdict
        assert program.check("no-data-race", reduction=Reduction("cstub", "none")).verdict == verdict


def test_bounded_encodings(racy: fsoft.Loaded) -> None:
    assert racy.check(encoding="lazy", rounds=3).verdict == "FALSE"
    assert racy.check(encoding="paths", incremental=True).verdict == "FALSE"
    one = racy.check(encoding="tcbmc", contexts=2, unwind=1)
    assert one.unknown and one.bounds
    with pytest.raises(ValueError, match="no encoding 'magic'"):
        racy.check(encoding="magic")
    with pytest.raises(ValueError, match="tcbmc has no option 'rounds'"):
        racy.check(encoding="tcbmc", rounds=3)
    with pytest.raises(ValueError, match="no reduction"):
        racy.check(encoding="tcbmc", reduction="cstub")


def test_traces_are_shortened_unless_asked_otherwise(racy: fsoft.Loaded) -> None:
    long, short = (racy.check("no-data-race", engine="bmc", shorten=shorten).trace for shorten in (False, True))
    assert long is not None and short is not None
    assert len(short.moves) <= len(long.moves) and short.guilty[0].location == long.guilty[0].location


def test_without_an_engine_it_is_auto(tmp_path: Path) -> None:
    result = fsoft.load(ACCOUNT, define=["UNLOCKED"]).check(seed=1)
    assert result.violated and "answered by explicit" in result.reasons
    with pytest.raises(ValueError, match="depth: for one engine or encoding"):
        fsoft.load(ACCOUNT).check(depth=3)
    (tmp_path / "long.c").write_text(LONG)
    start = time.monotonic()
    late = fsoft.load(tmp_path / "long.c").check(timeout=1, jobs=1)
    assert late.unknown and late.reasons[0] == "time limit reached" and time.monotonic() - start < 20


def test_any_number_of_threads(tmp_path: Path) -> None:
    (tmp_path / "many.c").write_text(
        "#include <assert.h>\n#include <pthread.h>\nextern int __VERIFIER_nondet_int(void);\n"
        "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nstatic int inside;\n"
        "static void *worker(void *arg) {\n  pthread_mutex_lock(&m);\n  inside = 1;\n  assert(inside == 1);\n  inside = 0;\n"
        "  pthread_mutex_unlock(&m);\n  return 0;\n}\n"
        "int main(void) {\n  while (__VERIFIER_nondet_int()) {\n    pthread_t t;\n    pthread_create(&t, 0, worker, 0);\n  }\n"
        "  return 0;\n}\n"
    )
    program = fsoft.load(tmp_path / "many.c", threads=1)
    assert program.check(engine="explicit").unknown, "a bound on the threads cuts"
    assert program.check(engine="parametric").holds


def test_a_timeout_is_kept_and_says_what_is_known() -> None:
    result = fsoft.load(MODELS / "deadlocks/philosophers.c", define=["N=9"]).check("no-data-race", timeout=0.5)
    assert result.unknown and result.trace is None and result.stats.seconds < 10


def test_several_properties_and_all_of_them(racy: fsoft.Loaded) -> None:
    assert racy.check(*fsoft.PROPERTIES).prop == "no-data-race"
    assert fsoft.check(ACCOUNT, checks=["no-data-race", "no-deadlock"]).holds


def test_reports_are_valid(racy: fsoft.Loaded) -> None:
    result = racy.check("no-data-race")
    jsonschema.validate(json.loads(result.sarif()), SARIF)
    jsonschema.validate(yaml.safe_load(result.witness() or ""), violation("2.2"))
    assert "violation_witness" in (result.witness("1.0") or "") and 'failures="1"' in result.junit()
    with pytest.raises(ValueError, match="no witness format"):
        result.witness("3.0")


def test_lassos(tmp_path: Path) -> None:
    source = tmp_path / "loop.c"
    source.write_text("int x;\nint main(void) {\n  x = 1;\n  while (1) {\n    x = 3 - x;\n  }\n  return 0;\n}\n")
    program = fsoft.load(source)
    result = program.check_ltl("F (x == 7)")
    assert result.violated and result.trace is not None and result.witness() is None
    assert result.trace.loop is not None and result.trace[result.trace.loop].location.line in (4, 5)
    assert program.check_ltl("G (x < 7)").holds
    assert program.check_ltl("G (x < 7)", engine="pdr").holds


@pytest.mark.parametrize("suffix", ("aag", "aig", "btor2", "smv", "smt2"))
def test_files(racy: fsoft.Loaded, tmp_path: Path, suffix: str) -> None:
    built = racy.build(tmp_path / f"m.{suffix}")
    assert (tmp_path / f"m.{suffix}").read_bytes() == built.data and (tmp_path / "m.map.json").is_file()
    assert "unreach-call" in built.targets and built.model.states


def test_a_built_file_is_the_one_of_the_command(racy: fsoft.Loaded, tmp_path: Path) -> None:
    from fsoft.cli.main import main

    racy.build(tmp_path / "a.aag")
    assert main(["build", str(ACCOUNT), "-D", "UNLOCKED", "-o", str(tmp_path / "b.aag")]) == 0
    assert (tmp_path / "a.aag").read_bytes() == (tmp_path / "b.aag").read_bytes()


def test_answers_of_others_are_explained(racy: fsoft.Loaded, tmp_path: Path) -> None:
    from fsoft.cli.main import main

    built = racy.build(tmp_path / "m.aag")
    assert main(["check", str(tmp_path / "m.aag"), "--engine", "bmc", "--witness", str(tmp_path / "w")]) == 10
    result = built.explain((tmp_path / "w").read_text())
    assert str(result) == "FALSE(unreach-call)" and result.trace is not None and result.trace.guilty[0].location.line == 38
    with pytest.raises(fsoft.InputError):
        built.explain("1\nb0\nnonsense\n")


def test_mistakes_are_named(racy: fsoft.Loaded, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no property 'races'"):
        racy.check("races")
    with pytest.raises(fsoft.UnknownEngine, match="no engine 'magic'"):
        racy.check(engine="magic")
    with pytest.raises(ValueError, match="does not answer no-data-race"):
        racy.check("no-data-race", engine="lock-order")
    with pytest.raises(ValueError, match="no reduction"):
        racy.check(reduction="all")
    with pytest.raises(ValueError, match="must end in"):
        racy.build(tmp_path / "m.txt")
    with pytest.raises(ValueError, match="at least one"):
        fsoft.load()
    with pytest.raises(ValueError, match="32 or 64"):
        fsoft.load(ACCOUNT, bits=16)
    with pytest.raises(ValueError, match="said to check"):
        fsoft.load(ACCOUNT, checks=["no-data-race"])
    shutil.copy(ACCOUNT, tmp_path / "broken.c")
    (tmp_path / "broken.c").open("a").write("int main(")
    with pytest.raises(fsoft.InputError, match=r"broken\.c"):
        fsoft.load(tmp_path / "broken.c")
