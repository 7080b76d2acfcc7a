/* N threads, N locks in a ring, but the second lock is only waited for until a time: a time-out is a step. STUBBORN: who timed out tries
   again without a limit. */
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>
#ifndef N
#define N 2
#endif

pthread_mutex_t locks[N];

void *worker(void *arg) {
    int me = (int)(long)arg, other = (me + 1) % N;
    struct timespec until = {0, 0};
    pthread_mutex_lock(&locks[me]);
    if (pthread_mutex_timedlock(&locks[other], &until) == 0) pthread_mutex_unlock(&locks[other]);
#ifdef STUBBORN
    else {
        pthread_mutex_lock(&locks[other]);
        pthread_mutex_unlock(&locks[other]);
    }
#endif
    pthread_mutex_unlock(&locks[me]);
    return 0;
}

int main(void) {
    pthread_t t[N];
    for (long i = 0; i < N; i++) pthread_create(&t[i], 0, worker, (void *)i);
    for (int i = 0; i < N; i++) pthread_join(t[i], 0);
    return 0;
}
