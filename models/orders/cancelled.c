/* pthread_cancel is not among the functions with which POSIX orders threads.
     (none)     what main wrote before it and a cleanup handler writes, too, is a race
     ORDERED    not if both hold a mutex
     JOINED     nor if main writes after it has joined the thread */
#include <pthread.h>

int data;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void clean(void *arg) {
    (void)arg;
#ifdef ORDERED
    pthread_mutex_lock(&lock);
    data = 2;
    pthread_mutex_unlock(&lock);
#else
    data = 2;
#endif
}

static void *worker(void *arg) {
    pthread_cleanup_push(clean, arg);
    while (1) pthread_testcancel();
    pthread_cleanup_pop(0);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
#ifdef ORDERED
    pthread_mutex_lock(&lock);
    data = 1;
    pthread_mutex_unlock(&lock);
#elif !defined(JOINED)
    data = 1;
#endif
    pthread_cancel(t);
    pthread_join(t, 0);
#ifdef JOINED
    data = 1;
#endif
    return data;
}
