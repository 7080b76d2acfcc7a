"""Printed programs: every tool's names, gcc without warnings, runs that fail only where they should, and our own front end."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from benchmarks.sequentialized import Outcome, Plan, campaign, of_states
from fsoft.ask.encodings import answer
from fsoft.ask.load import load
from fsoft.bounded.sequential import LazyBounds
from fsoft.passes.bounds import Bounds
from fsoft.passes.unwind import unwind
from fsoft.program.expr import evaluate
from fsoft.program.options import Options
from fsoft.sequentialize.c_expr import ExpressionPrinter, identifier
from fsoft.sequentialize.c_text import c_text
from fsoft.sequentialize.c_words import type_of
from fsoft.sequentialize.lazy import Lazy
from fsoft.sequentialize.schedule import schedule_of
from fsoft.sequentialize.sites import Player, Sites
from fsoft.sequentialize.targets import TARGETS, TYPES, WIDE
from tests.models.table import Row
from tests.program.randomly import expression

gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc")

TEXT = """#include <pthread.h>
#include <assert.h>
#include <stdlib.h>
struct { int n; char c[3]; } s; int *p; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *worker(void *a) { int *q = (int *)a; *q += 1; s.c[1] = (char)*q; return 0; }
int main(void) { pthread_t t; p = malloc(sizeof *p); *p = 1; pthread_create(&t, 0, worker, p); *p += 1; pthread_join(t, 0);
assert(*p == 3 && s.c[1] >= 2); free(p); return 0; }
"""
RING = """#include <pthread.h>
#include <assert.h>
struct { int data[2]; unsigned at; pthread_mutex_t m; } b;
void *worker(void *a) { pthread_mutex_lock(&b.m); b.data[b.at] = 1; b.at = (b.at + 1) % 2; pthread_mutex_unlock(&b.m); return a; }
int main(void) { pthread_t t; pthread_create(&t, 0, worker, 0); worker(0); pthread_join(t, 0); assert(b.data[b.at] == 1); return 0; }
"""


def printed(folder: Path, tool: str, text: str = TEXT, rounds: int = 2, check: str = "unreach-call") -> Path:
    path = folder / "p.c"
    path.write_text(text)
    unwound = unwind(load([str(path)], Options(checks=frozenset({check}))), Bounds(2)).program
    out = folder / f"{tool}.c"
    out.write_text(c_text(Lazy(schedule_of(unwound, rounds, None), coverage=False).apply(unwound).program, TARGETS[tool]))
    return out


@pytest.mark.parametrize("tool, names", [
    ("cbmc", ("__CPROVER_assume(", "__CPROVER_assert(", "unsigned __CPROVER_bitvector[", "BITS(", "nondet_uint()")),
    ("esbmc", ("__ESBMC_assume(", "__ESBMC_assert(", "nondet_uint()")),
    ("klee", ("klee_make_symbolic(", "klee_silent_exit(", "__assert_fail(")),
    ("svcomp", ("__VERIFIER_nondet_uint()", "abort()", "reach_error()")),
    ("gcc", ("choose(", "assume(", "check(")),
])  # fmt: skip
def test_every_tool_has_its_names_and_the_users_lines(tmp_path: Path, tool: str, names: tuple[str, ...]) -> None:
    text = printed(tmp_path, tool).read_text()
    assert all(name in text for name in names)
    assert f'#line 5 "{tmp_path / "p.c"}"' in text


def test_no_loop_is_left_for_the_tool_to_unwind(tmp_path: Path) -> None:
    """A signal wakes any of those that wait: the lowest bit of a mask is found without a loop."""
    text = """#include <pthread.h>
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER;
    void *waiter(void *a) { pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return 0; }
    int main(void) { pthread_t t; pthread_create(&t, 0, waiter, 0); pthread_cond_signal(&c); return 0; }"""
    written = printed(tmp_path, "cbmc", text).read_text()
    assert "u32 low" in written and not re.search(r"\b(while|for|do)\b", written.split("static void run")[1])


@gcc
@pytest.mark.parametrize("text", [TEXT, RING], ids=["heap", "ring"])
@pytest.mark.parametrize("tool", ["cbmc", "esbmc", "klee", "svcomp", "gcc"])
def test_gcc_says_nothing(tmp_path: Path, tool: str, text: str) -> None:
    command = ["gcc", "-Wall", "-Wextra", "-c", "-o", "/dev/null", str(printed(tmp_path, tool, text))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stderr == ""


def test_our_own_front_end_reads_it_back(tmp_path: Path) -> None:
    """Two rounds are enough for the error."""
    for rounds, line in ((1, "TRUE"), (2, "FALSE(unreach-call)")):
        program = load([str(printed(tmp_path, "svcomp", rounds=rounds))], Options())
        assert answer(program, "lazy", LazyBounds(rounds=1)).last_line() == line


@gcc
def test_a_store_to_a_literal_is_claimed_not_to_happen(tmp_path: Path) -> None:
    """The address is a constant, and so is the variable: nothing must be assigned to it."""
    out, text = tmp_path / "out", 'int main(void) { char *p = "abc"; p[0] = 120; return 0; }'
    subprocess.run(["gcc", "-Wall", "-Werror", "-o", str(out), str(printed(tmp_path, "gcc", text, check="valid-deref"))], check=True)
    said = subprocess.run([str(out), "-n", "50"], capture_output=True, text=True, check=False).stdout
    assert said.startswith("valid-deref: invalid access")


_MIXED = """extern int __VERIFIER_nondet_int(void); extern void abort(void); void reach_error(void);
struct { int a; char c[6]; short s; struct { short x; char y[4]; } p[6]; } all;
int main(void) { unsigned at = __VERIFIER_nondet_int(), how = __VERIFIER_nondet_int(), k; unsigned char *b = (unsigned char *)&all;
if (at > sizeof all - 4 || how > 2 || (how && at % (how == 1 ? 4 : 2))) abort();
for (k = 0; k < sizeof all; k++) b[k] = k * 7 + 3;
if (how == 0) b[at] = 200; else if (how == 1) *(int *)(b + at) = 0x04030201; else *(short *)(b + at) = 0x0706;
unsigned got = how == 0 ? b[at] : how == 1 ? *(unsigned *)(b + at) : *(unsigned short *)(b + at);
unsigned bytes, want = how == 0 ? 200 : how == 1 ? 0x04030201 : 0x0706;
bytes = how == 0 ? b[at] : how == 1 ? b[at] | b[at + 1] << 8 | b[at + 2] << 16 | (unsigned)b[at + 3] << 24 : b[at] | b[at + 1] << 8;
if (got != bytes || got != want || b[at + 4 - 4 * (at + 4 >= sizeof all)] == WRONG) reach_error();
return 0; }"""


@gcc
@pytest.mark.parametrize("wrong, line", [("300", "TRUE"), ("200", "FALSE(unreach-call)")])
def test_accesses_that_fit_no_cell(tmp_path: Path, wrong: str, line: str) -> None:
    """Words, halves and bytes at places that are chosen, over cells of other sizes: what was stored is read again."""
    text = _MIXED.replace("WRONG", wrong)
    out = tmp_path / "out"
    subprocess.run(["gcc", "-Wall", "-Werror", "-o", str(out), str(printed(tmp_path, "gcc", text, rounds=1))], check=True)
    said = subprocess.run([str(out), "-n", "200000"], capture_output=True, text=True, check=False)
    assert said.returncode in ((0,) if line == "TRUE" else (0, 10))
    program = load([str(printed(tmp_path, "svcomp", text, rounds=1))], Options(calls="inline"))
    assert answer(program, "lazy", LazyBounds(Bounds(1), rounds=1)).last_line() == line


_SMALL = (
    "probes/error_body.c unreach-call -DQUIET",
    "deadlocks/again.c no-deadlock",
    "memory/bounds.c unreach-call -DINDEX=1",
    "probes/reread.c unreach-call -DCOPY",
    "checks/shift.c unreach-call",
)


@gcc
def test_rows_of_the_models_compile_and_fail_as_they_should() -> None:
    small = [row for row in of_states() if row.name in _SMALL]
    tally = campaign(small, Plan(LazyBounds(Bounds(1), rounds=2), runs=2000, seconds=10, back=True))
    assert tally.seen["read back"] == 5 and tally.seen["failed as the formula says"] and not tally.wrong


def test_a_campaign_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def outcome(row: Row, _plan: Plan) -> Outcome:
        asked.append(row.name)
        return Outcome(row.name, row.verdict, fed=row.prop, slow=len(asked) == 2)

    monkeypatch.setattr("benchmarks.sequentialized.limited", outcome)
    chosen = of_states()[:3]
    assert campaign(chosen, Plan(LazyBounds()), tmp_path / "state").seen["slow"] == 1
    assert campaign(chosen, Plan(LazyBounds()), tmp_path / "state").seen["slow"] == 0
    assert asked == [row.name for row in (*chosen, chosen[1])]


@gcc
def test_expressions_mean_in_c_what_they_mean_here(tmp_path: Path) -> None:
    source, leaves = random.Random(7), {w: [f"v{w}_{k}" for k in range(2)] for w in (1, 8, 16, 32, 64)}
    values = {name: source.choice((0, 1, source.getrandbits(w), (1 << w) - 1)) for w, names in leaves.items() for name in names}
    printer = ExpressionPrinter({name: identifier(name) for name in values})
    cases = [expression(source, source.choice((1, 8, 16, 32, 64)), 4, leaves) for _ in range(150)]
    lines = [f"{type_of(int(n[1:].split('_')[0]))} {n} = {v}{'ull' if v > 1 else ''};" for n, v in values.items()]
    body = []
    for case in cases:
        (text,), before = printer.text([case])
        body.append(f'{{ {" ".join(before)} printf("%llu\\n", (u64)({text})); }}')
    program = ["#include <stdio.h>", TYPES, WIDE, *lines, *printer.helpers.values(), "int main(void) {", *body, "return 0; }"]
    (tmp_path / "e.c").write_text("\n".join(program))
    subprocess.run(["gcc", "-w", "-o", str(tmp_path / "e"), str(tmp_path / "e.c")], check=True)
    out = subprocess.run([str(tmp_path / "e")], capture_output=True, text=True, check=True).stdout.split()
    expected = [str(evaluate(case, lambda node: values[str(node.data)])) for case in cases]
    wrong = [(str(case), got, right) for case, got, right in zip(cases, out, expected, strict=True) if got != right]
    assert not wrong, wrong[0]


def test_a_run_is_what_was_chosen(tmp_path: Path) -> None:
    """The table of a run that a player made leads another one to the same end."""
    path = tmp_path / "p.c"
    path.write_text(TEXT)
    unwound = unwind(load([str(path)], Options()), Bounds(2)).program
    sites = Sites(Lazy(schedule_of(unwound, 2, None), coverage=False).apply(unwound).program)
    dice, seen = random.Random(1), 0
    for _ in range(300):
        first = Player(sites)
        moves, violation = first.play({k: dice.getrandbits(w) for k, w in enumerate(sites.width)})
        again, same = Player(sites).play(first.values)
        assert (moves, violation) == (again, same)
        told = Player(sites)
        told.play(moves=moves)
        assert Player(sites).play(told.values)[1] == violation
        seen += violation is not None
    assert seen
