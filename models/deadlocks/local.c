/* Two threads wait for each other while N - 2 others run on for ever. ORDERED: they do not. */
#include <pthread.h>
#ifndef N
#define N 3
#endif

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
_Atomic int ticks;

void *one(void *arg) {
    (void)arg;
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return 0;
}

void *two(void *arg) {
#ifdef ORDERED
    return one(arg);
#else
    (void)arg;
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return 0;
#endif
}

void *clock_thread(void *arg) {
    (void)arg;
    for (;;) ticks = !ticks;
    return 0;
}

int main(void) {
    pthread_t t[N];
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, two, 0);
    for (int i = 2; i < N; i++) pthread_create(&t[i], 0, clock_thread, 0);
    for (int i = 0; i < N; i++) pthread_join(t[i], 0);
    return 0;
}
