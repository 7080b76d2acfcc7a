/* Threads one after the other: a thread that has been joined is gone, so any number of threads can
   follow each other in a loop although only one exists at a time. With OVERLAP each is joined only
   after the next has been created, and their increments can collide. */
#include <assert.h>
#include <pthread.h>
#define TIMES 5

static int count;

static void *worker(void *arg) {
    (void)arg;
    count++;
    return 0;
}

int main(void) {
    pthread_t t, before;
    for (int i = 0; i < TIMES; i++) {
        pthread_create(&t, 0, worker, 0);
#ifdef OVERLAP
        if (i > 0)
            pthread_join(before, 0);
        before = t;
#else
        pthread_join(t, 0);
#endif
    }
#ifdef OVERLAP
    pthread_join(before, 0);
#else
    (void)before;
#endif
    assert(count == TIMES);
    return 0;
}
