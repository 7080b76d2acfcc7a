/* Three tokens go round among any number of threads: who has taken one puts it back. There are three at all times, in the pool or in hands, so
   at most three threads hold one. FORGED: a thread that finds the pool empty makes a token. */
#include <pthread.h>
#include <assert.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

int pool = 3, holding;

void *worker(void *arg) {
    int mine = 0;
    __VERIFIER_atomic_begin();
    if (pool > 0) {
        pool--;
        mine = 1;
    }
    __VERIFIER_atomic_end();
#ifdef FORGED
    mine = 1;
#endif
    if (!mine) return arg;
    __VERIFIER_atomic_begin();
    holding++;
    __VERIFIER_atomic_end();
    assert(holding <= 3);
    __VERIFIER_atomic_begin();
    holding--;
    pool++;
    __VERIFIER_atomic_end();
    return arg;
}

int main(void) {
    pthread_t t;
    while (1) pthread_create(&t, 0, worker, 0);
}
