"""Random programs with two threads: one calls functions of the library on buffers that are in order, the other touches one byte or block of
such a buffer at the same time, before, after, or behind a lock; and programs that use mutexes in any order.

`turn` lets the compiled program run both threads in either order: ThreadSanitizer reports a race whenever both accesses were made and
nothing orders them.
"""

from __future__ import annotations

from random import Random

from tests.fuzz.library.memory import CALLS, FUNCTIONS, INCLUDES, THREADED, Buffer, Sample, Writer

_NAMES = tuple(sorted(THREADED))
_TOUCHES = (  # what the other thread does to the bytes from I on, S of them: a number of bytes that fits
    "shared[I] = 'q';",
    "shared[I] = 'q';",
    "shared[I] = 0;",
    "shared[I]++;",
    "sink = shared[I];",
    "memset(shared + I, 'x', S);",
    "memcpy(other_bytes, shared + I, S);",
    "memmove(shared + I, other_bytes, S);",
    "sink = strnlen(shared + I, S);",
    "sink = (long)memchr(shared + I, 'q', S);",
    "sink = memcmp(shared + I, other_bytes, S);",
    "write(1, shared + I, S);",
)
_DEFINITIONS = """#ifdef COMPILED
void turn(int who);
#else
#define turn(who)
#endif
#define record(number, value) do { long unused = (long)(value); (void)unused; } while (0)
static char *shared;
static char other_bytes[32];
static volatile long sink;
static int flag;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, other_m = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_spinlock_t spin;
static sem_t done;
"""
_LOCK, _UNLOCK = "pthread_mutex_lock(&{});", "pthread_mutex_unlock(&{});"
# name: (before and after what main does, before and after what the other thread does)
_ORDERS = {
    "nothing": (("", ""), ("", "")),
    "mutex": ((_LOCK.format("m"), _UNLOCK.format("m")),) * 2,
    "one side": (("", ""), (_LOCK.format("m"), _UNLOCK.format("m"))),
    "other mutex": ((_LOCK.format("other_m"), _UNLOCK.format("other_m")), (_LOCK.format("m"), _UNLOCK.format("m"))),
    "trylock": (("if (pthread_mutex_trylock(&m) == 0) {", "pthread_mutex_unlock(&m); }"), (_LOCK.format("m"), _UNLOCK.format("m"))),
    "spin": (("pthread_spin_lock(&spin);", "pthread_spin_unlock(&spin);"),) * 2,
    "writers": (("pthread_rwlock_wrlock(&rw);", "pthread_rwlock_unlock(&rw);"),) * 2,
    "readers": (("pthread_rwlock_rdlock(&rw);", "pthread_rwlock_unlock(&rw);"),) * 2,
    "reader, writer": (
        ("pthread_rwlock_rdlock(&rw);", "pthread_rwlock_unlock(&rw);"),
        ("pthread_rwlock_wrlock(&rw);", "pthread_rwlock_unlock(&rw);"),
    ),
    "join": (("pthread_join(t, 0);", ""), ("", "")),
    "create": (("", "pthread_create(&t, 0, other, 0);"), ("", "")),
    "semaphore": (("sem_wait(&done);", ""), ("", "sem_post(&done);")),
    "post before": (("sem_wait(&done);", ""), ("sem_post(&done);", "")),
    "barrier": (("pthread_barrier_wait(&barrier);", ""), ("pthread_barrier_wait(&barrier);", "")),
    "behind a barrier": (("pthread_barrier_wait(&barrier);", ""), ("", "pthread_barrier_wait(&barrier);")),
    "flag": (
        ("if (__atomic_load_n(&flag, __ATOMIC_ACQUIRE)) {", "}"),
        ("", "__atomic_store_n(&flag, 1, __ATOMIC_RELEASE);"),
    ),
    "relaxed flag": (
        ("if (__atomic_load_n(&flag, __ATOMIC_RELAXED)) {", "}"),
        ("", "__atomic_store_n(&flag, 1, __ATOMIC_RELAXED);"),
    ),
}
_WEIGHTS = {"nothing": 7, "mutex": 3, "one side": 2}


def _touch(writer: Writer, shared: Buffer) -> str:
    place = writer.random.randrange(shared.size)
    if shared.heap and writer.chance(0.08):
        writer.features.add("free")
        return "free(shared);"
    touch = writer.random.choice(_TOUCHES).replace("S", str(writer.random.randrange(1, shared.size - place + 1)))
    if "(" in touch.replace("(long)", ""):
        writer.functions.append(touch.replace("sink = ", "").replace("(long)", "").partition("(")[0])
    return touch.replace("I", str(place))


def race_program(random: Random) -> Sample:
    """A program that may have a data race and nothing else."""
    w = Writer(random, clean=True)
    CALLS[random.choice(_NAMES)](w)
    writable = [made for made in w.buffers if made.writable]
    shared = random.choice(writable)
    order = random.choices(tuple(_ORDERS), [_WEIGHTS.get(name, 1) for name in _ORDERS])[0]
    (first, last), (other_first, other_last) = _ORDERS[order]
    touch = _touch(w, shared)
    main = [
        "pthread_t t;",
        *w.before,
        f"shared = (char *){shared.name};",
        "pthread_barrier_init(&barrier, 0, 2);",
        "pthread_spin_init(&spin, 0);",
        "sem_init(&done, 0, 0);",
        "" if order == "create" else "pthread_create(&t, 0, other, 0);",
        "turn(0);",
        first,
        *w.body,
        last,
        "" if order == "join" else "pthread_join(t, 0);",
        "return 0;",
    ]
    text = [
        INCLUDES + FUNCTIONS + _DEFINITIONS + "\n".join(w.globals),
        f"static void *other(void *unused) {{ turn(1); {other_first} {touch} {other_last} return unused; }}",
        "int main(void) {", *(f"    {line}" for line in main if line), "}",
    ]  # fmt: skip
    features = w.features | {order}
    return Sample("\n".join(text) + "\n", tuple(w.functions), frozenset(features), 0, threads=True)


_KINDS = ("PTHREAD_MUTEX_NORMAL", "PTHREAD_MUTEX_RECURSIVE", "PTHREAD_MUTEX_ERRORCHECK")
_USES = ("lock", "lock", "trylock", "unlock", "unlock", "unlock", "destroy", "init")


def lock_program(random: Random) -> Sample:
    """A program that uses mutexes, perhaps wrongly, and never waits for ever."""
    kinds = [random.choice(_KINDS) for _ in range(random.choice((1, 2)))]
    held = [0] * len(kinds)
    lines: list[str] = []
    functions: list[str] = []
    features = set(kinds)
    for _ in range(random.randrange(2, 6)):
        which, use = random.randrange(len(kinds)), random.choice(_USES)
        if use == "lock" and held[which] and kinds[which] == _KINDS[0]:
            use = "unlock"
        if use == "unlock" and not held[which] and random.random() < 0.6:
            use = "lock"
        if use == "destroy" and random.random() < 0.5:
            continue
        if use == "init" and held[which]:
            features.add("locked")
        held[which] += {"lock": 1, "trylock": 1, "unlock": -1}.get(use, 0)
        functions.append(f"pthread_mutex_{use}")
        lines.append(f"pthread_mutex_{use}(&m{which}{', 0' if use == 'init' else ''});")
        if use in ("destroy", "init") and random.random() < 0.7:
            break
    made = [
        f"pthread_mutexattr_init(&a{i}); pthread_mutexattr_settype(&a{i}, {kind}); pthread_mutex_init(&m{i}, &a{i});"
        for i, kind in enumerate(kinds)
    ]
    declared = "".join(f"static pthread_mutex_t m{i};\nstatic pthread_mutexattr_t a{i};\n" for i in range(len(kinds)))
    by_thread = random.random() < 0.3 and lines
    last = lines.pop() if by_thread else ""
    if last.startswith("pthread_mutex_lock"):
        last = last.replace("_lock", "_trylock")
    other = f"static void *other(void *unused) {{ {last} return unused; }}\n"
    calls = ["pthread_create(&t, 0, other, 0);", "pthread_join(t, 0);"] if by_thread else []
    body = "".join(f"    {line}\n" for line in ["pthread_t t;", *made, *lines, *calls, "return 0;"])
    text = f"#define _GNU_SOURCE\n#include <pthread.h>\n{declared}{other}int main(void) {{\n{body}}}\n"
    return Sample(text, tuple(functions), frozenset(features | ({"other thread"} if by_thread else set())), 0, threads=True, locks=True)
