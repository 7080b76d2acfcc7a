/* A thread that goes round for ever is in the same state again after each round; the checker may come between any two of its writes, in any
   round: it sees `x` set, and then not. BOTH: another one goes round as well. COPY: what goes round is copied by another thread that
   does. With SAFE the checker asks for what never happens. */
#include <assert.h>
#include <pthread.h>

int x, y;

static void *blink(void *arg) {
    for (;;) {
        x = 1;
        x = 0;
    }
    return arg;
}

#if defined(BOTH) || defined(COPY)
static void *other(void *arg) {
    for (;;) {
#ifdef COPY
        y = x;
#else
        y = 1;
        y = 0;
#endif
    }
    return arg;
}
#endif

static void *checker(void *arg) {
    int first = x, second = y, third = x;
#if defined(SAFE)
    assert(first < 2 && second == 0 && third < 2);
#elif defined(BOTH) || defined(COPY)
    assert(!(first == 1 && second == 1 && third == 0));
#else
    assert(!(first == 1 && second == 0 && third == 0));
#endif
    return arg;
}

int main(void) {
    pthread_t a, c;
    pthread_create(&a, 0, blink, 0);
#if defined(BOTH) || defined(COPY)
    pthread_t b;
    pthread_create(&b, 0, other, 0);
#endif
    pthread_create(&c, 0, checker, 0);
    pthread_join(c, 0);
    return 0;
}
