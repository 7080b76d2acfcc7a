/* What harnesses of other verifiers call: assumptions, assertions, free values, marks of loops. Conditions may be pointers.
   assert itself is a function where assert.h is not included. */

void assert(_Bool condition) {
    if (!condition) __fsoft_fail("an assertion fails");
}

void __CPROVER_assume(_Bool condition) {
    __fsoft_assume(condition);
}

void __CPROVER_assert(_Bool condition, const char *text) {
    if (!condition) __fsoft_fail("__CPROVER_assert fails");
}

void __ESBMC_assume(_Bool condition) {
    __fsoft_assume(condition);
}

void __ESBMC_assert(_Bool condition, const char *text) {
    if (!condition) __fsoft_fail("__ESBMC_assert fails");
}

void __ESBMC_yield(void) {
}

void __goblint_assume(_Bool condition) {
    __fsoft_assume(condition);
}

void __goblint_assert(_Bool condition) {
    if (!condition) __fsoft_fail("__goblint_assert fails");
}

void __goblint_check(_Bool condition) {
    if (!condition) __fsoft_fail("__goblint_check fails");
}

/* How far others unwind a loop, and where they see one that spins: our bounds are those of the command line. */

void __VERIFIER_loop_bound(int bound) {
}

void __VERIFIER_loop_begin(void) {
}

void __VERIFIER_spin_start(void) {
}

void __VERIFIER_spin_end(int done) {
}

int __VERIFIER_tid(void) {
    return __fsoft_self() - 1;
}

int nondet_int(void) {
    return __VERIFIER_nondet_int();
}

unsigned nondet_uint(void) {
    return __VERIFIER_nondet_uint();
}

long nondet_long(void) {
    return __VERIFIER_nondet_long();
}

unsigned long nondet_ulong(void) {
    return __VERIFIER_nondet_ulong();
}

short nondet_short(void) {
    return (short)__VERIFIER_nondet_int();
}

unsigned short nondet_ushort(void) {
    return (unsigned short)__VERIFIER_nondet_uint();
}

char nondet_char(void) {
    return __VERIFIER_nondet_char();
}

unsigned char nondet_uchar(void) {
    return (unsigned char)__VERIFIER_nondet_char();
}

_Bool nondet_bool(void) {
    return __VERIFIER_nondet_bool();
}
