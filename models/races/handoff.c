/* Data goes from one thread to the next without a common lock. By semaphore: no race. NONE: nothing in between. JOIN: by the end of the
   first. BARRIER: by a barrier. WRONG: the semaphore is posted before the write. CONDITION: by a flag and a condition. */
#include <pthread.h>
#include <semaphore.h>

int data, flag;
sem_t given;
pthread_barrier_t barrier;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t told = PTHREAD_COND_INITIALIZER;

void *giver(void *arg) {
    (void)arg;
#ifdef WRONG
    sem_post(&given);
#endif
    data = 1;
#if defined BARRIER
    pthread_barrier_wait(&barrier);
#elif defined CONDITION
    pthread_mutex_lock(&lock);
    flag = 1;
    pthread_cond_signal(&told);
    pthread_mutex_unlock(&lock);
#elif !defined NONE && !defined JOIN && !defined WRONG
    sem_post(&given);
#endif
    return 0;
}

void *taker(void *arg) {
    (void)arg;
#if defined BARRIER
    pthread_barrier_wait(&barrier);
#elif defined CONDITION
    pthread_mutex_lock(&lock);
    while (!flag) pthread_cond_wait(&told, &lock);
    pthread_mutex_unlock(&lock);
#elif !defined NONE && !defined JOIN
    sem_wait(&given);
#endif
    data = data + 1;
    return 0;
}

int main(void) {
    pthread_t s, t;
    sem_init(&given, 0, 0);
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&s, 0, giver, 0);
#ifdef JOIN
    pthread_join(s, 0);
#endif
    pthread_create(&t, 0, taker, 0);
#ifndef JOIN
    pthread_join(s, 0);
#endif
    pthread_join(t, 0);
    return data;
}
