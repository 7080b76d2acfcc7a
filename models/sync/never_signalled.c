/* A thread that finds the flag unset waits, and nobody signals: a deadlock, unless the flag is set first. With SIGNAL somebody does. */
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
int flag;

void *waiter(void *unused) {
    pthread_mutex_lock(&lock);
    while (!flag)
        pthread_cond_wait(&cond, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, waiter, 0);
#ifdef SIGNAL
    pthread_mutex_lock(&lock);
    flag = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&lock);
#else
    flag = 1;
#endif
    pthread_join(t, 0);
    return 0;
}
