/* A pointer is published by one thread and used by another. Waiting for it makes the use safe; with
   NO_WAIT it may still be null. */
#include <pthread.h>

static int value;
static int *_Atomic published;

static void *publisher(void *arg) {
    (void)arg;
    published = &value;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, publisher, 0);
#ifndef NO_WAIT
    while (!published) {
    }
#endif
    *published = 3;
    return 0;
}
