"""Programs each of which one rule of the reduction decides: without the rule the violation would be missed."""

from __future__ import annotations

HEAD = """#include <pthread.h>
#include <assert.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int x, y;
pthread_mutex_t m;
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
"""


def _program(*threads: str, main: str = "") -> str:
    """Threads t0, t1, ... with these bodies; main creates them in order."""
    lines = [HEAD]
    lines += [f"void *t{k}(void *a) {{ int r = 0; {body} return 0; }}" for k, body in enumerate(threads)]
    create = " ".join(f"pthread_t p{k}; pthread_create(&p{k}, 0, t{k}, 0);" for k in range(len(threads)))
    join = " ".join(f"pthread_join(p{k}, 0);" for k in range(len(threads)))
    lines.append(f"int main(void) {{ {main or create + ' ' + join} return 0; }}")
    return "\n".join(lines) + "\n"


STICKY = _program("while (1) { r = 1 - r; }", "x = 1; assert(!x);")
"""A thread that turns in its own circle must not keep the other from its assertion."""

DISABLED = _program(
    "assert(x == 0); y = 2;",
    "pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m);",
    main="pthread_t p, q; pthread_mutex_lock(&m); pthread_create(&p, 0, t0, 0); pthread_create(&q, 0, t1, 0); y = 1; "
    "pthread_mutex_unlock(&m);",
)
"""The second thread can come to write x before it is read only if main gives the lock back."""

CREATOR = _program(
    "assert(x == 0); y = 2;", "x = 1;", main="pthread_t p, q; pthread_create(&p, 0, t0, 0); y = 1; pthread_create(&q, 0, t1, 0);"
)
"""The write of x is that of a thread which does not exist yet when x is about to be read."""

ENTRY = _program("__VERIFIER_atomic_begin(); while (r < 2) r++; x = 1; x = 2; __VERIFIER_atomic_end();", "assert(x == 2);")
"""The section touches x only behind its loop, but whoever is to see x before must move before the section begins."""

TRYLOCK = _program("pthread_mutex_lock(&m); x = 1; assert(x == 1); pthread_mutex_unlock(&m);",
                   "if (pthread_mutex_trylock(&m) == 0) pthread_mutex_unlock(&m); else x = 2;")  # fmt: skip
"""A try lock that fails does not keep the thread from writing x."""

READERS = _program(
    "pthread_rwlock_rdlock(&rw); x = 1; assert(x == 1); pthread_rwlock_unlock(&rw);",
    "pthread_rwlock_rdlock(&rw); x = 2; pthread_rwlock_unlock(&rw);",
    main="pthread_t p, q; pthread_rwlock_wrlock(&rw); pthread_rwlock_unlock(&rw); "
    "pthread_create(&p, 0, t0, 0); pthread_create(&q, 0, t1, 0);",
)
"""Two readers are inside together."""

OWN_BIT = """#include <pthread.h>
pthread_barrier_t barrier;
void *t(void *a) { pthread_barrier_wait(&barrier); return 0; }
int main(void) {
    pthread_t p;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&p, 0, t, 0);
    pthread_barrier_wait(&barrier);
    ((unsigned long long *)&barrier)[1] = 2;
    pthread_join(p, 0);
    return 0;
}
"""
"""Main puts the thread that it has let go back into the set of those who wait, perhaps before the thread has left."""

DERIVED = """#include <pthread.h>
#include <assert.h>
struct lock { int held; pthread_mutex_t token; pthread_cond_t free; } locks[2];
int x;
static void acquire(int n) {
    pthread_mutex_lock(&locks[n].token);
    while (locks[n].held) pthread_cond_wait(&locks[n].free, &locks[n].token);
    locks[n].held = 1;
    pthread_mutex_unlock(&locks[n].token);
}
static void release(int n) {
    pthread_mutex_lock(&locks[n].token);
    locks[n].held = 0;
    pthread_cond_signal(&locks[n].free);
    pthread_mutex_unlock(&locks[n].token);
}
void *t(void *a) {
    int i = (int)(long)a;
    acquire(0);
    x = x + 1;
    x = x + 1;
    release(0);
    STATEMENT
    return 0;
}
int main(void) {
    pthread_t p[2];
    for (long k = 0; k < 2; k++) pthread_create(&p[k], 0, t, (void *)k);
    for (int k = 0; k < 2; k++) pthread_join(p[k], 0);
    assert(x == 4);
    return 0;
}
"""
"""Locks as in the Daisy file system: a flag under a token. STATEMENT is where they can be misused."""
