/* A lock that knows its owner by pthread_self(): whoever is inside is the owner, for any number of threads. STOLEN: a thread takes the
   lock without asking whether it is free. */
#include <pthread.h>
#include <assert.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void __VERIFIER_assume(int);

unsigned long owner;
int inside;

void *worker(void *arg) {
    __VERIFIER_atomic_begin();
#ifndef STOLEN
    __VERIFIER_assume(owner == 0);
#endif
    owner = (unsigned long)pthread_self();
    __VERIFIER_atomic_end();
    inside = 1;
    assert(owner == (unsigned long)pthread_self());
    inside = 0;
    owner = 0;
    return arg;
}

int main(void) {
    pthread_t t;
    while (1) pthread_create(&t, 0, worker, 0);
}
