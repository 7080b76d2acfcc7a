/* The ways to say that something must not be reached: reach_error() and assert. An assertion that
   holds and an error call behind a false condition are no violation. REACHED makes the condition
   possible. */
#include <assert.h>
#include <pthread.h>

extern void reach_error(void);

static _Atomic int stage;

static void *worker(void *arg) {
    (void)arg;
    stage = 1;
    stage = 2;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    int first = stage, second = stage;
#ifdef REACHED
    if (second > first)
        reach_error();
#else
    if (second < first)
        reach_error();
#endif
    pthread_join(t, 0);
    assert(stage == 2);
    return 0;
}
