/* A thread takes a lock again and again, and waits for itself; main does not wait for it. GIVES: it gives the lock back. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg) {
    (void)arg;
    while (1) {
        pthread_mutex_lock(&lock);
#ifdef GIVES
        pthread_mutex_unlock(&lock);
#endif
    }
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    return 0;
}
