/* A recursive mutex may be locked again by its owner and is free after as many unlocks. A NORMAL
   mutex locked twice by its owner blocks for ever. With ONE_UNLOCK too few unlocks leave a
   recursive mutex locked, and the second thread waits for ever. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m;
static int value;

static void add(int n) {
    pthread_mutex_lock(&m);
    value++;
    if (n > 0)
        add(n - 1);
#ifdef ONE_UNLOCK
    if (n == 0)
#endif
        pthread_mutex_unlock(&m);
}

static void *worker(void *arg) {
    (void)arg;
    add(1);
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
#ifdef NORMAL
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_NORMAL);
#else
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
#endif
    pthread_mutex_init(&m, &attr);
    pthread_create(&t1, 0, worker, 0);
    pthread_create(&t2, 0, worker, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(value == 4);
    return 0;
}
