/* What counts as a run: one in which an assumption fails does not; one that ends with exit or a failed assertion does, and
   stays as it is. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

void __VERIFIER_assume(int);
_Bool __VERIFIER_nondet_bool(void);
int x, y;

static void *writer(void *arg) {
    (void)arg;
    x = 1;
    y = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
#if defined(ASSUME)
    int seen = y;
    __VERIFIER_assume(seen == 1);
#elif defined(ASSERT)
    assert(x == 0);
#else
    if (__VERIFIER_nondet_bool())
        exit(0);
#endif
    pthread_join(t, 0);
    return 0;
}
