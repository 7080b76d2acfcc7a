"""What fsoft does with each library function: the table behind `docs/supported.md`.

`modelled` means exactly as the standards say (under sequential consistency), `approximated` says how the model differs, `rejected`
says why a call ends in an error. Run as a module with the path of the page to rewrite its tables.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fsoft.frontend.effects import rows
from fsoft.frontend.effects.row import EffectRow

MODELLED, APPROXIMATED, REJECTED = "modelled", "approximated", "rejected"
EFFECTS = "By their effects"
"""The group of functions that only the table of effects knows."""
BEGIN, END = "<!-- library functions: begin -->", "<!-- library functions: end -->"


@dataclass(frozen=True, slots=True)
class Entry:
    """`builtin`: the lowering itself gives the function its meaning, there is no C text of it."""

    name: str
    group: str
    status: str
    how: str = ""
    builtin: bool = False


_ANY = "accepted, without effect"
_OUTPUT = "output goes nowhere; texts are read where valid-deref or no-data-race is checked; fails whenever it likes"
_FORMAT = (
    "as these; directives of a literal format read texts and write numbers (`%n`), the result is a number that fits them; what a"
    " format that is no literal may do is done, and no FALSE rests on that; `%ls` stops the thread and forbids TRUE"
)
_SIGN = "the result is any value of the sign, where the program looks at more than the sign"
_COPIES = "between objects that overlap: undefined (valid-deref); so is null, also with a size of zero"
_SYSTEM = "calls the operating system"
_SIGNALS = "signals are not modelled"
_FILES = "files are not modelled"
_SPRINTF = (
    "integers, characters and texts exactly, also in formats that are no literals; the text of a floating number, an address or a message"
    " (`%f`, `%p`, `%m`) is any text of a length that fits, and no FALSE rests on that; `%ls` and `%lc` stop the thread and forbid TRUE"
)
_SCANF = "as in glibc; `%m`, numbered arguments, `%ls` and `%lc` stop the thread and forbid TRUE"
_DECIMAL = (
    "exact up to 15 significant digits and powers of ten up to 22 (and for inf, nan, hexadecimal numbers); else any number of the sign,"
    " and no FALSE rests on that"
)
_REAL = "any number in the range of the function, exact where everybody knows the result; no FALSE rests on that"
_CLOCK = "any value, also one before an earlier reading"
_SLEEP = "returns at once: every schedule is possible anyway"
_ORDER = "every memory order is taken as seq_cst, and the verdict says so"
_TIMED = "may time out whenever it would have to block, whatever the time given"
_JUMP = (
    "locks stay as they are; locals of the function that are not volatile and not what they were are any value, but for those whose"
    " address is taken, which keep what they hold; the mask of signals is left alone"
)
_PROCESS = "more than one process is not modelled"

# (group, status, how, names); names in the order of the page
_ROWS: tuple[tuple[str, str, str, str], ...] = (
    ("Threads", MODELLED, "the handle is stored before the new thread starts, as glibc does", "pthread_create"),
    ("Threads", MODELLED, "", "pthread_join pthread_detach pthread_exit pthread_self pthread_equal pthread_once"),
    ("Threads", MODELLED, "macros of our header, or glibc's in a preprocessed file", "pthread_cleanup_push pthread_cleanup_pop"),
    ("Threads", MODELLED, "what glibc's macros for cleanup handlers call", "__pthread_register_cancel __pthread_unregister_cancel"
     " __pthread_unwind_next"),
    ("Threads", APPROXIMATED, "deferred cancellation, acted on only in pthread_testcancel, pthread_join, pthread_cond_wait,"
     " pthread_cond_timedwait, sem_wait, sem_timedwait, the sleep functions and write, and perhaps in functions for input and output",
     "pthread_cancel pthread_testcancel"),
    ("Threads", MODELLED, "", "pthread_setcancelstate"),
    ("Threads", APPROXIMATED, "deferred only: asking for asynchronous cancellation stops the thread and forbids TRUE",
     "pthread_setcanceltype"),
    ("Threads", MODELLED, "", "pthread_attr_init pthread_attr_destroy pthread_attr_setdetachstate pthread_attr_getdetachstate"),
    ("Threads", APPROXIMATED, _ANY, "pthread_attr_setstacksize pthread_attr_setstack pthread_attr_setguardsize pthread_attr_setscope"
     " pthread_attr_setschedpolicy pthread_attr_setschedparam pthread_attr_setinheritsched pthread_setschedparam pthread_setschedprio"
     " pthread_setconcurrency pthread_setname_np"),
    ("Threads", MODELLED, "nothing to do: every schedule is possible anyway", "pthread_yield sched_yield"),
    ("Threads", REJECTED, "what the scheduler and the stack really are is not modelled",
     "pthread_attr_getstacksize pthread_attr_getstack pthread_attr_getguardsize pthread_attr_getscope pthread_attr_getschedpolicy"
     " pthread_attr_getschedparam pthread_attr_getinheritsched pthread_getschedparam pthread_getattr_np pthread_getcpuclockid"
     " pthread_getname_np pthread_setaffinity_np pthread_getaffinity_np sched_get_priority_max sched_get_priority_min sched_setaffinity"
     " sched_getaffinity sched_setscheduler"),
    ("Threads", REJECTED, "no model", "pthread_tryjoin_np pthread_timedjoin_np"),
    ("Threads", REJECTED, _PROCESS, "pthread_atfork"),
    ("Mutexes and spin locks", MODELLED, "", "pthread_mutex_init pthread_mutex_destroy pthread_mutex_lock pthread_mutex_trylock"
     " pthread_mutex_unlock pthread_mutexattr_init pthread_mutexattr_destroy pthread_mutexattr_settype pthread_mutexattr_gettype"
     " pthread_spin_init pthread_spin_destroy pthread_spin_lock pthread_spin_trylock pthread_spin_unlock"),
    ("Mutexes and spin locks", APPROXIMATED, _TIMED, "pthread_mutex_timedlock pthread_mutex_clocklock"),
    ("Mutexes and spin locks", APPROXIMATED, _ANY, "pthread_mutexattr_setpshared pthread_mutexattr_setprotocol"),
    ("Mutexes and spin locks", REJECTED, "robust mutexes and priority ceilings are not modelled",
     "pthread_mutexattr_setrobust pthread_mutexattr_getrobust pthread_mutex_consistent pthread_mutexattr_setprioceiling"
     " pthread_mutexattr_getprioceiling pthread_mutex_setprioceiling pthread_mutex_getprioceiling pthread_mutexattr_getprotocol"
     " pthread_mutexattr_getpshared"),
    ("Conditions", MODELLED, "with spurious wake-ups; a signal wakes any waiting thread",
     "pthread_cond_init pthread_cond_destroy pthread_cond_wait pthread_cond_signal pthread_cond_broadcast"),
    ("Conditions", APPROXIMATED, _TIMED, "pthread_cond_timedwait pthread_cond_clockwait"),
    ("Conditions", MODELLED, "", "pthread_condattr_init pthread_condattr_destroy"),
    ("Conditions", APPROXIMATED, _ANY, "pthread_condattr_setclock pthread_condattr_setpshared"),
    ("Conditions", REJECTED, "no model", "pthread_condattr_getclock pthread_condattr_getpshared"),
    ("Readers-writer locks", MODELLED, "as in glibc, writers that wait hold up readers of the kind PREFER_WRITER_NONRECURSIVE only; a"
     " thread that takes it for reading a third time is cut, which forbids TRUE", "pthread_rwlock_init pthread_rwlock_destroy"
     " pthread_rwlock_rdlock pthread_rwlock_wrlock pthread_rwlock_tryrdlock pthread_rwlock_trywrlock pthread_rwlock_unlock"),
    ("Readers-writer locks", APPROXIMATED, _TIMED, "pthread_rwlock_timedrdlock pthread_rwlock_timedwrlock"),
    ("Readers-writer locks", MODELLED, "", "pthread_rwlockattr_init pthread_rwlockattr_destroy pthread_rwlockattr_setkind_np"
     " pthread_rwlockattr_getkind_np"),
    ("Readers-writer locks", APPROXIMATED, _ANY, "pthread_rwlockattr_setpshared"),
    ("Readers-writer locks", REJECTED, "no model", "pthread_rwlockattr_getpshared"),
    ("Barriers", MODELLED, "with generations; any thread of a generation may be the one that gets PTHREAD_BARRIER_SERIAL_THREAD",
     "pthread_barrier_init pthread_barrier_destroy pthread_barrier_wait pthread_barrierattr_init pthread_barrierattr_destroy"),
    ("Barriers", APPROXIMATED, _ANY, "pthread_barrierattr_setpshared"),
    ("Barriers", REJECTED, "no model", "pthread_barrierattr_getpshared"),
    ("Thread-specific data", MODELLED, "up to 8 keys: the ninth stops the thread and forbids TRUE; destructors run in any order"
     " when a thread ends", "pthread_key_create pthread_key_delete pthread_getspecific pthread_setspecific"),
    ("Semaphores", MODELLED, "", "sem_init sem_destroy sem_wait sem_trywait sem_post sem_getvalue"),
    ("Semaphores", APPROXIMATED, _TIMED, "sem_timedwait sem_clockwait"),
    ("Semaphores", REJECTED, "named semaphores are not modelled", "sem_open sem_close sem_unlink"),
    ("C11 threads", MODELLED, "", "thrd_create thrd_join thrd_detach thrd_exit thrd_current thrd_equal thrd_yield mtx_init mtx_destroy"
     " mtx_lock mtx_trylock mtx_unlock cnd_init cnd_destroy cnd_wait cnd_signal cnd_broadcast tss_create tss_delete tss_get tss_set"
     " call_once"),
    ("C11 threads", APPROXIMATED, _TIMED, "mtx_timedlock cnd_timedwait"),
    ("C11 threads", APPROXIMATED, _SLEEP, "thrd_sleep"),
    ("Assertions and inputs", MODELLED, "violates unreach-call", "__VERIFIER_error reach_error __VERIFIER_assert __assert_fail __assert"
     " __assert_perror_fail"),
    ("Assertions and inputs", MODELLED, "prunes the run", "__VERIFIER_assume assume_abort_if_not"),
    ("The process", MODELLED, "the process ends", "abort exit _exit _Exit quick_exit"),
    ("The process", MODELLED, "32 functions; they run when main returns or somebody calls `exit`, beside the other threads", "atexit"),
    ("The process", REJECTED, "handlers at the end of the process are not modelled", "on_exit at_quick_exit"),
    ("The process", MODELLED, "any positive number, the same in a run", "getpid"),
    ("The process", REJECTED, _PROCESS, "fork vfork wait waitpid execl execlp execv execve execvp system popen pclose getppid"),
    ("The process", REJECTED, _SYSTEM, "getenv setenv unsetenv putenv sysconf syscall mmap munmap pipe ioctl select poll"
     " socket bind listen accept connect send recv"),
    ("The process", MODELLED, "as in glibc, which moves arguments that are no options to the end; messages go nowhere",
     "getopt getopt_long"),
    ("The process", REJECTED, _SIGNALS, "signal raise kill pthread_kill sigaction sigemptyset sigfillset sigaddset sigdelset sigismember"
     " sigprocmask pthread_sigmask sigwait sigsuspend alarm pause strsignal"),
    ("Heap", MODELLED, "null only with `--malloc-may-fail`; a freed object may come back", "malloc calloc realloc reallocarray free cfree"),
    ("Heap", APPROXIMATED, "as malloc: every object starts at an aligned address", "aligned_alloc memalign valloc posix_memalign"),
    ("Heap", APPROXIMATED, "a heap object that is never freed; with leak checking an abstraction", "alloca"),
    ("Heap", REJECTED, _SYSTEM, "sbrk brk mallinfo malloc_usable_size"),
    ("Blocks of memory", MODELLED, _COPIES, "memcpy mempcpy"),
    ("Blocks of memory", MODELLED, "null is a wrong argument (valid-deref), also with a size of zero",
     "memmove memset memchr memrchr bzero explicit_bzero bcopy"),
    ("Blocks of memory", MODELLED, _SIGN, "memcmp bcmp"),
    ("Strings", MODELLED, _COPIES, "strcpy stpcpy strncpy strcat strncat"),
    ("Strings", MODELLED, "", "strlen strnlen strchr strchrnul"
     " strrchr index rindex strstr strspn strcspn strpbrk strtok strtok_r strdup strndup"),
    ("Strings", MODELLED, _SIGN, "strcmp strncmp strcasecmp strncasecmp strcoll"),
    ("Strings", MODELLED, "in the C locale", "isalnum isalpha isascii isblank iscntrl isdigit isgraph islower isprint ispunct"
     " isspace isupper isxdigit tolower toupper"),
    ("Strings", REJECTED, "locales and messages are not modelled", "setlocale localeconv strxfrm strerror strerror_r gettext"),
    ("Strings", MODELLED, "the tables of the C locale", "__ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc __ctype_get_mb_cur_max"),
    ("Strings", MODELLED, "", "stpncpy strsep strcasestr memmem memccpy rawmemchr strlcpy strlcat"),
    ("Strings", REJECTED, "no model", "strverscmp"),
    ("Numbers", MODELLED, "", "abs labs llabs atoi atol atoll strtol strtoll strtoul strtoull"),
    ("Numbers", MODELLED, "any number of the range", "rand random"),
    ("Numbers", APPROXIMATED, "any number of the range; the seed becomes any number", "rand_r"),
    ("Numbers", APPROXIMATED, "without effect: rand and random give any number", "srand srandom"),
    ("Numbers", MODELLED, "", "div ldiv lldiv"),
    ("Numbers", APPROXIMATED, _DECIMAL, "atof strtod strtof strtold"),
    ("Numbers", MODELLED, "any number of the range", "drand48 lrand48"),
    ("Numbers", APPROXIMATED, "without effect: drand48 and lrand48 give any number", "srand48"),
    ("Numbers", MODELLED, "", "fabs fabsf fabsl floor floorf floorl ceil ceilf ceill trunc truncf round roundf roundl rint nearbyint lrint"
     " lround llrint llround fmin fminf fmax fmaxf fdim modf frexp __isnan __isinf __finite"),
    ("Numbers", APPROXIMATED, "exact, but for results below the smallest normal number, which are any such", "ldexp scalbn"),
    ("Numbers", APPROXIMATED, _REAL, "sqrt sqrtf sqrtl cbrt hypot pow powf powl exp expf exp2 expm1 log logf log2 log10 log1p sin sinf cos"
     " cosf tan tanf asin acos atan atan2 atan2f sinh cosh tanh erf tgamma lgamma fma fmod fmodf"),
    ("Sorting and searching", APPROXIMATED, "compares what an insertion sort compares; what compares equal ends in any order", "qsort"),
    ("Sorting and searching", MODELLED, "any of the elements that match", "bsearch"),
    ("Sorting and searching", REJECTED, "no model", "qsort_r lfind lsearch hsearch tsearch tfind tdelete"),
    ("Input and output", APPROXIMATED, _OUTPUT, "puts fputs putchar putc fputc perror fflush write"),
    ("Input and output", APPROXIMATED, _FORMAT, "printf fprintf dprintf"),
    ("Input and output", APPROXIMATED, "a buffer of the program's stops the thread and forbids TRUE", "setbuf setvbuf"),
    ("Input and output", MODELLED, "any characters", "getchar getc fgetc fgets"),
    ("Input and output", APPROXIMATED, _SPRINTF, "sprintf snprintf vsprintf vsnprintf asprintf vasprintf"),
    ("Input and output", APPROXIMATED, _SCANF, "sscanf vsscanf __isoc99_sscanf __isoc99_vsscanf"),
    ("Input and output", APPROXIMATED, "what is read is anything; " + _SCANF, "scanf fscanf vscanf vfscanf __isoc99_scanf __isoc99_fscanf"),
    ("Input and output", APPROXIMATED, "as printf, with the arguments of the list", "vprintf vfprintf vdprintf"),
    ("Input and output", REJECTED, _FILES, "fopen fdopen freopen fclose feof ferror clearerr fileno fread fwrite fseek ftell rewind remove"
     " rename tmpfile ungetc gets getline getdelim open openat creat close read lseek unlink stat fstat opendir readdir closedir"),
    ("Time", APPROXIMATED, _SLEEP, "sleep usleep nanosleep clock_nanosleep"),
    ("Time", APPROXIMATED, _CLOCK, "time clock clock_gettime timespec_get gettimeofday"),
    ("Time", MODELLED, "", "difftime"),
    ("Time", REJECTED, "calendars and timers are not modelled", "localtime gmtime localtime_r gmtime_r mktime strftime asctime ctime"
     " clock_getres clock_settime setitimer getitimer timer_create"),
    ("Assertions and inputs", MODELLED, "as in C11 where `assert.h` is not included", "assert"),
    ("Assertions and inputs", MODELLED, "of harnesses for CBMC, ESBMC and Goblint",
     "__CPROVER_assume __CPROVER_assert __ESBMC_assume __ESBMC_assert __goblint_assume __goblint_assert __goblint_check"),
    ("Assertions and inputs", MODELLED, "any value of the type, also where it is not declared",
     "nondet_int nondet_uint nondet_long nondet_ulong nondet_short nondet_ushort nondet_char nondet_uchar nondet_bool"),
    ("Assertions and inputs", MODELLED, "nothing happens: how far loops are unwound is said on the command line",
     "__VERIFIER_loop_bound __VERIFIER_loop_begin __VERIFIER_spin_start __VERIFIER_spin_end __ESBMC_yield"),
    ("Assertions and inputs", MODELLED, "0 for main, then by creation", "__VERIFIER_tid"),
    ("errno", MODELLED, "one per thread; set by sem_*, strto* and the allocators", "__errno_location"),
)  # fmt: skip

# the lowering gives these their meaning; patterns are as the page shows them
_BUILTINS: tuple[tuple[str, str, str, str], ...] = (
    ("The process", APPROXIMATED, _JUMP, "setjmp _setjmp longjmp sigsetjmp __sigsetjmp siglongjmp"),
    ("Assertions and inputs", MODELLED, "any value of the type", "__VERIFIER_nondet_* __CPROVER_nondet_* __ESBMC_nondet_* nondet_*"),
    ("Assertions and inputs", MODELLED, "the section is one atomic step",
     "__VERIFIER_atomic_begin __VERIFIER_atomic_end __VERIFIER_atomic_* __CPROVER_atomic_begin __CPROVER_atomic_end"
     " __ESBMC_atomic_begin __ESBMC_atomic_end"),
    ("Atomics", MODELLED, _ORDER, "__atomic_* __sync_* __c11_atomic_*"),
    ("Atomics", MODELLED, "macros of `stdatomic.h` over `__atomic_*`; " + _ORDER,
     "atomic_init atomic_load atomic_store atomic_exchange atomic_compare_exchange_strong atomic_compare_exchange_weak atomic_fetch_add"
     " atomic_fetch_sub atomic_fetch_or atomic_fetch_xor atomic_fetch_and atomic_flag_test_and_set atomic_flag_clear atomic_thread_fence"
     " atomic_signal_fence atomic_is_lock_free"),
)  # fmt: skip

_HEADER_MACROS = frozenset({"pthread_cleanup_push", "pthread_cleanup_pop"})


@cache
def entries() -> dict[str, Entry]:
    """Every function by name. Names that end in `*` stand for a family."""
    table: dict[str, Entry] = {}
    for declared, builtin in ((_ROWS, False), (_BUILTINS, True)):
        for group, said, how_said, names in declared:
            for name in names.split():
                status, how = said, how_said
                if name in table:
                    raise ValueError(f"library function {name} has two entries")
                if status == REJECTED and name in rows():
                    status, how = APPROXIMATED, described(rows()[name])
                table[name] = Entry(name, group, status, how, builtin or name in _HEADER_MACROS)
    for name, row in rows().items():
        if name not in table:
            table[name] = Entry(name, EFFECTS, APPROXIMATED, described(row))
    return table


def described(row: EffectRow) -> str:
    """What a row of effects is not exact about."""
    return "; ".join(filter(None, [row.inexact, row.contents, row.unknown and f"left out: {row.unknown}"])) or "by its row of effects"


def why_rejected(name: str) -> str | None:
    """Why calls of the function are rejected; None if the table does not say so."""
    entry = entries().get(name)
    return entry.how if entry is not None and entry.status == REJECTED else None


def page() -> str:
    """The tables of the page: one per group, one line per group of functions that are treated alike."""
    alike: dict[tuple[str, str, str], list[str]] = {}
    for name, entry in entries().items():
        alike.setdefault((entry.group, entry.status, entry.how), []).append(name)
    groups: dict[str, list[tuple[str, str, str]]] = {}
    for (group, status, how), found in alike.items():
        groups.setdefault(group, []).append((status, how, ", ".join(f"`{name}`" for name in found)))
    lines = []
    for group, shown in groups.items():
        lines += [f"### {group}", "", "| functions | | how |", "|---|---|---|"]
        lines += [f"| {names} | {status} | {how} |" for status, how, names in shown] + [""]
    return "\n".join(lines)


def main(path: str) -> None:
    """Rewrite the part of the file between the two markers."""
    text = Path(path).read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    Path(path).write_text(f"{before}{BEGIN}\n\n{page()}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
