/* N threads pass a token on, semaphore to semaphore, once around. LOST: nobody has it at the start. SWALLOWED: the last one keeps it, and the
   first waits for it to come back. */
#include <pthread.h>
#include <semaphore.h>
#ifndef N
#define N 3
#endif

sem_t turn[N + 1];

void *member(void *arg) {
    int me = (int)(long)arg;
    sem_wait(&turn[me]);
#ifdef SWALLOWED
    if (me == N - 1) return 0;
#endif
    sem_post(&turn[me + 1]);
    return 0;
}

int main(void) {
    pthread_t t[N];
    for (int i = 0; i <= N; i++) sem_init(&turn[i], 0, 0);
    for (long i = 0; i < N; i++) pthread_create(&t[i], 0, member, (void *)i);
#ifndef LOST
    sem_post(&turn[0]);
#endif
    sem_wait(&turn[N]);
    for (int i = 0; i < N; i++) pthread_join(t[i], 0);
    return 0;
}
