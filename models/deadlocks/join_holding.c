/* Main waits for N threads while it holds the lock that they need. LET_GO: it unlocks first. */
#include <pthread.h>
#ifndef N
#define N 1
#endif

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *arg) {
    (void)arg;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t t[N];
    pthread_mutex_lock(&lock);
    for (int i = 0; i < N; i++) pthread_create(&t[i], 0, worker, 0);
#ifdef LET_GO
    pthread_mutex_unlock(&lock);
#endif
    for (int i = 0; i < N; i++) pthread_join(t[i], 0);
    return 0;
}
