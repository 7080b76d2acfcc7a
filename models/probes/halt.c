/* A thread stores 1 and then stops the process or prunes the run; what it would store afterwards
   never is seen, but the 1 is: between the store and the stop the other thread can run. SEEN is the
   value that the observer claims not to see: 1 (wrong) or 2 (right). The way to stop: exit
   (default), ABORT, ASSUME, RETURN from main. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#ifndef SEEN
#define SEEN 1
#endif

extern void __VERIFIER_assume(int);

static int flag;

static void *observer(void *arg) {
    (void)arg;
    assert(flag != SEEN);
    return 0;
}

static int halter(void) {
    flag = 1;
#if defined ABORT
    abort();
#elif defined ASSUME
    __VERIFIER_assume(0);
#elif defined RETURN
    return 1;
#else
    exit(0);
#endif
    flag = 2;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, observer, 0);
    if (halter())
        return 0;
    pthread_join(t, 0);
    return 0;
}
