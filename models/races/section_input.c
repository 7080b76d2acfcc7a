/* What an atomic section writes may depend on a value that it asks for itself, and on one that nobody
   would guess; the write races with the plain read all the same. With ALWAYS_OTHER it cannot be
   that value. */
#include <pthread.h>

extern unsigned short __VERIFIER_nondet_ushort(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int g;

static void *worker(void *arg) {
    (void)arg;
    __VERIFIER_atomic_begin();
    unsigned short chosen = __VERIFIER_nondet_ushort();
#ifdef ALWAYS_OTHER
    chosen &= 0xff;
#endif
    if (chosen * 7 + 3 == 12345 * 7 + 3)
        g = 1;
    __VERIFIER_atomic_end();
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    int seen = g;
    pthread_join(t, 0);
    return seen;
}
