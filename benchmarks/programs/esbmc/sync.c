/* A producer and a consumer with one place and two conditions. BAD: the consumer goes on when nothing was produced. */
#include <assert.h>
#include <pthread.h>
#ifndef N
#define N 20
#endif
int num;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t empty = PTHREAD_COND_INITIALIZER, full = PTHREAD_COND_INITIALIZER;

void *producer(void *unused) {
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&m);
        while (num > 0)
            pthread_cond_wait(&empty, &m);
        num++;
        pthread_cond_signal(&full);
        pthread_mutex_unlock(&m);
    }
    return 0;
}

void *consumer(void *unused) {
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&m);
#ifdef BAD
        if (num == 0)
#else
        while (num == 0)
#endif
            pthread_cond_wait(&full, &m);
        num--;
        assert(num == 0);
        pthread_cond_signal(&empty);
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, producer, 0);
    pthread_create(&b, 0, consumer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
