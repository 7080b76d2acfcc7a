/* An atomic section with a loop is not one step, but still nobody else moves before it ends: the
   observer sees x odd only if the section is missing (OPEN). */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int x;

static void *observer(void *arg) {
    (void)arg;
    assert(x % 2 == 0);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, observer, 0);
    for (int round = 0; round < 2; round++) {
#ifndef OPEN
        __VERIFIER_atomic_begin();
#endif
        for (int i = 0; i < 2; i++)
            x++;
#ifndef OPEN
        __VERIFIER_atomic_end();
#endif
    }
    pthread_join(t, 0);
    assert(x == 4);
    return 0;
}
