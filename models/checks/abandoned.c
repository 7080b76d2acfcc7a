/* A thread ends while it holds a mutex; nobody will ever unlock it, and main blocks. With RELEASED
   it unlocks first. */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg) {
    (void)arg;
    pthread_mutex_lock(&m);
#ifdef RELEASED
    pthread_mutex_unlock(&m);
#endif
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    return 0;
}
