/* An array of variable length for the results of threads. EARLY: main leaves its block before the threads have written. */
#include <assert.h>
#include <pthread.h>

static int count = 2;

static void *square(void *result) {
    *(int *)result = *(int *)result * *(int *)result;
    return result;
}

int main(void) {
    pthread_t threads[2];
    {
        int results[count];
        for (int i = 0; i < 2; i++) {
            results[i] = i + 2;
            pthread_create(&threads[i], NULL, square, &results[i]);
        }
#ifndef EARLY
        for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
        assert(results[0] == 4 && results[1] == 9);
#endif
    }
#ifdef EARLY
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
#endif
    return 0;
}
