/* One piece writes two cells of an array, and which gets which value is chosen: the first can get the 1. */
#include <assert.h>
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int __VERIFIER_nondet_int(void);

static int cells[2];

static void *writer(void *arg) {
    (void)arg;
    unsigned i = __VERIFIER_nondet_int();
    if (i > 1)
        return 0;
    __VERIFIER_atomic_begin();
    cells[i] = 1;
    cells[1 - i] = 2;
    __VERIFIER_atomic_end();
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    pthread_join(t, 0);
#ifdef EITHER
    assert(cells[0] == 0 || cells[0] + cells[1] == 3);
#else
    assert(!(cells[0] == 1 && cells[1] == 2));
#endif
    return 0;
}
