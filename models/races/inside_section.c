/* An atomic section with a loop is a sequence of steps. What it is about to write in the middle races with the plain read outside, as
   what it writes first does. With QUIET main reads nothing. */
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int last, all[2];

static void *worker(void *arg) {
    (void)arg;
    int n = __VERIFIER_nondet_int();
    __VERIFIER_atomic_begin();
    for (int i = 0; i < n && i < 2; i++)
        all[i] = i;
    last = 1;
    __VERIFIER_atomic_end();
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
#ifdef QUIET
    int seen = 0;
#else
    int seen = last;
#endif
    pthread_join(t, 0);
    return seen + last + all[1];
}
