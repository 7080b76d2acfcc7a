"""From C to steps: what the lowering makes of statements, calls, threads and memory, before and after the passes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fsoft.ask.load import load
from fsoft.checkers.explicit.engine import explore
from fsoft.frontend.source import InputError
from fsoft.program.options import Options
from fsoft.program.program import Halt, Load, Program, Require, Store

HEAD = "#include <pthread.h>\n#include <assert.h>\n#include <stdlib.h>\n"
TWO = """int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0);
    pthread_join(t, 0); pthread_join(u, 0); CHECK return 0; }
"""


def program(text: str, folder: Path, bits: int = 32, after: object = None, **options: Any) -> Program:
    path = folder / "p.c"
    path.write_text(HEAD + text)
    kept: list[Program] = []
    result = load([str(path)], replace(Options(), **options), bits=bits, after=lambda name, p: kept.append(p))  # type: ignore[arg-type]
    return kept[0] if after == "lower" else result


def verdict(text: str, folder: Path, **options: Any) -> str:
    return explore(program(text, folder, **options)).last_line()


def accesses(step: object) -> list[object]:
    return [a for a in step.actions if isinstance(a, (Load, Store))]  # type: ignore[attr-defined]


# ---------------------------------------------------------------- steps


def test_every_plain_access_is_a_step_of_its_own(tmp_path: Path) -> None:
    made = program("int x, y; void *f(void *a) { x = y + x; return 0; }" + TWO.replace("CHECK", ""), tmp_path, after="lower")
    template = made.threads[1].template
    plain = [s for s in template.steps if any(not a.sync for a in accesses(s))]  # type: ignore[attr-defined]
    assert [len(accesses(s)) for s in plain] == [1, 1, 1]


def test_increment_is_not_atomic_but_atomic_increment_is(tmp_path: Path) -> None:
    check = TWO.replace("CHECK", "assert(x == 2);")
    assert verdict("int x; void *f(void *a) { x++; return 0; }" + check, tmp_path) == "FALSE(unreach-call)"
    assert verdict("_Atomic int x; void *f(void *a) { x++; return 0; }" + check, tmp_path) == "TRUE"
    assert verdict("int x; void *f(void *a) { __sync_fetch_and_add(&x, 1); return 0; }" + check, tmp_path) == "TRUE"


def test_lock_is_a_guard_and_an_update(tmp_path: Path) -> None:
    text = "pthread_mutex_t m; void *f(void *a) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; }" + TWO.replace("CHECK", "")
    template = program(text, tmp_path).threads[1].template
    lock = next(s for s in template.steps if any(t.kind == "acquire" for t in s.tags))
    assert [type(a) for a in lock.actions] == [Load, Require, Store]


def test_a_failed_assume_never_guards_the_access_before_it(tmp_path: Path) -> None:
    text = "int x; void __VERIFIER_assume(int); int main(void) { x = 1; __VERIFIER_assume(x == 0); return 0; }"
    for step in program(text, tmp_path).threads[0].template.steps:
        assert not (accesses(step) and not step.guard.is_const)


# ---------------------------------------------------------------- calls


FACTORIAL = "int f(int n) { return n <= 1 ? 1 : n * f(n - 1); } int main(void) { assert(f(%d) == %d); return 0; }"


@pytest.mark.parametrize("calls", ["inline", "once"])
def test_recursion_is_exact_within_its_bound_and_a_cut_beyond(tmp_path: Path, calls: str) -> None:
    assert verdict(FACTORIAL % (4, 24), tmp_path, calls=calls) == "TRUE"
    assert verdict(FACTORIAL % (4, 25), tmp_path, calls=calls) == "FALSE(unreach-call)"
    assert verdict(FACTORIAL % (9, 362880), tmp_path, calls=calls) == "UNKNOWN"
    assert verdict(FACTORIAL % (9, 362880), tmp_path, calls=calls, recursion=9) == "TRUE"


@pytest.mark.parametrize("calls", ["inline", "once"])
def test_two_calls_in_one_expression_keep_their_results_apart(tmp_path: Path, calls: str) -> None:
    text = "int g(int a, int b) { int c = a * 10; return c + b; } int main(void) { assert(g(1, 2) - g(3, g(4, 5)) == 12 - 75); return 0; }"
    assert verdict(text, tmp_path, calls=calls) == "TRUE"


@pytest.mark.parametrize("calls", ["inline", "once"])
def test_a_call_among_the_arguments_of_the_same_function(tmp_path: Path, calls: str) -> None:
    text = """struct s { int v; }; struct s g(struct s a, struct s b) { struct s r = { a.v * 10 + b.v }; return r; }
    int h(int a) { return a + 1; } struct s of(int v) { struct s r = { v }; return r; }
    int main(void) { assert(h(h(h(1))) == 4); assert(g(g(of(1), of(2)), g(of(3), of(4))).v == 154); return 0; }"""
    assert verdict(text, tmp_path, calls=calls) == "TRUE"


def test_one_copy_per_thread_is_smaller_than_expansion(tmp_path: Path) -> None:
    body = "x = x * 3 + 1; if (x > 100) x = x - 100; if (x == 7) x = 8;" * 3
    text = f"int x; void g(void) {{ {body} }} int main(void) {{ {'g(); ' * 12} return 0; }}"
    sizes = {calls: len(program(text, tmp_path, after="lower", calls=calls).threads[0].template.steps) for calls in ("inline", "once")}
    assert sizes["once"] < sizes["inline"] / 3


def test_function_pointers_reach_functions_of_a_fitting_type_only(tmp_path: Path) -> None:
    text = """int one(int a) { return a + 1; } int two(int a) { return a + 2; } int other(int a, int b) { return b; }
    int (*table[2])(int) = { one, two }; void *keep = (void *)other;
    int main(void) { int i = table[1](5); assert(i == 7); assert(table[0](i) == 8); return 0; }"""
    assert verdict(text, tmp_path) == "TRUE"


def test_functions_without_body_are_named_or_havocked(tmp_path: Path) -> None:
    text = "int mystery(int); int main(void) { assert(mystery(1) != 77); return 0; }"
    with pytest.raises(InputError, match=r"p\.c:4:.*'mystery' has no body and no model"):
        program(text, tmp_path, strict=True)
    assert verdict(text, tmp_path) == "UNKNOWN"
    fine = "int mystery(int); int main(void) { _Bool b = mystery(1); assert(b == 0 || b == 1); return 0; }"
    assert verdict(fine, tmp_path) != "FALSE(unreach-call)"


# ---------------------------------------------------------------- threads


def test_slots_come_from_counting_loops(tmp_path: Path) -> None:
    loop = "int main(void) { pthread_t t[9]; for (int i = 0; i < %s; i++) pthread_create(&t[i], 0, f, 0); return 0; }"
    body = "int n = 5; void *f(void *a) { return 0; }"
    assert len(program(body + loop % "4", tmp_path).threads) == 5
    assert len(program(body + loop % "n", tmp_path).threads) == 6
    assert len(program(body + loop % "rand()", tmp_path).threads) == 1 + Options().threads


def test_a_jump_back_inside_a_block_does_not_multiply_threads_after_it(tmp_path: Path) -> None:
    text = """int x; void *f(void *a) { return 0; }
    int main(void) { pthread_t t; if (x) { ERROR: x = 2; goto ERROR; } pthread_create(&t, 0, f, 0); return 0; }"""
    assert len(program(text, tmp_path).threads) == 2


def test_a_slot_too_few_is_a_cut(tmp_path: Path) -> None:
    text = "int x; void *f(void *a) { x = 1; return 0; } int main(void) { pthread_t t; while (1) pthread_create(&t, 0, f, 0); }"
    made = program(text, tmp_path, threads=2)
    assert explore(made).kind == "UNKNOWN"
    assert any(isinstance(a, Halt) and a.kind == "cut" for t in made.templates() for s in t.steps for a in s.actions)


def test_a_joined_slot_is_used_again(tmp_path: Path) -> None:
    text = """int x; void *f(void *a) { x = x + 1; return 0; }
    int main(void) { for (;;) { pthread_t t; x = 0; pthread_create(&t, 0, f, 0); pthread_join(t, 0); assert(x == 1); } }"""
    assert verdict(text, tmp_path, threads=1) == "TRUE"


MANY = "void *f(void *a) { USE return 0; } int main(void) { pthread_t t; for (int i = 0; i < COUNT; i++) pthread_create(&t, 0, f, 0); }"


def test_more_threads_than_a_mask_holds_are_cut(tmp_path: Path) -> None:
    waiting = "pthread_cond_t c; pthread_mutex_t m; " + MANY.replace("USE", "pthread_mutex_lock(&m); pthread_cond_wait(&c, &m);")
    few = program(waiting.replace("COUNT", "64"), tmp_path)
    assert len(few.threads) == 4
    assert "slot" in {m.kind for m in few.markers if m.cuts}


def test_ten_thousand_threads_are_a_few_slots_and_a_cut(tmp_path: Path) -> None:
    text = MANY.replace("COUNT", "10000").replace("USE", "x++; assert(x < 4);")
    assert len(program("int x; " + text, tmp_path).threads) == 4
    assert verdict("int x; " + text, tmp_path) == "UNKNOWN"
    assert verdict("int x; " + text.replace("x < 4", "x < 3"), tmp_path) == "FALSE(unreach-call)"
    assert len(program("int x; " + text, tmp_path, threads=400).threads) == 401


def test_sites_within_sites_have_slots_as_long_as_there_is_room(tmp_path: Path) -> None:
    text = """int x; void *f(void *a) { x = 1; return 0; }
    void *g(void *a) { pthread_t t; for (int i = 0; i < 40; i++) pthread_create(&t, 0, f, 0); return 0; }
    int main(void) { pthread_t t; for (int i = 0; i < 40; i++) pthread_create(&t, 0, g, 0); }"""
    assert len(program(text, tmp_path).threads) == 1 + 3 + 3 * 3


def test_threads_that_are_in_no_set_may_be_many(tmp_path: Path) -> None:
    locked = "int x; pthread_mutex_t m; " + MANY.replace("USE", "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);")
    assert len(program(locked.replace("COUNT", "120"), tmp_path).threads) == 121


def test_the_return_of_main_may_wait_for_the_others(tmp_path: Path) -> None:
    text = """pthread_mutex_t m, n; void *f(void *a) { pthread_mutex_lock(&m); pthread_mutex_lock(&n); return 0; }
    int main(void) { pthread_t t; pthread_mutex_lock(&n); pthread_create(&t, 0, f, 0); return 0; }"""
    assert verdict(text, tmp_path, checks=frozenset({"no-deadlock"})) == "TRUE"
    assert verdict(text, tmp_path, checks=frozenset({"no-deadlock"}), main_return="waits") == "FALSE(no-deadlock)"


def test_what_runs_at_the_end_is_not_forgotten_where_main_only_waits(tmp_path: Path) -> None:
    text = "#include <stdlib.h>\n#include <assert.h>\nvoid late(void) { assert(0); }\nint main(void) { atexit(late); return 0; }\n"
    assert verdict(text, tmp_path) == "FALSE(unreach-call)"
    assert verdict(text, tmp_path, main_return="waits") == "UNKNOWN"


def test_entry_and_thread_functions(tmp_path: Path) -> None:
    text = "int x; void a(void) { x = 1; } void b(void) { x = 2; assert(x == 2); }"
    assert verdict(text, tmp_path, entry="b") == "TRUE"
    assert verdict(text, tmp_path, thread_functions=("a", "b")) == "FALSE(unreach-call)"
    with pytest.raises(InputError, match="no definition of function 'main'"):
        program(text, tmp_path)


# ---------------------------------------------------------------- memory


def test_heap_pools_count_what_can_be_asked_for(tmp_path: Path) -> None:
    text = "int main(void) { int *p = malloc(4), *q = malloc(4); char *r = malloc(7); *p = *q = *r = 1; return 0; }"
    made = program(text, tmp_path)
    assert [(p.capacity, len(p.objects), p.exact) for p in made.pools] == [(4, 2, True), (7, 1, True)]


def test_heap_cells_have_the_type_of_the_pointer(tmp_path: Path) -> None:
    text = "struct n { char c; int v; struct n *next; }; int main(void) { struct n *p = malloc(sizeof *p); p->v = 3; return p->v; }"
    made = program(text, tmp_path)
    heap = made.objects[made.pools[0].objects[0]]
    assert [(r.start, r.size) for r in heap.runs] == [(0, 1), (1, 1), (2, 2), (4, 4), (8, 4)], "no byte is left out"


def test_adjacent_bit_fields_share_a_cell_and_spare_their_neighbours(tmp_path: Path) -> None:
    text = """struct s { unsigned a : 4, b : 5; char c; int d; } v; int main(void) { v.a = 3; v.b = 9; v.c = 7; v.d = 1; return v.a; }"""
    made = program(text, tmp_path)
    obj = next(o for o in made.objects if o.name == "v")
    assert [(r.start, r.size) for r in obj.runs] == [(0, 2), (2, 1), (4, 4)]


@pytest.mark.parametrize("bits", [32, 64])
def test_pointers_and_integers_convert_both_ways(tmp_path: Path, bits: int) -> None:
    text = """int a[4]; int main(void) { unsigned long w = (unsigned long)&a[1]; int *p = (int *)(w + 4); *p = 5;
    assert(a[2] == 5); assert(p - a == 2); assert((p - 2) == a); assert((void *)3 != 0 && (long)(void *)3 == 3); return 0; }"""
    assert explore(program(text, tmp_path, bits=bits)).last_line() == "TRUE"


def test_undefined_behaviour_forbids_true_and_a_check_names_it(tmp_path: Path) -> None:
    text = "int z; int main(void) { int a[2] = { 1, 2 }; int i = 2; if (z == 0) return a[i]; return 0; }"
    assert verdict(text, tmp_path) == "UNKNOWN"
    assert verdict(text, tmp_path, checks=frozenset({"valid-deref"})) == "FALSE(valid-deref)"


# ---------------------------------------------------------------- order of evaluation


@pytest.mark.parametrize(("order", "expected"), [("left", "TRUE"), ("right", "FALSE(unreach-call)"), ("any", "FALSE(unreach-call)")])
def test_evaluation_order_is_the_users_choice(tmp_path: Path, order: str, expected: str) -> None:
    text = """int x; int a(void) { x = x * 10 + 1; return 0; } int b(void) { x = x * 10 + 2; return 0; }
    int main(void) { int r = a() + b(); assert(x == 12); return r; }"""
    assert verdict(text, tmp_path, eval_order=order) == expected


def test_goto_reaches_labels_in_both_directions_and_into_loops(tmp_path: Path) -> None:
    text = """int main(void) { int n = 0, i = 0; goto middle; back: n += 100; goto out;
    while (i < 3) { n += 10; middle: i++; n++; } if (n == 23) goto back; out: assert(n == 123); return 0; }"""
    assert verdict(text, tmp_path) == "TRUE"


def test_calls_are_expanded_unless_that_is_too_large(tmp_path: Path) -> None:
    """One copy of a function per thread makes a cycle, which an unwinding would count as a loop."""
    text = "int x; static void g(void) { x++; } int main(void) { g(); g(); assert(x == 2); return 0; }"

    def copies(**options: Any) -> bool:
        return any("call-site" in name for name in program(text, tmp_path, after="lower", **options).threads[0].template.registers)

    assert not copies() and copies(expansion=10) and copies(calls="once") and not copies(calls="inline", expansion=10)


@pytest.mark.parametrize("look, seen", [
    ("memcmp(&s, &s, sizeof s);", True),  # by name
    ("unsigned char *b = (unsigned char *)&s; x = b[1];", True),
    ("void *v = &s; x = ((char *)v)[1];", True),  # on the way through void *
    ("unsigned *w = (unsigned *)&s; x = w[0];", True),
    ("memset(&s, 0, sizeof s); struct s t; memcpy(&t, &s, sizeof t); x = t.i;", False),  # nobody looks
    ("int k = 0; void *v = &k; x = *(int *)v + s.i;", False),  # no struct loses its type
])  # fmt: skip
def test_padding_has_cells_where_it_may_be_seen(tmp_path: Path, look: str, seen: bool) -> None:
    text = "#include <string.h>\nstruct s { char c; int i; } s; int x; int main(void) { LOOK return 0; }".replace("LOOK", look)
    made = program(text, tmp_path, after="lower")
    found = next(obj for obj in made.objects if obj.name == "s")
    assert any(run.ctype == "padding" for run in found.runs) == seen


def test_what_is_padding_of_one_member_of_a_union_may_be_data_of_another(tmp_path: Path) -> None:
    text = """#include <string.h>
    union u { struct { char c; int i; } s; char b[8]; } x, y;
    int main(void) { x.b[1] = 3; y = x; assert(y.b[1] == 3); assert(memcmp(&x, &y, sizeof x) == 0); return 0; }"""
    assert verdict(text, tmp_path) == "TRUE"
