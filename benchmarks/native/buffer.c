/* A bounded buffer with two conditions; N producers and N consumers work for ever. */
#include <assert.h>
#include <pthread.h>
#define SIZE 2
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
int items;
void *producer(void *a) {
    while (1) {
        pthread_mutex_lock(&m);
        while (items == SIZE) pthread_cond_wait(&emptied, &m);
        items++;
        assert(items <= SIZE);
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&m);
    }
    return 0;
}
void *consumer(void *a) {
    while (1) {
        pthread_mutex_lock(&m);
        while (items == 0) pthread_cond_wait(&filled, &m);
        items--;
        assert(items >= 0);
        pthread_cond_signal(&emptied);
        pthread_mutex_unlock(&m);
    }
    return 0;
}
int main(void) {
    pthread_t p[N], c[N];
    for (int k = 0; k < N; k++) {
        pthread_create(&p[k], 0, producer, 0);
        pthread_create(&c[k], 0, consumer, 0);
    }
    pthread_join(p[0], 0);
    return 0;
}
