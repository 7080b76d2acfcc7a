/* A detached thread cannot be joined; main learns of its end through a semaphore. With NO_WAIT main
   does not wait and may read the result before it is there. Return from main ends the process even
   if the detached thread has not finished. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t finished;
static int result;

static void *worker(void *arg) {
    (void)arg;
    pthread_detach(pthread_self());
    result = 9;
    sem_post(&finished);
    return 0;
}

int main(void) {
    pthread_t t;
    sem_init(&finished, 0, 0);
    pthread_create(&t, 0, worker, 0);
#ifndef NO_WAIT
    sem_wait(&finished);
#endif
    assert(result == 9);
    return 0;
}
