/* A function whose name starts with __VERIFIER_atomic_ is one atomic section, however it returns.
   It implements a spin lock with a blocking assumption: acquire is possible only while the lock is
   free. With PLAIN the same function has an ordinary name and two threads can both find the lock
   free. */
#include <assert.h>
#include <pthread.h>
#ifdef PLAIN
#define ACQUIRE acquire
#else
#define ACQUIRE __VERIFIER_atomic_acquire
#endif

extern void __VERIFIER_assume(int);

static int locked, owner;

static int ACQUIRE(int self) {
    __VERIFIER_assume(locked == 0);
    locked = 1;
    if (self == 1)
        return 1;
    return 2;
}

static void *worker(void *arg) {
    int self = ACQUIRE((int)(long)arg);
    owner = self;
    assert(owner == self);
    locked = 0;
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, worker, (void *)1L);
    pthread_create(&t2, 0, worker, (void *)2L);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
