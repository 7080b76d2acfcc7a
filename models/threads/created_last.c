/* The thread is created in the last round of a loop; the rounds before take no slot. */
#include <assert.h>
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static void *worker(void *arg) {
    (void)arg;
    assert(0);
    return 0;
}

int main(void) {
    pthread_t t;
    for (int i = 0; i < 2; i++) {
        __VERIFIER_atomic_begin();
        if (i == 1)
            pthread_create(&t, 0, worker, 0);
        __VERIFIER_atomic_end();
    }
    return 0;
}
