/* A harness that uses the words of several verifiers, as they are used there. */
#include <pthread.h>

void __CPROVER_assume(_Bool);
void __ESBMC_assert(_Bool, const char *);
void __CPROVER_atomic_begin(void);
void __CPROVER_atomic_end(void);
void __goblint_check(int);
void __VERIFIER_loop_bound(int);
unsigned nondet_uint(void);

static unsigned total;

static void *add(void *arg) {
#ifndef TORN
    __CPROVER_atomic_begin();
#endif
    unsigned now = total;
    total = now + 1;
#ifndef TORN
    __CPROVER_atomic_end();
#endif
    return arg;
}

int main(void) {
    pthread_t a, b;
    unsigned start = nondet_uint();
    __CPROVER_assume(start < 3);
    total = start;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    __VERIFIER_loop_bound(2);
    for (int i = 0; i < 1; i++) __goblint_check(total > start);
    __ESBMC_assert(total == start + 2, "both count");
    return 0;
}
