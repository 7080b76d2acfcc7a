/* Functions by pointer: a table of operations, a start routine chosen at run time. Only functions
   of the right type and whose address is taken can be meant. With BAD_ENTRY the table has an entry
   that breaks the claim. */
#include <assert.h>
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);

static int twice(int x) {
    return 2 * x;
}

static int square(int x) {
    return x * x;
}

#ifdef BAD_ENTRY
static int nothing(int x) {
    return x;
}
#endif

static int (*const table[2])(int) = {
    twice,
#ifdef BAD_ENTRY
    nothing,
#else
    square,
#endif
};

static int result;

static void *first(void *arg) {
    int (*f)(int) = *(int (*const *)(int))arg;
    result = f(2);
    return 0;
}

static void *second(void *arg) {
    result = (*(int (*const *)(int))arg)(2);
    return 0;
}

int main(void) {
    pthread_t t;
    void *(*start)(void *) = __VERIFIER_nondet_bool() ? first : second;
    pthread_create(&t, 0, start, (void *)&table[__VERIFIER_nondet_bool()]);
    pthread_join(t, 0);
    assert(result == 4);
    return 0;
}
