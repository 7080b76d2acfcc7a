"""Long arrays as summaries: proofs that need no cell, and never one that rests on a range that does not hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsoft.ask.load import check, load
from fsoft.parametric import summarised
from fsoft.passes.truncate import Truncate, _Truncating
from fsoft.program.expr import FALSE
from fsoft.program.legal import check_legal

PREFIX = """#include <assert.h>
#include <pthread.h>
unsigned __VERIFIER_nondet_uint(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
"""
STACK = """unsigned stack[60]; int top;
void *push(void *unused) {
  for (int i = 0; i < 60; i++) {
    pthread_mutex_lock(&m);
    assert(top < 60);
    stack[top++] = __VERIFIER_nondet_uint() % 60;
    pthread_mutex_unlock(&m);
  }
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, push, 0);
  for (int i = 0; i < 60; i++) {
    pthread_mutex_lock(&m);
    if (top > 0) assert(stack[--top] != -2);
    pthread_mutex_unlock(&m);
  }
  return 0;
}
"""
READER = "void *reader(void *unused) { assert(a[__VERIFIER_nondet_uint() % 40] < 90); return 0; }\n"
MAIN = "int main(void) { pthread_t t; pthread_create(&t, 0, reader, 0); %s return 0; }\n"
RARE = "int a[40];\n" + READER + MAIN % "if (__VERIFIER_nondet_uint() == 123456789) a[7] = 99;"
BYTES = "int a[40];\n" + READER + MAIN % "char *p = (char *)a; if (__VERIFIER_nondet_uint() == 123456789) p[6] = 1;"
START = "int a[40] = {[3] = 99};\n" + READER + MAIN % ""


def file(folder: Path, text: str) -> list[str]:
    path = folder / "in.c"
    path.write_text(PREFIX + text)
    return [str(path)]


def test_a_stack_that_is_longer_than_the_samples(tmp_path: Path) -> None:
    verdict = check(file(tmp_path, STACK), engine="parametric")
    assert verdict.kind == "TRUE" and "elements of stack are 0 to 59" in verdict.reasons


@pytest.mark.parametrize("text", [RARE, BYTES, START], ids=["rare store", "bytes", "initial value"])
def test_a_range_that_does_not_hold_proves_nothing(tmp_path: Path, text: str) -> None:
    assert check(file(tmp_path, text), engine="parametric").kind == "UNKNOWN"


def test_what_protects_is_the_cut_at_stores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Truncating, "_unusual", lambda *_: FALSE)
    assert check(file(tmp_path, RARE), engine="parametric").kind == "TRUE", "the defect must show"


def test_summaries_are_legal_programs_without_the_cells(tmp_path: Path) -> None:
    program, lines = summarised(load(file(tmp_path, STACK), bits=32))
    check_legal(program)
    assert lines == ["elements of stack are 0 to 59"]
    assert next(obj for obj in program.objects if obj.name == "stack").runs == ()
    same = load(file(tmp_path, STACK.replace("60", "6")), bits=32)
    assert Truncate(16, kept=0).apply(same) is same


def test_small_arrays_are_summaries_first(tmp_path: Path) -> None:
    verdict = check(file(tmp_path, STACK.replace("60", "6")), engine="parametric")
    assert verdict.kind == "TRUE" and "elements of stack are 0 to 5" in verdict.reasons


def test_small_arrays_keep_their_cells_where_these_matter(tmp_path: Path) -> None:
    cell = "int a[8];\nvoid *reader(void *unused) { assert(a[3] == 5); return 0; }\n" + "int main(void) { pthread_t t; a[3] = 5; "
    verdict = check(file(tmp_path, cell + "a[4] = 7; pthread_create(&t, 0, reader, 0); return 0; }\n"), engine="parametric")
    assert verdict.kind == "TRUE" and not any("elements" in line for line in verdict.reasons)
