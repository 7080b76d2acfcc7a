"""Small programs that exercise each primitive of the library models, each with its verdict by the explicit engine."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from fsoft.ask.load import Options, check
from fsoft.program.options import PROPERTIES

PRELUDE = """
#include <pthread.h>
#include <semaphore.h>
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#define TWO pthread_t a, b; pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0); pthread_join(a, 0); pthread_join(b, 0);
"""
MUTEX = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;"
COND = MUTEX + " pthread_cond_t c = PTHREAD_COND_INITIALIZER;"
DEADLOCK, MISUSE, REACH = "no-deadlock", "no-lock-misuse", "unreach-call"

# name: (property, verdict, program)
CASES: dict[str, tuple[str, str, str]] = {
    "mutex_excludes": (REACH, "TRUE", MUTEX + """ int x;
        void *f(void *p) { pthread_mutex_lock(&m); int y = x; x = y + 1; pthread_mutex_unlock(&m); return 0; }
        void *g(void *p) { return f(p); }
        int main(void) { TWO assert(x == 2); return 0; }"""),
    "no_mutex_races": (REACH, "FALSE", """ int x;
        void *f(void *p) { int y = x; x = y + 1; return 0; }
        void *g(void *p) { return f(p); }
        int main(void) { TWO assert(x == 2); return 0; }"""),
    "mutex_on_the_heap_and_in_arrays": (REACH, "TRUE", """ struct box { int value; pthread_mutex_t lock[2]; } *box;
        void *f(void *p) { pthread_mutex_lock(&box->lock[1]); box->value++; pthread_mutex_unlock(&box->lock[1]); return 0; }
        void *g(void *p) { return f(p); }
        int main(void) { box = malloc(sizeof *box); box->value = 0; pthread_mutex_init(&box->lock[1], 0);
            TWO assert(box->value == 2); return 0; }"""),
    "lock_order": (DEADLOCK, "FALSE", MUTEX + """ pthread_mutex_t n = PTHREAD_MUTEX_INITIALIZER;
        void *f(void *p) { pthread_mutex_lock(&m); pthread_mutex_lock(&n); pthread_mutex_unlock(&n); pthread_mutex_unlock(&m); return 0; }
        void *g(void *p) { pthread_mutex_lock(&n); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_mutex_unlock(&n); return 0; }
        int main(void) { TWO return 0; }"""),
    "recursive_mutex": (REACH, "TRUE", """ pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
        void *f(void *p) { assert(pthread_mutex_trylock(&m) == EBUSY); return 0; }
        int main(void) { pthread_t a; assert(pthread_mutex_lock(&m) == 0 && pthread_mutex_lock(&m) == 0);
            assert(pthread_mutex_unlock(&m) == 0); pthread_create(&a, 0, f, 0); pthread_join(a, 0);
            assert(pthread_mutex_unlock(&m) == 0); assert(pthread_mutex_unlock(&m) == EPERM);
            assert(pthread_mutex_trylock(&m) == 0); return 0; }"""),
    "errorcheck_mutex": (REACH, "TRUE", """ pthread_mutex_t m;
        int main(void) { pthread_mutexattr_t k; pthread_mutexattr_init(&k); pthread_mutexattr_settype(&k, PTHREAD_MUTEX_ERRORCHECK);
            pthread_mutex_init(&m, &k); assert(pthread_mutex_unlock(&m) == EPERM); assert(pthread_mutex_lock(&m) == 0);
            assert(pthread_mutex_lock(&m) == EDEADLK); assert(pthread_mutex_destroy(&m) == EBUSY);
            assert(pthread_mutex_unlock(&m) == 0); assert(pthread_mutex_destroy(&m) == 0); return 0; }"""),
    "normal_mutex_locked_twice": (DEADLOCK, "FALSE", MUTEX + """
        int main(void) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); return 0; }"""),
    "relock_is_misuse": (MISUSE, "FALSE", MUTEX + " int main(void) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); return 0; }"),
    "unlock_of_unlocked": (MISUSE, "FALSE", MUTEX + " int main(void) { pthread_mutex_unlock(&m); return 0; }"),
    "unlock_by_another": (MISUSE, "FALSE", MUTEX + """
        void *f(void *p) { pthread_mutex_unlock(&m); return 0; }
        int main(void) { pthread_t a; pthread_mutex_lock(&m); pthread_create(&a, 0, f, 0); pthread_join(a, 0); return 0; }"""),
    "destroy_while_locked": (MISUSE, "FALSE", MUTEX + " int main(void) { pthread_mutex_lock(&m); pthread_mutex_destroy(&m); return 0; }"),
    "use_after_destroy": (MISUSE, "FALSE", MUTEX + " int main(void) { pthread_mutex_destroy(&m); pthread_mutex_lock(&m); return 0; }"),
    "proper_use": (MISUSE, "TRUE", MUTEX + """ int main(void) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_mutex_destroy(&m);
            pthread_mutex_init(&m, 0); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; }"""),
    "timedlock_may_time_out": (REACH, "FALSE", MUTEX + """ struct timespec t;
        void *f(void *p) { assert(pthread_mutex_timedlock(&m, &t) == 0); return 0; }
        int main(void) { pthread_t a; pthread_mutex_lock(&m); pthread_create(&a, 0, f, 0); pthread_mutex_unlock(&m); pthread_join(a, 0);
            return 0; }"""),
    "timedlock_of_a_free_mutex": (REACH, "TRUE", MUTEX + """ struct timespec t;
        int main(void) { assert(pthread_mutex_timedlock(&m, &t) == 0); assert(pthread_mutex_trylock(&m) == EBUSY); return 0; }"""),
    "timedlock_is_no_deadlock": (DEADLOCK, "TRUE", MUTEX + """ struct timespec t;
        int main(void) { pthread_mutex_lock(&m); pthread_mutex_timedlock(&m, &t); return 0; }"""),
    "spin_lock": (REACH, "TRUE", """ pthread_spinlock_t s; int x;
        void *f(void *p) { pthread_spin_lock(&s); int y = x; x = y + 1; pthread_spin_unlock(&s); return 0; }
        void *g(void *p) { while (pthread_spin_trylock(&s) == EBUSY) ; int y = x; x = y + 1; pthread_spin_unlock(&s); return 0; }
        int main(void) { pthread_spin_init(&s, 0); TWO assert(x == 2); return 0; }"""),
    "condition": (REACH, "TRUE", COND + """ int ready, seen;
        void *f(void *p) { pthread_mutex_lock(&m); while (!ready) pthread_cond_wait(&c, &m); seen = ready; pthread_mutex_unlock(&m);
            assert(seen == 1); return 0; }
        void *g(void *p) { pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m); return 0; }
        int main(void) { TWO return 0; }"""),
    "condition_does_not_deadlock": (DEADLOCK, "TRUE", COND + """ int ready;
        void *f(void *p) { pthread_mutex_lock(&m); while (!ready) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return 0; }
        void *g(void *p) { pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m); return 0; }
        int main(void) { TWO return 0; }"""),
    "condition_with_if": (REACH, "FALSE", COND + """ int ready;
        void *f(void *p) { pthread_mutex_lock(&m); if (!ready) pthread_cond_wait(&c, &m); assert(ready); pthread_mutex_unlock(&m);
            return 0; }
        void *g(void *p) { pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m); return 0; }
        int main(void) { TWO return 0; }"""),
    "lost_wake_up": (DEADLOCK, "FALSE", COND + """
        void *f(void *p) { pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return 0; }
        void *g(void *p) { pthread_mutex_lock(&m); pthread_cond_signal(&c); pthread_mutex_unlock(&m); return 0; }
        int main(void) { TWO return 0; }"""),
    "one_signal_for_two": (DEADLOCK, "FALSE", COND + """ int ready;
        void *f(void *p) { pthread_mutex_lock(&m); while (!ready) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return 0; }
        void *g(void *p) { return f(p); }
        int main(void) { pthread_t a, b; pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0); pthread_mutex_lock(&m); ready = 1;
            pthread_cond_signal(&c); pthread_mutex_unlock(&m); pthread_join(a, 0); pthread_join(b, 0); return 0; }"""),
    "broadcast_wakes_all": (DEADLOCK, "TRUE", COND + """ int ready;
        void *f(void *p) { pthread_mutex_lock(&m); while (!ready) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return 0; }
        void *g(void *p) { return f(p); }
        int main(void) { pthread_t a, b; pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0); pthread_mutex_lock(&m); ready = 1;
            pthread_cond_broadcast(&c); pthread_mutex_unlock(&m); pthread_join(a, 0); pthread_join(b, 0); return 0; }"""),
    "wait_keeps_the_depth": (REACH, "TRUE", """ pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
        pthread_cond_t c = PTHREAD_COND_INITIALIZER; int in;
        void *f(void *p) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); in = 1; pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);
            assert(pthread_mutex_unlock(&m) == 0); assert(pthread_mutex_unlock(&m) == EPERM); return 0; }
        int main(void) { pthread_t a; pthread_create(&a, 0, f, 0); pthread_mutex_lock(&m); pthread_cond_signal(&c);
            pthread_mutex_unlock(&m); pthread_join(a, 0); return 0; }"""),
    "timedwait_may_time_out": (REACH, "FALSE", COND + """ struct timespec t;
        int main(void) { pthread_mutex_lock(&m); assert(pthread_cond_timedwait(&c, &m, &t) != ETIMEDOUT); return 0; }"""),
    "timedwait_is_no_deadlock": (DEADLOCK, "TRUE", COND + """ struct timespec t;
        int main(void) { pthread_mutex_lock(&m); pthread_cond_timedwait(&c, &m, &t); pthread_mutex_unlock(&m); return 0; }"""),
    "wait_without_mutex": (MISUSE, "FALSE", COND + " int main(void) { pthread_cond_wait(&c, &m); return 0; }"),
    "wait_with_two_mutexes": (MISUSE, "FALSE", COND + """ pthread_mutex_t n = PTHREAD_MUTEX_INITIALIZER;
        void *f(void *p) { pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return 0; }
        void *g(void *p) { pthread_mutex_lock(&n); pthread_cond_wait(&c, &n); pthread_mutex_unlock(&n); return 0; }
        int main(void) { TWO return 0; }"""),
    "rwlock_excludes_writers": (REACH, "TRUE", """ pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; int x, y;
        void *f(void *p) { pthread_rwlock_wrlock(&l); x = 1; y = 1; pthread_rwlock_unlock(&l); return 0; }
        void *g(void *p) { pthread_rwlock_rdlock(&l); assert(x == y); pthread_rwlock_unlock(&l); return 0; }
        int main(void) { TWO return 0; }"""),
    "rwlock_admits_readers": (REACH, "FALSE", """ pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; int in;
        void *f(void *p) { pthread_rwlock_rdlock(&l); in = 1; in = 0; pthread_rwlock_unlock(&l); return 0; }
        void *g(void *p) { pthread_rwlock_rdlock(&l); assert(in == 0); pthread_rwlock_unlock(&l); return 0; }
        int main(void) { TWO return 0; }"""),
    "rwlock_results": (REACH, "TRUE", """ pthread_rwlock_t l;
        int main(void) { pthread_rwlock_init(&l, 0); assert(pthread_rwlock_rdlock(&l) == 0 && pthread_rwlock_tryrdlock(&l) == 0);
            assert(pthread_rwlock_trywrlock(&l) == EBUSY); pthread_rwlock_unlock(&l); assert(pthread_rwlock_trywrlock(&l) == EBUSY);
            pthread_rwlock_unlock(&l); assert(pthread_rwlock_trywrlock(&l) == 0); assert(pthread_rwlock_wrlock(&l) == EDEADLK);
            assert(pthread_rwlock_tryrdlock(&l) == EBUSY); pthread_rwlock_unlock(&l); assert(pthread_rwlock_tryrdlock(&l) == 0);
            return 0; }"""),
    "rwlock_upgrade": (DEADLOCK, "FALSE", """ pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
        int main(void) { pthread_rwlock_rdlock(&l); pthread_rwlock_wrlock(&l); return 0; }"""),
    "rwlock_not_held": (MISUSE, "FALSE", """ pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
        int main(void) { pthread_rwlock_unlock(&l); return 0; }"""),
    "barrier_separates_phases": (REACH, "TRUE", """ pthread_barrier_t r; int x, y, serial;
        void *f(void *p) { x = 1; if (pthread_barrier_wait(&r)) __atomic_fetch_add(&serial, 1, 5); assert(y == 1); return 0; }
        void *g(void *p) { y = 1; if (pthread_barrier_wait(&r)) __atomic_fetch_add(&serial, 1, 5); assert(x == 1); return 0; }
        int main(void) { pthread_barrier_init(&r, 0, 2); TWO assert(serial == 1); return 0; }"""),
    "barrier_generations": (REACH, "TRUE", """ pthread_barrier_t r; int x, y;
        void *f(void *p) { x = 1; pthread_barrier_wait(&r); x = y + 1; pthread_barrier_wait(&r); assert(y == 1); return 0; }
        void *g(void *p) { y = 1; pthread_barrier_wait(&r); pthread_barrier_wait(&r); assert(x == 2); return 0; }
        int main(void) { pthread_barrier_init(&r, 0, 2); TWO return 0; }"""),
    "barrier_serial_may_be_the_first": (REACH, "FALSE", """ pthread_barrier_t r; int first;
        void *f(void *p) { int mine = __atomic_fetch_add(&first, 1, 5) == 0; int s = pthread_barrier_wait(&r);
            assert(!(mine && s == PTHREAD_BARRIER_SERIAL_THREAD)); return 0; }
        void *g(void *p) { return f(p); }
        int main(void) { pthread_barrier_init(&r, 0, 2); TWO return 0; }"""),
    "barrier_for_too_many": (DEADLOCK, "FALSE", """ pthread_barrier_t r;
        void *f(void *p) { pthread_barrier_wait(&r); return 0; }
        void *g(void *p) { return f(p); }
        int main(void) { pthread_barrier_init(&r, 0, 3); TWO return 0; }"""),
    "semaphore_orders": (REACH, "TRUE", """ sem_t s; int x;
        void *f(void *p) { x = 1; sem_post(&s); return 0; }
        void *g(void *p) { sem_wait(&s); assert(x == 1); return 0; }
        int main(void) { sem_init(&s, 0, 0); TWO return 0; }"""),
    "semaphore_blocks": (DEADLOCK, "FALSE", " sem_t s; int main(void) { sem_init(&s, 0, 1); sem_wait(&s); sem_wait(&s); return 0; }"),
    "semaphore_results": (REACH, "TRUE", """ sem_t s;
        int main(void) { int v; sem_init(&s, 0, 1); assert(sem_trywait(&s) == 0); errno = 0;
            assert(sem_trywait(&s) == -1 && errno == EAGAIN);
            sem_post(&s); sem_post(&s); sem_getvalue(&s, &v); assert(v == 2); return 0; }"""),
    "sem_timedwait_may_time_out": (REACH, "FALSE", """ sem_t s; struct timespec t;
        int main(void) { sem_init(&s, 0, 0); assert(sem_timedwait(&s, &t) == 0 || errno != ETIMEDOUT); return 0; }"""),
    "destroyed_semaphore": (MISUSE, "FALSE", " sem_t s; int main(void) { sem_init(&s, 0, 1); sem_destroy(&s); sem_post(&s); return 0; }"),
    "join_gives_the_result": (REACH, "TRUE", """ int x;
        void *f(void *p) { return p; }
        void *g(void *p) { pthread_exit(&x); }
        int main(void) { pthread_t a, b; void *r, *s; pthread_create(&a, 0, f, (void *)7); pthread_create(&b, 0, g, 0);
            assert(pthread_join(a, &r) == 0 && pthread_join(b, &s) == 0); assert(r == (void *)7 && s == &x);
            assert(!pthread_equal(a, pthread_self())); assert(pthread_join(pthread_self(), 0) == EDEADLK);
            assert(pthread_join(99, 0) == ESRCH); return 0; }"""),
    "join_twice": (MISUSE, "FALSE", """ void *f(void *p) { return 0; }
        int main(void) { pthread_t a; pthread_create(&a, 0, f, 0); pthread_join(a, 0); pthread_join(a, 0); return 0; }"""),
    "join_of_detached": (MISUSE, "FALSE", """ void *f(void *p) { return 0; }
        int main(void) { pthread_t a; pthread_attr_t k; pthread_attr_init(&k); pthread_attr_setdetachstate(&k, PTHREAD_CREATE_DETACHED);
            pthread_create(&a, &k, f, 0); pthread_join(a, 0); return 0; }"""),
    "detach": (MISUSE, "TRUE", """ void *f(void *p) { return 0; }
        int main(void) { pthread_t a; pthread_create(&a, 0, f, 0); pthread_detach(a); return 0; }"""),
    "main_may_exit_first": (REACH, "FALSE", """ int x;
        void *f(void *p) { assert(x == 0); return 0; }
        int main(void) { pthread_t a; pthread_create(&a, 0, f, 0); x = 1; pthread_exit(0); }"""),
    "once_runs_once": (REACH, "TRUE", """ pthread_once_t o = PTHREAD_ONCE_INIT; int x;
        void init(void) { x = x + 1; }
        void *f(void *p) { pthread_once(&o, init); assert(x == 1); return 0; }
        void *g(void *p) { return f(p); }
        int main(void) { TWO return 0; }"""),
    "keys_are_per_thread": (REACH, "TRUE", """ pthread_key_t k; int freed;
        void end(void *p) { freed += *(int *)p; }
        void *f(void *p) { static int one = 1; assert(pthread_getspecific(k) == 0); pthread_setspecific(k, &one);
            assert(pthread_getspecific(k) == &one); return 0; }
        int main(void) { pthread_t a; pthread_key_create(&k, end); pthread_create(&a, 0, f, 0); pthread_join(a, 0);
            assert(freed == 1); assert(pthread_getspecific(k) == 0); return 0; }"""),
    "cancel_a_waiting_thread": (REACH, "TRUE", """ sem_t s;
        void *f(void *p) { sem_wait(&s); assert(0); return 0; }
        int main(void) { pthread_t a; void *r; sem_init(&s, 0, 0); pthread_create(&a, 0, f, 0); pthread_cancel(a);
            pthread_join(a, &r); assert(r == PTHREAD_CANCELED); return 0; }"""),
    "cancel_ends_a_wait": (DEADLOCK, "TRUE", COND + """
        void unlock(void *p) { pthread_mutex_unlock(p); }
        void *f(void *p) { pthread_mutex_lock(&m); pthread_cleanup_push(unlock, &m); for (;;) pthread_cond_wait(&c, &m);
            pthread_cleanup_pop(1); return 0; }
        int main(void) { pthread_t a; pthread_create(&a, 0, f, 0); pthread_cancel(a); pthread_join(a, 0); pthread_mutex_lock(&m);
            return 0; }"""),
    "cancel_can_be_disabled": (REACH, "FALSE", """
        void *f(void *p) { int old; pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old); assert(old == PTHREAD_CANCEL_ENABLE);
            pthread_testcancel(); assert(0); return 0; }
        int main(void) { pthread_t a; pthread_create(&a, 0, f, 0); pthread_cancel(a); pthread_join(a, 0); return 0; }"""),
    "cleanup_handlers": (REACH, "TRUE", """ int x;
        void add(void *p) { x = x * 10 + *(int *)p; }
        void *f(void *p) { int one = 1, two = 2; pthread_cleanup_push(add, &one); pthread_cleanup_push(add, &two); pthread_exit(0);
            pthread_cleanup_pop(0); pthread_cleanup_pop(0); return 0; }
        int main(void) { pthread_t a; pthread_create(&a, 0, f, 0); pthread_join(a, 0); assert(x == 21); return 0; }"""),
    "c11_threads": (REACH, "TRUE", """
        #include <threads.h>
        mtx_t k; cnd_t d; int x; once_flag o = ONCE_FLAG_INIT; tss_t t;
        void init(void) { mtx_init(&k, mtx_plain); cnd_init(&d); tss_create(&t, 0); }
        int f(void *p) { call_once(&o, init); mtx_lock(&k); x = 1; cnd_signal(&d); mtx_unlock(&k); tss_set(t, &x); return *(int *)p; }
        int main(void) { thrd_t a; int r, n = -5; call_once(&o, init); thrd_create(&a, f, &n); mtx_lock(&k); while (!x) cnd_wait(&d, &k);
            assert(mtx_trylock(&k) == thrd_busy); mtx_unlock(&k); thrd_join(a, &r); assert(r == -5 && tss_get(t) == 0); return 0; }"""),
    "c11_atomics": (REACH, "TRUE", """
        #include <stdatomic.h>
        atomic_int x = ATOMIC_VAR_INIT(0); atomic_flag l = ATOMIC_FLAG_INIT; int y;
        void *f(void *p) { atomic_fetch_add(&x, 2); while (atomic_flag_test_and_set(&l)) ; y = y + 1; atomic_flag_clear(&l); return 0; }
        void *g(void *p) { int e = atomic_load(&x); while (!atomic_compare_exchange_strong(&x, &e, e + 3)) ;
            while (atomic_flag_test_and_set(&l)) ; y = y + 1; atomic_flag_clear(&l); return 0; }
        int main(void) { TWO assert(x == 5 && y == 2 && atomic_exchange(&x, 9) == 5); return 0; }"""),
    "malloc_never_fails_unasked": (REACH, "TRUE", """
        int main(void) { int *p = malloc(4), *q = calloc(2, 4); assert(p && q && q[1] == 0); return 0; }"""),
    "exit_ends_the_process": (REACH, "TRUE", " int main(void) { exit(1); assert(0); return 0; }"),
    "assume_prunes": (REACH, "TRUE", """ int __VERIFIER_nondet_int(void); void __VERIFIER_assume(int);
        int main(void) { int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x > 5); assert(x != 3); return 0; }"""),
    "random_numbers": (REACH, "FALSE", " int main(void) { int r = rand(); assert(r == 0); return 0; }"),
    "output_has_no_effect": (REACH, "TRUE", """
        #include <stdio.h>
        int main(void) { printf("%d", 1); fprintf(stderr, "x"); puts("y"); putchar('z'); fflush(stdout); return 0; }"""),
}  # fmt: skip


def write(folder: Path, text: str) -> str:
    path = folder / "prog.c"
    path.write_text(PRELUDE + "\n".join(line.strip() for line in text.splitlines()) + "\n", encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("name", CASES)
def test_verdict(name: str, bits: int, tmp_path: Path) -> None:
    prop, expected, text = CASES[name]
    verdict = check([write(tmp_path, text)], Options(checks=frozenset({prop})), bits=bits)
    assert (verdict.kind, verdict.reasons) == (expected, verdict.reasons)
    if expected == "FALSE":
        assert verdict.prop == prop


PROPER = """
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <assert.h>
struct shared { pthread_mutex_t m; pthread_cond_t c; pthread_barrier_t b; sem_t s; pthread_rwlock_t l; int n, y; } *q;
void *worker(void *arg) {
    pthread_mutex_lock(&q->m); q->n++; pthread_cond_signal(&q->c); pthread_mutex_unlock(&q->m);
    q->y = 1; sem_post(&q->s);
    pthread_rwlock_wrlock(&q->l); q->y++; pthread_rwlock_unlock(&q->l);
    pthread_barrier_wait(&q->b);
    return 0;
}
int main(void) {
    pthread_t t;
    q = malloc(sizeof *q); q->n = q->y = 0;
    pthread_mutex_init(&q->m, 0); pthread_cond_init(&q->c, 0); sem_init(&q->s, 0, 0); pthread_barrier_init(&q->b, 0, 2);
    pthread_rwlock_init(&q->l, 0);
    pthread_create(&t, 0, worker, 0);
    pthread_mutex_lock(&q->m); while (!q->n) pthread_cond_wait(&q->c, &q->m); pthread_mutex_unlock(&q->m);
    sem_wait(&q->s);
    pthread_rwlock_rdlock(&q->l); assert(q->y >= 1); pthread_rwlock_unlock(&q->l);
    pthread_barrier_wait(&q->b); assert(q->y == 2);
    pthread_join(t, 0);
    pthread_mutex_destroy(&q->m); pthread_cond_destroy(&q->c); sem_destroy(&q->s); pthread_barrier_destroy(&q->b);
    pthread_rwlock_destroy(&q->l);
    free(q);
    return 0;
}
"""


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("cpp", ["builtin", pytest.param("gcc", marks=pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc"))])
def test_proper_use_of_objects_on_the_heap_passes_all_checks(cpp: str, bits: int, tmp_path: Path) -> None:
    source = tmp_path / "prog.c"
    source.write_text(PROPER, encoding="utf-8")
    if cpp == "gcc" and subprocess.run(["gcc", f"-m{bits}", "-E", str(source)], capture_output=True, check=False).returncode:
        pytest.skip("no system headers for this data model")
    verdict = check([str(source)], Options(checks=frozenset(PROPERTIES)), bits=bits, cpp=cpp)
    assert (verdict.kind, verdict.reasons) == ("TRUE", verdict.reasons)


RACES = {
    "memcpy": "memcpy(shared, own, 4)",
    "strlen": "own[0] = strlen(shared)",
    "join": "pthread_t u; pthread_create(&u, 0, h, 0); pthread_join(u, (void **)&shared)",
}


@pytest.mark.parametrize("name", RACES)
def test_accesses_of_library_functions_to_user_memory_can_race(name: str, tmp_path: Path) -> None:
    text = f"""#include <string.h>
        char shared[8], own[8];
        void *h(void *p) {{ return 0; }}
        void *f(void *p) {{ {RACES[name]}; return 0; }}
        void *g(void *p) {{ shared[0] = 1; return 0; }}
        int main(void) {{ TWO return 0; }}"""
    verdict = check([write(tmp_path, text)], Options(checks=frozenset({"no-data-race"})))
    assert (verdict.kind, verdict.prop) == ("FALSE", "no-data-race")


SEQUENTIAL = """
#include <string.h>
#include <strings.h>
#include <ctype.h>
#include <stdlib.h>
#include <math.h>
#include <assert.h>
static int down(const void *a, const void *b) { return *(const int *)b - *(const int *)a; }
static void blocks(void) {
    char a[12], b[12];
    memset(a, 'x', sizeof a);
    a[11] = 0;
    memcpy(b, a, 12);
    assert(memcmp(a, b, 12) == 0 && memchr(a, 0, 12) == a + 11 && !memchr(a, 'y', 12));
    memcpy(a, "0123456789", 11);
    memmove(a + 2, a, 5);
    assert(strcmp(a, "0101234789") == 0);
    memmove(a, a + 2, 5);
    assert(strcmp(a, "0123434789") == 0 && memcmp("ab", "b", 1) < 0);
}
static void strings(void) {
    char s[16] = "ab", *rest, *copy;
    strcat(s, "cd");
    strncat(s, "efgh", 2);
    assert(strlen(s) == 6 && strcmp(s, "abcdef") == 0 && strncmp(s, "abcx", 3) == 0 && strcmp(s, "abd") < 0);
    assert(strchr(s, 'c') == s + 2 && strchr(s, 'z') == 0 && strrchr("aba", 'a')[1] == 0 && strstr(s, "cde") == s + 2 && !strstr(s, "ce"));
    strncpy(s, "xy", 4);
    assert(s[1] == 'y' && s[2] == 0 && s[3] == 0 && s[4] == 'e');
    assert(strspn("aabc", "ab") == 3 && strcspn("abc", "c") == 2 && strpbrk("abc", "cb")[0] == 'b' && strcasecmp("aB", "Ab") == 0);
    strcpy(s, ",a,,b");
    assert(strcmp(strtok_r(s, ",", &rest), "a") == 0 && strcmp(strtok_r(0, ",", &rest), "b") == 0 && strtok_r(0, ",", &rest) == 0);
    copy = strdup("dup");
    assert(strcmp(copy, "dup") == 0);
    copy = realloc(copy, 8);
    assert(strcmp(copy, "dup") == 0);
    free(copy);
    free(0);
}
static void numbers(void) {
    char *end;
    const char *text = " -12x";
    int v[4] = {2, 4, 1, 3}, key = 3;
    assert(atoi(text) == -12 && strtol(text, &end, 10) == -12 && *end == 'x' && strtol("0x1f", 0, 0) == 31 && strtol("017", 0, 0) == 15);
    assert(strtoul("zz", &end, 36) == 35 * 36 + 35 && *end == 0 && abs(-3) == 3 && labs(4L) == 4);
    assert(strtol("99999999999999999999", 0, 10) == (long)(~0ul >> 1) && strtol("-99999999999999999999", 0, 10) == -(long)(~0ul >> 1) - 1);
    qsort(v, 4, sizeof v[0], down);
    assert(v[0] == 4 && v[1] == 3 && v[2] == 2 && v[3] == 1 && bsearch(&key, v, 4, sizeof v[0], down) == v + 1);
    assert(isdigit('5') && !isdigit('a') && isalpha('z') && isspace('\\n') && isupper('Q') && ispunct('!'));
    assert(isxdigit('f') && !isalnum('_'));
    assert(toupper('q') == 'Q' && tolower('Q') == 'q' && tolower('1') == '1');
}
static void reals(void) {
    double big = 1e300, small = 0.49999999999999994, half = -2.5;
    assert(floor(half) == -3.0 && ceil(half) == -2.0 && trunc(half) == -2.0 && round(half) == -3.0 && fabs(half) == 2.5);
    assert(floor(big) == big && round(small) == 0.0 && fmin(half, big) == half && fmax(half, big) == big);
}
int main(void) { blocks(); strings(); numbers(); reals(); return 0; }
"""


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_sequential_program_is_right_with_gcc(tmp_path: Path) -> None:
    source, program = tmp_path / "prog.c", tmp_path / "prog"
    source.write_text("#define _GNU_SOURCE\n" + SEQUENTIAL, encoding="utf-8")
    subprocess.run(["gcc", "-O0", "-fno-builtin", str(source), "-o", str(program), "-lm"], check=True)
    subprocess.run([str(program)], check=True)


@pytest.mark.parametrize("bits", [32, 64])
def test_sequential_program(bits: int, tmp_path: Path) -> None:
    source = tmp_path / "prog.c"
    source.write_text(SEQUENTIAL, encoding="utf-8")
    verdict = check([str(source)], Options(checks=frozenset({"unreach-call", "valid-deref"})), bits=bits)
    assert (verdict.kind, verdict.reasons) == ("TRUE", verdict.reasons)


GLIBC_64 = """
typedef struct __pthread_internal_list { struct __pthread_internal_list *__prev, *__next; } __pthread_list_t;
typedef union { struct __pthread_mutex_s { int __lock; unsigned int __count; int __owner; unsigned int __nusers; int __kind; int __spins;
    __pthread_list_t __list; } __data; char __size[40]; long int __align; } pthread_mutex_t;
extern int pthread_mutex_lock(pthread_mutex_t *__mutex);
extern int pthread_mutex_unlock(pthread_mutex_t *__mutex);
extern int pthread_mutex_trylock(pthread_mutex_t *__mutex);
extern void __assert_fail(const char *, const char *, unsigned int, const char *);
pthread_mutex_t m = { { 0, 0, 0, 0, 1, 0, { 0, 0 } } };
pthread_mutex_t n = { { 0, 0, 0, 0, 0, 0, { 0, 0 } } };
int main(void) {
    if (pthread_mutex_lock(&m) || pthread_mutex_lock(&m)) __assert_fail("", "", 1, "");
    if (pthread_mutex_unlock(&m) || pthread_mutex_unlock(&m)) __assert_fail("", "", 1, "");
    if (pthread_mutex_lock(&n) || pthread_mutex_trylock(&n) != 16) __assert_fail("", "", 1, "");
    return 0;
}
"""


@pytest.mark.parametrize("bits", [32, 64])
def test_initialisers_of_a_file_preprocessed_for_64_bits(bits: int, tmp_path: Path) -> None:
    source = tmp_path / "prog.i"
    source.write_text(GLIBC_64, encoding="utf-8")
    verdict = check([str(source)], bits=bits)
    assert verdict.kind == "TRUE"
