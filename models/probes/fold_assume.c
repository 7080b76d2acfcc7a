/* A thread locks a mutex and then makes a false assumption about a local variable. The lock has
   been taken all the same: the other thread's trylock can fail. If the assumption were part of the
   locking step, the step would be disabled and the trylock always succeed. */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_assume(int);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *locker(void *arg) {
    int hopeless = arg != 0;
#ifdef BEFORE
    __VERIFIER_assume(hopeless);
#endif
    pthread_mutex_lock(&m);
#ifndef BEFORE
    __VERIFIER_assume(hopeless);
#endif
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, locker, 0);
    assert(pthread_mutex_trylock(&m) == 0);
    return 0;
}
