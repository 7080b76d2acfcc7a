/* A maximum kept by compare-and-exchange: read, and replace if what was read is still there, else
   try again with what was found. With NO_RETRY a thread gives up after one failure, and a smaller
   value may stay. With WEAK_ONCE the weak form is used without a loop in a single-writer phase: it
   may fail for no reason at all. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int max;

static void *offer(void *arg) {
    int mine = (int)(long)arg;
    int seen = atomic_load(&max);
#ifdef NO_RETRY
    if (seen < mine)
        atomic_compare_exchange_strong(&max, &seen, mine);
#else
    while (seen < mine && !atomic_compare_exchange_weak(&max, &seen, mine)) {
    }
#endif
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, offer, (void *)3L);
    pthread_create(&t2, 0, offer, (void *)8L);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(max == 8);
#ifdef WEAK_ONCE
    int expected = 8;
    assert(atomic_compare_exchange_weak(&max, &expected, 9));
#endif
    return 0;
}
