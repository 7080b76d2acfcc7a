/* The usual arithmetic conversions, one thread, every byte as input: promotion to int, sign
   extension, truncation, comparison of signed with unsigned. */
#include <assert.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    unsigned char u = __VERIFIER_nondet_uchar();
    signed char s = (signed char)u;
    assert(u - s == 0 || u - s == 256);
    assert((unsigned char)(u + 1) == (u == 255 ? 0 : u + 1));
    assert((unsigned)s == (s < 0 ? 0xffffff00u + u : u));
    assert((~u & 0xff) == 255 - u);
#ifdef WRONG
    assert((unsigned)s <= 255u);
#endif
    assert((s >> 1) * 2 + (s & 1) == s);
    assert((_Bool)u == (u != 0));
    return 0;
}
