/* N threads wait for a signal. It is lost if it comes before they wait. FLAG: they look at a flag under the lock, and all are told.
   FLAG and ONE: only one of them is told. NO_LOCK: flag and signal without the lock between look and wait. */
#include <pthread.h>
#ifndef N
#define N 2
#endif

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t told = PTHREAD_COND_INITIALIZER;
_Atomic int ready;

void *waiter(void *arg) {
    (void)arg;
    pthread_mutex_lock(&lock);
#ifdef FLAG
    while (!ready)
#endif
        pthread_cond_wait(&told, &lock);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++) pthread_create(&t[i], 0, waiter, 0);
#ifndef NO_LOCK
    pthread_mutex_lock(&lock);
#endif
    ready = 1;
#ifdef ONE
    pthread_cond_signal(&told);
#else
    pthread_cond_broadcast(&told);
#endif
#ifndef NO_LOCK
    pthread_mutex_unlock(&lock);
#endif
    for (int i = 0; i < N; i++) pthread_join(t[i], 0);
    return 0;
}
