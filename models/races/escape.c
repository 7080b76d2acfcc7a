/* A local variable of main whose address goes to N threads. All write it. ONE: only one thread, and main looks after the join. EARLY: main looks
   before the join. OWN: each thread gets a variable of its own. */
#include <pthread.h>
#ifndef N
#define N 2
#endif

void *worker(void *arg) {
    *(int *)arg = 1;
    return 0;
}

int main(void) {
    pthread_t t[N];
    int local[N], seen = 0;
    for (int i = 0; i < N; i++) local[i] = 0;
#ifdef OWN
    for (int i = 0; i < N; i++) pthread_create(&t[i], 0, worker, &local[i]);
    for (int i = 0; i < N; i++) pthread_join(t[i], 0);
#elif defined ONE || defined EARLY
    pthread_create(&t[0], 0, worker, &local[0]);
#ifdef EARLY
    seen = local[0];
#endif
    pthread_join(t[0], 0);
#else
    for (int i = 0; i < N; i++) pthread_create(&t[i], 0, worker, &local[0]);
    for (int i = 0; i < N; i++) pthread_join(t[i], 0);
#endif
    return seen + local[0];
}
