/* The ABA problem without a heap: a free list in an array, by index. Thread 1 is about to take node
   0 and has read that node 1 comes next; meanwhile thread 2 takes 0 and 1 and gives 0 back. Thread
   1's compare-and-swap succeeds and the list now starts with node 1, which thread 2 still owns.
   With TAGGED a counter in the upper bits changes with each update and the stale swap fails. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#define NONE 3u

static unsigned char next[2] = {1, NONE};
static atomic_uint head; /* index in the lower 4 bits, tag above */

static unsigned retag(unsigned old, unsigned index) {
#ifdef TAGGED
    return ((old & ~15u) + 16u) | index;
#else
    (void)old;
    return index;
#endif
}

static unsigned take(void) {
    unsigned old = head, index;
    do {
        index = old & 15u;
        if (index == NONE)
            return NONE;
    } while (!atomic_compare_exchange_strong(&head, &old, retag(old, __atomic_load_n(&next[index], __ATOMIC_SEQ_CST))));
    return index;
}

static void give(unsigned index) {
    unsigned old = head;
    do {
        __atomic_store_n(&next[index], (unsigned char)(old & 15u), __ATOMIC_SEQ_CST);
    } while (!atomic_compare_exchange_strong(&head, &old, retag(old, index)));
}

static _Atomic int owner[2]; /* 0: in the list */

static void own(unsigned index, int who) {
    if (index != NONE) {
        assert(owner[index] == 0);
        owner[index] = who;
    }
}

static void *one(void *arg) {
    (void)arg;
    own(take(), 1);
    own(take(), 1);
    return 0;
}

static void *two(void *arg) {
    (void)arg;
    unsigned a = take();
    own(a, 2);
    own(take(), 2);
    if (a != NONE) {
        owner[a] = 0;
        give(a);
    }
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, one, 0);
    pthread_create(&t2, 0, two, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
