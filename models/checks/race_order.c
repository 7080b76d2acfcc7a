/* What happens before a thread is created or after it was joined cannot race with it. With
   AFTER_CREATE or BEFORE_JOIN main touches the variable while the thread runs. */
#include <pthread.h>

static int x;

static void *worker(void *arg) {
    (void)arg;
    x += 2;
    return 0;
}

int main(void) {
    pthread_t t;
#ifndef AFTER_CREATE
    x = 1;
#endif
    pthread_create(&t, 0, worker, 0);
#ifdef AFTER_CREATE
    x = 1;
#endif
#ifdef BEFORE_JOIN
    int result = x;
    pthread_join(t, 0);
#else
    pthread_join(t, 0);
    int result = x;
#endif
    return result;
}
