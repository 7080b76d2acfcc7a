/* A mutex that checks for errors and is locked already by this thread: neither lock nor timedlock waits, both say so; trylock finds it
   busy. With NORMAL a normal mutex can only time out. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

int main(void) {
    pthread_mutex_t m;
    pthread_mutexattr_t kind;
    struct timespec soon = {0, 0};
    int result;
    pthread_mutexattr_init(&kind);
#ifndef NORMAL
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
#endif
    pthread_mutex_init(&m, &kind);
    pthread_mutex_lock(&m);
    result = pthread_mutex_timedlock(&m, &soon);
    assert(result == EDEADLK && pthread_mutex_trylock(&m) == EBUSY);
    return 0;
}
