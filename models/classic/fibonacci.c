/* Two threads add the other's number to their own, N times each: i += j against j += i, starting
   from 1 and 1. The largest value comes from strict alternation and is a Fibonacci number: fib(2N +
   2), which is 8 for N = 2. Any overlap of the reads and writes only loses something. LIMIT is what
   the numbers must not exceed: 8 holds, 7 does not. */
#include <assert.h>
#include <pthread.h>
#ifndef N
#define N 2
#endif
#ifndef LIMIT
#define LIMIT 8
#endif

static int i = 1, j = 1;

static void *add_j(void *arg) {
    (void)arg;
    for (int k = 0; k < N; k++)
        i += j;
    return 0;
}

static void *add_i(void *arg) {
    (void)arg;
    for (int k = 0; k < N; k++)
        j += i;
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, add_j, 0);
    pthread_create(&t2, 0, add_i, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(i <= LIMIT && j <= LIMIT);
    return 0;
}
