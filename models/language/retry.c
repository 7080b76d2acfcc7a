/* A thread that comes back by longjmp. A longjmp gives no lock back: KEEP leaves the mutex locked, and the other thread waits for ever. */
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void fail(jmp_buf back) {
#ifndef KEEP
    pthread_mutex_unlock(&lock);
#endif
    longjmp(back, 1);
}

static void *worker(void *argument) {
    jmp_buf back;
    volatile int tries = 0;
    if (setjmp(back) != 0) {
        assert(tries == 1);
        return argument;
    }
    pthread_mutex_lock(&lock);
    tries++;
    done++;
    fail(back);
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(done == 2);
    return 0;
}
