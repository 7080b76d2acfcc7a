/* A server that starts a thread per request, as long as requests come: nobody knows how many. Each
   thread takes a ticket from an atomic counter. With --threads 2 two of them can be alive at once
   and the check for FAIL_AT = 2 tickets can be violated; a violation that needs more threads than
   allowed is not found, but then the bound is reported: never TRUE. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef FAIL_AT
#define FAIL_AT 3
#endif

extern _Bool __VERIFIER_nondet_bool(void);

static atomic_int alive;

static void *serve(void *arg) {
    (void)arg;
    int now = ++alive;
    assert(now < FAIL_AT);
    alive--;
    return 0;
}

int main(void) {
    pthread_attr_t detached;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    while (__VERIFIER_nondet_bool()) {
        pthread_t t;
        pthread_create(&t, &detached, serve, 0);
    }
    return 0;
}
