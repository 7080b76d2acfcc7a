/* The zeros of calloc are written: who reads them has to be ordered behind them.
     (none)    the pointer is published with release and taken with acquire
     RELAXED   it is published relaxed: a race on the zeros
     MALLOC    memory of malloc has no contents that anybody wrote: the other thread only writes, and joins
     CONSTRUCTED   the pointer and the number are there before the thread is
     LATE_INIT     atomic_init is a plain write: beside an atomic load it is a race */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#if defined(RELAXED) || defined(MALLOC)
#define STORE memory_order_relaxed
#define LOAD memory_order_relaxed
#else
#define STORE memory_order_release
#define LOAD memory_order_acquire
#endif

int *_Atomic published;
atomic_int number;
int sum;

static void *user(void *arg) {
    (void)arg;
    int *here = atomic_load_explicit(&published, LOAD);
    if (here) {
#ifdef MALLOC
        *here = 1;
#else
        sum = *here;
#endif
    }
    sum += atomic_load_explicit(&number, memory_order_relaxed);
    return 0;
}

int main(void) {
    pthread_t t;
#ifndef CONSTRUCTED
    pthread_create(&t, 0, user, 0);
#endif
#ifdef MALLOC
    int *fresh = malloc(sizeof *fresh);
#else
    int *fresh = calloc(1, sizeof *fresh);
#endif
    if (!fresh) return 1;
#ifdef CONSTRUCTED
    atomic_init(&number, 1);
    atomic_init(&published, fresh);
    pthread_create(&t, 0, user, 0);
#else
    atomic_store_explicit(&published, fresh, STORE);
#endif
#ifdef LATE_INIT
    atomic_init(&number, 1);
#endif
    pthread_join(t, 0);
    free(fresh);
    return sum;
}
