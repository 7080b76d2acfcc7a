/* A thread gives up inside an atomic section, after it has moved on to another cell and let go of its memory: nobody sees that. LATE: the section
   is left, and the write after it races. LOSE: the memory is lost before the section. */
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static int cells[4], chosen;
static int *held;

static void *worker(void *arg) {
    int i = __VERIFIER_nondet_int() ? 0 : 1;
    __VERIFIER_atomic_begin();
    held = malloc(4);
    __VERIFIER_atomic_end();
    chosen = i;
#ifdef LOSE
    held = 0;
#endif
    __VERIFIER_atomic_begin();
    i++;
    cells[i] = 5;
    held = 0;
#ifdef LATE
    i++;
#else
    __VERIFIER_assume(chosen == 2);
#endif
    __VERIFIER_atomic_end();
    cells[i] = 7;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    cells[3] = 1;
    return 0;
}
