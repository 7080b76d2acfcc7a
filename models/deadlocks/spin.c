/* N spin locks in a ring, two at a time, by N threads. ORDERED: the lower one first. */
#include <pthread.h>
#ifndef N
#define N 2
#endif

pthread_spinlock_t locks[N];

void *worker(void *arg) {
    int me = (int)(long)arg, other = (me + 1) % N;
#ifdef ORDERED
    if (other < me) {
        me = other;
        other = (int)(long)arg;
    }
#endif
    pthread_spin_lock(&locks[me]);
    pthread_spin_lock(&locks[other]);
    pthread_spin_unlock(&locks[other]);
    pthread_spin_unlock(&locks[me]);
    return 0;
}

int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++) pthread_spin_init(&locks[i], 0);
    for (long i = 0; i < N; i++) pthread_create(&t[i], 0, worker, (void *)i);
    for (int i = 0; i < N; i++) pthread_join(t[i], 0);
    return 0;
}
