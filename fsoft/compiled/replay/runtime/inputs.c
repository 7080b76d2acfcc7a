/* Values that the run was given: __VERIFIER_nondet_*, random numbers; assumptions; the functions that report an error. */
#include "runtime.h"
#include <stdlib.h>
#include <string.h>


/* The next input of this thread, if it is for this line (0: any); one that is not in the schedule does not matter. */
unsigned long long next_input(const char *name, const void *pc, int *found) {
    struct thread *me = self;
    int line = line_of(site_of(pc));
    unsigned long long value = 0;
    *found = 0;
    if (!me) return 0;
    pthread_mutex_lock(&big);
    for (int k = 0; k < input_count; k++) {
        struct input *i = &inputs[k];
        if (i->slot != me->slot || i->done) continue;
        if ((!i->line || i->line == line) && !strncmp(i->name, name, strlen(name))) {
            i->done = *found = 1;
            value = i->value;
        }
        break;
    }
    pthread_mutex_unlock(&big);
    return value;
}

#define NONDET(type, name)                                                                 \
    __attribute__((weak)) type __VERIFIER_nondet_##name(void) {                            \
        int found;                                                                         \
        return (type)next_input("__VERIFIER_nondet_" #name "()", HERE, &found);            \
    }
NONDET(_Bool, bool)
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

__attribute__((weak)) float __VERIFIER_nondet_float(void) {
    int found;
    uint32_t bits = (uint32_t)next_input("__VERIFIER_nondet_float()", HERE, &found);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

__attribute__((weak)) double __VERIFIER_nondet_double(void) {
    int found;
    uint64_t bits = next_input("__VERIFIER_nondet_double()", HERE, &found);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

__attribute__((weak)) void *__VERIFIER_nondet_pointer(void) {
    int found;
    return (void *)(uintptr_t)next_input("__VERIFIER_nondet_pointer()", HERE, &found);
}

int replay_rand(void) {
    int found;
    return (int)(next_input("library:", HERE, &found) >> 1);
}

long replay_random(void) {
    int found;
    return (long)(next_input("library:", HERE, &found) >> 1);
}

/* ---------------------------------------------------------------- assumptions, sections, errors */

__attribute__((weak)) void __VERIFIER_assume(int condition) {
    if (!condition) end_process("a failed assumption", line_of(HERE));
}

__attribute__((weak)) void assume_abort_if_not(int condition) {
    if (!condition) end_process("a failed assumption", line_of(HERE));
}

__attribute__((weak)) void __VERIFIER_atomic_begin(void) {
    if (self) begin_section(self, HERE);
}

__attribute__((weak)) void __VERIFIER_atomic_end(void) {
    if (self) end_section(self);
}

__attribute__((weak)) void __VERIFIER_assert(int condition) {
    if (!condition) fail_here("assert", line_of(HERE), "__VERIFIER_assert fails");
}

__attribute__((weak)) void __VERIFIER_error(void) {
    fail_here("error", line_of(HERE), "__VERIFIER_error is called");
}

__attribute__((weak)) void reach_error(void) {
    fail_here("error", line_of(HERE), "reach_error is called");
}

void replay___assert_fail(const char *condition, const char *file, unsigned line, const char *function) {
    fail_here("assert", line_of(HERE), "%s:%u: %s: Assertion `%s' failed.", file, line, function, condition);
}
