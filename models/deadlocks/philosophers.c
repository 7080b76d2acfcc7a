/* N philosophers share N forks. All reach for the left one first: a circle. ORDERED: the lower fork first. LEFTY: one takes the right
   fork first. BUTLER: a semaphore lets N - 1 sit down. PUT_BACK: who does not get the second fork puts the first one back. */
#include <pthread.h>
#include <semaphore.h>
#ifndef N
#define N 3
#endif

pthread_mutex_t forks[N];
sem_t seats;

void *philosopher(void *arg) {
    int me = (int)(long)arg, left = me, right = (me + 1) % N;
#ifdef ORDERED
    if (left > right) {
        left = right;
        right = me;
    }
#endif
#ifdef LEFTY
    if (me == 0) {
        left = right;
        right = me;
    }
#endif
#ifdef BUTLER
    sem_wait(&seats);
#endif
    pthread_mutex_lock(&forks[left]);
#ifdef PUT_BACK
    if (pthread_mutex_trylock(&forks[right])) {
        pthread_mutex_unlock(&forks[left]);
        return 0;
    }
#else
    pthread_mutex_lock(&forks[right]);
#endif
    pthread_mutex_unlock(&forks[right]);
    pthread_mutex_unlock(&forks[left]);
#ifdef BUTLER
    sem_post(&seats);
#endif
    return 0;
}

int main(void) {
    pthread_t t[N];
    sem_init(&seats, 0, N - 1);
    for (long i = 0; i < N; i++) pthread_create(&t[i], 0, philosopher, (void *)i);
    for (int i = 0; i < N; i++) pthread_join(t[i], 0);
    return 0;
}
