/* pthread_self names the running thread: it equals what pthread_create stored for it, and differs
   from everybody else's. The id is stored before the new thread can be joined but not necessarily
   before it runs: with EARLY the thread compares with a variable that main copies the id to after
   pthread_create returned. */
#include <assert.h>
#include <pthread.h>

static pthread_t boss, copy;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg) {
    (void)arg;
    assert(!pthread_equal(pthread_self(), boss));
#ifdef EARLY
    assert(pthread_equal(pthread_self(), copy));
#else
    pthread_mutex_lock(&m);
    assert(pthread_equal(pthread_self(), copy));
    pthread_mutex_unlock(&m);
#endif
    return 0;
}

int main(void) {
    pthread_t t;
    boss = pthread_self();
    pthread_mutex_lock(&m);
    pthread_create(&t, 0, worker, 0);
    copy = t;
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    return 0;
}
