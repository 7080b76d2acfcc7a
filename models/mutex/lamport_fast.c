/* Lamport's fast mutual exclusion: without contention a thread enters after seven accesses. x names
   the last that knocked, y the one that is about to enter. Whoever finds that somebody knocked
   after it (x has changed) must wait until all others have withdrawn or entered before it trusts y.
   With HASTY it does not wait: it may read y before the other overwrites it, and both enter. */
#include <assert.h>
#include <pthread.h>

static int x, y; /* 0: nobody */
static int busy[3]; /* by thread number, 1 and 2 */
static int owner;

static void enter(int self) {
    while (1) {
        busy[self] = 1;
        x = self;
        if (y != 0) {
            busy[self] = 0;
            while (y != 0) {
            }
            continue;
        }
        y = self;
        if (x == self)
            return;
        busy[self] = 0;
#ifndef HASTY
        while (busy[1]) {
        }
        while (busy[2]) {
        }
#endif
        if (y == self)
            return;
        while (y != 0) {
        }
    }
}

static void *process(void *arg) {
    int self = (int)(long)arg;
    while (1) {
        enter(self);
        owner = self;
        assert(owner == self);
        y = 0;
        busy[self] = 0;
    }
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, process, (void *)1L);
    pthread_create(&t2, 0, process, (void *)2L);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
