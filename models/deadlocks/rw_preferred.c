/* A thread that reads takes the lock for reading once more while a writer waits. Readers do not wait for waiting writers, but for locks of the kind
   PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP, and then both wait for ever: that is what NONRECURSIVE says. POSIX leaves open what
   other kinds do; glibc lets the reader in.

   PREFER: the lock is of that kind; STATIC: by its initialiser. TIMED: the writer gives up. ONCE: nobody reads twice. ON: another thread runs on. */
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

#ifdef STATIC
pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
#else
pthread_rwlock_t lock;
#endif
volatile int on = 1;

void *writer(void *arg) {
#ifdef TIMED
    struct timespec until = {0, 0};
    if (pthread_rwlock_timedwrlock(&lock, &until)) return arg;
#else
    pthread_rwlock_wrlock(&lock);
#endif
    pthread_rwlock_unlock(&lock);
    return arg;
}

void *other(void *arg) {
    while (on) continue;
    return arg;
}

int main(void) {
    pthread_t t;
#ifndef STATIC
    pthread_rwlockattr_t kind;
    pthread_rwlockattr_init(&kind);
#ifdef PREFER
    pthread_rwlockattr_setkind_np(&kind, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
#endif
    pthread_rwlock_init(&lock, &kind);
#endif
#ifdef ON
    pthread_create(&t, 0, other, 0);
#endif
    pthread_create(&t, 0, writer, 0);
    pthread_rwlock_rdlock(&lock);
#ifndef ONCE
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
#endif
    pthread_rwlock_unlock(&lock);
    pthread_join(t, 0);
    on = 0;
    return 0;
}
