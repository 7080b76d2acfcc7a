/* A barrier for COUNT threads met by two: with COUNT 2 they pass, with 3 they wait for ever. */
#include <pthread.h>
#ifndef COUNT
#define COUNT 2
#endif

static pthread_barrier_t b;

static void *worker(void *arg) {
    (void)arg;
    pthread_barrier_wait(&b);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_barrier_init(&b, 0, COUNT);
    pthread_create(&t, 0, worker, 0);
    pthread_barrier_wait(&b);
    pthread_join(t, 0);
    return 0;
}
