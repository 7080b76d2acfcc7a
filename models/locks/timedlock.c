/* Two locks taken in opposite orders, but the second one with a time limit: whoever runs out of
   time gives the first one back. A time-out is a step, so there is no deadlock. With UNLIMITED the
   second lock has no limit and the two threads can block each other. */
#include <pthread.h>
#include <time.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void both(pthread_mutex_t *first, pthread_mutex_t *second) {
    struct timespec limit = {1, 0};
    pthread_mutex_lock(first);
#ifdef UNLIMITED
    (void)limit;
    if (pthread_mutex_lock(second) == 0) {
#else
    if (pthread_mutex_timedlock(second, &limit) == 0) {
#endif
        value++;
        pthread_mutex_unlock(second);
    }
    pthread_mutex_unlock(first);
}

static void *forward(void *arg) {
    (void)arg;
    both(&a, &b);
    return 0;
}

static void *backward(void *arg) {
    (void)arg;
    both(&b, &a);
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, forward, 0);
    pthread_create(&t2, 0, backward, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
