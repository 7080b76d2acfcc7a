/* Two threads compare and exchange an atomic variable with the same expected value in memory: that one is no atomic object, and a
   comparison that fails writes it. With OWN each thread has its own. With LOAD, __atomic_load writes to the same plain variable. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;
static int expected = 1;

static void *worker(void *arg) {
#ifdef OWN
    int mine = 1;
    atomic_compare_exchange_strong(&x, &mine, 2);
#elif defined LOAD
    int value = 0;
    __atomic_load(&value, &expected, __ATOMIC_SEQ_CST);
#else
    atomic_compare_exchange_strong(&x, &expected, 2);
#endif
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    worker(0);
    pthread_join(t, 0);
    return expected;
}
