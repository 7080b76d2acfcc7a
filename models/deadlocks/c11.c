/* threads.h: N threads and N mtx_t in a ring. ORDERED: the lower one first. */
#include <threads.h>
#ifndef N
#define N 2
#endif

mtx_t locks[N];

int worker(void *arg) {
    int me = (int)(long)arg, other = (me + 1) % N;
#ifdef ORDERED
    if (other < me) {
        me = other;
        other = (int)(long)arg;
    }
#endif
    mtx_lock(&locks[me]);
    mtx_lock(&locks[other]);
    mtx_unlock(&locks[other]);
    mtx_unlock(&locks[me]);
    return 0;
}

int main(void) {
    thrd_t t[N];
    for (int i = 0; i < N; i++) mtx_init(&locks[i], mtx_plain);
    for (long i = 0; i < N; i++) thrd_create(&t[i], worker, (void *)i);
    for (int i = 0; i < N; i++) thrd_join(t[i], 0);
    return 0;
}
