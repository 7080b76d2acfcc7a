/* Any number of threads raise a maximum by compare and swap; afterwards it is at least what each has put in. PLAIN: it is written without
   comparing again. */
#include <pthread.h>
#include <assert.h>
#include <stdatomic.h>

int __VERIFIER_nondet_int(void);

_Atomic int maximum;

void *raise(void *arg) {
    int mine = __VERIFIER_nondet_int(), seen = maximum;
#ifdef PLAIN
    if (mine > seen) maximum = mine;
#else
    while (mine > seen && !atomic_compare_exchange_strong(&maximum, &seen, mine)) {}
#endif
    assert(maximum >= mine);
    return arg;
}

int main(void) {
    pthread_t t;
    while (1) pthread_create(&t, 0, raise, 0);
}
