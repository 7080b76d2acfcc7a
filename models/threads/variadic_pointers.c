/* A table of variadic functions, called through pointers by two threads; each adds what it was given by name.
   -D LOST: the addition is not atomic, and one may be lost. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static int sum;
#ifndef LOST
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
#endif

static void add(int by, ...) {
#ifndef LOST
    pthread_mutex_lock(&m);
#endif
    int now = sum;
    sum = now + by;
#ifndef LOST
    pthread_mutex_unlock(&m);
#endif
}

static void twice(int by, const char *why, ...) {
    add(by, why);
    add(by);
}

static void (*one)(int, ...) = add;
static void (*other)(int, const char *, ...) = twice;
static int (*print)(const char *, ...) = printf;

static void *thread(void *unused) {
    one(1, "first", 2L);
    return unused;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, thread, 0);
    other(2, "second", 3, 4.0);
    pthread_join(t, 0);
    print("%d\n", sum);
    assert(sum == 5);
    return 0;
}
