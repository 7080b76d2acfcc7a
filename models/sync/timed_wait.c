/* A wait with a time limit for an event that may never come. A time-out is a step of the program,
   so nobody is stuck; without the limit (UNLIMITED) the waiter sleeps for ever when the event does
   not happen. After a time-out the event need not have happened: with TRUSTING the program takes
   for granted that it has. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

extern _Bool __VERIFIER_nondet_bool(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int event;

static void *waiter(void *arg) {
    (void)arg;
    pthread_mutex_lock(&m);
#ifdef UNLIMITED
    while (!event)
        pthread_cond_wait(&c, &m);
#else
    struct timespec limit = {1, 0};
    int result = 0;
    while (!event && result != ETIMEDOUT)
        result = pthread_cond_timedwait(&c, &m, &limit);
#ifdef TRUSTING
    assert(event);
#else
    assert(event || result == ETIMEDOUT);
#endif
#endif
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, waiter, 0);
    if (__VERIFIER_nondet_bool()) {
        pthread_mutex_lock(&m);
        event = 1;
        pthread_cond_signal(&c);
        pthread_mutex_unlock(&m);
    }
    pthread_join(t, 0);
    return 0;
}
