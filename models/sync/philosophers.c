/* Dining philosophers, three of them, eating for ever. If each takes the left fork and then the
   right one, all can hold a left fork and wait: a deadlock. ORDERED: the last philosopher takes the
   forks in the other order, so the forks are ordered and no cycle exists. POLITE: whoever does not
   get the second fork at once puts the first one back; nobody is ever blocked while holding a fork. */
#include <pthread.h>
#include <assert.h>
#define N 3

static pthread_mutex_t fork_of[N] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int in_use[N];

static void eat(int left, int right) {
    assert(!in_use[left] && !in_use[right]);
    in_use[left] = in_use[right] = 1;
    in_use[left] = in_use[right] = 0;
}

static void *philosopher(void *arg) {
    int first = (int)(long)arg, second = (first + 1) % N;
#ifdef ORDERED
    if (second < first) {
        second = first;
        first = 0;
    }
#endif
    while (1) {
        pthread_mutex_lock(&fork_of[first]);
#ifdef POLITE
        if (pthread_mutex_trylock(&fork_of[second]) != 0) {
            pthread_mutex_unlock(&fork_of[first]);
            continue;
        }
#else
        pthread_mutex_lock(&fork_of[second]);
#endif
        eat(first, second);
        pthread_mutex_unlock(&fork_of[second]);
        pthread_mutex_unlock(&fork_of[first]);
    }
    return 0;
}

int main(void) {
    pthread_t t[N];
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], 0, philosopher, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    return 0;
}
