/* Loops that end and loops that do not. n comes from outside; stepping by two from an odd number never meets zero (it wraps
   around in a byte and goes on). With FOREVER a thread that nobody waits for loops for ever: main's return ends it. */
#include <pthread.h>

unsigned char __VERIFIER_nondet_uchar(void);
unsigned char n;

static void *idle(void *arg) {
    (void)arg;
    while (1) {
    }
    return 0;
}

int main(void) {
#ifdef FOREVER
    pthread_t t;
    pthread_create(&t, 0, idle, 0);
#else
    (void)idle;
#endif
    n = __VERIFIER_nondet_uchar() & 7;
#ifdef BY_TWO
    while (n)
        n -= 2;
#else
    while (n)
        n--;
#endif
    return 0;
}
