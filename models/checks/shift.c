/* The distance of a shift must be at least zero and less than the width of the shifted type. A byte
   is masked to MASK bits before it is used as a distance: 31 is fine for a 32-bit unsigned, 63 is
   not; a 64-bit operand (WIDE) stands 63. A negative number (SIGNED) is not shifted to the left: C11 leaves open what comes out, and gcc checks it. */
#include <assert.h>
#ifndef MASK
#define MASK 31
#endif

extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    int distance = __VERIFIER_nondet_uchar() & MASK;
#ifdef WIDE
    unsigned long long one = 1;
#else
    unsigned one = 1;
#endif
#ifdef SIGNED
    int less = 3 - (distance & SIGNED);
    assert(less << 1 == 2 * less);
#endif
    assert((one << distance) >> distance == 1);
    return 0;
}
