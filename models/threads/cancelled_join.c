/* pthread_join either is cancelled, and then the other thread is still to be joined, or returns. A request that comes after it has
   joined is acted on at the next cancellation point: here there is none, so the handler never joins a second time.
   -DTESTED: there is one, and the handler joins again. */
#include <pthread.h>

pthread_t worker;

static void *work(void *arg) {
    return arg;
}

static void give_up(void *arg) {
    (void)arg;
    pthread_join(worker, 0);
}

static void *wait_for_it(void *arg) {
    pthread_cleanup_push(give_up, 0);
    pthread_join(worker, 0);
#ifdef TESTED
    pthread_testcancel();
#endif
    pthread_cleanup_pop(0);
    return arg;
}

int main(void) {
    pthread_t waiter;
    pthread_create(&worker, 0, work, 0);
    pthread_create(&waiter, 0, wait_for_it, 0);
    pthread_cancel(waiter);
    pthread_join(waiter, 0);
    return 0;
}
