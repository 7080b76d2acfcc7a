"""What the model of each library function reads, writes, waits for, and may return: the table behind `docs/library.md`.

`LibraryAnswer` has the five answers. A test holds them against the C text of the models, and fails for a modelled function without a row.
"Reads" and "writes" are ordinary accesses to memory of the program: they race and must be valid. What locks, semaphores and their kin
keep in themselves is synchronisation, which does not race. Run as a module with the path of the page to rewrite its table.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

BEGIN, END = "<!-- answers: begin -->", "<!-- answers: end -->"


@dataclass(frozen=True, slots=True)
class LibraryAnswer:
    """Of one function. An empty text is the answer "no"; `result` is which of the allowed results it gives."""

    reads: str
    writes: str
    blocks: str
    fails: str
    result: str


_LIBRARY = "any time with `--library-may-fail`: "
_MALLOC = "any time with `--malloc-may-fail`: null, errno is ENOMEM"
_SIGN = "any number of the sign, where the program looks at more than the sign"
_TEXT = "the text to its zero"
_STREAM = "any time (end of file, error)"
_ARGUMENTS = "what the directives of the format name: texts to their zero or precision"
_OBJECT = "the object (it is synchronisation)"
_ANY_ERRNO = "errno: anything"
_MISUSE = "misuse is a check (no-lock-misuse), else what glibc does"
_UNNUMBERED = "; any error, where threads have no number"
_JOINS = "EDEADLK for itself; a thread that is joined already is misuse" + _UNNUMBERED
_TIME = "the time"
_ZERO = "0"

# (reads, writes, blocks, fails, result, names)
_ROWS: tuple[tuple[str, str, str, str, str, str], ...] = (
    # ------------------------------------------------------------ threads
    ("the attribute", "the handle, before the thread runs", "", _LIBRARY + "EAGAIN", _ZERO, "pthread_create"),
    ("", "the handle, before the thread runs", "", _LIBRARY + "thrd_nomem or thrd_error, any", "thrd_success", "thrd_create"),
    ("", "the result", "until the thread has ended", _JOINS,
     _ZERO,
     "pthread_join"),
    ("", "the result", "until the thread has ended", "", "thrd_success", "thrd_join"),
    ("", "", "", _MISUSE + _UNNUMBERED, _ZERO, "pthread_detach thrd_detach"),
    ("", "", "", "", "does not return; cleanup handlers, then destructors of keys run", "pthread_exit thrd_exit"),
    ("", "", "", "", "the handle of the running thread", "pthread_self thrd_current"),
    ("", "", "", "", "1 or 0", "pthread_equal thrd_equal"),
    ("", "", "", "", _ZERO, "pthread_yield sched_yield thrd_yield"),
    ("", "", "while another thread runs the routine", "", _ZERO + " (call_once: nothing)", "pthread_once call_once"),
    ("", "", "", "ESRCH for a thread that is no more", _ZERO, "pthread_cancel"),
    ("", "", "", "", "returns, or the thread ends", "pthread_testcancel"),
    ("", "the old state, if asked", "", "EINVAL for an unknown state", _ZERO, "pthread_setcancelstate pthread_setcanceltype"),
    ("", "", "", "", "handlers run in the order of pushing, backwards", "pthread_cleanup_push pthread_cleanup_pop __pthread_register_cancel"
     " __pthread_unregister_cancel __pthread_unwind_next"),
    ("", "the place", "", "", "0, or what longjmp is given (never 0)", "setjmp _setjmp sigsetjmp __sigsetjmp"),
    ("the place", "", "", "a place whose function has returned: undefined", "does not return", "longjmp siglongjmp"),
    ("", "the attribute", "", _LIBRARY + "ENOMEM", _ZERO, "pthread_attr_init pthread_mutexattr_init pthread_rwlockattr_init"),
    ("", "the attribute", "", "EINVAL for an unknown kind", _ZERO, "pthread_attr_setdetachstate pthread_mutexattr_settype"
     " pthread_rwlockattr_setkind_np"),
    ("the attribute", "the answer", "", "", _ZERO, "pthread_attr_getdetachstate pthread_mutexattr_gettype pthread_rwlockattr_getkind_np"),
    ("", "", "", "", _ZERO, "pthread_attr_destroy pthread_mutexattr_destroy pthread_condattr_destroy pthread_rwlockattr_destroy"
     " pthread_barrierattr_destroy"),
    ("", "", "", _LIBRARY + "ENOMEM", _ZERO, "pthread_condattr_init pthread_barrierattr_init"),
    ("", "", "", "EINVAL for what glibc refuses", _ZERO, "pthread_attr_setstacksize pthread_attr_setstack pthread_attr_setguardsize"
     " pthread_attr_setscope pthread_attr_setschedpolicy pthread_attr_setinheritsched pthread_setconcurrency pthread_mutexattr_setpshared"
     " pthread_mutexattr_setprotocol pthread_condattr_setclock pthread_condattr_setpshared pthread_rwlockattr_setpshared"
     " pthread_barrierattr_setpshared"),
    ("the parameters", "", "", "any time, but for a priority of 0: EINVAL; EPERM", _ZERO,
     "pthread_attr_setschedparam pthread_setschedparam"),
    ("", "", "", "any time: EINVAL or EPERM", _ZERO, "pthread_setschedprio"),
    ("the name", "", "", "ERANGE for a name of 16 characters or more", _ZERO, "pthread_setname_np"),
    # ------------------------------------------------------------ locks
    ("", "", "", _LIBRARY + "any of EAGAIN, ENOMEM", _ZERO, "pthread_mutex_init pthread_spin_init pthread_cond_init pthread_barrier_init"),
    ("the attribute", "", "", _LIBRARY + "any of EAGAIN, ENOMEM", _ZERO, "pthread_rwlock_init"),
    ("", "", "", _LIBRARY + "thrd_error, or any other", "thrd_success", "mtx_init cnd_init"),
    ("", "", "", _MISUSE, _ZERO, "pthread_mutex_destroy pthread_spin_destroy pthread_cond_destroy pthread_rwlock_destroy"
     " pthread_barrier_destroy sem_destroy mtx_destroy cnd_destroy"),
    ("", "", "while another thread holds it; for ever, if a normal one is locked twice", "EDEADLK (errorcheck)", _ZERO,
     "pthread_mutex_lock mtx_lock"),
    ("", "", "while another thread holds it", "", _ZERO, "pthread_spin_lock"),
    ("", "", "", "EBUSY if it is held", _ZERO, "pthread_mutex_trylock pthread_spin_trylock mtx_trylock"),
    (_TIME, "", "while another thread holds it, or until the time-out, which may come at once",
     "ETIMEDOUT, EINVAL for a time that is none", _ZERO,
     "pthread_mutex_timedlock pthread_mutex_clocklock mtx_timedlock pthread_rwlock_timedrdlock pthread_rwlock_timedwrlock"),
    ("", "", "", _MISUSE, _ZERO, "pthread_mutex_unlock pthread_spin_unlock pthread_rwlock_unlock mtx_unlock"),
    ("", "", "while a thread holds it for writing, or (kind PREFER_WRITER_NONRECURSIVE) waits to", "EDEADLK for its writer", _ZERO,
     "pthread_rwlock_rdlock"),
    ("", "", "while another thread holds it", "EDEADLK for its writer", _ZERO, "pthread_rwlock_wrlock"),
    ("", "", "", "EBUSY if it cannot be had", _ZERO, "pthread_rwlock_tryrdlock pthread_rwlock_trywrlock"),
    ("", "", "until a signal or broadcast, or any time (spurious), and then for the mutex", "", "0; a signal wakes any of those that wait",
     "pthread_cond_wait cnd_wait"),
    (_TIME, "", "as pthread_cond_wait, or until the time-out, which may come at once", "ETIMEDOUT, EINVAL for a time that is none",
     "0; a signal wakes any of those that wait", "pthread_cond_timedwait pthread_cond_clockwait cnd_timedwait"),
    ("", "", "", "", _ZERO, "pthread_cond_signal pthread_cond_broadcast cnd_signal cnd_broadcast"),
    ("", "", "until all have come", "", "0; PTHREAD_BARRIER_SERIAL_THREAD for any one of them", "pthread_barrier_wait"),
    ("", "the key", "", _LIBRARY + "any of EAGAIN, ENOMEM", "0; a ninth key is a cut", "pthread_key_create tss_create"),
    ("", "", "", "EINVAL for a key that is none", _ZERO, "pthread_key_delete tss_delete"),
    ("", "", "", "", "what this thread has set, or null", "pthread_getspecific tss_get"),
    ("", "", "", _LIBRARY + "ENOMEM, or any other; EINVAL for a key that is none", _ZERO, "pthread_setspecific tss_set"),
    ("", "errno", "", _LIBRARY + "ENOSPC, or any other; EINVAL for a number that is too large", _ZERO, "sem_init"),
    ("", "", "while it is zero", "", _ZERO, "sem_wait"),
    ("", "errno", "", "EAGAIN while it is zero", _ZERO, "sem_trywait"),
    (_TIME, "errno", "while it is zero, or until the time-out, which may come any time", "ETIMEDOUT, EINVAL for a time that is none",
     _ZERO,
     "sem_timedwait sem_clockwait"),
    ("", "errno", "", "EOVERFLOW beyond SEM_VALUE_MAX", _ZERO, "sem_post"),
    ("", "the number", "", "", "the number now", "sem_getvalue"),
    # ------------------------------------------------------------ assertions, the process
    ("", "", "", "", "violates unreach-call; does not return", "__VERIFIER_error reach_error __assert_fail __assert __assert_perror_fail"),
    ("", "", "", "", "violates unreach-call if its argument is 0",
     "__VERIFIER_assert assert __CPROVER_assert __ESBMC_assert __goblint_assert __goblint_check"),
    ("", "", "", "", "the run ends if its argument is 0, and counts for nothing",
     "__VERIFIER_assume assume_abort_if_not __CPROVER_assume __ESBMC_assume __goblint_assume"),
    ("", "", "", "", "any value of the type",
     "__VERIFIER_nondet_* __CPROVER_nondet_* __ESBMC_nondet_* nondet_* nondet_bool nondet_char nondet_short nondet_int nondet_long"
     " nondet_uchar nondet_ushort nondet_uint nondet_ulong"),
    ("", "", "", "", "nothing: loops and waits are as they are",
     "__VERIFIER_loop_begin __VERIFIER_loop_bound __VERIFIER_spin_start __VERIFIER_spin_end __ESBMC_yield"),
    ("", "", "", "", "the number of the running thread, main's is 0", "__VERIFIER_tid"),
    ("", "", "while another thread is in a section", "", "what stands between them, or in them, is one step",
     "__VERIFIER_atomic_begin __VERIFIER_atomic_end __VERIFIER_atomic_* __CPROVER_atomic_begin __CPROVER_atomic_end"
     " __ESBMC_atomic_begin __ESBMC_atomic_end"),
    ("", "", "", "not 0 beyond 32 functions", "0; the functions run when the process ends, the last first", "atexit"),
    ("", "", "", "", "does not return", "abort exit _exit _Exit quick_exit"),
    ("", "", "", "", "any positive number, the same in a run", "getpid"),
    ("the arguments, the options and their names", "optarg, optind, opterr, optopt, flags of long options", "",
     "'?' or ':' for what is no option",
     "the letter; arguments that are no options come to the end, as in glibc", "getopt getopt_long"),
    # ------------------------------------------------------------ memory
    ("", "errno", "", _MALLOC, "any free object: a new one, or one that was freed", "malloc aligned_alloc memalign valloc"),
    ("", "zeros; errno", "", _MALLOC + "; also if the product overflows", "any free object", "calloc"),
    ("what is kept", "what is kept; errno", "", _MALLOC + " (the old one stays)", "any other object; null for a size of 0",
     "realloc reallocarray"),
    ("", "the pointer; errno", "", "any time with `--malloc-may-fail`: ENOMEM; EINVAL for an alignment that is none",
     "0, and any free object",
     "posix_memalign"),
    ("", "the object ends (a write, for races)", "", "valid-free: anything but the start of a live block", "nothing", "free cfree"),
    ("", "", "", "", "a new object that is never freed", "alloca"),
    ("all bytes of the source", "all bytes of the target", "", "valid-deref: overlap, null", "the target (mempcpy: its end)",
     "memcpy mempcpy"),
    ("all bytes of the source", "all bytes of the target", "", "valid-deref: null", "the target (bcopy: nothing)", "memmove bcopy"),
    ("", "all bytes", "", "valid-deref: null", "the block (bzero and explicit_bzero: nothing)", "memset bzero explicit_bzero"),
    ("bytes up to the one that is found; memrchr all", "", "", "valid-deref: null", "where the byte is, or null",
     "memchr memrchr rawmemchr"),
    ("all bytes of both", "", "", "valid-deref: null", _SIGN, "memcmp bcmp"),
    ("all bytes of both", "", "", "", "the first place, or null", "memmem"),
    ("bytes up to the one that is looked for", "as many", "", "", "behind that byte, or null", "memccpy"),
    # ------------------------------------------------------------ strings
    (_TEXT, "as many bytes (strncpy: zeros up to the size)", "", "valid-deref: overlap, null", "the target (stpcpy and stpncpy: its end)",
     "strcpy stpcpy strncpy stpncpy"),
    ("both texts to their zeros", "behind the text", "", "valid-deref: overlap, null", "the target", "strcat strncat"),
    ("the whole source, and the target to its zero or size", "at most the size, with a zero", "", "", "the length it would have",
     "strlcpy strlcat"),
    (_TEXT + ", or the size", "", "", "", "the length", "strlen strnlen"),
    ("the text up to what is found, or to its zero", "", "", "", "the place, or null (strchrnul: the end)",
     "strchr strchrnul strrchr index rindex"),
    ("both texts to their zeros", "", "", "", "the place, or null; a length", "strstr strcasestr strspn strcspn strpbrk"),
    ("both texts to their zeros", "zeros behind what is found; the state", "", "", "the next part, or null", "strtok strtok_r strsep"),
    (_TEXT, "a new object; errno", "", _MALLOC, "the copy", "strdup strndup"),
    ("both texts up to where they differ, or the size", "", "", "", _SIGN, "strcmp strncmp strcasecmp strncasecmp strcoll"),
    ("", "", "", "", "any number but 0, or 0, in the C locale",
     "isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper"
     " isxdigit"),
    ("", "", "", "", "1 or 0; the character, in the C locale", "isascii tolower toupper"),
    ("", "", "", "", "the tables of the C locale", "__ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc __ctype_get_mb_cur_max"),
    # ------------------------------------------------------------ numbers
    ("", "", "", "", "the number", "abs labs llabs div ldiv lldiv difftime"),
    ("the text, as far as it is a number", "the end, if asked; errno: ERANGE", "", "the limits of the type", "the number",
     "atoi atol atoll strtol strtoll strtoul strtoull"),
    ("the text, as far as it is a number", "the end, if asked; errno: ERANGE", "", "infinity or 0",
     "the number, or any near it where it has too many digits",
     "atof strtod strtof strtold"),
    ("", "", "", "", "any number of the range", "rand random drand48 lrand48"),
    ("", "the seed: any number", "", "", "any number of the range", "rand_r"),
    ("", "", "", "", "nothing", "srand srandom srand48"),
    ("", "", "", "", "the number, exactly",
     "fabs fabsf fabsl floor floorf floorl ceil ceilf ceill trunc truncf round roundf roundl rint nearbyint lrint"
     " lround llrint llround fmin fminf fmax fmaxf fdim __isnan __isinf __finite"),
    ("", "the other part", "", "", "the number, exactly", "modf frexp"),
    ("", "", "", "", "exact, or any number below the smallest normal one", "ldexp scalbn"),
    ("", "", "", "", "any number of the range of the function (an abstraction that adds)",
     "sqrt sqrtf sqrtl cbrt hypot pow powf powl exp expf exp2"
     " expm1 log logf log2 log10 log1p sin sinf cos cosf tan tanf asin acos atan atan2 atan2f sinh cosh tanh erf tgamma lgamma fma fmod"
     " fmodf"),
    ("the elements, through the comparison, and as bytes", "the elements", "", "", "any order of what compares equal", "qsort"),
    ("elements, through the comparison", "", "", "", "any of those that match, or null", "bsearch"),
    # ------------------------------------------------------------ input and output
    (_TEXT, _ANY_ERRNO, "", _STREAM, "any number that is not negative", "puts"),
    (_TEXT, "", "", _STREAM, "any number that is not negative", "fputs"),
    ("", "", "", _STREAM, "the character; any error", "putchar putc fputc"),
    (_TEXT, "", "", "", "nothing (cancellation may come at any call)", "perror"),
    ("", "", "", "any time", _ZERO, "fflush"),
    ("all bytes, whatever is written of them", "errno", "", "any time: any error", "any number of bytes up to the size", "write"),
    (_ARGUMENTS, "`%n`; " + _ANY_ERRNO, "", _STREAM, "any number that fits the format",
     "printf fprintf dprintf vprintf vfprintf vdprintf"),
    (_ARGUMENTS, "the text, with its zero, at most the size", "", "", "the length; of what is not exact any that fits",
     "sprintf snprintf vsprintf vsnprintf"),
    (_ARGUMENTS, "the pointer, a new object; errno", "", _MALLOC + " (the result is -1)", "the length; of what is not exact any that fits",
     "asprintf vasprintf"),
    ("the text", "what the directives name; errno: ERANGE", "", "EOF before the first directive",
     "how many were stored; any values where it is not exact",
     "sscanf vsscanf __isoc99_sscanf __isoc99_vsscanf"),
    ("", "what the directives name: any values", "", _STREAM, "any number of them",
     "scanf fscanf vscanf vfscanf __isoc99_scanf __isoc99_fscanf"),
    ("", "", "", "", "nothing; a buffer of the program's is a stop", "setbuf"),
    ("", "", "", "any time; -1 for an unknown mode", "0; a buffer of the program's is a stop", "setvbuf"),
    ("", "", "", _STREAM, "any character", "getchar getc fgetc"),
    ("", "what was read, and a zero; after an error there is none", "", _STREAM, "the buffer, with any characters", "fgets"),
    # ------------------------------------------------------------ time
    ("", "", "", "", "0: every schedule is possible anyway", "sleep usleep"),
    (_TIME, "errno", "", "EINVAL for a time that is none", _ZERO, "nanosleep"),
    (_TIME, "", "", "EINVAL for a time that is none", _ZERO, "clock_nanosleep thrd_sleep"),
    ("", "the time, if asked", "", "", "any time", "time timespec_get gettimeofday"),
    ("", "", "", "", "any number", "clock"),
    ("", "the time: any; errno", "", "EINVAL for an unknown clock", _ZERO, "clock_gettime"),
    ("", "", "", "", "the errno of this thread", "__errno_location"),
    # ------------------------------------------------------------ atomics
    ("the object, in one step; an expected value before it", "the object, in the same step; the expected value after it, if it failed", "",
     "weak exchanges any time", "the value of a sequentially consistent order",
     "__atomic_* __sync_* __c11_atomic_* atomic_load atomic_store"
     " atomic_exchange atomic_compare_exchange_strong atomic_compare_exchange_weak atomic_fetch_add atomic_fetch_sub atomic_fetch_or"
     " atomic_fetch_xor atomic_fetch_and atomic_flag_test_and_set atomic_flag_clear"),
    ("", "the object, and it is no atomic access", "", "", "nothing", "atomic_init"),
    ("", "", "", "", "nothing", "atomic_thread_fence atomic_signal_fence"),
    ("", "", "", "", "1 for what the machine can do in one instruction, else 0", "atomic_is_lock_free"),
)  # fmt: skip


@cache
def answers() -> dict[str, LibraryAnswer]:
    """By name; names that end in `*` stand for a family."""
    found: dict[str, LibraryAnswer] = {}
    for *texts, names in _ROWS:
        for name in names.split():
            if name in found:
                raise ValueError(f"library function {name} has two rows of answers")
            found[name] = LibraryAnswer(*texts)
    return found


def page() -> str:
    """The table: a line for each group of functions that answer alike."""
    lines = ["| functions | reads | writes | may block | may fail | result |", "|---|---|---|---|---|---|"]
    for *texts, names in _ROWS:
        shown = ", ".join(f"`{name}`" for name in names.split())
        lines.append(f"| {shown} | {' | '.join(text or 'no' for text in texts)} |")
    return "\n".join(lines)


def main(path: str) -> None:
    """Rewrite the part of the file between the two markers."""
    text = Path(path).read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    Path(path).write_text(f"{before}{BEGIN}\n\n{page()}\n\n{END}{rest.split(END)[1]}", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
