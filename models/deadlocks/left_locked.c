/* One of N threads ends without unlocking; the others wait. TIDY: it unlocks. TRY: the others only try. */
#include <pthread.h>
#ifndef N
#define N 2
#endif

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *arg) {
#ifdef TRY
    if (pthread_mutex_trylock(&lock)) return 0;
#else
    pthread_mutex_lock(&lock);
#endif
#ifndef TIDY
    if ((long)arg == 0) return 0;
#endif
    (void)arg;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t t[N];
    for (long i = 0; i < N; i++) pthread_create(&t[i], 0, worker, (void *)i);
    for (int i = 0; i < N; i++) pthread_join(t[i], 0);
    return 0;
}
