/* A reusable barrier from a mutex, a condition and a generation number: whoever arrives last starts
   the next generation. Two threads pass it twice and never are a whole phase apart. With
   NO_GENERATION the barrier only counts arrivals; after the first phase the count stays high and
   the second meeting lets everybody pass at once. */
#include <assert.h>
#include <pthread.h>
#define N 2

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_here = PTHREAD_COND_INITIALIZER;
static int arrived, generation;
static _Atomic int phase[N];

static void meet(void) {
    pthread_mutex_lock(&m);
#ifdef NO_GENERATION
    arrived++;
    pthread_cond_broadcast(&all_here);
    while (arrived < N)
        pthread_cond_wait(&all_here, &m);
#else
    int mine = generation;
    if (++arrived == N) {
        arrived = 0;
        generation++;
        pthread_cond_broadcast(&all_here);
    } else {
        while (generation == mine)
            pthread_cond_wait(&all_here, &m);
    }
#endif
    pthread_mutex_unlock(&m);
}

static void *worker(void *arg) {
    int self = (int)(long)arg;
    for (int i = 1; i <= 2; i++) {
        phase[self] = i;
        meet();
        assert(phase[1 - self] >= i);
    }
    return 0;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, 0, worker, (void *)0L);
    pthread_create(&t1, 0, worker, (void *)1L);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    return 0;
}
