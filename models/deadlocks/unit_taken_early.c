/* A unit of a semaphore may be taken before any other thread runs, and is never given back: then the worker waits for ever. On the
   other way to the worker's creation a helper runs already, and the unit is there. NONE: nobody takes it. SECTION: the helper is joined,
   the unit taken and the worker created in one atomic section. */
#include <pthread.h>
#include <semaphore.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

sem_t units;

void *helper(void *arg) {
    return arg;
}

void *worker(void *arg) {
    sem_wait(&units);
    sem_post(&units);
    return arg;
}

#ifdef SECTION
int main(void) {
    pthread_t one, other;
    sem_init(&units, 0, 1);
    pthread_create(&one, 0, helper, 0);
    __VERIFIER_atomic_begin();
    pthread_join(one, 0);
#ifndef NONE
    sem_wait(&units);
#endif
    pthread_create(&other, 0, worker, 0);
    __VERIFIER_atomic_end();
    pthread_join(other, 0);
    return 0;
}
#else
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
#endif
