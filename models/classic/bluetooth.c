/* A model of a Bluetooth driver: an I/O routine must not run after the driver has stopped. pending
   counts the users of the driver (one for the driver itself); who stops it raises `stopping`, gives
   up the driver's own count and waits until the last user has gone. The routine must announce
   itself first and look at `stopping` afterwards. With CHECK_FIRST it looks first, can be overtaken
   by the whole stop, and then works on a stopped driver. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern void __VERIFIER_assume(int);

static atomic_int pending = 1, stopping, all_gone, stopped;

static void leave(void) {
    if (atomic_fetch_sub(&pending, 1) == 1)
        all_gone = 1;
}

static int enter(void) {
#ifdef CHECK_FIRST
    if (stopping)
        return 0;
    pending++;
#else
    pending++;
    if (stopping) {
        leave();
        return 0;
    }
#endif
    return 1;
}

static void *io(void *arg) {
    (void)arg;
    if (enter()) {
        assert(!stopped);
        leave();
    }
    return 0;
}

static void *stop(void *arg) {
    (void)arg;
    stopping = 1;
    leave();
    __VERIFIER_assume(all_gone);
    stopped = 1;
    return 0;
}

int main(void) {
    pthread_t t1, t2, t3;
    pthread_create(&t1, 0, stop, 0);
    pthread_create(&t2, 0, io, 0);
    pthread_create(&t3, 0, io, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    pthread_join(t3, 0);
    return 0;
}
