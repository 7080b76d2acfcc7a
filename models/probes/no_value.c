/* A function that ends without a value gives any: neither the one of an earlier call nor zero. With TESTED the caller looks at it only if
   there is one. */
#pragma GCC diagnostic ignored "-Wreturn-type"
#include <assert.h>

static volatile int none;

static int find(int key) {
    if (key)
        return 1;
}

static int stop(int key) {
    if (!key)
        return 5;
    if (key > 7)
        return 7;
}

int main(void) {
    int first = find(1), wanted = none;
#ifdef TESTED
    int second = wanted ? find(wanted) : 0;
    assert(first == 1 && (second == 0 || second == 1) && stop(0) == 5 && stop(8) == 7);
#elif defined ZERO
    assert(first == 1 && find(wanted) != 1234);
#else
    assert(first == 1 && find(wanted) == 1 && stop(0) == 5);
#endif
    return 0;
}
