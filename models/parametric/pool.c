/* A hand-written semaphore of two under a mutex; whoever has one of the two places counts itself in and out. There are never more than two
   inside, for any number of threads. THREE: there are three places. TORN: a place is taken in two critical sections, so that two threads can
   take the last one. */
#include <pthread.h>
#include <assert.h>

#ifdef THREE
int places = 3;
#else
int places = 2;
#endif
int inside;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int take(void) {
    int there;
    pthread_mutex_lock(&lock);
    there = places;
#ifdef TORN
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    if (there > 0) places = there - 1;
    pthread_mutex_unlock(&lock);
    return there > 0;
}

static void add(int *what, int by) {
    pthread_mutex_lock(&lock);
    *what = *what + by;
    pthread_mutex_unlock(&lock);
}

void *worker(void *arg) {
    if (!take()) return arg;
    add(&inside, 1);
    assert(inside <= 2);
    add(&inside, -1);
    add(&places, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    while (1) pthread_create(&t, 0, worker, 0);
}
