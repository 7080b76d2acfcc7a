/* Dekker's algorithm, the first solution of mutual exclusion for two threads. A thread raises its
   flag and only then looks at the other's; when both are up, the turn decides who withdraws. With
   LATE_FLAG a thread looks first and raises its flag afterwards, so both can find the way free. */
#include <assert.h>
#include <pthread.h>

static int wants[2], turn;
static int owner;

static void enter(int self) {
    int other = 1 - self;
#ifdef LATE_FLAG
    while (wants[other]) {
    }
    wants[self] = 1;
#else
    wants[self] = 1;
    while (wants[other]) {
        if (turn != self) {
            wants[self] = 0;
            while (turn != self) {
            }
            wants[self] = 1;
        }
    }
#endif
}

static void leave(int self) {
    turn = 1 - self;
    wants[self] = 0;
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
