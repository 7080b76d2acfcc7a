/* Library functions that are called only through pointers of static storage: main cancels a thread at its cancellation point, so that it
   need not write. With SERIAL the one thread of a barrier is told that it is the serial one. */
#include <assert.h>
#include <pthread.h>

static int (*const cancel)(pthread_t) = pthread_cancel;
static int (*const arrive)(pthread_barrier_t *) = pthread_barrier_wait;
static int written;

static void *writer(void *arg) {
    pthread_testcancel();
    written = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_barrier_t alone;
    pthread_create(&t, 0, writer, 0);
    cancel(t);
    pthread_join(t, 0);
    pthread_barrier_init(&alone, 0, 1);
#ifdef SERIAL
    assert(arrive(&alone) == PTHREAD_BARRIER_SERIAL_THREAD);
#else
    arrive(&alone);
    assert(written);
#endif
    return 0;
}
