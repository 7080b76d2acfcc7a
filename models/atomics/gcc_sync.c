/* The older __sync builtins: fetch-and-add returns the old value, add-and-fetch the new one,
   lock_test_and_set and lock_release make a lock, compare-and-swap says whether it swapped. Two
   threads draw different tickets. With OLD_NEW one draws the new value and one the old, and both
   may get the same number. */
#include <assert.h>
#include <pthread.h>

static int tickets, lock, owner;
static int drawn[2];

static void *worker(void *arg) {
    int self = (int)(long)arg;
#ifdef OLD_NEW
    drawn[self] = self ? __sync_add_and_fetch(&tickets, 1) : __sync_fetch_and_add(&tickets, 1);
#else
    drawn[self] = __sync_fetch_and_add(&tickets, 1);
#endif
    while (__sync_lock_test_and_set(&lock, 1)) {
    }
    owner = self;
    assert(owner == self);
    __sync_lock_release(&lock);
    return 0;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, 0, worker, (void *)0L);
    pthread_create(&t1, 0, worker, (void *)1L);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    assert(drawn[0] != drawn[1]);
    assert(__sync_bool_compare_and_swap(&tickets, 2, 5) && __sync_val_compare_and_swap(&tickets, 2, 7) == 5);
    return 0;
}
