/* Two threads write through pointers. APART: to two variables. MAYBE: one of them to a variable that an input chooses. SWAPPED: the
   pointers themselves are exchanged meanwhile. */
#include <pthread.h>

int __VERIFIER_nondet_int(void);
int x, y, z;
int *p = &x, *q = &x;

void *one(void *arg) {
    (void)arg;
    *p = 1;
    return 0;
}

void *two(void *arg) {
    (void)arg;
#ifdef SWAPPED
    int *old = p;
    p = q;
    q = old;
#else
    *q = 2;
#endif
    return 0;
}

int main(void) {
    pthread_t s, t;
#if defined APART || defined SWAPPED
    q = &y;
#elif defined MAYBE
    q = __VERIFIER_nondet_int() ? &y : __VERIFIER_nondet_int() ? &x : &z;
#endif
    pthread_create(&s, 0, one, 0);
    pthread_create(&t, 0, two, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    return x;
}
