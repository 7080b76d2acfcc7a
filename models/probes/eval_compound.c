/* `x += f()` reads x before the call or after it: C leaves that open. BEFORE and AFTER expect that one of the two does not happen. */
#include <assert.h>

static int x = 1;

static int f(void) {
    x = 10;
    return 1;
}

int main(void) {
    x += f();
#ifdef BEFORE
    assert(x != 2);
#elif defined AFTER
    assert(x != 11);
#else
    assert(x == 2 || x == 11);
#endif
    return 0;
}
