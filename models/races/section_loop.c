/* A write inside an atomic section that has a loop, before it, against a plain write. BOTH: both are in atomic sections. */
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static int shared, mine;

static void *worker(void *arg) {
    __VERIFIER_atomic_begin();
    while (mine < 2)
        mine++;
    shared = 1;
    __VERIFIER_atomic_end();
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
#ifdef BOTH
    __VERIFIER_atomic_begin();
    shared = 2;
    __VERIFIER_atomic_end();
#else
    shared = 2;
#endif
    return 0;
}
