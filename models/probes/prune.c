/* An assumption before a store limits what the others can see; after the store it comes too late,
   for the others may have looked already. */
#include <assert.h>
#include <pthread.h>

extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);

static unsigned char shared;

static void *observer(void *arg) {
    (void)arg;
    assert(shared < 3);
    return 0;
}

int main(void) {
    pthread_t t;
    unsigned char x = __VERIFIER_nondet_uchar();
    pthread_create(&t, 0, observer, 0);
#ifdef LATE
    shared = x;
    __VERIFIER_assume(x < 3);
#else
    __VERIFIER_assume(x < 3);
    shared = x;
#endif
    pthread_join(t, 0);
    return 0;
}
