/* A reader that wants to become a writer without giving up its read lock waits for itself (and for
   the other reader) for ever. With RELEASE it gives it up first, which is free of deadlocks, but
   then what it has read may be out of date. A failed assertion ends the process: it is no deadlock
   that the other thread can then not go on. */
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *worker(void *arg) {
    (void)arg;
    pthread_rwlock_rdlock(&l);
    int seen = value;
#ifdef RELEASE
    pthread_rwlock_unlock(&l);
#endif
    pthread_rwlock_wrlock(&l);
    assert(value == seen);
    value = seen + 1;
    pthread_rwlock_unlock(&l);
#ifndef RELEASE
    pthread_rwlock_unlock(&l);
#endif
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, worker, 0);
    pthread_create(&t2, 0, worker, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
