/* Three threads that wait for each other's end in a circle: a deadlock without any lock. With OPEN
   the circle has a gap. */
#include <pthread.h>

static pthread_t boss, second;

static void *last(void *arg) {
    (void)arg;
#ifndef OPEN
    pthread_join(boss, 0);
#endif
    return 0;
}

static void *middle(void *arg) {
    (void)arg;
    pthread_join(second, 0);
    return 0;
}

int main(void) {
    pthread_t first;
    boss = pthread_self();
    pthread_create(&second, 0, last, 0);
    pthread_create(&first, 0, middle, 0);
    pthread_join(first, 0);
    return 0;
}
