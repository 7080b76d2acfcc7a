/* pthread_mutex_trylock never blocks: it takes the mutex or says EBUSY. A thread that fails does
   something else. With IGNORED it works on all the same, and the increments collide. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int value, skipped;

static void *patient(void *arg) {
    (void)arg;
    pthread_mutex_lock(&m);
    value++;
    pthread_mutex_unlock(&m);
    return 0;
}

static void *hasty(void *arg) {
    (void)arg;
    int result = pthread_mutex_trylock(&m);
#ifdef IGNORED
    value++;
#else
    if (result == 0)
        value++;
    else
        skipped++;
#endif
    if (result == 0)
        pthread_mutex_unlock(&m);
    assert(result == 0 || result == EBUSY);
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, patient, 0);
    pthread_create(&t2, 0, hasty, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(value + skipped == 2);
    return 0;
}
