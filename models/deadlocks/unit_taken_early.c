/* A unit of a semaphore may be taken before any other thread runs, and is never given back: then the worker waits for ever. On the
   other way to the worker's creation a helper runs already, and the unit is there. NONE: nobody takes it. */
#include <pthread.h>
#include <semaphore.h>

extern int __VERIFIER_nondet_int(void);

sem_t units;

void *helper(void *arg) {
    return arg;
}

void *worker(void *arg) {
    sem_wait(&units);
    sem_post(&units);
    return arg;
}

int main(void) {
    pthread_t one, other;
    sem_init(&units, 0, 1);
    if (__VERIFIER_nondet_int()) goto early;
    pthread_create(&one, 0, helper, 0);
start:
    pthread_create(&other, 0, worker, 0);
    pthread_join(other, 0);
    return 0;
early:
#ifndef NONE
    sem_wait(&units);
#endif
    goto start;
}
