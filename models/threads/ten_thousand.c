/* Ten thousand threads in a loop: a few slots are enough to see that they race, and a bound says that they are not all. */
#include <assert.h>
#include <pthread.h>

#define THREADS 10000

int total;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *arg) {
    (void)arg;
#ifndef RACE
    pthread_mutex_lock(&m);
#endif
    total = total + 1;
#ifdef COUNTED
    assert(total <= 2);
#endif
#ifndef RACE
    pthread_mutex_unlock(&m);
#endif
    return 0;
}

int main(void) {
    static pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], 0, add, 0);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
    return 0;
}
