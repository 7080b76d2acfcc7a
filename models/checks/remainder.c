/* Division and remainder truncate towards zero, and the divisor must not be zero. The divisor is an
   arbitrary byte minus OFFSET; for OFFSET 256 it never is zero. */
#include <assert.h>
#ifndef OFFSET
#define OFFSET 256
#endif

extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    int d = __VERIFIER_nondet_uchar() - OFFSET;
    int q = 1000 / d, r = 1000 % d;
    assert(q * d + r == 1000);
    assert(-7 / 2 == -3 && -7 % 2 == -1);
    return 0;
}
