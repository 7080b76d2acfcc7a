/* Two threads wait for a condition; main cancels one of them and then signals, and who goes on signals again. A thread that ends because it
   is cancelled does not take the signal away, so the other one goes on. With SILENT main does not signal. */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int waiting, go;

static void unlock(void *mutex) {
    pthread_mutex_unlock(mutex);
}

static void *waiter(void *arg) {
    pthread_mutex_lock(&m);
    pthread_cleanup_push(unlock, &m);
    waiting++;
    while (!go)
        pthread_cond_wait(&c, &m);
    pthread_cond_signal(&c);
    pthread_cleanup_pop(1);
    return arg;
}

int main(void) {
    pthread_t a, b;
    int both;
    pthread_create(&a, 0, waiter, 0);
    pthread_create(&b, 0, waiter, 0);
    pthread_mutex_lock(&m);
    both = waiting == 2;
    pthread_mutex_unlock(&m);
    if (!both)
        return 0;
    pthread_mutex_lock(&m);
    pthread_cancel(a);
#ifndef SILENT
    go = 1;
    pthread_cond_signal(&c);
#endif
    pthread_mutex_unlock(&m);
    pthread_join(b, 0);
    return 0;
}
