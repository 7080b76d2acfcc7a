/* Two threads with two words under two locks, taken one after the other. */
#include <assert.h>
#include <pthread.h>
#ifndef N
#define N 20
#endif
pthread_mutex_t ma = PTHREAD_MUTEX_INITIALIZER, mb = PTHREAD_MUTEX_INITIALIZER;
int data1 = 10, data2 = 10;

void *t1(void *unused) {
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&ma);
        data1++;
        pthread_mutex_unlock(&ma);
        pthread_mutex_lock(&ma);
        data2++;
        pthread_mutex_unlock(&ma);
    }
    return 0;
}

void *t2(void *unused) {
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&ma);
        data1 += 5;
        pthread_mutex_unlock(&ma);
        pthread_mutex_lock(&ma);
        data2 -= 6;
        pthread_mutex_unlock(&ma);
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, t1, 0);
    pthread_create(&b, 0, t2, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(data1 == 10 + 6 * N && data2 == 10 - 5 * N);
    return 0;
}
