/* A thread that acts on a cancellation request is not cancelled again: its cleanup handler passes a cancellation point and does its work.
   With ONCE it is cancelled inside the routine of pthread_once, and main, which comes next, runs the routine again. With
   OUTPUT it may be cancelled while it writes. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int cleaned, runs, printed;

static void clean(void *unused) {
    (void)unused;
    pthread_testcancel();
    cleaned = 1;
}

static void routine(void) {
    runs++;
    pthread_testcancel();
}

static void *worker(void *arg) {
    pthread_cleanup_push(clean, 0);
#ifdef ONCE
    pthread_once(&once, routine);
#elif defined OUTPUT
    putchar('a');
    printed = 1;
#else
    pthread_testcancel();
#endif
    pthread_cleanup_pop(0);
    return arg;
}

int main(void) {
    pthread_t t;
    void *result;
    pthread_create(&t, 0, worker, 0);
    pthread_cancel(t);
    pthread_join(t, &result);
    pthread_once(&once, routine);
#ifdef ONCE
    assert(runs < 2);
#elif defined OUTPUT
    assert(printed);
#elif defined SKIPPED
    assert(!cleaned);
#else
    assert(cleaned == (result == PTHREAD_CANCELED) && runs == 1 && !printed);
#endif
    return 0;
}
