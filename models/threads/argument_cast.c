/* Threads get a small integer cast to a pointer and give one back the same way: arguments and
   results never are dereferenced. The sum of the squares is right whatever the order. With SHARED
   the threads add to a common variable without a lock instead. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#define N 3

static int total;

static void *square(void *arg) {
    intptr_t n = (intptr_t)arg;
#ifdef SHARED
    total += (int)(n * n);
#endif
    return (void *)(n * n);
}

int main(void) {
    pthread_t t[N];
    int sum = 0;
    for (intptr_t i = 0; i < N; i++)
        pthread_create(&t[i], 0, square, (void *)(i + 1));
    for (int i = 0; i < N; i++) {
        void *result;
        pthread_join(t[i], &result);
        sum += (int)(intptr_t)result;
    }
#ifndef SHARED
    total = sum;
#endif
    assert(total == 14);
    return 0;
}
