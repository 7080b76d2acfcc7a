/* A relaxed counter of events, read after the threads have been joined.
     (none)     the results are ordered by the joins
     EARLY      main looks at a result as soon as the counter says that it is there
     LAST       whoever counts last (acq_rel) reads what all have written; RELAXED_LAST: with a relaxed count
     PLAIN      one thread counts without atomics */
#include <pthread.h>
#include <stdatomic.h>

#ifdef LAST
#define COUNT memory_order_acq_rel
#else
#define COUNT memory_order_relaxed
#endif

atomic_int count;
int result[2], sum;

void *worker(void *arg) {
    int mine = (int)(long)arg;
    result[mine] = mine + 1;
#ifdef PLAIN
    if (mine) {
        *(int *)&count = 1;
        return 0;
    }
#endif
    int before = atomic_fetch_add_explicit(&count, 1, COUNT);
#if defined LAST || defined RELAXED_LAST
    if (before == 1) sum = result[0] + result[1];
#else
    (void)before;
#endif
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, (void *)0);
    pthread_create(&b, 0, worker, (void *)1);
#ifdef EARLY
    if (atomic_load_explicit(&count, memory_order_relaxed) == 2) sum = result[0] + result[1];
#endif
    pthread_join(a, 0);
    pthread_join(b, 0);
    sum = result[0] + result[1];
    return sum - atomic_load_explicit(&count, memory_order_relaxed);
}
