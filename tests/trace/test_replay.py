"""Traces in the real program: each kind of failure of a compiled program, forced by the schedule and the inputs of its trace."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from fsoft.cli.main import main
from fsoft.compiled.replay import ReplayOutcome, prepare, source_of
from fsoft.compiled.replay.schedule import PENDING, READS, WRITES, ReplaySchedule
from tests.models.table import MODELS

needs_gcc = pytest.mark.skipif(not all(map(shutil.which, ("gcc", "objcopy", "nm", "objdump"))), reason="gcc or binutils are not installed")

ROWS = {
    "lost update": ("mutex/test_and_set.c", "unreach-call", ["-DTWO_STEPS"]),
    "operands in gcc's order": ("classic/fibonacci.c", "unreach-call", ["-DLIMIT=7"]),
    "spurious wake-up": ("sync/prodcons_cond.c", "unreach-call", ["-DIF"]),
    "lost signal": ("sync/prodcons_cond.c", "no-deadlock", ["-DNO_SIGNAL"]),
    "memory comes back": ("heap/reuse.c", "unreach-call", []),
    "atomic sections": ("probes/atomic_section.c", "unreach-call", ["-DHALF"]),
    "race on a heap cell": ("races/heap.c", "no-data-race", ["-DN=3"]),
    "race in a library function": ("races/matrix.c", "no-data-race", ["-DN=2", "-DWIDE"]),
    "threads from a section": ("threads/late_turn.c", "unreach-call", []),
    "race inside a section": ("races/section_loop.c", "no-data-race", []),
    "leak of a thread at work": ("heap/leak_while_running.c", "valid-memtrack", ["-DEXIT"]),
    "leak at the end of the last thread": ("heap/leak_restart.c", "valid-memtrack", ["--threads", "1"]),
    "names that the runtime has, too": ("parametric/readers.c", "unreach-call", ["-DHASTY", "--threads", "2"]),
    "lock misuse": ("checks/lock_use.c", "no-lock-misuse", ["-DRW_UNLOCK"]),
    "initialised again": ("checks/lock_init.c", "no-lock-misuse", ["-DCOND"]),
}

INPUT = """
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
int shared;
static void *other(void *arg) { shared = __VERIFIER_nondet_int(); return arg; }
int main(void) {
    pthread_t t;
    int mine = __VERIFIER_nondet_int();
    __VERIFIER_assume(mine > 100);
    pthread_create(&t, 0, other, 0);
    int seen = shared;
    pthread_join(t, 0);
    assert(!(seen == 7 && mine == 107));
    return 0;
}
"""

OVERFLOW = """
extern int __VERIFIER_nondet_int(void);
int x;
int main(void) { x = __VERIFIER_nondet_int(); x = x + 1; return 0; }
"""

DIVISION = """
extern int __VERIFIER_nondet_int(void);
int main(void) { int d = __VERIFIER_nondet_int(); return 10 / d; }
"""

NULL = """
#include <pthread.h>
#include <stddef.h>
int cell; int *p = &cell;
static void *clear(void *arg) { p = NULL; return arg; }
int main(void) { pthread_t t; pthread_create(&t, 0, clear, 0); if (p) *p = 1; pthread_join(t, 0); return 0; }
"""

LEAK = """
#include <stdlib.h>
char *kept;
int main(void) { kept = malloc(4); kept = malloc(8); return 0; }
"""

UNDEFINED = """
#include <assert.h>
#include <stdlib.h>
int main(void) { int *p = malloc(4); assert(*p != 12345); free(p); return 0; }
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all: the runtime is compiled once."""
    return tmp_path_factory.mktemp("replay")


def trace_of(folder: Path, path: Path, prop: str, *options: str) -> dict[str, Any]:
    target = folder / "trace.json"
    arguments = ["check", str(path), "--property", prop, "--trace-file", str(target), *options]
    assert main(arguments) == 10
    found = json.loads(target.read_text())
    assert isinstance(found, dict)
    return found


def replay(folder: Path, path: Path, prop: str, *options: str) -> tuple[ReplayOutcome, dict[str, Any]]:
    trace = trace_of(folder, path, prop, *options)
    return prepare(trace, [source_of(str(path), trace["files"][0])], 64 if "--64" in options else 32, str(folder)).run(60), trace


@needs_gcc
@pytest.mark.parametrize("name", ROWS)
def test_models(folder: Path, name: str) -> None:
    program, prop, defines = ROWS[name]
    outcome, trace = replay(folder, MODELS / program, prop, "--64", *defines)
    assert outcome.confirms(trace), outcome
    assert outcome.done == outcome.events


@needs_gcc
@pytest.mark.parametrize(("text", "prop", "kind"), [
    (INPUT, "unreach-call", "assert"),
    (OVERFLOW, "no-overflow", "overflow"),
    (DIVISION, "no-division-by-zero", "division"),
    (NULL, "valid-deref", "signal"),
    (LEAK, "valid-memtrack", "leak"),
    (UNDEFINED, "unreach-call", "assert"),
])  # fmt: skip
def test_failures(folder: Path, text: str, prop: str, kind: str) -> None:
    path = folder / "prog.c"
    path.write_text(text)
    outcome, trace = replay(folder, path, prop, "--64")
    assert outcome.kind == kind and outcome.confirms(trace), outcome


@needs_gcc
def test_a_run_that_does_not_fail_is_no_confirmation(folder: Path) -> None:
    """Other inputs than those of the trace: the program ends without the failure."""
    path = folder / "prog.c"
    path.write_text(INPUT)
    trace = trace_of(folder, path, "unreach-call", "--64")
    for move in trace["moves"]:
        for given in move["inputs"]:
            given["value"] = 200
    outcome = prepare(trace, [source_of(str(path), trace["files"][0])], 64, str(folder)).run(60)
    assert outcome.kind == "ended" and not outcome.confirms(trace)


@needs_gcc
def test_another_schedule_does_not_fail(folder: Path) -> None:
    """The threads one after the other: the lost update is not lost."""
    path = MODELS / "mutex/test_and_set.c"
    trace = trace_of(folder, path, "unreach-call", "--64", "-DTWO_STEPS")
    trace["moves"].sort(key=lambda move: move["slot"])
    assert not prepare(trace, [source_of(str(path), trace["files"][0])], 64, str(folder)).run(60).confirms(trace)


@needs_gcc
def test_what_gcc_does_at_once_is_no_bug_of_ours(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A copy of two words that another thread sees half done: gcc copies them with one instruction."""
    path = MODELS / "memory/struct_copy.c"
    outcome, trace = replay(folder, path, "unreach-call", "--64")
    assert not outcome.confirms(trace) and "gcc makes one access at line" in outcome.excuse(trace)
    assert main(["replay", str(path), str(folder / "trace.json"), "--keep", str(folder)]) == 5
    assert capsys.readouterr().out.splitlines()[-1] == "UNKNOWN"


def test_schedule_has_updates_pendings_and_calls(folder: Path) -> None:
    access = {"object": 3, "offset": 4, "size": 4, "atomic": True, "library": False, "file": "a.c", "line": 5, "column": 1}
    move = {"slot": 1, "file": "a.c", "line": 5, "column": 1, "statement": "", "section": None, "sync": [], "inputs": [], "creates": None,
            "allocates": [], "events": [], "accesses": [{**access, "write": False}, {**access, "write": True}]}  # fmt: skip
    wait = {**move, "accesses": [], "sync": [{"kind": "wait", "object": 4, "offset": 0}, {"kind": "release", "object": 3, "offset": 0}]}
    end = {"kind": "race", "accesses": [{"slot": k, **access, "atomic": False, "write": True} for k in (1, 2)]}
    events = ReplaySchedule({"objects": [], "moves": [move, wait], "end": end, "threads": [], "property": "no-data-race"}).events
    assert [(e.slot, e.kind, e.how, e.flags) for e in events] == [
        (1, "access", READS | WRITES, 0), (1, "wait", READS | WRITES, 0), (1, "access", WRITES, PENDING), (2, "access", WRITES, PENDING),
    ]  # fmt: skip


@needs_gcc
def test_thirty_two_bits(folder: Path) -> None:
    path = folder / "prog.c"
    path.write_text(INPUT)
    if os.system("echo 'int main(void) { return sizeof(long) - 4; }' | gcc -m32 -xc - -o /dev/null 2> /dev/null"):
        pytest.skip("gcc cannot compile for 32 bits here")
    outcome, trace = replay(folder, path, "unreach-call", "--32")
    assert outcome.confirms(trace), outcome
