/* Assertions about locals between, before and after the shared accesses of a thread: all of them
   count, even where nothing else is visible around them. WHERE is the place of the one that fails:
   1 before the first shared access, 2 between two, 3 after the last one, in a call; 0 none. */
#include <assert.h>
#include <pthread.h>
#ifndef WHERE
#define WHERE 0
#endif

static int shared;

static void check(int place, int value) {
    int doubled = 2 * value;
    assert(place != WHERE || doubled != 2 * value);
    doubled++;
}

static void *worker(void *arg) {
    int local = arg == 0;
    local += 2;
    check(1, local);
    local *= 3;
    shared = local;
    local -= 4;
    check(2, local);
    local++;
    shared = local;
    check(3, local);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    shared = 1;
    pthread_join(t, 0);
    return 0;
}
