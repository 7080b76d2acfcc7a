/* A thread releases a flag and ends; another one is started in its place. Who acquires the flag then is still ordered behind the first.
   -DRELAXED: the flag orders nothing. */
#include <pthread.h>
#include <stdatomic.h>

#ifdef RELAXED
#define HOW memory_order_relaxed
#else
#define HOW memory_order_release
#endif

int data;
atomic_int flag;

static void *reader(void *arg) {
    if (atomic_load_explicit(&flag, memory_order_acquire) == 1) data = 2;
    return arg;
}

static void *writer(void *arg) {
    if (arg) {
        data = 1;
        atomic_store_explicit(&flag, 1, HOW);
    }
    return 0;
}

int main(void) {
    pthread_t first, next;
    void *arg = &data;
    pthread_create(&first, 0, reader, 0);
    while (1) {
        pthread_create(&next, 0, writer, arg);
        pthread_join(next, 0);
        arg = 0;
    }
    return 0;
}
