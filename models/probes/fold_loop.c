/* One thread runs round and round without touching anything shared. The other threads must still
   get their turns, and the search must end. With GOTO the loop is made of jumps; with CHECK the
   loop itself has a counter that must stay small. */
#include <assert.h>
#include <pthread.h>
#ifndef LIMIT
#define LIMIT 3
#endif

static int shared;

static void *spinner(void *arg) {
    unsigned i = arg != 0;
#ifdef GOTO
again:
    i = (i + 1) % 3;
    goto again;
#else
    while (1) {
        i = (i + 1) % 3;
        assert(i < LIMIT);
    }
#endif
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, spinner, 0);
    shared = 1;
#ifdef FAIL
    assert(shared == 0);
#else
    assert(shared == 1);
#endif
    pthread_join(t, 0);
    return 0;
}
