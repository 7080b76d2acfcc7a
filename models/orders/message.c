/* A message is published through a flag. Who knows of the message follows from the memory orders.
     (none)     release store, acquire load
     STORE=o    the order of the store, LOAD=o of the load
     AFTER, BEFORE   an acquire fence after the load, a release fence before the store */
#include <pthread.h>
#include <stdatomic.h>

#ifndef STORE
#define STORE memory_order_release
#endif
#ifndef LOAD
#define LOAD memory_order_acquire
#endif

int message, received;
atomic_int ready;

void *sender(void *arg) {
    (void)arg;
    message = 42;
#ifdef BEFORE
    atomic_thread_fence(BEFORE);
#endif
    atomic_store_explicit(&ready, 1, STORE);
    return 0;
}

void *receiver(void *arg) {
    (void)arg;
    if (atomic_load_explicit(&ready, LOAD)) {
#ifdef AFTER
        atomic_thread_fence(AFTER);
#endif
        received = message;
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, sender, 0);
    pthread_create(&b, 0, receiver, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return received;
}
