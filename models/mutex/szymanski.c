/* Szymanski's algorithm: a waiting room with an entry door and an exit door. States of a flag: 0
   outside, 1 wants in, 2 waits for others in the waiting room, 3 stands in the doorway, 4 the entry
   door is closed behind it. Inside, lower numbers go first. With NO_QUEUE thread 1 does not let
   thread 0 go first, and both are inside. */
#include <assert.h>
#include <pthread.h>

static int flag[2];
static int owner;

static void enter(int self) {
    int other = 1 - self;
    flag[self] = 1;
    while (flag[other] > 2) {
    }
    flag[self] = 3;
    if (flag[other] == 1) {
        flag[self] = 2;
        while (flag[other] != 4) {
        }
    }
    flag[self] = 4;
#ifndef NO_QUEUE
    if (self == 1)
        while (flag[0] > 1) {
        }
#endif
}

static void leave(int self) {
    if (self == 0) {
        int other;
        do {
            other = flag[1];
        } while (other == 2 || other == 3);
    }
    flag[self] = 0;
}

static void *process(void *arg) {
    int self = (int)(long)arg;
    while (1) {
        enter(self);
        owner = self;
        assert(owner == self);
        leave(self);
    }
    return 0;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, 0, process, (void *)0L);
    pthread_create(&t1, 0, process, (void *)1L);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    return 0;
}
