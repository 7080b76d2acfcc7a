/* Assertions and assumptions inside atomic sections count like any others: the section of the
   checker runs when both variables are equal or not at all, for the writer changes both in one
   section. With SPLIT the writer has a section for each. */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int a, b;

static void *writer(void *arg) {
    (void)arg;
    __VERIFIER_atomic_begin();
    a++;
#ifdef SPLIT
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
#endif
    b++;
    __VERIFIER_atomic_end();
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    __VERIFIER_atomic_begin();
    assert(a == b);
    __VERIFIER_atomic_end();
    pthread_join(t, 0);
    return 0;
}
