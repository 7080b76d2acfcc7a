/* GCC's __atomic builtins on ordinary objects: fetch-and-add, add-and-fetch, exchange,
   compare-and-exchange, load and store. Each is one step and they do not race with each other. With
   HALF one thread increments with an ordinary ++, which loses updates and races. */
#include <assert.h>
#include <pthread.h>

static int count, lock, order;

static void *first(void *arg) {
    (void)arg;
    __atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST);
    while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) {
    }
    order = order * 2 + 1;
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
    return 0;
}

static void *second(void *arg) {
    (void)arg;
#ifdef HALF
    count++;
#else
    assert(__atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST) >= 1);
#endif
    int unlocked = 0;
    while (!__atomic_compare_exchange_n(&lock, &unlocked, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        unlocked = 0;
    order = order * 2 + 1;
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, first, 0);
    pthread_create(&t2, 0, second, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(__atomic_load_n(&count, __ATOMIC_SEQ_CST) == 2);
    assert(order == 3);
    return 0;
}
