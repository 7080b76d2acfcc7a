"""Random programs for the reductions: locks in arrays that are named by a thread's argument, loops without end, atomic sections with
loops, threads created in loops and by threads, readers, try locks. Small enough to be explored whole."""

from __future__ import annotations

import random

HEAD = """#include <pthread.h>
#include <assert.h>
_Bool __VERIFIER_nondet_bool(void);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int x, y, cell[3];
pthread_mutex_t lock[3];
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
"""


class Program:
    """One program per seed: threads of one function that know their number, and perhaps one of another."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.fresh = 0

    def place(self) -> str:
        return self.random.choice(("x", "y", "cell[i]", "cell[(i + 1) % 3]", "cell[0]"))

    def simple(self) -> str:
        pick = self.random
        target = self.place()
        return pick.choice((f"{target} = {pick.randint(0, 2)};", f"{target} = {self.place()};", f"if ({target} < 2) {target}++;",
                            f"r = {target};"))  # fmt: skip

    def lock(self) -> str:
        return self.random.choice(("&lock[i]", "&lock[(i + 1) % 3]", "&lock[0]", "&lock[i]"))

    def block(self, depth: int) -> str:
        return " ".join(self.statement(depth) for _ in range(self.random.randint(1, 2)))

    def statement(self, depth: int) -> str:
        pick = self.random
        if depth == 0 or pick.random() < 0.3:
            return self.simple()
        lock, inner = self.lock(), self.block(depth - 1)
        self.fresh += 1
        k = f"k{self.fresh}"
        return pick.choice((
            f"pthread_mutex_lock({lock}); {inner} pthread_mutex_unlock({lock});",
            f"pthread_mutex_lock({lock}); {inner} pthread_mutex_unlock({lock});",
            f"if (pthread_mutex_trylock({lock}) == 0) {{ {inner} pthread_mutex_unlock({lock}); }}",
            f"pthread_rwlock_rdlock(&rw); {inner} pthread_rwlock_unlock(&rw);",
            f"pthread_rwlock_wrlock(&rw); {inner} pthread_rwlock_unlock(&rw);",
            f"__VERIFIER_atomic_begin(); for (int {k} = 0; {k} < 2 + r % 2; {k}++) {{ {self.simple()} }} {self.simple()} "
            "__VERIFIER_atomic_end();",
            f"__VERIFIER_atomic_begin(); {self.simple()} {self.simple()} __VERIFIER_atomic_end();",
            f"if ({self.place()} == {pick.randint(0, 1)}) {{ {inner} }}",
            f"while ({self.place()} == 1) {{ {self.simple()} }}",
            f"assert({self.place()} < {pick.randint(1, 3)} || {self.place()} == {pick.randint(0, 1)});",
            f"{{ pthread_t {k}; pthread_create(&{k}, 0, other, 0); {self.simple()} {pick.choice((f'pthread_join({k}, 0);', ''))} }}",
        ))  # fmt: skip

    def text(self) -> str:
        pick = self.random
        lines = [HEAD]
        other = pick.choice(("x = 1;", "y = x;", "while (1) { r = 1 - r; }", "while (1) { }", "cell[0] = 1; assert(y < 2);"))
        lines.append(f"void *other(void *a) {{ int r = 0; {other} return 0; }}")
        body = " ".join(self.statement(2) for _ in range(pick.randint(1, 2)))
        lines.append(f"void *worker(void *a) {{ int i = (int)(long)a, r = 0; {body} return 0; }}")
        count = pick.choice((1, 2, 2))
        extra = "pthread_t o; pthread_create(&o, 0, other, 0);" if pick.random() < 0.4 else ""
        create = f"pthread_t t[2]; for (long n = 0; n < {count}; n++) pthread_create(&t[n], 0, worker, (void *)n);"
        join = f"for (int n = 0; n < {count}; n++) pthread_join(t[n], 0);" if pick.random() < 0.6 else ""
        last = f"assert({pick.choice(('x', 'y', 'cell[0]', 'cell[1]', 'x + y + cell[0]'))} < {pick.choice((1, 1, 2))});"
        start = pick.choice(("", "pthread_mutex_init(&lock[1], 0);", "pthread_mutex_lock(&lock[0]); pthread_mutex_unlock(&lock[0]);"))
        more = f"{{ int i = 1, r = 0; {self.statement(1)} }}" if pick.random() < 0.4 else ""
        lines.append(f"int main(void) {{ {start} {extra} {create} {more} {join} {last} return 0; }}")
        return "\n".join(lines) + "\n"


class Meetings(Program):
    """Threads that meet at a barrier or wait on a condition, and some that write to the set of those who wait."""

    def meeting(self) -> str:
        pick = self.random
        wait, signal = pick.choice(("signal", "broadcast")), pick.choice(("x", "y"))
        return pick.choice((
            "pthread_barrier_wait(&barrier);",
            "pthread_barrier_wait(&barrier);",
            "(void)pthread_barrier_wait(&barrier);",
            f"if (pthread_barrier_wait(&barrier)) {{ {self.simple()} }}",
            f"pthread_mutex_lock(&lock[0]); while (!{signal}) pthread_cond_wait(&cond, &lock[0]); pthread_mutex_unlock(&lock[0]);",
            f"pthread_mutex_lock(&lock[0]); {signal} = 1; pthread_cond_{wait}(&cond); pthread_mutex_unlock(&lock[0]);",
            f"((unsigned long long *)&barrier)[1] {pick.choice(('=', '|=', '&='))} {pick.randint(0, 7)};",
            f"pthread_barrier_init(&barrier, 0, {pick.randint(1, 2)});",
        ))  # fmt: skip

    def body(self) -> str:
        return " ".join(self.random.choice((self.meeting, self.meeting, self.simple))() for _ in range(self.random.randint(1, 3)))

    def text(self) -> str:
        pick = self.random
        lines = [HEAD, "pthread_barrier_t barrier;", "pthread_cond_t cond = PTHREAD_COND_INITIALIZER;"]
        lines += [f"void *{name}(void *a) {{ int i = 1, r = 0; {self.body()} return 0; }}" for name in ("one", "two")]
        create = f"pthread_create(&p, 0, one, 0); pthread_create(&q, 0, {pick.choice(('one', 'two'))}, 0);"
        start = f"pthread_barrier_init(&barrier, 0, {pick.choice((1, 2, 2, 3))});"
        end = pick.choice(("pthread_join(p, 0); pthread_join(q, 0);", "")) + f" assert({pick.choice(('x', 'y'))} < {pick.randint(1, 2)});"
        lines.append(f"int main(void) {{ int i = 0, r = 0; pthread_t p, q; {start} {create} {self.body()} {end} return 0; }}")
        return "\n".join(lines) + "\n"


SECTIONS = """void __VERIFIER_assume(int);
struct box { int value; pthread_mutex_t lock; int held; pthread_cond_t free; } box[2];
int chosen;
void take(int n) {
    pthread_mutex_lock(&box[n].lock);
    while (box[n].held) pthread_cond_wait(&box[n].free, &box[n].lock);
    box[n].held = 1;
    pthread_mutex_unlock(&box[n].lock);
}
void give(int n) {
    pthread_mutex_lock(&box[n].lock);
    box[n].held = 0;
    pthread_cond_signal(&box[n].free);
    pthread_mutex_unlock(&box[n].lock);
}
"""


class Sections(Program):
    """Critical sections of several accesses: locks beside their data and in arrays of their own, at the same index or another, flags as
    locks, one lock in the other, try locks, stops and assertions inside, accesses without a lock."""

    def place(self) -> str:
        return self.random.choice(("x", "box[i].value", "box[i].value", "box[0].value", "cell[i]", "cell[0]"))

    def inside(self) -> str:
        pick = self.random
        more = pick.choice((
            "", self.simple(), f"assert({self.place()} < {pick.choice((1, 1, 2))});", f"__VERIFIER_assume({self.place()} < 2);",
            f"if ({self.place()} == {pick.randint(0, 1)}) {{ {self.simple()} }}", f"while ({self.place()} == 2) {{ {self.simple()} }}",
        ))  # fmt: skip
        return f"{self.simple()} {more}"

    def section(self) -> str:
        pick, inner = self.random, self.inside()
        n = pick.choice(("i", "i", "0", "1 - i"))
        both = f"{inner} pthread_mutex_lock(&lock[{n}]); {self.simple()} pthread_mutex_unlock(&lock[{n}]);"
        return pick.choice((
            f"pthread_mutex_lock(&box[{n}].lock); {inner} pthread_mutex_unlock(&box[{n}].lock);",
            f"pthread_mutex_lock(&box[{n}].lock); {both} pthread_mutex_unlock(&box[{n}].lock);",
            f"pthread_mutex_lock(&lock[{n}]); {inner} pthread_mutex_unlock(&lock[{n}]);",
            f"if (pthread_mutex_trylock(&lock[{n}]) == 0) {{ {inner} pthread_mutex_unlock(&lock[{n}]); }}",
            f"take({n}); {inner} give({n});",
            f"{{ int n = chosen; pthread_mutex_lock(&box[n].lock); box[n].value = {pick.randint(0, 2)}; {self.simple()} "
            "pthread_mutex_unlock(&box[n].lock); }",
            f"{self.simple()} {self.simple()}",
        ))  # fmt: skip

    def text(self) -> str:
        pick = self.random
        body = " ".join(self.section() for _ in range(pick.randint(1, 2)))
        kept = "pthread_mutex_lock(&lock[0]); pthread_mutex_lock(&box[1].lock); x = 1; pthread_mutex_unlock(&box[1].lock);"
        second = pick.choice((self.section(), "chosen = 1;", kept))
        lines = [HEAD + SECTIONS, f"void *worker(void *a) {{ int i = *(int *)a, r = 0; {body} return 0; }}"]
        lines.append(f"void *other(void *a) {{ int i = 1, r = 0; {second} return 0; }}")
        start = pick.choice(("int number[2] = {0, 1};", "int number[2]; number[0] = __VERIFIER_nondet_bool(); number[1] = 1 - number[0];"))
        first = pick.choice(("", "x = 0;", "pthread_mutex_init(&box[0].lock, 0);", "box[1].value = 1;"))
        second_start = pick.choice(("worker, &number[1]", "other, 0", "other, 0"))
        join = pick.choice(("", "pthread_join(p, 0);", "pthread_join(p, 0); pthread_join(q, 0);"))
        last = f"assert({self.place()} < {pick.choice((1, 1, 2))});" if pick.random() < 0.9 else ""
        create = f"pthread_create(&p, 0, worker, &number[0]); pthread_create(&q, 0, {second_start});"
        lines.append(f"int main(void) {{ int i = 0, r = 0; pthread_t p, q; {start} {first} {create} {join} {last} return 0; }}")
        return "\n".join(lines) + "\n"


FLAGS = """#include <semaphore.h>
int flag[2], idx, far[4];
unsigned long long wide;
sem_t sem;
"""


class Flags(Program):
    """Flags that are locks, or nearly: tested and set with and without a lock around it, by an index or a pointer that is forgotten or
    kept, by halves, cleared by their setter or by anybody; atomic sections that take a lock and give it back, or wait after an access
    whose index others change."""

    def place(self) -> str:
        return self.random.choice(("x", "x", "y"))

    def inside(self) -> str:
        pick = self.random
        return pick.choice(("x = 1; x = 0;", "x = 1; x = 0; assert(x == 0);", "assert(x == 0);", "x = 1; y = x; x = 0;", self.simple()))

    def tested(self) -> str:
        """A flag is taken, and perhaps given back."""
        pick = self.random
        at, before = pick.choice((
            ("flag[0]", ""), ("flag[k]", "int k = __VERIFIER_nondet_bool();"), ("flag[k]", "int k = i;"), ("*f", "int *f = &flag[idx];"),
            ("*f", "int k = idx; int *f = &flag[k]; y = k;"), ("wide", ""), ("*(int *)&wide", ""),
        ))  # fmt: skip
        set_to = "wide = 1ULL << 32;" if "wide" in at else f"{at} = 1;"
        clear = pick.choice(("wide = 0;" if "wide" in at else f"{at} = 0;", "", "flag[0] = 0;"))
        if clear and pick.random() < 0.6:
            clear = f"pthread_mutex_lock(&lock[0]); {clear} pthread_mutex_unlock(&lock[0]);"
        unlock = "pthread_mutex_unlock(&lock[0]);"
        if pick.random() < 0.7:
            return (f"{{ {before} pthread_mutex_lock(&lock[0]); if ({at} == 0) {{ {set_to} {unlock} {self.inside()} {clear} }} "
                    f"else {{ {unlock} }} }}")  # fmt: skip
        return f"{{ {before} if ({at} == 0) {{ {set_to} {self.inside()} {clear} }} }}"

    def statement(self, depth: int) -> str:
        pick = self.random
        piece = "__VERIFIER_atomic_begin(); {0} __VERIFIER_atomic_end();"
        taken = f"pthread_mutex_lock(&lock[0]); {self.simple()} pthread_mutex_unlock(&lock[0]);"
        waits = pick.choice((taken, "sem_wait(&sem);", taken))
        return pick.choice((
            self.tested(), self.tested(), self.tested(), taken, piece.format(taken), piece.format(f"far[idx + i] = 1; {waits}"),
            f"pthread_mutex_lock(&lock[0]); idx = {pick.choice((1, 3, 4))}; idx = 0; pthread_mutex_unlock(&lock[0]);",
            "sem_wait(&sem);", "sem_post(&sem);", f"idx = {pick.choice((0, 1, 1, 4))};", self.inside(),
        ))  # fmt: skip

    def text(self) -> str:
        pick = self.random
        bodies = [" ".join(self.statement(1) for _ in range(pick.randint(1, 2))) for _ in range(2)]
        lines = [HEAD + FLAGS, f"void *worker(void *a) {{ int i = (int)(long)a; {bodies[0]} return 0; }}"]
        lines.append(f"void *other(void *a) {{ int i = (int)(long)a; {bodies[1]} return 0; }}")
        second = pick.choice(("worker", "other", "other"))
        create = f"pthread_create(&p, 0, worker, (void *)0); pthread_create(&q, 0, {second}, (void *)1);"
        last = pick.choice(("", "", "idx = 1;", "flag[0] = 0;", "pthread_join(p, 0); assert(x == 0);"))
        lines.append(f"int main(void) {{ pthread_t p, q; sem_init(&sem, 0, {pick.choice((0, 0, 1))}); {create} {last} return 0; }}")
        return "\n".join(line.replace("r = ", "y = ") for line in lines) + "\n"
