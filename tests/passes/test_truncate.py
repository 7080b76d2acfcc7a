"""`--array-limit`: what is cut off is any value when read, nothing when written, and never a wrong verdict."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from fsoft.ask.load import Options, check, load
from fsoft.checkers.explicit.engine import explore
from fsoft.circuit.encode.encoding import encode
from fsoft.circuit.encode.lift import Lifter, random_walk
from fsoft.cli.main import main
from fsoft.passes.truncate import Truncate
from fsoft.program.legal import check_legal
from fsoft.program.program import Halt, Input, Program
from fsoft.program.verdict import Limits
from tests.models.table import rows

PREFIX = """#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <pthread.h>
int __VERIFIER_nondet_int(void);
"""


def options(limit: int, checks: str = "unreach-call") -> Options:
    return Options(checks=frozenset(checks.split()), array_limit=limit)


def source(folder: Path, text: str) -> list[str]:
    path = folder / "in.c"
    path.write_text(PREFIX + text)
    return [str(path)]


def loaded(folder: Path, text: str, limit: int, checks: str = "unreach-call") -> Program:
    return load(source(folder, text), options(limit, checks))


def names(program: Program, name: str) -> list[str]:
    obj = next(obj for obj in program.objects if obj.name == name)
    return [run.name for run in obj.runs for _ in range(run.count)]


ANY = "int a[100]; int main(void) { unsigned i = __VERIFIER_nondet_int(); if (i >= 100) return 0; a[i] = 7; "


def test_the_first_cells_stay_and_so_does_the_size(tmp_path: Path) -> None:
    program = loaded(tmp_path, "struct { int n; char c[9]; } s[20]; " + ANY + "s[i % 20].c[i % 9] = 1; return a[i]; }", 4)
    assert names(program, "a") == ["[]"] * 4
    a = next(obj for obj in program.objects if obj.name == "a")
    assert a.size == 400 and a.dropped == ((16, 400),)
    kept = names(program, "s")
    assert kept[:4] == ["[].n"] * 4 and len(kept) == 4 + 5 * 4, "characters of the first four elements, and of the last, which no n follows"


def test_without_a_limit_nothing_changes(tmp_path: Path) -> None:
    program = loaded(tmp_path, ANY + "return a[i]; }", 0)
    assert Truncate().apply(program) is program and Truncate(100).apply(program) is program


VERDICTS = {
    "a read beyond is no evidence": (ANY + "assert(a[99] != 5); return 0; }", "UNKNOWN"),
    "a read below is": (ANY + "assert(a[3] != 7); return 0; }", "FALSE(unreach-call)"),
    "a proof that needs the first cells only": (ANY + "if (i < 4) assert(a[i] == 7); return a[i]; }", "TRUE"),
    "a proof that needs the others": (ANY + "assert(a[i] == 7); return 0; }", "UNKNOWN"),
    "a write beyond is no obstacle": (ANY + "a[50] = 3; assert(i != 5); return 0; }", "FALSE(unreach-call)"),
    "a value that nobody looks at": ("int a[9], s; int main(void) { a[7] = 1; s = a[7]; assert(a[1] == 0); return 0; }", "TRUE"),
}


@pytest.mark.parametrize("engine", ["pdr", "bmc", "explicit"])
@pytest.mark.parametrize("name", VERDICTS)
def test_verdicts(name: str, engine: str, tmp_path: Path) -> None:
    text, expected = VERDICTS[name]
    verdict = check(source(tmp_path, text), options(4), engine=engine).last_line()
    assert verdict == expected or (engine == "explicit" and verdict == "UNKNOWN"), "the explicit engine tries some values only"


def test_the_verdict_names_the_array_and_the_option(tmp_path: Path) -> None:
    verdict = check(source(tmp_path, VERDICTS["a read beyond is no evidence"][0]), options(4), engine="bmc")
    assert any("beyond the first 4 cells of a" in line and "--array-limit" in line for line in verdict.lines())


BOUNDS = "int a[9]; int main(void) { unsigned i = __VERIFIER_nondet_int() & 15; %s return a[i]; }"


@pytest.mark.parametrize(("guard", "expected"), [("", "FALSE(valid-deref)"), ("if (i > 8) return 0;", "TRUE")])
def test_the_bounds_of_the_array_stay(guard: str, expected: str, tmp_path: Path) -> None:
    assert check(source(tmp_path, BOUNDS % guard), options(2, "valid-deref"), engine="pdr").last_line() == expected


RACE = """int a[9]; void *f(void *p) { a[7] = 1; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); a[7] = 2; pthread_join(t, 0); return 0; }
"""
DEADLOCK = """pthread_mutex_t m[9]; int main(void) { pthread_mutex_lock(&m[7]); pthread_mutex_lock(&m[7]); return 0; }
"""
LEAK = "void *a[9]; int main(void) { a[7] = malloc(4); return 0; }\n"


@pytest.mark.parametrize(
    ("text", "prop", "whole"), [(RACE, "no-data-race", "FALSE"), (DEADLOCK, "no-deadlock", "FALSE"), (LEAK, "valid-memtrack", "TRUE")]
)
def test_properties_of_states_are_cut_where_a_cell_is_missing(text: str, prop: str, whole: str, tmp_path: Path) -> None:
    assert check(source(tmp_path, text), options(0, prop)).last_line().startswith(whole)
    assert check(source(tmp_path, text), options(2, prop)).last_line() == "UNKNOWN"


def test_a_lock_beyond_the_limit_cuts(tmp_path: Path) -> None:
    program = loaded(tmp_path, DEADLOCK, 2)
    actions = [action for step in program.threads[0].template.steps for action in step.actions]
    assert any(isinstance(a, Halt) and a.kind == "cut" for a in actions) and not any(isinstance(a, Input) for a in actions)


WALKS = {
    "elements": ANY + "int x = a[i]; a[(x + i) % 100] = x; return a[99 - i]; }",
    "bytes of elements": "int a[20]; int main(void) { unsigned i = __VERIFIER_nondet_int() & 63; *(char *)((char *)a + i) = 3;"
    " return *(short *)((char *)a + i); }",
    "over the edge": "char c[9]; int main(void) { int i = __VERIFIER_nondet_int() & 3; *(int *)(c + i) = 0x01020304;"
    " return *(int *)(c + i); }",
    "structs": "struct { int n; char c[6]; } s[7]; int main(void) { unsigned i = __VERIFIER_nondet_int() % 7u; s[i].c[i % 6] = 1;"
    " s[i].n = i; return s[i].c[5] + s[i].n; }",
    "the heap": "int main(void) { unsigned n = __VERIFIER_nondet_int() & 31; char *p = malloc(n); p[n / 2] = 1; int x = p[n / 3]; free(p);"
    " return x; }",
    "a local array": "int main(void) { int a[6]; unsigned i = __VERIFIER_nondet_int() % 6u; a[i] = 1; return a[5 - i]; }",
    "pointers": "int x, y; int *p[6] = {&x, &x, &x, &x, &x, &y}; int main(void) { *p[__VERIFIER_nondet_int() % 6u] = 1; return x; }",
    "two arrays of one pointer": "int a[6], b[3]; int main(void) { unsigned i = __VERIFIER_nondet_int() % 3u; int *p = i ? a : b; p[i] = 2;"
    " return p[2 - i]; }",
}


@pytest.mark.parametrize("checks", ["unreach-call", "unreach-call valid-deref"])
@pytest.mark.parametrize("name", WALKS)
def test_the_circuit_does_what_the_interpreter_does(name: str, checks: str, tmp_path: Path) -> None:
    program = loaded(tmp_path, WALKS[name], 3, checks)
    check_legal(program)
    lifter, rng = Lifter(encode(program)), random.Random(name)
    assert sum(random_walk(lifter, rng, 30) for _ in range(30)) > 0


LIMITS = Limits(states=1_000)
CHOSEN = ["circular_buffer.c", "stack.c", "bubble_sort.c", "bounds.c", "prodcons_sem.c", "bakery.c"]


@pytest.mark.parametrize("program", CHOSEN)
def test_a_limit_never_changes_a_verdict(program: str) -> None:
    for row in [row for row in rows() if row.program.endswith("/" + program) and not row.options][:3]:
        given = Options(checks=frozenset({row.prop}), array_limit=2)
        verdict = explore(load([str(row.path)], given, bits=row.bits, define=row.defines), limits=LIMITS).last_line()
        assert verdict in (row.verdict, "UNKNOWN"), row.name


def test_the_map_of_a_file_keeps_the_limit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = source(tmp_path, VERDICTS["a read beyond is no evidence"][0])[0]
    assert main(["build", text, "--array-limit", "4", "-o", str(tmp_path / "m.aag")]) == 0
    assert json.loads((tmp_path / "m.map.json").read_text())["options"]["array_limit"] == 4
    assert main(["check", text, "--array-limit", "0"]) == 1
    assert "must be at least 1" in capsys.readouterr().err
