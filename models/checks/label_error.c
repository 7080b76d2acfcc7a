/* A function that leaves through its cleanup label when a lock is taken: ERROR is a label like any other. FAILED: an assertion behind the label fails. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int tries, failures;

static int attempt(void) {
    if (pthread_mutex_trylock(&m))
        goto ERROR;
    tries++;
    pthread_mutex_unlock(&m);
    return 0;
ERROR:
    return 1;
}

static void *thread(void *unused) {
    attempt();
    return unused;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, thread, 0);
    failures += attempt();
    pthread_join(t, 0);
    assert(failures <= 1);
#ifdef FAILED
    assert(!failures);
#endif
    return 0;
}
