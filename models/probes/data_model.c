/* The two data models differ in the sizes of long and of pointers, and with them in conversions.
   BITS is what the program expects of a long. */
#include <assert.h>
#ifndef BITS
#define BITS 64
#endif

int main(void) {
    unsigned int u = 1;
    long l = -2;
    assert(sizeof(long) * 8 == BITS && sizeof(void *) == sizeof(long));
    /* a 32-bit long becomes unsigned int here, a 64-bit long keeps its sign */
    assert((l + u < 0) == (BITS == 64));
    assert(sizeof(long long) == 8 && sizeof(int) == 4 && sizeof(short) == 2);
    return 0;
}
