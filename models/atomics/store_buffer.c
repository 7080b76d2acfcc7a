/* The store-buffering test: each thread raises its flag and looks at the other's. Under sequential
   consistency at least one sees the other's flag; fences change nothing there. With LOOK_FIRST each
   looks before it raises, and both may see nothing. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag[2];
static int saw[2];

static void *worker(void *arg) {
    int self = (int)(long)arg;
#ifdef LOOK_FIRST
    saw[self] = atomic_load_explicit(&flag[1 - self], memory_order_seq_cst);
    atomic_store(&flag[self], 1);
#else
    atomic_store(&flag[self], 1);
    atomic_thread_fence(memory_order_seq_cst);
    saw[self] = atomic_load(&flag[1 - self]);
#endif
    return 0;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, 0, worker, (void *)0L);
    pthread_create(&t1, 0, worker, (void *)1L);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    assert(saw[0] || saw[1]);
    return 0;
}
