/* N readers want to become writers without letting go: each waits for itself. LET_GO: they unlock first.. */
#include <pthread.h>
#ifndef N
#define N 2
#endif

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int value;

void *upgrade(void *arg) {
    int seen;
    (void)arg;
    pthread_rwlock_rdlock(&lock);
    seen = value;
#ifdef LET_GO
    pthread_rwlock_unlock(&lock);
#endif
    pthread_rwlock_wrlock(&lock);
    value = seen + 1;
    pthread_rwlock_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++) pthread_create(&t[i], 0, upgrade, 0);
    for (int i = 0; i < N; i++) pthread_join(t[i], 0);
    return 0;
}
