/* N philosophers, forks taken in order; each eats for ever. */
#include <assert.h>
#include <pthread.h>
pthread_mutex_t fork[N];
int eating[N];
void *philosopher(void *a) {
    int id = (int)(long)a, one = id, two = (id + 1) % N;
    if (id == N - 1) one = 0, two = id;
    while (1) {
        pthread_mutex_lock(&fork[one]);
        pthread_mutex_lock(&fork[two]);
        eating[id] = 1;
        assert(!eating[(id + 1) % N]);
        eating[id] = 0;
        pthread_mutex_unlock(&fork[two]);
        pthread_mutex_unlock(&fork[one]);
    }
    return 0;
}
int main(void) {
    pthread_t t[N];
    for (int k = 0; k < N; k++) pthread_create(&t[k], 0, philosopher, (void *)(long)k);
    pthread_join(t[0], 0);
    return 0;
}
