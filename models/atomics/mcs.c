/* The MCS queue lock: each thread waits on a node of its own, which is a local variable that the
   predecessor writes to; the lock is just the tail of the queue. No node dies while somebody may
   still write to it: a thread that leaves waits until its successor has linked itself. With HASTE a
   thread enters without waiting for its predecessor. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct waiter {
    struct waiter *_Atomic next;
    atomic_int blocked;
};
static struct waiter *_Atomic tail;
static int owner;

static void acquire(struct waiter *me) {
    me->next = 0;
    me->blocked = 1;
    struct waiter *before = atomic_exchange(&tail, me);
    if (before) {
        before->next = me;
#ifndef HASTE
        while (me->blocked) {
        }
#endif
    }
}

static void release(struct waiter *me) {
    struct waiter *expected = me;
    if (!me->next) {
        if (atomic_compare_exchange_strong(&tail, &expected, 0))
            return;
        while (!me->next) {
        }
    }
    me->next->blocked = 0;
}

static void *worker(void *arg) {
    int self = (int)(long)arg;
    struct waiter me;
    acquire(&me);
    owner = self;
    assert(owner == self);
    release(&me);
    return 0;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, 0, worker, (void *)0L);
    pthread_create(&t1, 0, worker, (void *)1L);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    assert(tail == 0);
    return 0;
}
