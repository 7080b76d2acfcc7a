/* Cancellation: main cancels a thread that waits for ever at a cancellation point; the join
   succeeds and yields PTHREAD_CANCELED. With FORGOTTEN main does not cancel, and the join never
   returns. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t never;

static void *sleeper(void *arg) {
    (void)arg;
    sem_wait(&never);
    assert(0);
    return 0;
}

int main(void) {
    pthread_t t;
    void *result;
    sem_init(&never, 0, 0);
    pthread_create(&t, 0, sleeper, 0);
#ifndef FORGOTTEN
    pthread_cancel(t);
#endif
    pthread_join(t, &result);
    assert(result == PTHREAD_CANCELED);
    return 0;
}
