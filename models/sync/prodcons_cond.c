/* One producer, one consumer, a buffer of one cell, a mutex and two conditions. Items arrive in
   order because each side waits in a loop until the buffer is in the state it needs. With IF the
   consumer tests only once: a spurious wake-up lets it take from an empty buffer. With NO_SIGNAL
   the producer forgets to wake the consumer, who then sleeps for ever although the buffer is full. */
#include <assert.h>
#include <pthread.h>
#define ITEMS 2

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static int cell, full;

static void *producer(void *arg) {
    (void)arg;
    for (int i = 1; i <= ITEMS; i++) {
        pthread_mutex_lock(&m);
        while (full)
            pthread_cond_wait(&not_full, &m);
        cell = i;
        full = 1;
#ifndef NO_SIGNAL
        pthread_cond_signal(&not_empty);
#endif
        pthread_mutex_unlock(&m);
    }
    return 0;
}

static void *consumer(void *arg) {
    (void)arg;
    for (int i = 1; i <= ITEMS; i++) {
        pthread_mutex_lock(&m);
#ifdef IF
        if (!full)
#else
        while (!full)
#endif
            pthread_cond_wait(&not_empty, &m);
        assert(full && cell == i);
        full = 0;
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void) {
    pthread_t p, c;
    pthread_create(&p, 0, producer, 0);
    pthread_create(&c, 0, consumer, 0);
    pthread_join(p, 0);
    pthread_join(c, 0);
    return 0;
}
