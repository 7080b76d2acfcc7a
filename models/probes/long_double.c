/* A long double has more digits than a double, which fsoft computes with: what rests on them is neither proved nor refuted. FORM picks
   such a claim; without it all values are those of doubles. */
#include <assert.h>

#if FORM == 3
long double third = 1.0L / 3;
#else
long double third = 0.25L;
#endif

int main(void) {
    long double one = 1.0L, number = 3.0;
    double narrow = one;
#if FORM == 1
    one = 1.0L + 0x1p-60L;
    assert(one > 1.0L);
#elif FORM == 2
    assert(number / 3 == one && 0.1L != 0.1);
#elif FORM == 3
    assert(third != 1.0 / 3);
#elif FORM == 4
    long long odd = (1LL << 53) + 1;
    number = odd;
    assert(number != odd - 1);
#else
    assert(narrow == one && number > third && third == 0.25);
#endif
    return narrow > number;
}
