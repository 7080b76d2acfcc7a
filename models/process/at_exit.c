/* What atexit has registered runs when main returns, beside the threads that go on: it may find their work half done. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int started, finished;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg) {
    pthread_mutex_lock(&m);
    started = 1;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    finished = 1;
    pthread_mutex_unlock(&m);
    return arg;
}

static void report(void) {
#ifndef BARE
    pthread_mutex_lock(&m);
#endif
    assert(started == finished);
#ifndef BARE
    pthread_mutex_unlock(&m);
#endif
}

int main(void) {
    pthread_t t;
    atexit(report);
    pthread_create(&t, 0, work, 0);
#ifdef JOIN
    pthread_join(t, 0);
#endif
#ifdef EXIT
    exit(0);
#endif
    return 0;
}
