/* A consumer waits for a condition of an inner monitor and keeps the lock of an outer one, which the producer needs. FLAT: the
   producer goes to the inner one directly. N consumers. */
#include <pthread.h>
#ifndef N
#define N 1
#endif

pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
int items;

void *consumer(void *arg) {
    (void)arg;
    pthread_mutex_lock(&outer);
    pthread_mutex_lock(&inner);
    while (items == 0) pthread_cond_wait(&filled, &inner);
    items--;
    pthread_mutex_unlock(&inner);
    pthread_mutex_unlock(&outer);
    return 0;
}

void *producer(void *arg) {
    (void)arg;
#ifndef FLAT
    pthread_mutex_lock(&outer);
#endif
    pthread_mutex_lock(&inner);
    items += N;
    pthread_cond_broadcast(&filled);
    pthread_mutex_unlock(&inner);
#ifndef FLAT
    pthread_mutex_unlock(&outer);
#endif
    return 0;
}

int main(void) {
    pthread_t p, t[N];
    for (int i = 0; i < N; i++) pthread_create(&t[i], 0, consumer, 0);
    pthread_create(&p, 0, producer, 0);
    for (int i = 0; i < N; i++) pthread_join(t[i], 0);
    pthread_join(p, 0);
    return 0;
}
