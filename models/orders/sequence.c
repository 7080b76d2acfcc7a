/* Release sequences: a third thread changes the flag between the release and the acquire.
     (none)     by a relaxed read-modify-write, which continues the sequence
     STORED     by a relaxed store, which ends it
     OWN        the sender itself stores again, relaxed: part of its sequence in C11
     SWAP       by a comparison that succeeds, relaxed */
#include <pthread.h>
#include <stdatomic.h>

int message, received;
atomic_int stage;

void *sender(void *arg) {
    (void)arg;
    message = 42;
    atomic_store_explicit(&stage, 1, memory_order_release);
#ifdef OWN
    atomic_store_explicit(&stage, 2, memory_order_relaxed);
#endif
    return 0;
}

void *middle(void *arg) {
    (void)arg;
#if defined STORED
    if (atomic_load_explicit(&stage, memory_order_relaxed) == 1) atomic_store_explicit(&stage, 2, memory_order_relaxed);
#elif defined SWAP
    int expected = 1;
    atomic_compare_exchange_strong_explicit(&stage, &expected, 2, memory_order_relaxed, memory_order_relaxed);
#elif !defined OWN
    atomic_fetch_add_explicit(&stage, 1, memory_order_relaxed);
#endif
    return 0;
}

void *receiver(void *arg) {
    (void)arg;
    if (atomic_load_explicit(&stage, memory_order_acquire) == 2) received = message;
    return 0;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, sender, 0);
    pthread_create(&b, 0, middle, 0);
    pthread_create(&c, 0, receiver, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return received;
}
