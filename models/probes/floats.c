/* Floating-point numbers follow IEEE 754: sums of powers of two are exact, 0.1 + 0.2 is not 0.3,
   and conversion to int truncates. CLAIM is what the program expects of (int)-2.75. */
#include <assert.h>
#ifndef CLAIM
#define CLAIM (-2)
#endif

static double half = 0.5, tenth = 0.1;

int main(void) {
    assert(half + 0.25 == 0.75);
    assert(tenth + 0.2 != 0.3);
    assert((int)(half * -5.5) == CLAIM);
    assert((float)tenth != tenth);
    return 0;
}
