/* Two threads that answer each other, and a main that never moves again: it creates both in one step and then
   waits for a lock that nobody gives back. The assertion fails only if f runs three times with g in between, so
   a search in rounds of (main, f, g) that ends with a turn of main must not take its silence for the end. */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *f(void *arg) {
    if (x == 0)
        x = 1;
    if (x == 2) {
        x = 3;
        assert(x != 4);
    }
    return arg;
}

static void *g(void *arg) {
    if (x == 1) {
        x = 2;
        if (x == 3)
            x = 4;
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    __VERIFIER_atomic_begin();
    pthread_mutex_lock(&m);
    pthread_create(&a, 0, f, 0);
    pthread_create(&b, 0, g, 0);
    __VERIFIER_atomic_end();
    pthread_mutex_lock(&m);
    return 0;
}
