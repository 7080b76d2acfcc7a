/* Between __VERIFIER_atomic_begin and __VERIFIER_atomic_end no other thread moves, so two
   increments never collide. With HALF only one thread has a section: the other's increment can
   still be interrupted by it. */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int x;

static void *first(void *arg) {
    (void)arg;
    __VERIFIER_atomic_begin();
    x = x + 1;
    __VERIFIER_atomic_end();
    return 0;
}

static void *second(void *arg) {
    (void)arg;
#ifndef HALF
    __VERIFIER_atomic_begin();
#endif
    x = x + 1;
#ifndef HALF
    __VERIFIER_atomic_end();
#endif
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, first, 0);
    pthread_create(&t2, 0, second, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(x == 2);
    return 0;
}
