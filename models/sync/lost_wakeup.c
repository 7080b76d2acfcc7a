/* The lost wake-up: a thread finds that it must sleep, is interrupted, the other thread signals
   (nobody is asleep yet), and the first one falls asleep for ever. Testing and waiting under one
   mutex closes the gap. With GAP the test is made before the mutex is taken. Spurious wake-ups do
   not count as a way out of a deadlock. */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static _Atomic int ready;

static void *sleeper(void *arg) {
    (void)arg;
#ifdef GAP
    if (!ready) {
        pthread_mutex_lock(&m);
        pthread_cond_wait(&c, &m);
        pthread_mutex_unlock(&m);
    }
#else
    pthread_mutex_lock(&m);
    while (!ready)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
#endif
    return 0;
}

static void *waker(void *arg) {
    (void)arg;
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t s, w;
    pthread_create(&s, 0, sleeper, 0);
    pthread_create(&w, 0, waker, 0);
    pthread_join(s, 0);
    pthread_join(w, 0);
    return 0;
}
