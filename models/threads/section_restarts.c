/* One atomic section joins a thread and creates another: after it the second one runs, and main's store disturbs it. QUIET: main stores
   nothing. */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int x;

void *first(void *arg) {
    return arg;
}

void *second(void *arg) {
    x = 2;
    assert(x == 2);
    return arg;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, first, 0);
    __VERIFIER_atomic_begin();
    pthread_join(one, 0);
    pthread_create(&other, 0, second, 0);
    __VERIFIER_atomic_end();
#ifndef QUIET
    x = 7;
#endif
    pthread_join(other, 0);
    return 0;
}
