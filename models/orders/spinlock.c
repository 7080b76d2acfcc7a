/* A spin lock of one's own.
     (none)     test-and-set acquires, the store of 0 releases
     UNLOCK=o   the order of the unlocking store, LOCK=o of the exchange
     SWAP       with compare-exchange: LOCK on success, relaxed on failure
     TICKET     a ticket lock: relaxed tickets, acquire and release on the number that is served */
#include <pthread.h>
#include <stdatomic.h>

#ifndef LOCK
#define LOCK memory_order_acquire
#endif
#ifndef UNLOCK
#define UNLOCK memory_order_release
#endif

atomic_int taken, served;
int counter;

static int lock(void) {
#if defined TICKET
    int mine = atomic_fetch_add_explicit(&taken, 1, memory_order_relaxed);
    while (atomic_load_explicit(&served, LOCK) != mine)
        ;
    return mine;
#elif defined SWAP
    int expected;
    do
        expected = 0;
    while (!atomic_compare_exchange_strong_explicit(&taken, &expected, 1, LOCK, memory_order_relaxed));
    return 0;
#else
    while (atomic_exchange_explicit(&taken, 1, LOCK))
        ;
    return 0;
#endif
}

static void unlock(int mine) {
    (void)mine;
#ifdef TICKET
    atomic_store_explicit(&served, mine + 1, UNLOCK);
#else
    atomic_store_explicit(&taken, 0, UNLOCK);
#endif
}

void *worker(void *arg) {
    (void)arg;
    int mine = lock();
    counter++;
    unlock(mine);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return counter;
}
