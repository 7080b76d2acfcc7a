/* Two threads meet: each announces itself with its own semaphore and waits for the other's.
   Announcing first is what lets both go on. With WAIT_FIRST each waits before it announces itself:
   a deadlock. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t here[2];
static int came[2];

static void *walker(void *arg) {
    int self = (int)(long)arg;
    came[self] = 1;
#ifdef WAIT_FIRST
    sem_wait(&here[1 - self]);
    sem_post(&here[self]);
#else
    sem_post(&here[self]);
    sem_wait(&here[1 - self]);
#endif
    assert(came[1 - self]);
    return 0;
}

int main(void) {
    pthread_t t0, t1;
    sem_init(&here[0], 0, 0);
    sem_init(&here[1], 0, 0);
    pthread_create(&t0, 0, walker, (void *)0L);
    pthread_create(&t1, 0, walker, (void *)1L);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    return 0;
}
