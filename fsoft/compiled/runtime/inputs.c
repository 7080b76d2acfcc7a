/* Values from outside by the names that verifiers know: chosen by the seed, the same for the k-th input of a thread whatever the schedule. */
#define _GNU_SOURCE
#include "runtime.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int assuming(void);

/* A number below `among`, by the seed and by how far the thread is. */
unsigned toss(unsigned among) {
    struct thread *me = self;
    if (!me || among < 2) return 0;
    if (strategy == &exhaustive) return 0;
    return (unsigned)(mix(options.seed * 0x51ed27 + mix((uint64_t)me->id << 40 ^ me->ops)) % among);
}

/* Small numbers and the ends of the range come often. */
static uint64_t input(uintptr_t pc) {
    static const uint64_t ends[] = {0, 1, 2, UINT64_MAX, INT8_MAX, UINT8_MAX, INT32_MAX, (uint64_t)INT32_MIN, UINT32_MAX, INT64_MAX, (uint64_t)INT64_MIN};
    struct thread *me = self;
    uint64_t drawn, kind;
    if (!me) return 0;
    if (options.log) log_step(me, &(struct op){INPUT, 0, 0, pc, 0});
    if (strategy == &exhaustive) return 0;
    drawn = mix(mix(options.seed) ^ mix((uint64_t)me->id << 32 ^ ++me->inputs));
    kind = drawn % 8;
    drawn = mix(drawn);
    if (kind < 3) return drawn % 4;
    if (kind < 5) return drawn % 24;
    if (kind < 6) return ends[drawn % (sizeof ends / sizeof *ends)];
    return kind < 7 ? drawn % 4096 : drawn;
}

#define NONDET(type, name)                                                                                             \
    PUBLIC type __VERIFIER_nondet_##name(void) { return (type)input(HERE); }
NONDET(char, char)
NONDET(signed char, schar)
NONDET(unsigned char, uchar)
NONDET(unsigned char, u8)
NONDET(short, short)
NONDET(unsigned short, ushort)
NONDET(unsigned short, u16)
NONDET(int, int)
NONDET(unsigned, uint)
NONDET(unsigned, unsigned)
NONDET(unsigned, u32)
NONDET(long, long)
NONDET(unsigned long, ulong)
NONDET(long long, longlong)
NONDET(unsigned long long, ulonglong)
NONDET(size_t, size_t)
NONDET(long, loff_t)

PUBLIC _Bool __VERIFIER_nondet_bool(void) {
    return input(HERE) & 1;
}

PUBLIC float __VERIFIER_nondet_float(void) {
    return (float)(int64_t)input(HERE);
}

PUBLIC double __VERIFIER_nondet_double(void) {
    return (double)(int64_t)input(HERE);
}

PUBLIC void *__VERIFIER_nondet_pointer(void) {
    return NULL;
}

/* ---------------------------------------------------------------- assumptions, sections, errors */

/* What others do before this thread gets here counts. */
static void prune(void) {
    last_turns();
    end_run(PRUNED, 0);
}

PUBLIC void __VERIFIER_assume(int condition) {
    if (!condition) prune();
}

PUBLIC void assume_abort_if_not(int condition) {
    if (!condition) prune();
}

PUBLIC void __VERIFIER_atomic_begin(void) {
    begin_section(HERE);
}

PUBLIC void __VERIFIER_atomic_end(void) {
    end_section();
}

PUBLIC void __VERIFIER_assert(int condition) {
    if (!condition) report(ASSERTION, "unreach-call", 1, HERE, "__VERIFIER_assert fails");
}

PUBLIC void __VERIFIER_error(void) {
    report(ERROR_CALL, "unreach-call", 1, HERE, "__VERIFIER_error is called");
}

PUBLIC void reach_error(void) {
    report(ERROR_CALL, "unreach-call", 1, HERE, "reach_error is called");
}

PUBLIC void __assert_fail(const char *condition, const char *file, unsigned line, const char *function) {
    report(ASSERTION, "unreach-call", 1, HERE, "%s:%u: %s: assertion `%s' fails", file, line, function, condition);
    _exit(134);
}

PUBLIC void __assert(const char *condition, const char *file, int line) {
    report(ASSERTION, "unreach-call", 1, HERE, "%s:%d: assertion `%s' fails", file, line, condition);
    _exit(134);
}

PUBLIC void abort(void) {
    if (assuming()) prune();
    last_turns();
    report(ABORTED, "no-abort", 1, HERE, "the program calls abort");
    _exit(134);
}

/* ---------------------------------------------------------------- random numbers: the C library's, whose state threads share under a lock */

static uint64_t generator;

static long draw(void) {
    return (long)(mix(generator++) >> 33);
}

PUBLIC int rand(void) {
    return (int)draw();
}

PUBLIC long random(void) {
    return draw();
}

PUBLIC void srand(unsigned seed) {
    generator = (uint64_t)seed << 32;
}

PUBLIC void srandom(unsigned seed) {
    generator = (uint64_t)seed << 32;
}
