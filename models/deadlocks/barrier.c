/* N threads meet at a barrier. FEW: it counts one more than come. TWICE: they meet again. */
#include <pthread.h>
#ifndef N
#define N 3
#endif
#ifdef FEW
#define COUNT (N + 1)
#else
#define COUNT N
#endif

pthread_barrier_t barrier;

void *worker(void *arg) {
    (void)arg;
    pthread_barrier_wait(&barrier);
#ifdef TWICE
    pthread_barrier_wait(&barrier);
#endif
    return 0;
}

int main(void) {
    pthread_t t[N];
    pthread_barrier_init(&barrier, 0, COUNT);
    for (int i = 0; i < N; i++) pthread_create(&t[i], 0, worker, 0);
    for (int i = 0; i < N; i++) pthread_join(t[i], 0);
    return 0;
}
