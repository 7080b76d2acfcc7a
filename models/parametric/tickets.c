/* A ticket lock for any number of threads: numbers are drawn in order, and no two threads have the same. TORN: drawing takes two steps, so
   two threads can get one number. */
#include <pthread.h>
#include <assert.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void __VERIFIER_assume(int);

unsigned next, serving;
int inside;

void *customer(void *arg) {
    unsigned mine;
#ifndef TORN
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(next != ~0u);
#endif
    mine = next;
    next = mine + 1;
#ifndef TORN
    __VERIFIER_atomic_end();
#endif
    while (serving != mine) {}
    inside = 1;
    assert(inside == 1);
    inside = 0;
    serving = mine + 1;
    return arg;
}

int main(void) {
    pthread_t t;
    while (1) pthread_create(&t, 0, customer, 0);
}
