/* Values of bit-fields: stores are cut to the width, signed fields sign-extend, and the fields of a
   unit do not disturb each other within one thread. CLAIM is what the program expects of a signed
   3-bit field that got 5: the value is -3. */
#include <assert.h>
#ifndef CLAIM
#define CLAIM (-3)
#endif

struct packed {
    unsigned low : 4;
    signed mid : 3;
    unsigned high : 9;
    _Bool flag : 1;
};

int main(void) {
    struct packed p = {15, 0, 0, 0};
    p.mid = (signed char)5;
    p.high = 511;
    p.low++;
    p.flag = 2;
    p.high -= 11;
    assert(p.mid == CLAIM);
    assert(p.low == 0 && p.high == 500 && p.flag == 1);
    return 0;
}
