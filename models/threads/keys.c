/* Thread-specific data: one key, one value per thread, a destructor that runs for each thread which
   leaves a value behind. With NO_VALUE the second thread stores nothing, so only one destructor
   runs. */
#include <assert.h>
#include <pthread.h>

static pthread_key_t key;
static _Atomic int destroyed;
static int values[2] = {3, 4};

static void destroy(void *value) {
    (void)value;
    destroyed++;
}

static void *worker(void *arg) {
    assert(pthread_getspecific(key) == 0);
#ifdef NO_VALUE
    if (arg == &values[0])
#endif
    {
        pthread_setspecific(key, arg);
        assert(*(int *)pthread_getspecific(key) == *(int *)arg);
    }
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_key_create(&key, destroy);
    pthread_create(&t1, 0, worker, &values[0]);
    pthread_create(&t2, 0, worker, &values[1]);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(destroyed == 2);
    pthread_key_delete(key);
    return 0;
}
