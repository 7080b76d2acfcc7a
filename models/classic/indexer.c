/* Two threads enter keys into a hash table of atomic slots; a slot is claimed by compare-and-swap,
   and on a collision the next one is tried. No key is lost. With CHECK_THEN_SET a slot is tested
   and then stored to, and two keys with the same hash overwrite each other. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#define SLOTS 3

static atomic_int slot[SLOTS];

static int claim(int h, int key) {
#ifdef CHECK_THEN_SET
    if (slot[h] != 0)
        return 0;
    slot[h] = key;
    return 1;
#else
    int empty = 0;
    return atomic_compare_exchange_strong(&slot[h], &empty, key);
#endif
}

static void *enter(void *arg) {
    int key = (int)(long)arg;
    int h = key % SLOTS;
    while (!claim(h, key))
        h = (h + 1) % SLOTS;
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    int found = 0;
    pthread_create(&t1, 0, enter, (void *)4L);
    pthread_create(&t2, 0, enter, (void *)7L);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    for (int i = 0; i < SLOTS; i++)
        found += slot[i];
    assert(found == 11);
    return 0;
}
