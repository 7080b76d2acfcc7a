/* Stopping in a thread other than main: exit and abort end the whole process, pthread_exit only the
   thread. Main's assertion after the join is reached only if the thread stops by itself
   (BY_PTHREAD_EXIT); after exit or abort nothing comes any more. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *worker(void *arg) {
    (void)arg;
#if defined BY_PTHREAD_EXIT
    pthread_exit(0);
#elif defined BY_ABORT
    abort();
#else
    exit(1);
#endif
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    assert(0);
    return 0;
}
