/* N threads change a variable under a lock. OTHER: one uses another lock. NONE: one uses none. READER: under a read lock. WRITER: under the
   write lock of a readers-writer lock. TRY: only who gets the lock. BLIND: trylock, and on whether or not. SPIN: a spin lock. */
#include <pthread.h>
#ifndef N
#define N 2
#endif

int shared;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
pthread_spinlock_t spin;

void *worker(void *arg) {
    int me = (int)(long)arg;
    (void)me;
#if defined OTHER
    pthread_mutex_lock(me == 0 ? &other : &lock);
    shared++;
    pthread_mutex_unlock(me == 0 ? &other : &lock);
#elif defined NONE
    if (me) pthread_mutex_lock(&lock);
    shared++;
    if (me) pthread_mutex_unlock(&lock);
#elif defined READER
    pthread_rwlock_rdlock(&rw);
    shared++;
    pthread_rwlock_unlock(&rw);
#elif defined WRITER
    pthread_rwlock_wrlock(&rw);
    shared++;
    pthread_rwlock_unlock(&rw);
#elif defined TRY
    if (pthread_mutex_trylock(&lock) == 0) {
        shared++;
        pthread_mutex_unlock(&lock);
    }
#elif defined BLIND
    int got = pthread_mutex_trylock(&lock) == 0;
    shared++;
    if (got) pthread_mutex_unlock(&lock);
#elif defined SPIN
    pthread_spin_lock(&spin);
    shared++;
    pthread_spin_unlock(&spin);
#else
    pthread_mutex_lock(&lock);
    shared++;
    pthread_mutex_unlock(&lock);
#endif
    return 0;
}

int main(void) {
    pthread_t t[N];
    pthread_spin_init(&spin, 0);
    for (long i = 0; i < N; i++) pthread_create(&t[i], 0, worker, (void *)i);
    for (int i = 0; i < N; i++) pthread_join(t[i], 0);
    return shared;
}
