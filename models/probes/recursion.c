/* Recursion with a known depth: the sum of 1..DEPTH. Within the bound on frames the result is
   exact; beyond it the verdict names the bound and is never TRUE. The shared variable makes sure
   that each frame has its own locals while another thread runs. */
#include <assert.h>
#include <pthread.h>
#ifndef DEPTH
#define DEPTH 3
#endif

static int total;

static int sum(int n) {
    int here = n;
    if (n == 0)
        return 0;
    int rest = sum(n - 1);
    assert(here == n);
    return here + rest;
}

static void *worker(void *arg) {
    (void)arg;
    total = sum(DEPTH);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    int mine = sum(2);
    pthread_join(t, 0);
#ifdef WRONG
    assert(mine == 4);
#else
    assert(mine == 3 && total == DEPTH * (DEPTH + 1) / 2);
#endif
    return 0;
}
