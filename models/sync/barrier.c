/* Two threads fill one cell each, meet at a POSIX barrier, then read the neighbour's cell; the same
   once more in a second phase, so that the barrier is reused. Exactly one thread of a phase is told
   PTHREAD_BARRIER_SERIAL_THREAD, so `serials` counts the phases. With ONCE the second meeting is
   left out and a thread may read the neighbour's cell before it is written again. */
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t meet;
static int cell[2];
static int serials;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void arrive(void) {
    if (pthread_barrier_wait(&meet) == PTHREAD_BARRIER_SERIAL_THREAD) {
        pthread_mutex_lock(&m);
        serials++;
        pthread_mutex_unlock(&m);
    }
}

static void *worker(void *arg) {
    int self = (int)(long)arg;
    cell[self] = 1;
    arrive();
    assert(cell[1 - self] == 1);
    arrive();
    cell[self] = 2;
#ifndef ONCE
    arrive();
#endif
    assert(cell[1 - self] == 2);
    return 0;
}

int main(void) {
    pthread_t t0, t1;
    pthread_barrier_init(&meet, 0, 2);
    pthread_create(&t0, 0, worker, (void *)0L);
    pthread_create(&t1, 0, worker, (void *)1L);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
#ifndef ONCE
    assert(serials == 3);
#endif
    pthread_barrier_destroy(&meet);
    return 0;
}
