/* Ten thousand threads, each with a cell of its own. SHARED: two of them have the same. */
#include <pthread.h>

#define N 10000

int results[N];

static void *compute(void *given) {
    long i = (long)given;
#ifdef SHARED
    i = i / 2;
#endif
    results[i] = 1;
    results[i] += 2;
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (long i = 0; i < N; i++) pthread_create(&threads[i], 0, compute, (void *)i);
    for (int i = 0; i < N; i++) pthread_join(threads[i], 0);
    return 0;
}
