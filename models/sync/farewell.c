/* A gate on the heap. Whoever opens it destroys it and gives its memory back, which POSIX allows as soon as nobody is blocked: threads
   that have been woken no longer need the condition or the barrier, only the mutex. BARRIER: a barrier, destroyed by its serial
   thread. HASTY: the memory is given back while threads may still wait. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#ifdef BARRIER
static void *worker(void *arg) {
    pthread_barrier_t *meet = arg;
    if (pthread_barrier_wait(meet) == PTHREAD_BARRIER_SERIAL_THREAD) {
        pthread_barrier_destroy(meet);
        free(meet);
    }
    return 0;
}

int main(void) {
    pthread_t id;
    pthread_barrier_t *meet = malloc(sizeof *meet);
    pthread_barrier_init(meet, 0, 2);
    pthread_create(&id, 0, worker, meet);
#ifdef HASTY
    free(meet);
#else
    worker(meet);
#endif
    pthread_join(id, 0);
    return 0;
}
#else
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t *gate;
static int open, inside;

static void *visitor(void *arg) {
    (void)arg;
    pthread_mutex_lock(&m);
    if (!open) {
        pthread_cond_t *here = gate;
        while (!open) pthread_cond_wait(here, &m);
    }
    inside++;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t id;
    gate = malloc(sizeof *gate);
    pthread_cond_init(gate, 0);
    pthread_create(&id, 0, visitor, 0);
    pthread_mutex_lock(&m);
    open = 1;
#ifndef HASTY
    pthread_cond_broadcast(gate);
    pthread_cond_destroy(gate);
#endif
    free(gate);
    pthread_mutex_unlock(&m);
    pthread_join(id, 0);
    assert(inside == 1);
    return 0;
}
#endif
