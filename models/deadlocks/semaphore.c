/* N threads need two units each, one after the other, of a semaphore of N. ENOUGH: there are N + 1. AT_ONCE: a lock makes one claim of
   the two. KEEP: each gives one back only. */
#include <pthread.h>
#include <semaphore.h>
#ifndef N
#define N 2
#endif
#ifdef ENOUGH
#define UNITS (N + 1)
#else
#define UNITS N
#endif

sem_t units;
pthread_mutex_t claim = PTHREAD_MUTEX_INITIALIZER;

void *user(void *arg) {
    (void)arg;
#ifdef AT_ONCE
    pthread_mutex_lock(&claim);
#endif
    sem_wait(&units);
    sem_wait(&units);
#ifdef AT_ONCE
    pthread_mutex_unlock(&claim);
#endif
    sem_post(&units);
#ifndef KEEP
    sem_post(&units);
#endif
    return 0;
}

int main(void) {
    pthread_t t[N];
    sem_init(&units, 0, UNITS);
    for (int i = 0; i < N; i++) pthread_create(&t[i], 0, user, 0);
    for (int i = 0; i < N; i++) pthread_join(t[i], 0);
    return 0;
}
