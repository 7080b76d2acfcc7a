/* Two readers-writer locks: one thread reads A and writes B, N - 1 read B and write A. READ_ONLY: all only read. ORDERED: A before B. */
#include <pthread.h>
#ifndef N
#define N 2
#endif

pthread_rwlock_t a = PTHREAD_RWLOCK_INITIALIZER, b = PTHREAD_RWLOCK_INITIALIZER;

#ifdef READ_ONLY
#define WRITE pthread_rwlock_rdlock
#else
#define WRITE pthread_rwlock_wrlock
#endif

void *first(void *arg) {
    (void)arg;
    pthread_rwlock_rdlock(&a);
    WRITE(&b);
    pthread_rwlock_unlock(&b);
    pthread_rwlock_unlock(&a);
    return 0;
}

void *second(void *arg) {
#ifdef ORDERED
    return first(arg);
#else
    (void)arg;
    pthread_rwlock_rdlock(&b);
    WRITE(&a);
    pthread_rwlock_unlock(&a);
    pthread_rwlock_unlock(&b);
    return 0;
#endif
}

int main(void) {
    pthread_t t[N];
    pthread_create(&t[0], 0, first, 0);
    for (int i = 1; i < N; i++) pthread_create(&t[i], 0, second, 0);
    for (int i = 0; i < N; i++) pthread_join(t[i], 0);
    return 0;
}
