/* A floating number that an integer type cannot hold: C says nothing about its conversion. The input is a number of quarters.
     (none)     -128.75 to 127.75 fits a signed char, for the fraction goes
     LARGE      128 does not
     UNSIGNED   0 to 255.75 and down to -0.75 fit an unsigned char
     NEGATIVE   -1 does not
     ASSIGNED   an int holds what is assigned to it with +=, as long as the sum fits
     HUGE_      the sum does not fit
     NAN_       no integer is equal to what is not a number
     WIDE       the lowest long, and what is rounded to it
     BELOW      less than that */
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static int between(int low, int high) {
    int value = __VERIFIER_nondet_int();
    __VERIFIER_assume(value >= low && value <= high);
    return value;
}

int main(void) {
#if defined(LARGE)
    int quarters = between(508, 512);
    signed char c = quarters / 4.0;
    assert(c == quarters / 4);
#elif defined(UNSIGNED)
    int quarters = between(-3, 1023);
    unsigned char c = quarters / 4.0f;
    assert(c == quarters / 4);
#elif defined(NEGATIVE)
    int quarters = between(-4, 1023);
    unsigned char c = quarters / 4.0f;
    assert(c == quarters / 4);
#elif defined(ASSIGNED)
    int sum = 2147483000;
    sum += between(0, 647) + 0.25;
    assert(sum >= 2147483000);
#elif defined(HUGE_)
    int sum = 2147483000;
    sum += between(0, 648) + 0.25;
    assert(sum >= 2147483000);
#elif defined(NAN_)
    double zero = between(0, 1), ratio = zero / zero;
    int n = ratio;
    assert(n == 1);
#elif defined(WIDE)
    long long n = -9223372036854775808.0 - between(0, 1024);
    assert(n < 0);
#elif defined(BELOW)
    long long n = -9223372036854775808.0 - between(0, 1025);
    assert(n < 0);
#else
    int quarters = between(-515, 511);
    signed char c = quarters / 4.0;
    assert(c == quarters / 4);
#endif
    return 0;
}
