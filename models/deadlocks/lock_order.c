/* Two threads take N locks, one upwards and one downwards. SAME: both upwards. GATE: a further lock around it all. PAIRS: never more than
   two at a time, and the same way round. */
#include <pthread.h>
#ifndef N
#define N 2
#endif

pthread_mutex_t locks[N], gate;

void *up(void *arg) {
    (void)arg;
#ifdef GATE
    pthread_mutex_lock(&gate);
#endif
    for (int i = 0; i < N; i++) pthread_mutex_lock(&locks[i]);
    for (int i = N - 1; i >= 0; i--) pthread_mutex_unlock(&locks[i]);
#ifdef GATE
    pthread_mutex_unlock(&gate);
#endif
    return 0;
}

void *down(void *arg) {
    (void)arg;
#if defined SAME
    return up(arg);
#elif defined PAIRS
    for (int i = 0; i + 1 < N; i++) {
        pthread_mutex_lock(&locks[i]);
        pthread_mutex_lock(&locks[i + 1]);
        pthread_mutex_unlock(&locks[i]);
        pthread_mutex_unlock(&locks[i + 1]);
    }
#else
#ifdef GATE
    pthread_mutex_lock(&gate);
#endif
    for (int i = N - 1; i >= 0; i--) pthread_mutex_lock(&locks[i]);
    for (int i = 0; i < N; i++) pthread_mutex_unlock(&locks[i]);
#ifdef GATE
    pthread_mutex_unlock(&gate);
#endif
#endif
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, up, 0);
    pthread_create(&b, 0, down, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
