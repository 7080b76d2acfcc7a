/* Two threads take two permits each, one after the other. With PERMITS 3 one of them always gets
   its second; with 2 each can hold one and wait for the other's. */
#include <pthread.h>
#include <semaphore.h>
#ifndef PERMITS
#define PERMITS 3
#endif

static sem_t permits;

static void *worker(void *arg) {
    (void)arg;
    sem_wait(&permits);
    sem_wait(&permits);
    sem_post(&permits);
    sem_post(&permits);
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    sem_init(&permits, 0, PERMITS);
    pthread_create(&t1, 0, worker, 0);
    pthread_create(&t2, 0, worker, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
