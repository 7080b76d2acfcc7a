/* N threads wait for what never comes. Main returns, and that is the end of the process. EXITS: main ends as a thread, the others stay.
   JOINS: main waits for them. CIRCLE: two of them hold what the other wants: main's return does not make that right. UNITS: the same
   with semaphores, which nobody owns: that is a deadlock only if main stays. */
#include <pthread.h>
#include <semaphore.h>
#ifndef N
#define N 2
#endif

sem_t never;
pthread_mutex_t locks[2];
sem_t units[2];

void *waits(void *arg) {
    int me = (int)(long)arg;
#ifdef CIRCLE
    pthread_mutex_lock(&locks[me % 2]);
    pthread_mutex_lock(&locks[1 - me % 2]);
    pthread_mutex_unlock(&locks[1 - me % 2]);
    pthread_mutex_unlock(&locks[me % 2]);
#elif defined(UNITS)
    sem_wait(&units[me % 2]);
    sem_wait(&units[1 - me % 2]);
    sem_post(&units[1 - me % 2]);
    sem_post(&units[me % 2]);
#else
    (void)me;
    sem_wait(&never);
#endif
    return 0;
}

int main(void) {
    pthread_t t[N];
    sem_init(&never, 0, 0);
    for (int i = 0; i < 2; i++) sem_init(&units[i], 0, 1);
    for (long i = 0; i < N; i++) pthread_create(&t[i], 0, waits, (void *)i);
#ifdef EXITS
    pthread_exit(0);
#endif
#ifdef JOINS
    for (int i = 0; i < N; i++) pthread_join(t[i], 0);
#endif
    return 0;
}
