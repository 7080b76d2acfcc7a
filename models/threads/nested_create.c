/* A thread creates a thread: main starts a parent, the parent starts a child and joins it, so after
   joining the parent main knows that both are done. With ORPHAN the parent does not join, and the
   child may still be at work. */
#include <assert.h>
#include <pthread.h>

static int work;

static void *child(void *arg) {
    int *counter = arg;
    *counter += 2;
    return 0;
}

static void *parent(void *arg) {
    pthread_t t;
    *(int *)arg = 1;
    pthread_create(&t, 0, child, arg);
#ifndef ORPHAN
    pthread_join(t, 0);
#endif
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, parent, &work);
    pthread_join(t, 0);
    assert(work == 3);
    return 0;
}
