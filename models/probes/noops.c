/* Sleeping, yielding and printing change nothing: a sleep is no synchronisation. Whoever sleeps long
   enough for the other to be done is still not safe (HOPE); whoever joins is. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

static int ready;

static void *worker(void *arg) {
    (void)arg;
    printf("worker\n");
    ready = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
#ifdef HOPE
    sleep(1);
    usleep(1000);
    sched_yield();
    assert(ready);
    pthread_join(t, 0);
#else
    pthread_join(t, 0);
    assert(ready);
#endif
    return 0;
}
