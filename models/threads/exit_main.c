/* pthread_exit in main ends only the main thread: the others go on, and the process ends when the
   last one is done. With RETURN, main returns and the process ends at once; but the worker may also
   have been faster, so its assertion can fail in both cases, while a worker that waits for ever is
   a deadlock only if main did not end the process (STUCK). */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t never;

static void *worker(void *arg) {
    (void)arg;
#ifdef STUCK
    sem_wait(&never);
#else
    assert(0);
#endif
    return 0;
}

int main(void) {
    pthread_t t;
    sem_init(&never, 0, 0);
    pthread_create(&t, 0, worker, 0);
#ifndef RETURN
    pthread_exit(0);
#endif
    return 0;
}
