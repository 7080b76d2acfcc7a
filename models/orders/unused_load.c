/* An atomic load whose value nobody wants is still an access, and still puts its thread in order.
     (none)     a plain write beside it is a race
     STORED     an atomic store beside it is none
     CELL       the load is of another array element than the write
     COHERENT   a relaxed load has seen the flag; the acquire load after it cannot see less, and orders what follows
     RELAXED    COHERENT, with a second load that is relaxed, too */
#include <pthread.h>
#include <stdatomic.h>

int x[2], data, received;
atomic_int flag;

static void *looks(void *arg) {
    (void)arg;
#if defined(COHERENT) || defined(RELAXED)
    if (atomic_load_explicit(&flag, memory_order_relaxed)) {
#ifdef RELAXED
        (void)atomic_load_explicit(&flag, memory_order_relaxed);
#else
        (void)atomic_load_explicit(&flag, memory_order_acquire);
#endif
        received = data;
    }
#elif defined(CELL)
    (void)__atomic_load_n(&x[1], __ATOMIC_SEQ_CST);
#else
    int seen = __atomic_load_n(&x[0], __ATOMIC_SEQ_CST);
    (void)seen;
#endif
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, looks, 0);
#ifdef STORED
    __atomic_store_n(&x[0], 1, __ATOMIC_SEQ_CST);
#elif defined(COHERENT) || defined(RELAXED)
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_release);
#else
    x[0] = 1;
#endif
    pthread_join(a, 0);
    return received;
}
