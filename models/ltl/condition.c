/* A consumer waits for a condition that a producer signals. The test and the wait are under one mutex; with GAP the
   test comes before, the signal may be lost, and the consumer sleeps for ever: a spurious wake-up may come, but nobody may rely on it.
   Spurious wake-ups may also come all the time and keep the mutex from the producer: that it gets through takes strong fairness. */
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
_Atomic int ready;
int eaten;

static void *consumer(void *arg) {
    (void)arg;
#ifdef GAP
    if (!ready) {
        pthread_mutex_lock(&m);
        pthread_cond_wait(&c, &m);
        pthread_mutex_unlock(&m);
    }
#else
    pthread_mutex_lock(&m);
    while (!ready)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
#endif
    eaten = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, consumer, 0);
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    return 0;
}
