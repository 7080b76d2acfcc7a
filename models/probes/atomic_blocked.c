/* Waiting for ever inside an atomic section is not a deadlock: such runs are pruned. A thread has
   ended with the mutex locked, the section wants it. Outside a section (OPEN) the same wait is a
   deadlock. In both cases what comes after the lock is not reached in such a run. */
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *locker(void *arg) {
    (void)arg;
    pthread_mutex_lock(&m);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, locker, 0);
    pthread_join(t, 0);
#ifndef OPEN
    __VERIFIER_atomic_begin();
#endif
#ifdef LOOP
    for (int i = 0; i < 2; i++)
        x++;
#endif
    pthread_mutex_lock(&m);
    x = 1;
#ifndef OPEN
    __VERIFIER_atomic_end();
#endif
    return 0;
}
