/* Two threads wait on one condition for the same event. A broadcast wakes both. With SIGNAL only
   one is woken, the other sleeps for ever unless it came late enough not to sleep at all. */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int open;

static void *waiter(void *arg) {
    (void)arg;
    pthread_mutex_lock(&m);
    while (!open)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, waiter, 0);
    pthread_create(&t2, 0, waiter, 0);
    pthread_mutex_lock(&m);
    open = 1;
#ifdef SIGNAL
    pthread_cond_signal(&c);
#else
    pthread_cond_broadcast(&c);
#endif
    pthread_mutex_unlock(&m);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
