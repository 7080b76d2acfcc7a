/* Thread i waits for the end of thread i + 1, round in a ring of N. OPEN: the last one waits for nobody. SELF: each waits for itself,
   which pthread_join refuses. */
#include <pthread.h>
#include <semaphore.h>
#ifndef N
#define N 2
#endif

pthread_t t[N];
sem_t go;

void *member(void *arg) {
    int me = (int)(long)arg;
    sem_wait(&go);
#if defined SELF
    pthread_join(t[me], 0);
#elif defined OPEN
    if (me + 1 < N) pthread_join(t[me + 1], 0);
#else
    pthread_join(t[(me + 1) % N], 0);
#endif
    return 0;
}

int main(void) {
    sem_init(&go, 0, 0);
    for (long i = 0; i < N; i++) pthread_create(&t[i], 0, member, (void *)i);
    for (int i = 0; i < N; i++) sem_post(&go);
#ifdef OPEN
    pthread_join(t[0], 0);
#else
    pthread_exit(0);
#endif
    return 0;
}
