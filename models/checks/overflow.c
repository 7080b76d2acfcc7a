/* Two threads count up to INT_MAX and no further: each looks before it increments. If looking and
   incrementing are one critical section, nothing overflows. With UNLOCKED both may look before
   either increments, and the second increment overflows. */
#include <limits.h>
#include <pthread.h>

static int x = INT_MAX - 1;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg) {
    (void)arg;
#ifndef UNLOCKED
    pthread_mutex_lock(&m);
#endif
    if (x < INT_MAX)
        x++;
#ifndef UNLOCKED
    pthread_mutex_unlock(&m);
#else
    (void)&m;
#endif
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, worker, 0);
    pthread_create(&t2, 0, worker, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
